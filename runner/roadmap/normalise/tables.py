"""Tables with a status column: one task a row, every cell kept."""

from __future__ import annotations

from dataclasses import dataclass

from runner.roadmap.normalise.outline import Block
from runner.roadmap.normalise.sorts import plain
from runner.roadmap.normalise.states import Mark, title_mark, value_mark
from runner.roadmap.normalise.words import ID_COLUMNS
from runner.roadmap.words import STATUS_COLUMNS, TASK_COLUMNS


@dataclass(frozen=True, slots=True)
class Row:
    """A row as a task: ``details`` are lines of nested bullets; not a task without ``is_task``."""

    title: str
    mark: Mark | None
    details: tuple[str, ...]
    is_task: bool = True


def status_column(table: Block) -> int | None:
    """Return the column that says the state; None for a table without one or without rows."""
    return _column(table, STATUS_COLUMNS) if len(table.rows) > 1 else None


def header(table: Block) -> str:
    """Return the words of the header as one line."""
    return " · ".join(cell for cell in table.rows[0] if cell)


def rows(table: Block) -> tuple[Row, ...]:
    """Return a table's rows; one with a single cell is a group's name."""
    status = status_column(table)
    title = _column(table, TASK_COLUMNS)
    if title is None or title == status:
        title = _first_other(table, status)
    return tuple(_row(table.rows[0], cells, title, status) for cells in table.rows[1:])


def _column(table: Block, names: frozenset[str]) -> int | None:
    found = (at for at, cell in enumerate(table.rows[0]) if plain(cell).casefold() in names)
    return next(found, None)


def _first_other(table: Block, status: int | None) -> int:
    """Return the first column that is neither the state nor an id."""
    for at, cell in enumerate(table.rows[0]):
        if at != status and cell and cell.casefold().strip("*_") not in ID_COLUMNS:
            return at
    return 0


def _row(names: tuple[str, ...], cells: tuple[str, ...], title: int, status: int | None) -> Row:
    filled = [at for at, cell in enumerate(cells) if cell.strip(" -\u2013\u2014")]
    if title not in filled or (len(filled) == 1 and len(cells) > 2):
        return Row(" ".join(cells[at] for at in filled), None, (), is_task=False)
    marked = title_mark(cells[title])
    mark = value_mark(cells[status]) if status in filled and status is not None else None
    before = [_before(names[at], cells[at], at == status) for at in filled if at < title]
    done = status if mark and mark.done else None
    values = {at: title_mark(cells[at]).title if at == done else cells[at] for at in filled}
    details = [_keyed(names[at], values[at]) for at in filled if at > title and values[at]]
    words = [part for part in (*before, marked.title, marked.left) if part]
    return Row(" ".join(words), mark or marked.mark, tuple(details))


def _before(name: str, cell: str, is_status: bool) -> str:
    """Write a cell that stands before the title: an id plainly, others in brackets."""
    if is_status:
        rest = title_mark(cell)
        text = " ".join(p for p in (rest.title, rest.left) if p)
        return f"({text})" if text else ""
    known = name.casefold().strip("*_") in ID_COLUMNS or not name
    return cell.strip("*_ ") if known else f"({cell})"


def _keyed(name: str, value: str) -> str:
    name = name.strip("*_ ")
    return f"**{name}**: {value}" if name else value
