"""Checkboxes of an overview ("- [ ] Phase 2: Shop") and the sections that say what they are about.

Where that section has tasks, the checkbox sums them up. Where its tasks are still to come, the
checkbox is the work: it has what the section says, and its turn comes where the section is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from runner.roadmap.boxes import Checkbox
from runner.roadmap.checks import is_checks
from runner.roadmap.headings import Path, is_of_a_phase, names_a_phase, phase_name
from runner.roadmap.task import Heading


def overviews(boxes: Sequence[Checkbox], headings: Iterable[Path], placeholders: Set[int]) -> None:
    """Set kind, home and turn of checkboxes that stand for a section elsewhere.

    ``headings`` are the paths of all headings, ``placeholders`` the numbers of the checkboxes that
    only say that a task is still to be written.
    """
    named = [box for box in boxes if box.kind == "work" and is_of_a_phase(box.id) and _is_top(box)]
    if not named:
        return
    sections = _Sections(headings)
    busy = {
        heading.line
        for number, box in enumerate(boxes)
        if box.kind == "work" and number not in placeholders
        for heading in box.item.headings
    }
    after = 0
    for box in named:
        found = [path for path in sections.named(phase_name(box.id or "")) if _is_about(path, box)]
        detailed = [path for path in found if path[-1].line in busy]
        described = [path for path in found if _describes(path)]
        if detailed:
            box.kind = "summary"
            after = max(after, *(sections.last_line(path) for path in detailed))
        elif described:
            box.home = described[0]
            box.turn = box.home[-1].line
            after = max(after, sections.last_line(box.home))
        elif after > box.item.start + 1:
            box.turn = after


def _is_top(box: Checkbox) -> bool:
    """A phase within another task is a step of that task, unless that one is a phase, too."""
    around = box.item.parent
    return around is None or (box.parent is not None and is_of_a_phase(box.parent.id))


def _is_about(path: Path, box: Checkbox) -> bool:
    """Say whether a section is that of the checkbox: not around it, nor in another phase."""
    if path[-1] in box.item.headings:
        return False
    around, own = _phases(path[:-1]), _phases(box.item.headings)
    return not (around and own) or around[-1] in own or own[-1] in around


def _phases(path: Path) -> list[str]:
    return [name for heading in path if (name := phase_name(heading.text))]


def _describes(path: Path) -> bool:
    text = path[-1].text
    return names_a_phase(text) and not is_checks(text)


class _Sections:
    """The sections of a file, by name, and where they end."""

    def __init__(self, headings: Iterable[Path]) -> None:
        self._named: dict[str, list[Path]] = {}
        self._last: dict[int, int] = {}
        unended: list[Heading] = []
        for path in headings:
            heading = path[-1]
            while unended and unended[-1].level >= heading.level:
                self._last[unended.pop().line] = heading.line - 1
            unended.append(heading)
            if name := phase_name(heading.text):
                self._named.setdefault(name, []).append(path)

    def named(self, name: str) -> list[Path]:
        """The first sections with the name of a phase."""
        return self._named.get(name, [])[:MOST] if name else []

    def last_line(self, path: Path) -> int:
        """The last line of a section with all below it."""
        return self._last.get(path[-1].line, LAST)


MOST = 20
"""Sections of one name that are looked at."""
LAST = 1_000_000_000
"""After every line of a file."""
