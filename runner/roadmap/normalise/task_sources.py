"""Find the tasks of a file without checkboxes by its structure; never guess them from prose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
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
)
from runner.roadmap.words import WORDS


def status_column(table: OutlineBlock) -> int | None:
    """Return the column that says the state; None for a table without one or without rows.

    Without a column of that name it is one in which some cells start with the emoji of done.
    """
    if len(table.rows) < 2:
        return None
    named = _column(table, WORDS["status_columns"])
    if named is not None:
        return named
    titled = _column(table, WORDS["task_columns"])
    columns = (at for at in range(len(table.rows[0])) if at != titled)
    return next(
        (
            at
            for at in columns
            if any(starts_done(row[at]) for row in table.rows[1:] if at < len(row))
        ),
        None,
    )


def title_column(table: OutlineBlock) -> int:
    """Return the column that names the tasks, else the first that is no id and not the state."""
    title, status = _column(table, WORDS["task_columns"]), status_column(table)
    if title is not None and title != status:
        return title
    others = (at for at, name in enumerate(table.rows[0]) if name and not is_id(name))
    return next((at for at in others if at != status), 0)


def _column(table: OutlineBlock, names: Set[str]) -> int | None:
    found = (at for at, cell in enumerate(table.rows[0]) if plain(cell).casefold() in names)
    return next(found, None)


def is_id(name: str) -> bool:
    """Say whether a column of this name has ids."""
    return name.casefold().strip("*_") in WORDS["id_columns"]


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


def task_sources(path: str, top: Part) -> tuple[TaskSource, ...]:
    """Return what becomes tasks, in file order; nothing when the structure does not say it."""
    finder = _Finder(path, top)
    found = tuple(finder.below(top, works=False, above=None))
    return found or tuple(finder.marked()) or tuple(finder.listed())


_GROUPS = ("phase", "lane", "todo", "task", "series", "dotted")


class _Finder:
    """Knows what the whole file says: that it is a plan, by its name or title, and of what.

    ``title`` is the file's one first heading, which names the file and groups nothing; ``series``
    are words that number several headings. Tables with the same header as one that says a state
    are treated like it.
    """

    def __init__(self, path: str, top: Part) -> None:
        words = Counter(series_word(part.title) for part in top.all())
        self.top = top
        self.series = {word for word, n in words.items() if word and n > 1}
        titles = [part for part in top.parts if part.level == 1]
        named = len(titles) == 1 and (titles[0].parts or is_plan(titles[0].title))
        self.title = titles[0] if named else None
        names = (path.rpartition("/")[2].partition(".")[0], titles[0].title if named else "")
        self.planned = any(is_plan(name) for name in names)
        self.only_tasks = any(is_task_list(name) for name in names)
        blocks = [block for part in top.all() for block in part.blocks]
        self.tables = {b.rows[0] for b in blocks if status_column(b) is not None}

    def _is_of_tasks(self, block: OutlineBlock) -> bool:
        return len(block.rows) > 1 and block.rows[0] in self.tables

    def below(self, part: Part, *, works: bool, above: Above | None) -> Iterator[TaskSource]:
        """Yield the tasks of a part; ``works`` if it is under a phase, a state or "Tasks"."""
        if self._is_task(part, works=works):
            yield TaskSource(part, above)
            return
        sort = sort_of(part.title)
        named = part.level > 0 and part is not self.title
        within = named and (sort in _GROUPS or (works and sort not in ("aside", "field")))
        above = (_state_of(part) if named else None) or above
        found = list(self._own(part, above, all_of_it=within)) if named else []
        for below in part.parts:
            found += self.below(below, works=within, above=above)
        if not found and sort == "phase" and named and _is_leaf(part) and series_word(part.title):
            yield TaskSource(part, above)
        yield from found

    def _is_task(self, part: Part, *, works: bool) -> bool:
        """Say whether a heading is a task, with everything under it."""
        if not part.level or part is self.title:
            return False
        if any(self._is_task(below, works=False) for below in part.parts):
            return False
        sort = sort_of(part.title)
        if sort == "task" or _announces(part):
            return sort == "task"
        described = tells_fields(part) or is_prose(part)
        if sort == "series":
            return described and series_word(part.title) in self.series
        if sort == "dotted":
            return works or self.planned or described
        if sort not in (None, "numbered") or not _is_leaf(part):
            return False
        bare = not part.blocks and not part.parts
        marked = is_boxed(part.title) or title_mark(part.title).mark is not None
        numbered = sort == "numbered" and tells_fields(part)
        return marked or (works and (described or bare)) or numbered

    def _own(self, part: Part, above: Above | None, *, all_of_it: bool) -> Iterator[TaskSource]:
        """Yield what the lists and tables directly under a heading say.

        Without ``all_of_it`` only those whose label is a state ("Shipped:").
        """
        described = _announces(part)
        for at, block in enumerate(part.blocks):
            name = label_before(part.blocks, at)
            if is_field(name):
                continue
            state = is_lane(name) if name else None
            if state is None and (not all_of_it or (described and not is_todo(name))):
                continue
            here = above if state is None else Above(state, name, part.blocks[at - 1].start)
            if block.kind == "list":
                yield from _items(block, here)
            elif self._is_of_tasks(block):
                yield TaskSource(block, here)

    def marked(self) -> Iterator[TaskSource]:
        """Yield lists with emoji, with the lists beside them, and tables with a status column.

        Where each item says a state, by an emoji or a word, any heading may be above the list.
        """
        for part in self.top.all():
            beside = sort_of(part.title) in ("aside", "field")
            marks = [
                [title_mark(item.text.partition("\n")[0]) for item in block.items]
                for block in part.blocks
            ]
            signed = not beside and any(mark.signed for each in marks for mark in each)
            for at, block in enumerate(part.blocks):
                lines = block.kind == "paragraph" and marked_lines(block.text)
                if lines or (self._is_of_tasks(block) and not beside):
                    yield TaskSource(block, _state_of(part))
                wanted = signed or (len(marks[at]) > 1 and all(mark.mark for mark in marks[at]))
                if block.kind == "list" and wanted and not is_field(label_before(part.blocks, at)):
                    yield from _items(block, _state_of(part))

    def listed(self) -> Iterator[TaskSource]:
        """Yield the lists of a file that says it is a plan: of a list of tasks all of them."""
        parts = list((self.title or self.top).all()) if self.planned else []
        for part in parts if self.only_tasks else parts[:1]:
            if sort_of(part.title) not in ("aside", "field"):
                above = None if part is self.title else _state_of(part)
                yield from self._own(part, above, all_of_it=True)


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
    if mark := title_mark(part.title).mark:
        return Above(mark.done, mark.text, part.start)
    if status := status_of(part):
        return Above(status[0].done, status[0].text, status[1])
    return Above(True, part.title, part.start) if is_released(part.title) else None


def _items(block: OutlineBlock, above: Above | None) -> Iterator[TaskSource]:
    """Yield the items of a list that are not keys or a legend, with marked ones inside them.

    Nested lists in which states are marked count; plain ones are details.
    """
    if any(is_boxed(item.text) for item in block.items):
        return
    for item in block.items:
        if not item.text or keyed(item.text) or is_legend(item.text):
            continue
        yield TaskSource(item, above)
        for nested in item.lists:
            if any(starts_marked(inner.text) for inner in nested.items):
                yield from _items(nested, above)
