"""Edit a roadmap by task key: ticking changes one byte and leaves all others alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from markdown_it import MarkdownIt

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of
from runner.roadmap.source import Splice, line_starts, lines_of, moved
from runner.roadmap.task import Roadmap, Task
from runner.roadmap.writing import TaskLayout, Written, place_at


class EditRefused(ValueError):
    """The edit would not do what was asked; the message says why and where."""


def find(roadmap: Roadmap, name: str) -> Task | None:
    """Find a task by its key or by its written id; None if there is not exactly one."""
    by_key = [task for task in roadmap.tasks if task.key == name]
    by_id = [task for task in roadmap.tasks if task.id == name]
    found = by_key or by_id
    return found[0] if len(found) == 1 else None


def tick_all(path: str, content: bytes, keys: Iterable[str]) -> bytes:
    """Return ``content`` with several checkboxes ticked; raises ``EditRefused``."""
    return turned(parse_roadmap(path, content), dict.fromkeys(keys, True))


def untick_all(path: str, content: bytes, keys: Iterable[str]) -> bytes:
    """Return ``content`` with several checkboxes cleared; raises ``EditRefused``."""
    return turned(parse_roadmap(path, content), dict.fromkeys(keys, False))


def turned(before: Roadmap, states: Mapping[str, bool]) -> bytes:
    """Return the bytes of a roadmap with checkboxes in these states, by task key.

    Raises ``EditRefused`` if a task is missing or the result would not be what was meant.
    """
    known = {task.key: task for task in before.tasks}
    asked = ((known.get(key) or wanted(before, key), done) for key, done in states.items())
    goal = {task.key: done for task, done in asked if task.checked != done}
    tasks = [known[key] for key in goal]
    if not tasks:
        return before.content
    form = form_of(before.path)
    if form.edited is not None:
        content = bytearray(form.edited(before, goal))
    else:
        content, starts = bytearray(before.content), line_starts(before.content)
        tick = form.ticks(before.content)
        for task in tasks:  # one byte becomes another one, so the places of the others stay
            content[place_of(before, task, starts).state] = tick if goal[task.key] else ord(" ")
    after = parse_roadmap(before.path, bytes(content))
    meant = [
        _seen(task)._replace(checked=goal.get(task.key, task.checked)) for task in before.tasks
    ]
    if why := _difference(meant, after):
        lines = ", ".join(str(task.place.line) for task in tasks)
        raise EditRefused(f"{before.path}: changing the checkbox of line {lines} {why}")
    return after.content


def wanted(roadmap: Roadmap, key: str) -> Task:
    """Return the task an edit is about; raises ``EditRefused`` when it is not there."""
    task = find(roadmap, key)
    if task is None:
        raise EditRefused(f"{roadmap.path} has no task {key}; it may have been edited")
    return task


def place_of(roadmap: Roadmap, task: Task, starts: Sequence[int]) -> TaskLayout:
    """Return how a task is written; raises ``EditRefused`` if its line has no checkbox."""
    form = form_of(roadmap.path)
    if form.edited is not None:
        raise EditRefused(f"{roadmap.path}: in a plan of {form.name} only states can be changed")
    place = place_at(roadmap.content, starts[task.place.line - 1])
    if place is None:
        raise EditRefused(
            f"{roadmap.path}, line {task.place.line}: no checkbox before the task's text"
        )
    return place


class _Seen(NamedTuple):
    """What is compared of a task before and after an edit."""

    line: int
    text_end_line: int
    end_line: int
    key: str
    id: str | None
    text: str
    checked: bool
    kind: str
    depth: int
    parent: str | None
    runnable: bool


def _seen(task: Task) -> _Seen:
    place = task.place
    return _Seen(
        line=place.line,
        text_end_line=place.text_end_line,
        end_line=place.end_line,
        key=task.key,
        id=task.id,
        text=task.text,
        checked=task.checked,
        kind=task.kind,
        depth=place.depth,
        parent=place.parent,
        runnable=task.runnable,
    )


_CHANGES = {
    "key": "would change the key of the task in line {meant.line}, which says the same under the "
    "same headings; make the two differ first",
    "kind": "would make the task in line {meant.line} a {found.kind}, where {meant.kind} is meant",
    "parent": "would give the task in line {meant.line} another parent; write ids that continue "
    "from the same number",
    "runnable": "would make line {meant.line} a task that is not run, because it reads as "
    "optional, struck through or a placeholder",
    "text_end_line": "would join other lines to the task in line {meant.line}",
    "end_line": "would join other lines to the task in line {meant.line}",
}


def _difference(meant: Sequence[_Seen], after: Roadmap) -> str:
    """Say what an edit would do that was not meant, or ''. Lines are those after the edit."""
    for one, other in zip_longest(meant, map(_seen, after.tasks)):
        if one == other:
            continue
        if one is None or (other is not None and other.line < one.line):
            return f"would turn line {other.line} into a task"
        if other is None or other.line > one.line:
            return f"would leave no task in line {one.line}"
        name = next(n for n in _Seen._fields if getattr(one, n) != getattr(other, n))
        change = _CHANGES.get(name, f"would change the {name} of the task in line {{meant.line}}")
        return change.format(meant=one, found=other)
    return ""


_BLOCKS = MarkdownIt("commonmark", {"maxNesting": 100}).disable("inline")


@dataclass(frozen=True, slots=True)
class EditPlan:
    """Splices, and the tasks they make instead of ``task``.

    ``between`` lines come between the first new one's own text and what is nested in it.
    """

    task: Task
    splices: tuple[Splice, ...]
    news: tuple[Written, ...]
    between: int


def unmeant(plan: EditPlan, before: Roadmap, after: Roadmap) -> str:
    """Say what an edit did that was not planned, or ''.

    Of a new task only its key, its id and a freedom not to run are read back.
    """
    old, there = plan.task, {task.place.line: task for task in after.tasks}
    spans: list[tuple[int, int, int]] = []  # lines of the new tasks, as in what is compared
    line, between = old.place.line, plan.between
    for written in plan.news:
        own = line + len(written.own)
        end = own + between + len(written.nested)
        spans.append((line, own - 1, end - 1))
        line, between = end, 0
    news = [there.get(span[0]) for span in spans]
    meant: list[_Seen] = []
    for other in (task for task in before.tasks if task.key != old.key):
        was = _seen(other)
        outer = was.line < old.place.line and was.end_line == old.place.end_line
        line, text_end, end = (moved(number, plan.splices) for number in was[:3])
        inner = was.parent == old.key  # what is nested in the task stays with the first new one
        meant.append(
            was._replace(
                line=line,
                text_end_line=text_end,
                end_line=spans[-1][2] if outer else end,
                parent=(news[0].key if news[0] else None) if inner else was.parent,
            )
        )
    for span, written, new in zip(spans, plan.news, news, strict=True):
        same = new is not None and new.text.split() == written.text.split()
        kind = "check" if old.kind == "check" else "work"
        meant.append(
            _Seen(
                *span,
                key=new.key if new else "",
                id=new.id if new else None,
                text=new.text if new and same else written.text,
                checked=False,
                kind=kind,
                depth=old.place.depth,
                parent=old.place.parent,
                runnable=(kind == "work" and old.runnable) or bool(new and new.runnable),
            )
        )
    return (
        _difference(sorted(meant), after)
        or _taken(plan, before, [new for new in news if new])
        or _swallowed(spans[0], len(plan.news[0].nested), after.content)
    )


def _taken(plan: EditPlan, before: Roadmap, news: Sequence[Task]) -> str:
    """Say what would be there twice: an id, or the words of a task that was divided.

    An id that did already may stay with the one replacement that keeps it.
    """
    taken = {other.id for other in before.tasks if other.key != plan.task.key}
    for number, new in enumerate(news):
        if new.id and (new.id in taken and not (new.id == plan.task.id and not number)):
            return f"would use the id {new.id} twice; choose another"
        if number and new.key == plan.task.key:
            return f"would write the task itself as its part {number + 1}; say what the part is"
        taken.add(new.id)
    return ""


def _swallowed(span: tuple[int, int, int], nested: int, content: bytes) -> str:
    """Say that new details became part of code or HTML that was left open before them, or ''."""
    first, _, last = span
    if not nested:
        return ""
    lines = lines_of(content, first, last)
    texts = [line.decode("utf-8", "replace").expandtabs(4) for line in lines]
    indent = " " * (len(texts[0]) - len(texts[0].lstrip(" ")))
    tokens = _BLOCKS.parse("\n".join(text.removeprefix(indent) for text in texts))
    items = {token.map[0] for token in tokens if token.type == "list_item_open" and token.map}
    if last - nested + 1 - first in items:
        return ""
    return "would put its details into code or HTML that is left open in the task; close that first"
