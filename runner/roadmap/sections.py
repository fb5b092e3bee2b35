"""What stands between a heading and its tasks: the how, and the phase's own first words."""

from __future__ import annotations

from runner.roadmap.blocks import Blocks, Headed
from runner.roadmap.headings import Path, number, phase_heading
from runner.roadmap.items import Item
from runner.roadmap.labels import is_work, label
from runner.roadmap.task import Section


def sections(blocks: Blocks, work: list[Item], lines: list[str]) -> tuple[Section, ...]:
    """Return every section of a file; its text ends where its first task stands."""
    first: dict[int, int] = {}
    for item in reversed(work):
        if item.headings:
            first[item.headings[-1].line] = item.start
    ends = [headed.path[-1].line - 1 for headed in blocks.headings[1:]] + [len(lines)]
    return tuple(
        _section(headed, end, first.get(headed.path[-1].line, end), lines)
        for headed, end in zip(blocks.headings, ends, strict=False)
    )


def _section(headed: Headed, end: int, first: int, lines: list[str]) -> Section:
    heading = headed.path[-1]
    text = "\n".join(lines[headed.start : first]).strip()
    while end > headed.start and not lines[end - 1].strip():
        end -= 1
    return Section(headed.path, number(heading.text), heading.line, end, text)


MOST = 4_000
"""Characters of what stands above a section that are told again in each section below it."""


class Told:
    """What each place of a file tells the one who works there; equal places share one text."""

    def __init__(self, blocks: Blocks, sections: tuple[Section, ...]) -> None:
        self._texts = {section.line: section.text for section in sections}
        self._opening = _opening(blocks)
        self._told: dict[Path, str] = {}

    def __call__(self, path: Path) -> str:
        """Return the phase's first paragraph, then the section's text, that above "Tasks" too."""
        if path not in self._told:
            self._told[path] = "\n\n".join(self._parts(path))
        return self._told[path]

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
        parts = [*(text[:MOST] for text in above), self._texts.get(path[-1].line, "")]
        return [part for part in parts if part]


def _opening(blocks: Blocks) -> dict[int, str]:
    """By heading line: the first paragraph of its own text that is no label."""
    found: dict[int, str] = {}
    for paragraph in blocks.paragraphs:
        if paragraph.holder is None and paragraph.headings and not label(paragraph.content):
            found.setdefault(paragraph.headings[-1].line, paragraph.content)
    return found
