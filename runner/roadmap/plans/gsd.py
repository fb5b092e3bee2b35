"""GSD (get-shit-done): ``.planning/ROADMAP.md`` has phases, and each phase has plans.

A plan is ``- [ ] 02-01-PLAN.md — Text`` below its phase, and what it says is in
``.planning/phases/02-NAME/02-01-PLAN.md``. https://github.com/gsd-build/get-shit-done
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise

from runner.roadmap.plans.form import PlanForm, read_again
from runner.roadmap.plans.specification import BULLET, MARKUP, SpecQuote, item_of
from runner.roadmap.task import Roadmap, Task
from runner.text.patterns import lazy_pattern

_PLAN = lazy_pattern(
    r"^(?P<box>[ \t]*[-*][ \t]+\[[ xX]\][ \t]+)[*`\[]{0,4}(?P<phase>\d+[A-Z]?(?:\.\d+)*)"
    r"-(?:PLAN-)?(?P<plan>\d+(?:\.\d+)?)(?:[\w-]*PLAN)?(?:\.md)?"
    r"[*`]{0,3}(?:\]\([^)\n]*\))?[*`]{0,3}[ \t]*"
    r"(?:--?|[\u2013\u2014:])?[*]{0,2}[ \t]+(?=\S)",
    re.MULTILINE,
)
_ID = lazy_pattern(r"0*(?P<phase>\d+[A-Z]?(?:\.\d+)*)-0*(?P<plan>\d+)(?:\.\d+)?")
_PHASE = lazy_pattern(r"Phase 0*(?P<phase>\d+[A-Z]?(?:\.\d+)*)")
_WAVE = lazy_pattern(r"[ \t]*\*{0,2}Wave (?P<wave>\d{1,4})\b", re.IGNORECASE)
_IS_PLAN = lazy_pattern(r"PLAN(?:-\d+)?\.md\Z")
_REQUIREMENT = lazy_pattern(r"\b[A-Z][A-Z0-9]*-\d+\b")
_MOST_REQUIREMENTS = 50
"""Of one plan; each of them is looked for."""
_NOTES = "CONTEXT|RESEARCH|UI-SPEC|DISCOVERY"
_UNPLANNED = (
    "it has no open plan. Plan a phase with GSD first: Cairn executes the plans of a phase."
)


def _shown(text: str) -> str:
    """Show the file name that a plan begins with as its id."""
    return _PLAN.sub(r"\g<box>\g<phase>-\g<plan>: ", text)


def _refined(found: Roadmap, lines: Sequence[str]) -> Roadmap:
    phases = {
        box["phase"]: task
        for task in reversed(found.tasks)
        if task.id and (box := _PHASE.fullmatch(task.id))
    }
    if not phases:
        return found
    tasks: list[Task] = []
    again: dict[str, int] = {}
    for task in reversed(found.tasks):
        plan = _ID.match(task.id or task.title)
        if plan is None:
            # the tool itself ticks a phase, after a verification that people take part in
            tasks.append(replace(task, kind="check"))
            continue
        phase = phases.get(plan["phase"])
        # listed once more, below its wave: one plan, so its other box is ticked with it
        other = again.get(plan[0])
        parent = phase if other is None else tasks[other]
        if other is not None:
            tasks[other] = replace(tasks[other], kind="summary", id=None)
        again[plan[0]] = len(tasks)
        task = replace(
            task,
            id=plan[0],
            title=task.title.removeprefix(f"{plan[0]}: "),
            checked=task.checked or bool(phase and phase.checked),
            place=replace(task.place, parent=parent.key if parent else task.place.parent),
        )
        tasks.append(task)
    tasks.reverse()
    if not all(phase.checked for phase in phases.values()):
        is_planned = any(task.runnable and not task.checked for task in tasks)
        found = replace(found, asks="" if is_planned else _UNPLANNED)
    return read_again(found, tasks, waits=_waits(tasks, lines))


def _waits(tasks: Sequence[Task], lines: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """What each plan waits for besides other phases: all plans of the wave before its own."""
    at: dict[int, int] = {}
    wave = 0
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            wave = 0
        elif named := _WAVE.match(line):
            wave = int(named["wave"])
        at[number] = wave
    waves: defaultdict[str, defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for task in tasks:
        if (plan := _ID.fullmatch(task.id or "")) and (wave := at[task.place.line]):
            waves[plan["phase"]][wave].append(task.key)
    return {
        key: tuple(of_phase[before])
        for of_phase in waves.values()
        for before, wave in pairwise(sorted(of_phase))
        for key in of_phase[wave]
    }


def _files(task: Task) -> str:
    """A plan's own files: other plans and phases say nothing of it."""
    plan = _ID.fullmatch(task.id or "")
    if plan is None:
        return "PROJECT.md"
    phase = f"0*{re.escape(plan['phase'])}"
    own = f"PLAN-0*{plan['plan']}|0*{plan['plan']}-(?:.*-)?PLAN|(?:.*-)?(?:{_NOTES})"
    return rf"(?:PROJECT|REQUIREMENTS)\.md|phases/{phase}-[^/]*/{phase}-(?:{own})\.md"


def _cited(words: str, files: Mapping[str, str]) -> Iterator[SpecQuote]:
    """The plan itself, and the requirements that it names."""
    if plan := _ID.match(words):
        path = next(filter(_IS_PLAN.search, files), "")
        yield SpecQuote(path or "phases/", f"plan {plan[0]}", files.get(path, ""))
        named = dict.fromkeys(_REQUIREMENT.findall(files.get(path, "")))
        for name in islice(named, _MOST_REQUIREMENTS):
            if text := item_of(files.get("REQUIREMENTS.md", ""), rf"{BULLET}{MARKUP}{name}\b"):
                yield SpecQuote("REQUIREMENTS.md", name, text)


GSD = PlanForm(
    name="GSD",
    paths=lazy_pattern(r"(?P<root>(?:.*/)?)\.planning/ROADMAP\.md"),
    usual=(".planning/ROADMAP.md",),
    shown=_shown,
    refined=_refined,
    covers=lambda task, passed: False,
    order=(r".*CONTEXT\.md", r"REQUIREMENTS\.md", r"PROJECT\.md"),
    files=_files,
    cited=_cited,
)
