"""What must hold when work is done: boxes, bullets and lines of checks, hung on their work."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, takewhile

from runner.roadmap.blocks import Blocks
from runner.roadmap.headings import Path, is_task, number
from runner.roadmap.items import Item
from runner.roadmap.kinds import Box
from runner.roadmap.labels import criteria, is_checks, is_key_line

MOST = 50
"""Checks of one task."""
LONGEST = 500


class Acceptance:
    """The checks of a file by what they hang on: the task around them, else a section with work."""

    def __init__(self, blocks: Blocks, boxes: Sequence[Box]) -> None:
        work = [box.item for box in boxes if box.kind == "work"]
        self._busy = {h.line for item in work for h in item.headings} | ({0} if work else set())
        self._nested: dict[int, list[str]] = {}
        self._shared: dict[int, list[str]] = {}
        self._told: dict[Path, tuple[str, ...]] = {}
        for item in blocks.items:
            self._take(item)
        for paragraph in blocks.paragraphs:
            for value in criteria(paragraph.content):
                self._hang(value, paragraph.holder, paragraph.headings)

    def __call__(self, item: Item) -> tuple[str, ...]:
        """Return the checks of one piece of work, its own first; at most ``MOST``."""
        path = item.headings
        if path not in self._told:
            lines = chain((h.line for h in reversed(path)), [0])
            self._told[path] = _some(chain(*(self._shared.get(line, ()) for line in lines)))
        own = self._own(item)
        return _some(chain(own, self._told[path])) if own else self._told[path]

    def _own(self, item: Item) -> list[str]:
        """What stands in the task itself, then in the tasks around it."""
        own: list[str] = []
        around: Item | None = item
        while around is not None:
            own += self._nested.get(id(around), ())
            around = around.holder
        return own

    def _take(self, item: Item) -> None:
        if item.quoted:
            return
        if not item.check:
            for value in criteria(item.text):
                self._hang(value, item if item.box else item.holder, item.headings)
        elif item.holder is None or not item.holder.check:
            own = takewhile(lambda line: not is_key_line(line), item.text[:LONGEST].split("\n"))
            self._hang(" ".join(own), item.holder, item.headings)

    def _hang(self, text: str, holder: Item | None, path: Path) -> None:
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
        if len(hung) < MOST:
            hung.append(text)

    def _owner(self, path: Path) -> int | None:
        """The nearest section with work; what is numbered or a task of its own keeps its checks."""
        for heading in reversed(path):
            if heading.line in self._busy:
                return heading.line
            if not is_checks(heading.text) and (number(heading.text) or is_task(heading.text)):
                return None
        return 0 if 0 in self._busy else None


def _some(texts: chain[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))[:MOST]
