"""A plain table of many rows for a terminal or a pipe: one column takes the room that is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from rich.cells import cell_len, chop_cells

Style = Literal["", "bold", "dim", "yellow"]
_CODES: dict[Style, str] = {"bold": "\x1b[1m", "dim": "\x1b[2m", "yellow": "\x1b[33m"}
_END = "\x1b[0m"
_GAP = "  "
_LEAST = 20
"""Columns that the widest column keeps on a narrow terminal."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: its name, whether numbers are at its right end, how wide it may become.

    ``most`` is 0 for the one column that takes the room the others leave.
    """

    name: str
    most: int
    right: bool = False


def styled(text: str, style: Style, *, colours: bool) -> str:
    """Return lines in a style where the terminal shows one."""
    if not (colours and style and text):
        return text
    return "\n".join(f"{_CODES[style]}{line}{_END}" for line in text.split("\n"))


def table_lines(
    columns: Sequence[TableColumn],
    rows: Sequence[tuple[Sequence[str], Style]],
    *,
    width: int,
    colours: bool,
) -> Iterator[str]:
    """Yield the lines of a table, its names first; cells that are too long go on below."""
    found = [cell_len(column.name) for column in columns]
    for cells, _ in rows:
        found = [max(most, _cells(cell)) for most, cell in zip(found, cells, strict=True)]
    fixed = [min(most, column.most) for most, column in zip(found, columns, strict=True)]
    room = max(_LEAST, width - sum(fixed) - len(_GAP) * (len(columns) - 1))
    widths = [
        wide if column.most else min(room, most)
        for wide, column, most in zip(fixed, columns, found, strict=True)
    ]
    named: tuple[Sequence[str], Style] = ([column.name for column in columns], "dim")
    for cells, style in (named, *rows):
        pieces = [_wrapped(cell, most) for cell, most in zip(cells, widths, strict=True)]
        for line in zip_longest(*pieces, fillvalue=""):
            padded: list[str] = []
            for column, wide, cell in zip(columns, widths, line, strict=True):
                blanks = " " * max(0, wide - _cells(cell))
                padded.append(f"{blanks}{cell}" if column.right else f"{cell}{blanks}")
            yield styled(_GAP.join(padded).rstrip(), style, colours=colours)


def _cells(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a cell: broken between words, a word longer than a line within it."""
    if _cells(text) <= width:
        return [text]
    lines, line, used = [], "", 0
    indent = text[: len(text) - len(text.lstrip(" "))][: max(0, width - _LEAST // 2)]
    room = max(1, width - len(indent))
    for word in text.split():
        for piece in [word] if _cells(word) <= room else chop_cells(word, room):
            size = _cells(piece)
            if line and used + 1 + size > width:
                lines.append(line)
                line = ""
            line = f"{line} {piece}" if line else indent + piece
            used = _cells(line)
    return [*lines, line]
