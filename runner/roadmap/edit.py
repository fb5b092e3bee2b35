"""Edit a roadmap by task key: ticking changes one byte and leaves all others alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from markdown_it import MarkdownIt

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import Splice, line_starts, lines_of, moved
from runner.roadmap.task import Kind, Roadmap, Task
from runner.roadmap.writing import TaskLayout, Written, place_at


class Seen(NamedTuple):
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


def outline(tasks: Iterable[Task]) -> list[Seen]:
    """Return what is compared of each task, in file order."""
    return [seen(task) for task in tasks]


def seen(task: Task) -> Seen:
    """Return what is compared of one task."""
    place = task.place
    return Seen(
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


def difference(meant: Sequence[Seen], found: Sequence[Seen]) -> str:
    """Say what an edit would do that was not meant, or ''. Lines are those after the edit."""
    for one, other in zip_longest(meant, found):
        if one == other:
            continue
        if one is None:
            return f"would turn line {other.line} into a task"
        if other is None or other.line > one.line:
            return f"would leave no task in line {one.line}"
        if other.line < one.line:
            return f"would turn line {other.line} into a task"
        return _changed(one, other)
    return ""


def _changed(meant: Seen, found: Seen) -> str:
    name = next(n for n in Seen._fields if getattr(meant, n) != getattr(found, n))
    if name == "key":
        return (
            f"would change the key of the task in line {meant.line}, which says the same under "
            "the same headings; make the two differ first"
        )
    if name == "kind":
        return (
            f"would make the task in line {meant.line} a {found.kind}, where {meant.kind} is meant"
        )
    if name == "parent":
        return (
            f"would give the task in line {meant.line} another parent; write ids that continue "
            "from the same number"
        )
    if name == "runnable":
        return (
            f"would make line {meant.line} a task that is not run, because it reads as optional, "
            "struck through or a placeholder"
        )
    if name.endswith("end_line"):
        return f"would join other lines to the task in line {meant.line}"
    return f"would change the {name} of the task in line {meant.line}"


class EditRefused(ValueError):
    """The edit would not do what was asked; the message says why and where."""


def find(roadmap: Roadmap, name: str) -> Task | None:
    """Find a task by its key or by its written id; None if there is not exactly one."""
    by_key = [task for task in roadmap.tasks if task.key == name]
    by_id = [task for task in roadmap.tasks if task.id == name]
    found = by_key or by_id
    return found[0] if len(found) == 1 else None


def tick(path: str, content: bytes, key: str, *, parsed: Roadmap | None = None) -> bytes:
    """Return ``content`` with the task's checkbox ticked; a ticked one stays as it is.

    ``parsed`` saves a parse if it is of exactly these bytes. Raises ``EditRefused`` if the task is
    missing or the result would not be what was meant.
    """
    return _set(current(path, content, parsed), [key], checked=True)


def untick(path: str, content: bytes, key: str, *, parsed: Roadmap | None = None) -> bytes:
    """Return ``content`` with the task's checkbox cleared; otherwise as ``tick``."""
    return _set(current(path, content, parsed), [key], checked=False)


def tick_all(path: str, content: bytes, keys: Iterable[str]) -> bytes:
    """Return ``content`` with several checkboxes ticked; raises ``EditRefused`` as ``tick``."""
    return _set(parse_roadmap(path, content), keys, checked=True)


def untick_all(path: str, content: bytes, keys: Iterable[str]) -> bytes:
    """Return ``content`` with several checkboxes cleared; raises ``EditRefused`` as ``tick``."""
    return _set(parse_roadmap(path, content), keys, checked=False)


def current(path: str, content: bytes, parsed: Roadmap | None) -> Roadmap:
    """Return the parsed form of these bytes; ``parsed`` itself only if it is of them."""
    if parsed is not None and parsed.path == path and parsed.content == content:
        return parsed
    return parse_roadmap(path, content)


def wanted(roadmap: Roadmap, key: str) -> Task:
    """Return the task an edit is about; raises ``EditRefused`` when it is not there."""
    task = find(roadmap, key)
    if task is None:
        raise EditRefused(f"{roadmap.path} has no task {key}; it may have been edited")
    return task


def place_of(roadmap: Roadmap, task: Task) -> TaskLayout:
    """Return how a task is written; raises ``EditRefused`` if its line has no checkbox."""
    place = place_at(roadmap.content, line_starts(roadmap.content)[task.place.line - 1])
    if place is None:
        raise EditRefused(
            f"{roadmap.path}, line {task.place.line}: no checkbox before the task's text"
        )
    return place


def _set(before: Roadmap, keys: Iterable[str], *, checked: bool) -> bytes:
    tasks = [task for task in (wanted(before, key) for key in keys) if task.checked != checked]
    if not tasks:
        return before.content
    content = bytearray(before.content)
    for task in tasks:  # one byte becomes another one, so the places of the others stay
        content[place_of(before, task).state] = ord("x" if checked else " ")
    after = parse_roadmap(before.path, bytes(content))
    turned = {task.key for task in tasks}
    meant = [
        seen._replace(checked=checked) if seen.key in turned else seen
        for seen in outline(before.tasks)
    ]
    if why := difference(meant, outline(after.tasks)):
        lines = ", ".join(str(task.place.line) for task in tasks)
        raise EditRefused(f"{before.path}: changing the checkbox of line {lines} {why}")
    return after.content


_BLOCKS = MarkdownIt("commonmark", {"maxNesting": 100}).disable("inline")


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a new task will be, in lines after the edit; its last ``nested`` are its details."""

    line: int
    text_end_line: int
    end_line: int
    nested: int
    text: str


@dataclass(frozen=True, slots=True)
class EditPlan:
    """Splices, and the tasks they make instead of ``task``."""

    task: Task
    splices: tuple[Splice, ...]
    stands: tuple[Stand, ...]


def stands(news: Sequence[Written], line: int, *, between: int = 0) -> tuple[Stand, ...]:
    """Return where tasks written one after another from ``line`` on will be.

    ``between`` lines come between the first one's own text and what is nested in it.
    """
    found: list[Stand] = []
    for new in news:
        own = line + len(new.own)
        end = own + between + len(new.nested)
        found.append(Stand(line, own - 1, end - 1, len(new.nested), new.text))
        line, between = end, 0
    return tuple(found)


def unmeant(plan: EditPlan, before: Roadmap, after: Roadmap) -> str:
    """Say what an edit did that was not planned, or ''."""
    there = {task.place.line: task for task in after.tasks}
    first = there.get(plan.stands[0].line)
    meant = [*_others(plan, before, first.key if first else None)]
    meant += [_new(plan, stand, there.get(stand.line)) for stand in plan.stands]
    meant.sort(key=lambda task: task.line)
    return (
        difference(meant, outline(after.tasks))
        or _taken(plan, before, [there[stand.line] for stand in plan.stands])
        or _swallowed(plan.stands[0], after.content)
    )


def _others(plan: EditPlan, before: Roadmap, first: str | None) -> Iterator[Seen]:
    """The tasks that were there, at the lines they have now; children follow to the first one."""
    task, growth = plan.task, sum(splice.growth for splice in plan.splices)
    for other in before.tasks:
        if other.key == task.key:
            continue
        found = seen(other)
        if other.place.line > task.place.end_line:
            found = Seen._make((*(line + growth for line in found[:3]), *found[3:]))
        elif other.place.end_line >= task.place.line:
            found = _around(plan, found)
        if found.parent == task.key:
            found = found._replace(parent=first)
        yield found


def _around(plan: EditPlan, other: Seen) -> Seen:
    """A task that contains the edited one, or the reverse."""
    outer = other.line < plan.task.place.line and other.end_line == plan.task.place.end_line
    return other._replace(
        line=moved(other.line, plan.splices),
        text_end_line=moved(other.text_end_line, plan.splices),
        end_line=plan.stands[-1].end_line if outer else moved(other.end_line, plan.splices),
    )


def _new(plan: EditPlan, stand: Stand, found: Task | None) -> Seen:
    """What is meant of a new task; only its key, its id and a freedom not to run are read back."""
    kind: Kind = "check" if plan.task.kind == "check" else "work"
    runs = kind == "work" and plan.task.runnable
    same = found is not None and found.text.split() == stand.text.split()
    return Seen(
        line=stand.line,
        text_end_line=stand.text_end_line,
        end_line=stand.end_line,
        key=found.key if found else "",
        id=found.id if found else None,
        text=found.text if found and same else stand.text,
        checked=False,
        kind=kind,
        depth=plan.task.place.depth,
        parent=plan.task.place.parent,
        runnable=runs or bool(found and found.runnable),
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


def _swallowed(stand: Stand, content: bytes) -> str:
    """Say that new details became part of code or HTML that was left open before them, or ''."""
    if not stand.nested:
        return ""
    lines = lines_of(content, stand.line, stand.end_line)
    texts = [line.decode("utf-8", "replace").expandtabs(4) for line in lines]
    indent = " " * (len(texts[0]) - len(texts[0].lstrip(" ")))
    tokens = _BLOCKS.parse("\n".join(text.removeprefix(indent) for text in texts))
    items = {token.map[0] for token in tokens if token.type == "list_item_open" and token.map}
    if stand.end_line - stand.nested + 1 - stand.line in items:
        return ""
    return "would put its details into code or HTML that is left open in the task; close that first"
