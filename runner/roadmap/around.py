"""What is around the tasks of a file: checks of them, sections, and what their places say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, takewhile

from runner.roadmap.checks import is_checks
from runner.roadmap.headings import (
    Path,
    criteria,
    divides_checks,
    is_key_line,
    is_task,
    is_work,
    label,
    number,
    phase_heading,
    phase_name,
)
from runner.roadmap.kinds import Checkbox
from runner.roadmap.markdown import Blocks, ListItem
from runner.roadmap.task import Section

MOST_CHECKS = 50
"""Checks of one task."""
LONGEST = 500


class Acceptance:
    """The checks of a file by what they belong to: the task around them, else a section.

    Sections are known by the lines of their headings (0: the file); what is ``_busy`` has work.
    """

    def __init__(self, blocks: Blocks, boxes: Sequence[Checkbox]) -> None:
        work = [box for box in boxes if box.kind == "work"]
        self._busy = {h.line for box in work for h in (*box.item.headings, *box.home[-1:])}
        self._busy |= {0} if work else set()
        self._phases: dict[str, list[int]] = {}
        for heading in (headed.path[-1] for headed in blocks.headings):
            if heading.line in self._busy and (name := phase_name(heading.text)):
                self._phases.setdefault(name, []).append(heading.line)
        self._nested: dict[int, list[str]] = {}
        self._shared: dict[int, list[str]] = {}
        self._known: dict[Path, tuple[str, ...]] = {}
        for item in (item for item in blocks.items if not item.quoted):
            if not item.check:
                for value in criteria(item.text):
                    self._hang(value, item if item.box else item.holder, item.headings)
            elif item.holder is None or not item.holder.check:
                first, *more = item.text[:LONGEST].split("\n")
                own = [first, *takewhile(lambda line: not is_key_line(line), more)]
                self._hang(" ".join(own), item.holder, item.headings)
        for paragraph in blocks.paragraphs:
            for value in criteria(paragraph.content):
                self._hang(value, paragraph.holder, paragraph.headings)

    def __call__(self, box: Checkbox) -> tuple[str, ...]:
        """Return the checks of one piece of work, its own first; at most ``MOST_CHECKS``."""
        path = box.around
        if path not in self._known:
            lines = (*(heading.line for heading in reversed(path)), 0)
            self._known[path] = _some(chain(*(self._shared.get(line, ()) for line in lines)))
        own: list[str] = []
        around: ListItem | None = box.item
        while around is not None:
            own += self._nested.get(id(around), ())
            around = around.holder
        return _some(chain(own, self._known[path])) if own else self._known[path]

    def _hang(self, text: str, holder: ListItem | None, path: Path) -> None:
        text = " ".join(text[:LONGEST].split())
        while holder is not None and not holder.box:
            holder = holder.holder
        line = self._owner(path) if holder is None else None
        if not text or (holder is None and line is None):
            return
        where, owner = (self._shared, line or 0) if holder is None else (self._nested, id(holder))
        hung = where.setdefault(owner, [])
        if len(hung) < MOST_CHECKS:
            hung.append(text)

    def _owner(self, path: Path) -> int | None:
        """The nearest section with work; what is numbered or is itself a task keeps its checks.

        A section of checks that has the name of one phase belongs to the work of that.
        """
        for place, heading in reversed([*enumerate(path)]):
            if heading.line in self._busy:
                return heading.line
            about = is_checks(heading.text) or divides_checks(path, place)
            if about and self._phases and (name := phase_name(heading.text)):
                lines = self._phases.get(name, [])
                return lines[0] if len(lines) == 1 else None
            if not about and (number(heading.text) or is_task(heading.text)):
                return None
        return 0 if 0 in self._busy else None


def _some(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))[:MOST_CHECKS]


def sections(blocks: Blocks, work: list[ListItem], lines: list[str]) -> tuple[Section, ...]:
    """Return every section of a file; its text ends at its first task."""
    starts = {item.headings[-1].line: item.start for item in reversed(work) if item.headings}
    listed: set[int] = set()
    for item in blocks.items:
        if item.box:
            while item.holder is not None:
                item = item.holder
            listed.update(range(item.start, item.end))
    found: list[Section] = []
    ends = [headed.path[-1].line - 1 for headed in blocks.headings[1:]] + [len(lines)]
    for headed, end in zip(blocks.headings, ends, strict=False):
        heading = headed.path[-1]
        first = starts.get(heading.line, end)
        text = "\n".join(lines[headed.start : first]).strip()
        below = "\n".join("" if n in listed else lines[n] for n in range(first, end)).strip()
        while end > headed.start and not lines[end - 1].strip():
            end -= 1
        numbered = number(heading.text)
        found.append(Section(headed.path, numbered, heading.line, end, text, below))
    return tuple(found)


MOST_BACKGROUND = 4_000
"""Characters above a section that are repeated in each section below it."""


class Background:
    """What each place of a file says to those who work there; equal places share one text.

    ``_opening`` has the first paragraph of each section's own text that is not a label.
    """

    def __init__(self, blocks: Blocks, sections: tuple[Section, ...]) -> None:
        self._texts = {section.line: section.text for section in sections}
        self._opening: dict[int, str] = {}
        for each in blocks.paragraphs:
            if each.holder is None and each.headings and not label(each.content):
                self._opening.setdefault(each.headings[-1].line, each.content)
        self._known: dict[Path, str] = {(): ""}

    def __call__(self, path: Path) -> str:
        """Return the phase's first paragraph, then the section's text, that above "Tasks" too."""
        if path not in self._known:
            below = len(path) - 1
            while below and is_work(path[below].text):
                below -= 1
            above = [self._texts.get(heading.line, "") for heading in path[below:-1]]
            phase = phase_heading(path)
            if phase is not None and phase not in path[below:]:
                above.insert(0, self._opening.get(phase.line, ""))
            texts = [
                *(text[:MOST_BACKGROUND] for text in above),
                self._texts.get(path[-1].line, ""),
            ]
            self._known[path] = "\n\n".join(filter(None, texts))
        return self._known[path]
