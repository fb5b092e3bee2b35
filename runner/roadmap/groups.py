"""Small neighbours that form one piece of work: one attempt, one pull request, several ticks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from runner.roadmap.task import Task


@dataclass(frozen=True, slots=True)
class Grouping:
    """How large a piece may be: ``tasks`` in it, and characters of all their texts (``size``).

    One task a piece is no grouping, which is the default.
    """

    tasks: int = 1
    size: int = 600


@dataclass(frozen=True)
class Piece:
    """Tasks that are worked on together; the first one stands for all of them.

    ``task`` is the one an attempt is made of, ``keys`` what its checkpoint ticks. When it fails its
    tasks are worked on one by one: ``group`` is asked again with them ``apart``.
    """

    tasks: tuple[Task, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(task.key for task in self.tasks)

    @property
    def task(self) -> Task:
        """All tasks as one: the key, id and place of the first, the texts and files of all."""
        first, *others = self.tasks
        if not others:
            return first
        return replace(
            first,
            title=f"{first.title} (and {len(others)} more)",
            text="\n".join(f"- {_indented(task.text)}" for task in self.tasks),
            details="\n".join(filter(None, (task.details for task in self.tasks))),
            files=tuple(dict.fromkeys(path for task in self.tasks for path in task.files)),
            depends_on=tuple(
                key
                for key in dict.fromkeys(key for task in self.tasks for key in task.depends_on)
                if key not in self.keys
            ),
        )


def group(
    tasks: Sequence[Task], *, by: Grouping | None = None, apart: frozenset[str] = frozenset()
) -> tuple[Piece, ...]:
    """Divide open tasks, in the order they are taken, into pieces; most are a piece of their own.

    Neighbours of one list that name a common file go together while they are small. What has
    acceptance criteria of its own is always judged alone, and so is what stands ``apart`` (keys).
    """
    by = by or Grouping()
    pieces: list[list[Task]] = []
    for task in tasks:
        alone = task.key in apart or task.acceptance
        if pieces and not alone and _fits(pieces[-1], task, by, apart):
            pieces[-1].append(task)
        else:
            pieces.append([task])
    return tuple(Piece(tuple(piece)) for piece in pieces)


def _fits(piece: Sequence[Task], task: Task, by: Grouping, apart: frozenset[str]) -> bool:
    if len(piece) >= by.tasks or sum(map(_size, (*piece, task))) > by.size:
        return False
    last = piece[-1]
    if last.acceptance or last.key in apart or _place(last) != _place(task):
        return False
    common = set(task.files).intersection(*(each.files for each in piece))
    return bool(common) and _needs_no_more(piece, task)


def _place(task: Task) -> tuple[object, ...]:
    """Which list a task stands in."""
    return (task.parent, task.depth, task.label, task.headings, task.kind, task.runnable)


def _needs_no_more(piece: Sequence[Task], task: Task) -> bool:
    """Say whether a task waits for nothing but what the piece waits for, or the piece itself."""
    first = piece[0]
    if task.depends_on is first.depends_on:
        return True
    known = {*first.depends_on, *(each.key for each in piece)}
    return known.issuperset(task.depends_on)


def _size(task: Task) -> int:
    return len(task.text) + len(task.details)


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
