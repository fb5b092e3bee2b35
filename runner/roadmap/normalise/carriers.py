"""Find the tasks of a file without checkboxes by its structure; never guess them from prose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from runner.roadmap.headings import label
from runner.roadmap.normalise.outline import (
    OutlineBlock,
    OutlineItem,
    Part,
    is_prose,
    keyed,
    label_before,
    status_of,
    tells_fields,
)
from runner.roadmap.normalise.sorts import (
    ID_COLUMNS,
    Mark,
    is_boxed,
    is_field,
    is_lane,
    is_legend,
    is_plan,
    is_task_list,
    is_todo,
    plain,
    series_word,
    sort_of,
    starts_marked,
    title_mark,
    value_mark,
)
from runner.roadmap.words import STATUS_COLUMNS, TASK_COLUMNS


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row as a task: ``details`` are lines of nested bullets; not a task without ``is_task``."""

    title: str
    mark: Mark | None
    details: tuple[str, ...]
    is_task: bool = True


def status_column(table: OutlineBlock) -> int | None:
    """Return the column that says the state; None for a table without one or without rows."""
    return _column(table, STATUS_COLUMNS) if len(table.rows) > 1 else None


def header(table: OutlineBlock) -> str:
    """Return the words of the header as one line."""
    return " · ".join(cell for cell in table.rows[0] if cell)


def rows(table: OutlineBlock) -> tuple[TableRow, ...]:
    """Return a table's rows; one with a single cell is a group's name."""
    status = status_column(table)
    title = _column(table, TASK_COLUMNS)
    if title is None or title == status:
        title = _first_other(table, status)
    return tuple(_row(table.rows[0], cells, title, status) for cells in table.rows[1:])


def _column(table: OutlineBlock, names: frozenset[str]) -> int | None:
    found = (at for at, cell in enumerate(table.rows[0]) if plain(cell).casefold() in names)
    return next(found, None)


def _first_other(table: OutlineBlock, status: int | None) -> int:
    """Return the first column that is neither the state nor an id."""
    for at, cell in enumerate(table.rows[0]):
        if at != status and cell and cell.casefold().strip("*_") not in ID_COLUMNS:
            return at
    return 0


def _row(
    names: tuple[str, ...], cells: tuple[str, ...], title: int, status: int | None
) -> TableRow:
    filled = [at for at, cell in enumerate(cells) if cell.strip(" -\u2013\u2014")]
    if title not in filled or (len(filled) == 1 and len(cells) > 2):
        return TableRow(" ".join(cells[at] for at in filled), None, (), is_task=False)
    marked = title_mark(cells[title])
    mark = value_mark(cells[status]) if status in filled and status is not None else None
    before = [_before(names[at], cells[at], at == status) for at in filled if at < title]
    done = status if mark and mark.done else None
    values = {at: title_mark(cells[at]).title if at == done else cells[at] for at in filled}
    details = [_keyed(names[at], values[at]) for at in filled if at > title and values[at]]
    words = [part for part in (*before, marked.title, marked.left) if part]
    return TableRow(" ".join(words), mark or marked.mark, tuple(details))


def _before(name: str, cell: str, is_status: bool) -> str:
    """Write a cell that is before the title: an id plainly, others in brackets."""
    if is_status:
        rest = title_mark(cell)
        text = " ".join(p for p in (rest.title, rest.left) if p)
        return f"({text})" if text else ""
    known = name.casefold().strip("*_") in ID_COLUMNS or not name
    return cell.strip("*_ ") if known else f"({cell})"


def _keyed(name: str, value: str) -> str:
    name = name.strip("*_ ")
    return f"**{name}**: {value}" if name else value


@dataclass(frozen=True, slots=True)
class Above:
    """A state that a heading or a status field gives to what is under it; line from 0."""

    done: bool
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Carrier:
    """One thing that becomes a task (``of`` a heading or an item) or several (``of`` a table)."""

    of: Part | OutlineItem | OutlineBlock
    above: Above | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the file says: ``planned`` by its name or title, words that number headings.

    ``title`` is the file's one first heading, which names the file and groups nothing.
    """

    planned: bool
    only_tasks: bool
    series: frozenset[str]
    title: Part | None


def carriers(path: str, top: Part) -> tuple[Carrier, ...]:
    """Return what becomes tasks, in file order; nothing when the structure does not say it."""
    reading = _reading(path, top)
    found = tuple(_part(top, reading, works=False, above=None))
    return found or tuple(_marked(top)) or tuple(_listed(top, reading))


def _reading(path: str, top: Part) -> _Reading:
    words = Counter(series_word(part.title) for part in _all(top))
    titles = [part for part in top.parts if part.level == 1]
    title = (
        titles[0] if len(titles) == 1 and (titles[0].parts or is_plan(titles[0].title)) else None
    )
    names = (path.rpartition("/")[2].partition(".")[0], title.title if title else "")
    return _Reading(
        planned=any(is_plan(name) for name in names),
        only_tasks=any(is_task_list(name) for name in names),
        series=frozenset(word for word, n in words.items() if word and n > 1),
        title=title,
    )


def _all(part: Part) -> Iterator[Part]:
    yield part
    for below in part.parts:
        yield from _all(below)


def _part(part: Part, reading: _Reading, *, works: bool, above: Above | None) -> Iterator[Carrier]:
    """Yield the tasks of a part; ``works`` if it is under a phase, a state or "Tasks"."""
    if _is_task(part, reading, works=works):
        yield Carrier(part, above)
        return
    sort = sort_of(part.title)
    named = part.level > 0 and part is not reading.title
    within = named and (sort in _GROUPS or (works and sort not in ("aside", "field")))
    above = (_state_of(part) if named else None) or above
    found = list(_own(part, above)) if within else []
    for below in part.parts:
        found += _part(below, reading, works=within, above=above)
    if not found and sort == "phase" and named and _is_leaf(part) and series_word(part.title):
        yield Carrier(part, above)
    yield from found


_GROUPS = ("phase", "lane", "todo", "task", "series", "dotted")


def _is_task(part: Part, reading: _Reading, *, works: bool) -> bool:
    """Say whether a heading is a task, with everything under it."""
    sort = sort_of(part.title)
    if not part.level or part is reading.title:
        return False
    if any(_is_task(p, reading, works=False) for p in part.parts):
        return False
    if sort == "task":
        return True
    if _announces(part):
        return False
    told = tells_fields(part) or is_prose(part)
    if sort == "series":
        return told and series_word(part.title) in reading.series
    if sort == "dotted":
        return works or reading.planned or told
    if sort not in (None, "numbered") or not _is_leaf(part):
        return False
    bare = not part.blocks and not part.parts
    marked = is_boxed(part.title) or title_mark(part.title).mark is not None
    return marked or (works and (told or bare)) or (sort == "numbered" and tells_fields(part))


def _is_leaf(part: Part) -> bool:
    return all(sort_of(below.title) in ("field", "aside") for below in part.parts)


def _announces(part: Part) -> bool:
    """Say whether a part announces tasks by a label or a heading."""
    labels = (label(block.text) for block in part.blocks if block.kind == "paragraph")
    return any(map(is_todo, labels)) or any(is_todo(below.title) for below in part.parts)


def _state_of(part: Part) -> Above | None:
    """Return the state that a heading says, or a status field below it."""
    lane = is_lane(part.title)
    if lane is not None:
        return Above(lane, part.title, part.start)
    mark = title_mark(part.title).mark
    if mark:
        return Above(mark.done, mark.text, part.start)
    status = status_of(part)
    return Above(status[0].done, status[0].text, status[1]) if status else None


def _own(part: Part, above: Above | None) -> Iterator[Carrier]:
    """Yield what the lists and tables directly under a heading say."""
    told = _announces(part)
    labels = [label_before(part.blocks, at) for at in range(len(part.blocks))]
    for block, name in zip(part.blocks, labels, strict=True):
        if is_field(name) or (told and not is_todo(name)):
            continue
        if block.kind == "list":
            yield from _items(block, above)
        elif block.kind == "table" and status_column(block) is not None:
            yield Carrier(block, above)


def _items(block: OutlineBlock, above: Above | None) -> Iterator[Carrier]:
    """Yield the items of a list that are not keys or a legend, with marked ones inside them."""
    if any(is_boxed(item.text) for item in block.items):
        return
    for item in block.items:
        if not item.text or keyed(item.text) or is_legend(item.text):
            continue
        yield Carrier(item, above)
        yield from _nested(item.lists, above)


def _nested(lists: Iterable[OutlineBlock], above: Above | None) -> Iterator[Carrier]:
    """Yield items of nested lists in which states are marked; plain ones are details."""
    for block in lists:
        if any(starts_marked(item.text) for item in block.items):
            yield from _items(block, above)


def _marked(top: Part) -> Iterator[Carrier]:
    """Yield lists with emoji and tables with a status column, wherever they are."""
    for part in _all(top):
        if sort_of(part.title) in ("aside", "field"):
            continue
        for block in part.blocks:
            if block.kind == "table" and status_column(block) is not None:
                yield Carrier(block, _state_of(part))
            elif block.kind == "list" and any(starts_marked(i.text) for i in block.items):
                yield from _items(block, _state_of(part))


def _listed(top: Part, reading: _Reading) -> Iterator[Carrier]:
    """Yield the lists of a file that says it is a plan: all of a list of tasks, else the first."""
    parts = list(_all(reading.title or top)) if reading.planned else []
    for part in parts if reading.only_tasks else parts[:1]:
        if sort_of(part.title) not in ("aside", "field"):
            yield from _own(part, None if part is reading.title else _state_of(part))
