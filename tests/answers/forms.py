"""The ways to write a right answer: which there are, and which tasks each fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.answers.projects import Task
from tests.model_server import Reply

Fits = Callable[[Task], bool]
Render = Callable[[Task], str | Sequence[str | Reply]]


@dataclass(frozen=True)
class Form:
    """A way to write a right answer; ``extra`` are paths it may write besides the task's."""

    id: str
    render: Render
    fits: Fits
    extra: tuple[str, ...] = ()

    def turns(self, task: Task) -> tuple[str | Reply, ...]:
        """Return the answer; of several parts all but the last stop at the length limit."""
        made = self.render(task)
        return (made,) if isinstance(made, str) else tuple(made)


def writes_whole(task: Task) -> bool:
    """Tell whether a model could write every file of the result from its first to its last line."""
    return not task.shown_in_part


def writes_only(task: Task) -> bool:
    """Tell whether the result is whole files, none of which goes."""
    return writes_whole(task) and not task.gone


def is_one_file(task: Task) -> bool:
    """Tell whether the result is one file that a model could write whole."""
    return writes_only(task) and len(task.change) == 1


def edits_one_file(task: Task) -> bool:
    """Tell whether the result is one file that was there before."""
    return is_one_file(task) and bool(task.edits)


def has_edits(task: Task) -> bool:
    """Tell whether something is edited."""
    return bool(task.edits)


def is_code(task: Task) -> bool:
    """Tell whether the task is about code."""
    return not task.subject.endswith(".md")


class Forms:
    """A list of forms that functions are put on."""

    def __init__(self) -> None:
        self.all: list[Form] = []

    def add(
        self, id: str, fits: Fits, *, extra: tuple[str, ...] = ()
    ) -> Callable[[Render], Render]:
        """Put a function on the list."""

        def put(render: Render) -> Render:
            self.all.append(Form(id, render, fits, extra))
            return render

        return put
