"""List items on the way to tasks: where one stands, and whether it opens with a box."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it.token import Token

from runner.roadmap.headings import Path

_BOX = re.compile(r"\[([ xX])\](?=[ \t])")


@dataclass(slots=True, eq=False)
class Item:
    """A list item; lines count from 0, ``end`` and ``text_end`` are the lines after.

    ``box`` is what stands between the brackets of a task, '' when the item is none. ``text`` is the
    paragraph it opens with, without the box. ``holder`` is the item around it, ``parent`` the task.
    ``check`` says that its list is one of checks.
    """

    start: int
    end: int
    depth: int
    headings: Path
    quoted: bool
    holder: Item | None
    label: str
    marker: str
    text_end: int
    check: bool
    text: str = ""
    box: str = ""

    def take(self, text: str) -> None:
        """Take the text the item opens with, and its box if it has one and something beside it."""
        found = _BOX.match(text)
        rest = text[found.end() :].strip() if found else text
        if found and rest:
            self.box = found[1]
        self.text = rest

    @property
    def is_task(self) -> bool:
        """Whether it is a task that counts."""
        return bool(self.box) and not self.quoted

    @property
    def parent(self) -> Item | None:
        """The nearest item around it that is a task."""
        item = self.holder
        while item is not None and not item.box:
            item = item.holder
        return item


def opening_text(tokens: list[Token], index: int) -> tuple[str, int]:
    """Return the text that the item opening at ``index`` begins with, and the line after it.

    GitHub looks for the box before it reads what follows as a paragraph, an underlined heading or
    the head of a table; it must stand on the line of the item's mark.
    """
    start, end = tokens[index].map or (0, 0)
    block = tokens[index + 1]
    if not block.map or block.map[0] != start:
        return "", min(end, start + 1)
    if block.type == "paragraph_open" or (block.type == "heading_open" and block.markup in "=-"):
        return tokens[index + 2].content, block.map[1]
    if block.type == "table_open":
        return tokens[index + 5].content, block.map[1]
    return "", min(end, start + 1)
