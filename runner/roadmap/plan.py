"""An edit before it is made: which lines come, and which tasks are meant to stand afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt

from runner.roadmap.lines import Splice, lines_of, moved
from runner.roadmap.outline import Seen, difference, outline, seen
from runner.roadmap.place import Written
from runner.roadmap.task import Kind, Roadmap, Task

_BLOCKS = MarkdownIt("commonmark", {"maxNesting": 100}).disable("inline")


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a new task will stand, in lines after the edit; its last ``nested`` are its details."""

    line: int
    text_end_line: int
    end_line: int
    nested: int
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Splices, and the tasks they make: in the place of ``task``, or behind it."""

    task: Task
    splices: tuple[Splice, ...]
    stands: tuple[Stand, ...]
    replaces: bool


def stands(news: Sequence[Written], line: int, *, between: int = 0) -> tuple[Stand, ...]:
    """Return where tasks written one after another from ``line`` on will stand.

    ``between`` lines come between the first one's own text and what is nested in it.
    """
    found: list[Stand] = []
    for new in news:
        own = line + len(new.own)
        end = own + between + len(new.nested)
        found.append(Stand(line, own - 1, end - 1, len(new.nested), new.text))
        line, between = end, 0
    return tuple(found)


def unmeant(plan: Plan, before: Roadmap, after: Roadmap) -> str:
    """Say what an edit did that was not planned, or ''."""
    there = {task.line: task for task in after.tasks}
    first = there.get(plan.stands[0].line)
    meant = [*_others(plan, before, first.key if first else None)]
    meant += [_new(plan, stand, there.get(stand.line)) for stand in plan.stands]
    meant.sort(key=lambda task: task.line)
    return (
        difference(meant, outline(after.tasks))
        or _taken(plan, before, [there[stand.line] for stand in plan.stands])
        or _swallowed(plan.stands[0], after.content)
    )


def _others(plan: Plan, before: Roadmap, first: str | None) -> Iterator[Seen]:
    """The tasks that were there, at the lines they have now; children follow to the first one."""
    task, growth = plan.task, sum(splice.growth for splice in plan.splices)
    for other in before.tasks:
        if plan.replaces and other.key == task.key:
            continue
        found = seen(other)
        if other.line > task.end_line:
            found = Seen._make((*(line + growth for line in found[:3]), *found[3:]))
        elif other.end_line >= task.line:
            found = _around(plan, found)
        if plan.replaces and found.parent == task.key:
            found = found._replace(parent=first)
        yield found


def _around(plan: Plan, other: Seen) -> Seen:
    """A task that the edited one stands in, or the other way round."""
    outer = other.line < plan.task.line and other.end_line == plan.task.end_line
    return other._replace(
        line=moved(other.line, plan.splices),
        text_end_line=moved(other.text_end_line, plan.splices),
        end_line=plan.stands[-1].end_line if outer else moved(other.end_line, plan.splices),
    )


def _new(plan: Plan, stand: Stand, found: Task | None) -> Seen:
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
        depth=plan.task.depth,
        parent=plan.task.parent,
        runnable=runs or bool(found and found.runnable),
    )


def _taken(plan: Plan, before: Roadmap, news: Sequence[Task]) -> str:
    """Say what would stand there twice: an id, or the words of a task that was divided.

    An id that did already may stay with the one replacement that keeps it.
    """
    taken = {other.id for other in before.tasks if other.key != plan.task.key}
    taken |= set() if plan.replaces else {plan.task.id}
    kept = plan.task.id if plan.replaces else None
    for number, new in enumerate(news):
        if new.id and (new.id in taken and not (new.id == kept and not number)):
            return f"would use the id {new.id} twice; choose another"
        if plan.replaces and number and new.key == plan.task.key:
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
