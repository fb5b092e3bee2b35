"""What reads like a task but has no checkbox: listed for people, never run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from markdown_it.token import Token

from runner.roadmap.blocks import Blocks, Headed
from runner.roadmap.headings import is_task
from runner.roadmap.items import Item
from runner.roadmap.kinds import Box
from runner.roadmap.labels import is_status
from runner.roadmap.marks import opens_with_status, without_marks
from runner.roadmap.shown import Shown
from runner.roadmap.task import Candidate
from runner.roadmap.words import STATUS_COLUMNS, TASK_COLUMNS

MOST = 500


def candidates(
    blocks: Blocks, boxes: Sequence[Box], show: Callable[[str], Shown], last: int
) -> tuple[Candidate, ...]:
    """Return headings with steps, numbered and emoji bullets, rows of status tables.

    At most ``MOST``; ``last`` is the number of lines, ``show`` what makes a title of a text.
    """
    worked = {h.line for box in boxes if box.kind != "check" for h in box.item.headings}
    found = [
        *islice(_headings(blocks, worked, last), MOST),
        *islice(_items(blocks.items), MOST),
        *islice(_rows(blocks), MOST),
    ]
    first = sorted(found, key=lambda c: (c.line, c.why))[:MOST]
    return tuple(replace(each, title=without_marks(show(each.title).text)) for each in first)


def _headings(blocks: Blocks, worked: set[int], last: int) -> Iterator[Candidate]:
    """Headings that are tasks: a worded one by its name, a numbered one by the steps below it."""
    stepped = {item.headings[-1].line for item in blocks.items if item.headings}
    ends = _ends(blocks.headings, last)
    for headed, end in zip(blocks.headings, ends, strict=True):
        heading = headed.path[-1]
        form = is_task(heading.text)
        if not form or heading.line in worked:
            continue
        if form == "worded" or heading.line in stepped:
            yield Candidate(heading.line, end, heading.text, "heading")


def _ends(headings: Sequence[Headed], last: int) -> list[int]:
    """The last line below each heading, up to the next of its own or a higher level."""
    ends = [last] * len(headings)
    open_ones: list[int] = []
    for number, headed in enumerate(headings):
        heading = headed.path[-1]
        while open_ones and headings[open_ones[-1]].path[-1].level >= heading.level:
            ends[open_ones.pop()] = heading.line - 1
        open_ones.append(number)
    return ends


def _items(items: Sequence[Item]) -> Iterator[Candidate]:
    """Numbered paragraphs under a status heading, and bullets that begin with a status mark."""
    for item in items:
        if item.box or item.quoted or item.check or not item.text:
            continue
        numbered = item.marker in ".)" and item.depth == 0
        if numbered and item.headings and is_status(item.headings[-1].text):
            yield _bullet(item, "numbered")
        elif opens_with_status(item.text):
            yield _bullet(item, "emoji")


def _bullet(item: Item, why: str) -> Candidate:
    return Candidate(item.start + 1, item.end, item.text, why)


def _rows(blocks: Blocks) -> Iterator[Candidate]:
    """Rows of tables with a status column."""
    for index, _path in blocks.tables:
        rows = _table(blocks.tokens, index)
        head = [cell.casefold().strip("*_ ") for cell in next(rows)[1]]
        if not any(cell in STATUS_COLUMNS for cell in head):
            continue
        column = _title_column(head)
        for line, cells in rows:
            if column < len(cells) and cells[column]:
                yield Candidate(line + 1, line + 1, cells[column], "table")


def _title_column(head: list[str]) -> int:
    """The column that names the task; else the first that is neither a number nor the status."""
    named = (n for n, cell in enumerate(head) if cell in TASK_COLUMNS)
    other = (n for n, cell in enumerate(head) if cell not in {*STATUS_COLUMNS, "#", "id", "no", ""})
    return next(named, next(other, 0))


def _table(tokens: list[Token], index: int) -> Iterator[tuple[int, list[str]]]:
    """Yield (line from 0, cells) of each row of the table that opens at ``index``."""
    line, cells = 0, list[str]()
    while tokens[index].type != "table_close":
        token = tokens[index]
        if token.type == "tr_open":
            line, cells = (token.map or [0])[0], []
        elif token.type == "inline":
            cells.append(token.content.strip())
        elif token.type == "tr_close":
            yield line, cells
        index += 1
