"""spec-kit: ``specs/NAME/tasks.md``, with spec.md, plan.md, data-model.md and contracts/ beside it.

A task is ``- [ ] T012 [P] [US1] Text``. https://github.com/github/spec-kit
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from runner.roadmap.dependencies import MOST_IN_RANGE
from runner.roadmap.fields import LONGEST
from runner.roadmap.plans.form import PlanForm, read_again
from runner.roadmap.plans.specification import BULLET, MARKUP, SpecQuote, item_of, section_named
from runner.roadmap.task import Roadmap, Task
from runner.text.patterns import lazy_pattern

_ID = lazy_pattern(r"T\d{2,4}[a-z]?")
_ARROW = r"\s*(?:→|->|=>|⟶)\s*"
_NAMES = r"T\d{2,4}[a-z]?(?:\s*[-–~/,]\s*T\d{2,4}[a-z]?)*"  # noqa: RUF001
_RANGE = lazy_pattern(r"(T\d{2,4}[a-z]?)\s*[-–~]\s*(T\d{2,4}[a-z]?)")  # noqa: RUF001
_CHAIN = lazy_pattern(
    rf"[-*\s]*(?:Phase \d+:\s*)?(?P<chain>{_NAMES}(?:{_ARROW}{_NAMES})+)\s*(?:\([^()]*\))?\s*"
)
"""A line of nothing but ids and arrows, and a remark."""
_NO_TASKS = lazy_pattern(
    r"^(?:[-*] \[P\] tasks\b|\*\*Prerequisites?\*\*:|\*\*Input\*\*:)[^\n]*$", re.MULTILINE
)
"""Lines of its template that read like a box and like what everything depends on."""


def _refined(found: Roadmap, lines: Sequence[str]) -> Roadmap:
    if not any(_is_numbered(task) for task in found.tasks):
        return found
    # the tests of a story are optional for who writes the list; in the list they are work
    tasks = [
        replace(
            task,
            kind="work" if _is_numbered(task) else "check",
            marks=replace(task.marks, optional=False),
        )
        for task in found.tasks
    ]
    keys = {task.id: task.key for task in tasks if task.id}
    waits: dict[str, dict[str, None]] = {}
    for before, after in _arrows(lines, list(keys)):
        for name in after:
            waits.setdefault(keys[name], {}).update((keys[each], None) for each in before)
    return read_again(found, tasks, waits={key: tuple(each) for key, each in waits.items()})


def _is_numbered(task: Task) -> bool:
    return bool(task.id and _ID.fullmatch(task.id))


def _arrows(lines: Sequence[str], ids: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Who comes before whom, as the author drew it; only what is a task of the file."""
    place = {name: number for number, name in enumerate(ids)}

    def named(step: str) -> list[str]:
        every = _ID.findall(step)
        for first, last in _RANGE.findall(step):
            if first in place and place[first] + MOST_IN_RANGE > place.get(last, len(ids)):
                every += ids[place[first] : place[last] + 1]
        return [name for name in dict.fromkeys(every) if name in place]

    for line in lines:
        if chain := _CHAIN.fullmatch(line[: LONGEST + 1]):
            steps = [named(step) for step in re.split(_ARROW, chain["chain"])]
            yield from pairwise(steps)


_STORY = lazy_pattern(r"\[US(\d+)\]")
_POINT = lazy_pattern(r"\b(?:N?FR|SC)-\d+[a-z]?\b")
_FILE = lazy_pattern(r"(?<![\w.-])(?:contracts/)?[\w.-]+\.(?:md|ya?ml|json)\b")


def _cited(words: str, files: Mapping[str, str]) -> Iterator[SpecQuote]:
    """The story, requirements and success criteria of spec.md, and the files that a task names."""
    spec = files.get("spec.md", "")
    for number in dict.fromkeys(_STORY.findall(words)):
        # in another language the template's heading still has number and priority
        named = rf"\W*user story {number}(?!\d)|\D{{2,40}}{number}\s*[-\u2013\u2014:\uff1a].*P\d"
        text = section_named(spec, named)
        yield SpecQuote("spec.md", f"user story {number}", text)
    for name in dict.fromkeys(_POINT.findall(words)):
        text = item_of(spec, rf"{BULLET}{MARKUP}{name}\b")
        yield SpecQuote("spec.md", name, text)
    for name in dict.fromkeys(_FILE.findall(words)):
        path = name if name in files else f"contracts/{name}"
        if path in files:
            yield SpecQuote(path, "named by the task", files[path])


SPEC_KIT = PlanForm(
    name="spec-kit",
    paths=lazy_pattern(r"(?P<root>(?:.*/)??)(?:\.specify/)?specs/(?:[^/]+/)+tasks\.md"),
    usual=("specs/*/tasks.md", ".specify/specs/*/tasks.md"),
    tick=b"X",
    shown=partial(_NO_TASKS.sub, ""),
    refined=_refined,
    order=(r"spec\.md", r"plan\.md", r"data-model\.md", r"contracts/.*", r"research\.md"),
    cited=_cited,
    rules=r"\.specify/memory/constitution\.md",
)
