"""Find the tasks of a file without checkboxes by its structure; never guess them from prose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
    is_released,
    is_task_list,
    is_todo,
    marked_lines,
    plain,
    series_word,
    sort_of,
    starts_done,
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
    """Return the column that says the state; None for a table without one or without rows.

    Without a column of that name it is one in which some cells start with the emoji of done.
    """
    if len(table.rows) < 2:
        return None
    named = _column(table, STATUS_COLUMNS)
    return _marked_column(table) if named is None else named


def _marked_column(table: OutlineBlock) -> int | None:
    titled = _column(table, TASK_COLUMNS)
    columns = (at for at in range(len(table.rows[0])) if at != titled)
    return next((at for at in columns if any(_is_marked(row, at) for row in table.rows[1:])), None)


def _is_marked(row: Sequence[str], at: int) -> bool:
    return at < len(row) and starts_done(row[at])


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
class TaskSource:
    """One thing that becomes a task (``of`` a heading or an item) or several.

    Several are the rows of a table, or the lines of a paragraph that begin with a state's emoji.
    """

    of: Part | OutlineItem | OutlineBlock
    above: Above | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the file says: ``planned`` by its name or title, words that number headings.

    ``title`` is the file's one first heading, which names the file and groups nothing. ``tables``
    are the headers of tables that say a state: tables with the same ones are treated alike.
    """

    planned: bool
    only_tasks: bool
    series: frozenset[str]
    title: Part | None
    tables: frozenset[tuple[str, ...]] = frozenset()

    def is_of_tasks(self, block: OutlineBlock) -> bool:
        """Say whether a block is a table of tasks."""
        if block.kind != "table" or len(block.rows) < 2:
            return False
        return status_column(block) is not None or block.rows[0] in self.tables


def task_sources(path: str, top: Part) -> tuple[TaskSource, ...]:
    """Return what becomes tasks, in file order; nothing when the structure does not say it."""
    reading = _reading(path, top)
    found = tuple(_part(top, reading, works=False, above=None))
    return found or tuple(_marked(top, reading)) or tuple(_listed(top, reading))


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
        tables=frozenset(
            block.rows[0]
            for part in _all(top)
            for block in part.blocks
            if block.kind == "table" and status_column(block) is not None
        ),
    )


def _all(part: Part) -> Iterator[Part]:
    yield part
    for below in part.parts:
        yield from _all(below)


def _part(
    part: Part, reading: _Reading, *, works: bool, above: Above | None
) -> Iterator[TaskSource]:
    """Yield the tasks of a part; ``works`` if it is under a phase, a state or "Tasks"."""
    if _is_task(part, reading, works=works):
        yield TaskSource(part, above)
        return
    sort = sort_of(part.title)
    named = part.level > 0 and part is not reading.title
    within = named and (sort in _GROUPS or (works and sort not in ("aside", "field")))
    above = (_state_of(part) if named else None) or above
    found = list(_own(part, reading, above, all_of_it=within)) if named or within else []
    for below in part.parts:
        found += _part(below, reading, works=within, above=above)
    if not found and sort == "phase" and named and _is_leaf(part) and series_word(part.title):
        yield TaskSource(part, above)
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
    described = tells_fields(part) or is_prose(part)
    if sort == "series":
        return described and series_word(part.title) in reading.series
    if sort == "dotted":
        return works or reading.planned or described
    if sort not in (None, "numbered") or not _is_leaf(part):
        return False
    bare = not part.blocks and not part.parts
    marked = is_boxed(part.title) or title_mark(part.title).mark is not None
    return marked or (works and (described or bare)) or (sort == "numbered" and tells_fields(part))


def _is_leaf(part: Part) -> bool:
    return all(sort_of(below.title) in ("field", "aside") for below in part.parts)


def _announces(part: Part) -> bool:
    """Say whether a part announces tasks by a label or a heading."""
    labels = (label(block.text) for block in part.blocks if block.kind == "paragraph")
    return any(map(is_todo, labels)) or any(is_todo(below.title) for below in part.parts)


def _state_of(part: Part) -> Above | None:
    """Return the state that a heading says, or a status field below it, or that it came out."""
    lane = is_lane(part.title)
    if lane is not None:
        return Above(lane, part.title, part.start)
    mark = title_mark(part.title).mark
    if mark:
        return Above(mark.done, mark.text, part.start)
    status = status_of(part)
    if status:
        return Above(status[0].done, status[0].text, status[1])
    return Above(True, part.title, part.start) if is_released(part.title) else None


def _own(
    part: Part, reading: _Reading, above: Above | None, *, all_of_it: bool = True
) -> Iterator[TaskSource]:
    """Yield what the lists and tables directly under a heading say.

    Without ``all_of_it`` only those whose label is a state ("Shipped:").
    """
    described = _announces(part)
    for at, block in enumerate(part.blocks):
        name = label_before(part.blocks, at)
        state = is_lane(name) if name and not is_field(name) else None
        here = above if state is None else Above(state, name, part.blocks[at - 1].start)
        if is_field(name) or (
            state is None and (not all_of_it or (described and not is_todo(name)))
        ):
            continue
        if block.kind == "list":
            yield from _items(block, here)
        elif reading.is_of_tasks(block):
            yield TaskSource(block, here)


def _items(block: OutlineBlock, above: Above | None) -> Iterator[TaskSource]:
    """Yield the items of a list that are not keys or a legend, with marked ones inside them."""
    if any(is_boxed(item.text) for item in block.items):
        return
    for item in block.items:
        if not item.text or keyed(item.text) or is_legend(item.text):
            continue
        yield TaskSource(item, above)
        yield from _nested(item.lists, above)


def _nested(lists: Iterable[OutlineBlock], above: Above | None) -> Iterator[TaskSource]:
    """Yield items of nested lists in which states are marked; plain ones are details."""
    for block in lists:
        if any(starts_marked(item.text) for item in block.items):
            yield from _items(block, above)


def _marked(top: Part, reading: _Reading) -> Iterator[TaskSource]:
    """Yield lists with emoji, with the lists beside them, and tables with a status column."""
    for part in _all(top):
        beside = sort_of(part.title) in ("aside", "field")
        lists = any(map(_is_marked_list, part.blocks)) and not beside
        for at, block in enumerate(part.blocks):
            wanted = lists or _is_all_marked(block)
            lines = block.kind == "paragraph" and marked_lines(block.text)
            if lines or (reading.is_of_tasks(block) and not beside):
                yield TaskSource(block, _state_of(part))
            elif block.kind == "list" and wanted and not is_field(label_before(part.blocks, at)):
                yield from _items(block, _state_of(part))


def _is_marked_list(block: OutlineBlock) -> bool:
    return any(title_mark(item.text.partition("\n")[0]).signed for item in block.items)


def _is_all_marked(block: OutlineBlock) -> bool:
    """Whether each item says a state, by an emoji or a word: then any heading may be above it."""
    marks = [title_mark(item.text.partition("\n")[0]).mark for item in block.items]
    return len(marks) > 1 and all(marks)


def _listed(top: Part, reading: _Reading) -> Iterator[TaskSource]:
    """Yield the lists of a file that says it is a plan: all of a list of tasks, else the first."""
    parts = list(_all(reading.title or top)) if reading.planned else []
    for part in parts if reading.only_tasks else parts[:1]:
        if sort_of(part.title) not in ("aside", "field"):
            above = None if part is reading.title else _state_of(part)
            yield from _own(part, reading, above)
