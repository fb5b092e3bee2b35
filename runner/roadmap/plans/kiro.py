"""Kiro: ``.kiro/specs/NAME/tasks.md``, with requirements.md and design.md beside it.

Its optional tasks have a star behind the box (``- [ ]* 2.3 Text``), ``[-]`` is one in progress, and
the number of a task says what it is part of. https://kiro.dev/docs/specs/
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from runner.roadmap.plans.form import PlanForm, named_commands_passed, read_again, with_parents
from runner.roadmap.plans.specification import (
    BULLET,
    MARKUP,
    SpecQuote,
    expanded,
    item_of,
    section_named,
)
from runner.roadmap.task import Kind, Roadmap, Task, Warning
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import sendable

_BOX = lazy_pattern(
    r"^(?P<lead>[ \t]*[-*][ \t]+)\[(?P<state>[ xX~-])\](?:[ \t]?\\?\*(?=[ \t]))?"
    r"(?:(?P<id>[ \t]+\d[\d.]*)\\?\*)?(?=[ \t])",
    re.MULTILINE,
)
_STAR = lazy_pattern(r"[ \t]*[-*][ \t]+\[.\](?:[ \t]?\\?\*[ \t]|[ \t]+[\d.]+\\?\*[ \t])")
_STARTED = "-~"
_CHECKPOINT = lazy_pattern(
    r"\bcheckpoint|检查点|檢查點|チェックポイント|체크포인트|punto de control|ponto de verificação"
    r"|point de contrôle|kontrollpunkt|контрольная точка",
    re.IGNORECASE,
)
_TESTS_PASS = lazy_pattern(
    r"\btests? pass|测试|測試|テスト|테스트|prueba|testes|тест", re.IGNORECASE
)
_FENCED = lazy_pattern(
    r"^(?P<mark>`{3,10}|~{3,10})[ \t]*json\b[^\n]*\n(?P<json>.*?)^(?P=mark)", re.M | re.S
)


def _shown(text: str) -> str:
    """Show optional and started tasks as open ones: Markdown knows no other boxes."""
    states = dict.fromkeys(_STARTED, " ")
    return _BOX.sub(
        lambda box: f"{box['lead']}[{states.get(box['state'], box['state'])}]{box['id'] or ''}",
        text,
    )


def _refined(found: Roadmap, lines: Sequence[str]) -> Roadmap:
    numbered = any(task.id for task in found.tasks)

    def kind(task: Task) -> Kind:
        if not numbered:
            return task.kind
        # a box without a number says what must hold of what it stands in, or below
        return "check" if not task.id or _is_checkpoint(task) else "work"

    tasks = with_parents(found.tasks, kind)
    optional = {
        task.key for task in tasks if task.marks.optional or _STAR.match(lines[task.place.line - 1])
    }
    for task in tasks:
        if task.place.parent in optional:
            optional.add(task.key)
    tasks = [
        replace(
            task,
            marks=replace(
                task.marks,
                optional=task.key in optional,
                parallel=task.marks.parallel or "(P)" in task.text,
            ),
        )
        for task in tasks
    ]
    waits, warnings = _waits(tasks, "\n".join(lines))
    return read_again(found, tasks, waits=waits, warnings=warnings)


def _is_checkpoint(task: Task) -> bool:
    return _CHECKPOINT.search(task.title) is not None


def _is_covered(task: Task, passed: Collection[str]) -> bool:
    """Whether passing tests are what a checkpoint asks for, and nothing that did not run."""
    says_so = _TESTS_PASS.search(f"{task.text}\n{task.details}") and _is_checkpoint(task)
    return bool(says_so) and named_commands_passed(task, passed)


def _waits(tasks: Sequence[Task], text: str) -> tuple[Mapping[str, tuple[str, ...]], list[Warning]]:
    """What each task waits for: those of a wave for all of the one before it."""
    warnings: list[Warning] = []
    waits: dict[str, tuple[str, ...]] = {}
    # nobody waits for a check, nor for what is only done if somebody asks for it
    inside: dict[str, list[str]] = {}
    for task in (task for task in tasks if task.runnable):
        for place in (task.key, task.place.parent or ""):
            inside.setdefault(place, []).append(task.key)
    leaves = {task.id: inside.get(task.key, []) for task in tasks if task.id}
    seen: dict[str, int] = {}
    before: tuple[str, ...] = ()
    for line, wave in _graph(text, warnings):
        now: dict[str, None] = {}
        for name in wave:
            if seen.setdefault(name, line) != line:
                message = f"task {name} is in two waves, so it waits for itself; the first counts"
                warnings.append(Warning(line, 1, "dependency-cycle", message))
            elif name in leaves:
                now |= dict.fromkeys(leaves[name])
            else:
                message = f"the waves name {name}, which is no task of this file"
                warnings.append(Warning(line, 1, "unresolved-dependency", message))
        waits |= dict.fromkeys(now, before)
        before = tuple(now) or before
    return waits, warnings


def _graph(text: str, warnings: list[Warning]) -> Iterator[tuple[int, Sequence[str]]]:
    """The waves of the file in their order, each with a line to name it by."""
    for block in _FENCED.finditer(text):
        first = text.count("\n", 0, block.start("json")) + 1
        try:
            read: Any = json.loads(block["json"])
        except (ValueError, RecursionError) as error:
            if '"waves"' in block["json"] and isinstance(error, json.JSONDecodeError):
                message = (
                    f"the waves are not JSON ({error.msg}), so tasks keep the order of the file"
                )
                warnings.append(Warning(first + error.lineno - 1, error.colno, "waves", message))
            continue
        waves = read.get("waves") if isinstance(read, dict) else None
        for number, wave in enumerate(waves if isinstance(waves, list) else ()):
            names = wave.get("tasks") if isinstance(wave, dict) else None
            if isinstance(names, list):
                yield first + number, [sendable(str(name)) for name in names]


_REQUIREMENTS = lazy_pattern(
    r"_[^_\n:\uff1a]{0,40}?(?:requi|req\b|需求|要件|요구|المتطلب)[^_\n:\uff1a]{0,40}[:\uff1a](?P<list>[^_\n]+)_"
    r"|validates:?\W*requirements?\W*(?P<shown>[\d.,\s\u2013~-]+)",
    re.IGNORECASE,
)
_PROPERTY = lazy_pattern(r"\bproperty (\d+)\b", re.IGNORECASE)
_MOST_CRITERIA = 200
"""Of one task; each of them is looked for."""
_REQUIREMENT = r"[^\W\d]+[\s-]*{}(?![\d.])"


def _cited(words: str, files: Mapping[str, str]) -> Iterator[SpecQuote]:
    """The requirements that a task's bullets name, and the properties that its tests show."""
    path = next((name for name in ("requirements.md", "bugfix.md") if name in files), "")
    wanted: dict[str, list[str]] = {}
    every = (expanded(found["list"] or found["shown"]) for found in _REQUIREMENTS.finditer(words))
    for number, criterion in islice(chain.from_iterable(every), _MOST_CRITERIA):
        wanted.setdefault(number, []).append(criterion)
    for number, criteria in wanted.items():
        text = section_named(files.get(path, ""), _REQUIREMENT.format(number))
        if "" in criteria:
            yield SpecQuote(path, f"requirement {number}", text)
            continue
        first = _CRITERION.search(text)
        # it begins with its place in the list, or with its number written out
        items = {
            each: item_of(text, rf"(?:{BULLET})?{MARKUP}(?:{number}\.)?{each}(?:[.)]|\b\W)")
            for each in dict.fromkeys(criteria)
        }
        there = [f"{number}.{each}" for each, item in items.items() if item]
        if first and there:
            whole = "\n".join((text[: first.start()], *filter(None, items.values())))
            yield SpecQuote(path, f"requirement {', '.join(there)}", whole)
        for each in (each for each, item in items.items() if not item):
            yield SpecQuote(path, f"requirement {number}.{each}", "")
    for number in dict.fromkeys(_PROPERTY.findall(words)):
        text = section_named(files.get("design.md", ""), rf"property {number}\b")
        yield SpecQuote("design.md", f"property {number}", text)


_CRITERION = lazy_pattern(rf"^[ \t]*(?:{BULLET})?{MARKUP}\d+(?:\.\d+)*[.)]?\s", re.MULTILINE)

KIRO = PlanForm(
    name="Kiro",
    paths=lazy_pattern(r"(?P<root>(?:.*/)?)\.kiro/specs/(?:[^/]+/)+tasks\.md"),
    usual=(".kiro/specs/*/tasks.md",),
    shown=_shown,
    refined=_refined,
    covers=_is_covered,
    order=(r"requirements\.md|bugfix\.md", r"design\.md"),
    cited=_cited,
    rules=r"\.kiro/steering/[^/]+\.md",
)
