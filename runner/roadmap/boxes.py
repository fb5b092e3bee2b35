"""Which checkboxes are work, which are checks of it, and which only sum it up."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import chain, takewhile

from runner.roadmap.by_lines import check_by_lines
from runner.roadmap.checks import is_checks, says_check
from runner.roadmap.headings import (
    WHOLE,
    Path,
    criteria,
    divides_checks,
    is_key_line,
    is_task,
    is_work,
    label,
    names_a_phase,
    names_a_task,
    number,
    phase_heading,
    phase_name,
)
from runner.roadmap.markdown import Blocks, Headed, ListItem
from runner.roadmap.outcomes import confirms
from runner.roadmap.task import Kind, Section
from runner.text.patterns import lazy_pattern

_SECTION_BOX = lazy_pattern(
    rf"(?:(?:complete|finish|close|done with)\s+(?:the\s+|all\s+of\s+)?{WHOLE}\s+\d[\d.]*"
    rf"|{WHOLE}\s+\d[\d.]*\s+(?:is\s+)?(?:complete|completed|done|finished))\W*\Z",
    re.IGNORECASE,
)
_STEP = lazy_pattern(r"step\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\d")
"""Most titles have no number, and then the large pattern above is not even compiled."""


@dataclass(slots=True, eq=False)
class Checkbox:
    """A task on the way to its value: an item, what it is called, its place among the others.

    ``home`` is the section elsewhere that says what it is about, ``turn`` the line at which it is
    worked on (0: its own).
    """

    item: ListItem
    id: str | None
    title: str
    key: str
    parent: Checkbox | None = None
    kind: Kind = "work"
    home: Path = ()
    turn: int = 0

    @property
    def around(self) -> Path:
        """The headings of what says what to do."""
        return self.home or self.item.headings


def family(boxes: Sequence[Checkbox]) -> None:
    """Give each checkbox its parent: the task around it, else the one its id continues."""
    by_item = {id(box.item): box for box in boxes}
    written: dict[tuple[Path, ListItem | None], dict[str, Checkbox]] = {}
    for box in boxes:
        nested = box.item.parent
        known = written.setdefault((box.item.headings, box.item.holder), {})
        box.parent = by_item.get(id(nested)) if nested else _prefix(box.id, known)
        if box.id:
            known[box.id] = box


def _prefix(written: str | None, known: dict[str, Checkbox]) -> Checkbox | None:
    """The task called 1 if this is 1.1: subtasks may be beside their parent (Kiro).

    Phase 1.1 is no part of Phase 1: it was put between two phases.
    """
    if written and names_a_phase(written):
        return None
    while written and "." in written:
        written = written.rpartition(".")[0]
        if written in known:
            return known[written]
    return None


def decide(boxes: Sequence[Checkbox]) -> None:
    """Set the kind of every checkbox. What sums up other checkboxes is never work."""
    for box in boxes:
        if _NUMBERED.search(box.title) and _SECTION_BOX.match(box.title):
            box.kind, box.item.check = "summary", False  # it often ends a list of checks
        elif box.item.check:
            box.kind = "check"
    _check_beside_work(boxes)
    check_by_lines(boxes)
    for box in boxes:
        if box.kind != "check" and box.parent is not None and box.parent.kind != "check":
            box.parent.kind = "summary"


def _check_beside_work(boxes: Sequence[Checkbox]) -> None:
    """Make checks of the lines among the work of a section that say what is to hold.

    What has an id is a task of its own, and a section of such lines alone is work.
    """
    places: dict[Path, list[Checkbox]] = {}
    for box in boxes:
        if box.kind == "work":
            places.setdefault(box.item.headings, []).append(box)
    for place in places.values():
        holding = {
            id(box)
            for box in place
            if (_STEP.match(box.id) and confirms(box.title) if box.id else says_check(box.title))
        }
        if len(holding) == len(place):
            continue
        for box in place:
            if id(box) in holding:
                box.kind, box.item.check = "check", True


MOST_CHECKS = 50
"""Checks of one task."""
LONGEST = 500


class Acceptance:
    """The checks of a file by what they belong to: the task around them, else a section."""

    def __init__(self, blocks: Blocks, boxes: Sequence[Checkbox]) -> None:
        work = [box for box in boxes if box.kind == "work"]
        self._busy = {h.line for box in work for h in (*box.item.headings, *box.home[-1:])}
        self._busy |= {0} if work else set()
        self._phases = _busy_phases(blocks, self._busy)
        self._nested: dict[int, list[str]] = {}
        self._shared: dict[int, list[str]] = {}
        self._known: dict[Path, tuple[str, ...]] = {}
        for item in blocks.items:
            self._take(item)
        for paragraph in blocks.paragraphs:
            for value in criteria(paragraph.content):
                self._hang(value, paragraph.holder, paragraph.headings)

    def __call__(self, box: Checkbox) -> tuple[str, ...]:
        """Return the checks of one piece of work, its own first; at most ``MOST_CHECKS``."""
        path = box.around
        if path not in self._known:
            lines = chain((h.line for h in reversed(path)), [0])
            self._known[path] = _some(chain(*(self._shared.get(line, ()) for line in lines)))
        own = self._own(box.item)
        return _some(chain(own, self._known[path])) if own else self._known[path]

    def _own(self, item: ListItem) -> list[str]:
        """What is in the task itself, then in the tasks around it."""
        own: list[str] = []
        around: ListItem | None = item
        while around is not None:
            own += self._nested.get(id(around), ())
            around = around.holder
        return own

    def _take(self, item: ListItem) -> None:
        if item.quoted:
            return
        if not item.check:
            for value in criteria(item.text):
                self._hang(value, item if item.box else item.holder, item.headings)
        elif item.holder is None or not item.holder.check:
            first, *more = item.text[:LONGEST].split("\n")
            own = [first, *takewhile(lambda line: not is_key_line(line), more)]
            self._hang(" ".join(own), item.holder, item.headings)

    def _hang(self, text: str, holder: ListItem | None, path: Path) -> None:
        text = " ".join(text[:LONGEST].split())
        while holder is not None and not holder.box:
            holder = holder.holder
        if not text:
            return
        if holder is not None:
            hung = self._nested.setdefault(id(holder), [])
        elif (line := self._owner(path)) is not None:
            hung = self._shared.setdefault(line, [])
        else:
            return
        if len(hung) < MOST_CHECKS:
            hung.append(text)

    def _owner(self, path: Path) -> int | None:
        """The nearest section with work; what is numbered or is itself a task keeps its checks."""
        for place, heading in reversed([*enumerate(path)]):
            if heading.line in self._busy:
                return heading.line
            about = is_checks(heading.text) or divides_checks(path, place)
            if about and self._phases and (name := phase_name(heading.text)):
                return self._phases.get(name)
            numbered = number(heading.text) or is_task(heading.text)
            if (numbered and not about) or names_a_task(heading.text):
                return None
        return 0 if 0 in self._busy else None


def _busy_phases(blocks: Blocks, busy: set[int]) -> dict[str, int]:
    """The line of the one section with work that has the name of a phase."""
    lines: dict[str, list[int]] = {}
    for headed in blocks.headings:
        heading = headed.path[-1]
        if heading.line in busy and (name := phase_name(heading.text)):
            lines.setdefault(name, []).append(heading.line)
    return {name: found[0] for name, found in lines.items() if len(found) == 1}


def _some(texts: chain[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))[:MOST_CHECKS]


def sections(blocks: Blocks, work: list[ListItem], lines: list[str]) -> tuple[Section, ...]:
    """Return every section of a file; its text ends at its first task."""
    first: dict[int, int] = {}
    for item in reversed(work):
        if item.headings:
            first[item.headings[-1].line] = item.start
    lists = {_outermost(item) for item in blocks.items if item.box}
    listed = {n for start, last in lists for n in range(start, last)}
    ends = [headed.path[-1].line - 1 for headed in blocks.headings[1:]] + [len(lines)]
    return tuple(
        _section(headed, end, first.get(headed.path[-1].line, end), lines, listed)
        for headed, end in zip(blocks.headings, ends, strict=False)
    )


def _outermost(item: ListItem) -> tuple[int, int]:
    """The lines of the item at the margin that an item is in."""
    while item.holder is not None:
        item = item.holder
    return item.start, item.end


def _section(headed: Headed, end: int, first: int, lines: list[str], listed: Set[int]) -> Section:
    heading = headed.path[-1]
    text = "\n".join(lines[headed.start : first]).strip()
    below = "\n".join("" if n in listed else lines[n] for n in range(first, end)).strip()
    while end > headed.start and not lines[end - 1].strip():
        end -= 1
    return Section(headed.path, number(heading.text), heading.line, end, text, below)


MOST_BACKGROUND = 4_000
"""Characters above a section that are repeated in each section below it."""


class Background:
    """What each place of a file says to those who work there; equal places share one text."""

    def __init__(self, blocks: Blocks, sections: tuple[Section, ...]) -> None:
        self._texts = {section.line: section.text for section in sections}
        self._opening = _opening(blocks)
        self._known: dict[Path, str] = {}

    def __call__(self, path: Path) -> str:
        """Return the phase's first paragraph, then the section's text, that above "Tasks" too."""
        if path not in self._known:
            self._known[path] = "\n\n".join(self._parts(path))
        return self._known[path]

    def _parts(self, path: Path) -> list[str]:
        if not path:
            return []
        below = len(path) - 1
        while below and is_work(path[below].text):
            below -= 1
        above = [self._texts.get(heading.line, "") for heading in path[below:-1]]
        phase = phase_heading(path)
        if phase is not None and phase not in path[below:]:
            above.insert(0, self._opening.get(phase.line, ""))
        parts = [*(text[:MOST_BACKGROUND] for text in above), self._texts.get(path[-1].line, "")]
        return [part for part in parts if part]


def _opening(blocks: Blocks) -> dict[int, str]:
    """By heading line: the first paragraph of its own text that is not a label."""
    found: dict[int, str] = {}
    for paragraph in blocks.paragraphs:
        if paragraph.holder is None and paragraph.headings and not label(paragraph.content):
            found.setdefault(paragraph.headings[-1].line, paragraph.content)
    return found
