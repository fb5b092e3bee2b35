"""The ways to do damage: which there are, and what they are given."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.answers.code import Definition, definitions
from tests.answers.projects import Change, Task, is_test
from tests.answers.writing import as_edits, under
from tests.model_server import Reply


@dataclass(frozen=True)
class Harmful:
    """An answer, and what somebody changes who takes it at its word.

    ``unused`` are public names that are lost, or have other parameters, and that nothing in the
    repository uses: that may be when the model was asked about it once and people are told.
    """

    answer: tuple[str | Reply, ...]
    change: Change
    unused: tuple[str, ...] = ()


Make = Callable[[Task, random.Random], Harmful | None]
"""What a harm makes of a task; None where it does not fit."""


@dataclass(frozen=True)
class Harm:
    """A way to do damage; nobody could tell an ``undetectable`` one from a right answer."""

    id: str
    make: Make
    undetectable: bool = False


class Harms:
    """A list of harms that functions are put on."""

    def __init__(self) -> None:
        self.all: list[Harm] = []

    def add(self, id: str, *, undetectable: bool = False) -> Callable[[Make], Make]:
        """Put a function on the list."""

        def put(make: Make) -> Make:
            self.all.append(Harm(id, make, undetectable))
            return make

        return put


def harmful(task: Task, change: Change, *, unused: Sequence[str] = ()) -> Harmful:
    """Make an answer of a change as a model would write it, whole files where it knows them."""
    return Harmful((written(task, change),), change, tuple(unused))


def written(task: Task, change: Change) -> str:
    """Write a change: edits for what the question showed in part, else whole files."""
    parts = []
    for path, text in change.items():
        if text is None:
            parts.append(f"DELETE {path}\n")
        elif path in task.edits and task.shown_in_part and not is_test(path):
            parts.append(as_edits(path, task.base[path], text))
        else:
            parts.append(under(path, text))
    return "\n".join(parts)


def sign(path: str) -> str:
    """Return what begins a comment in such a file."""
    if path.endswith((".py", ".yml", ".toml")):
        return "#"
    return "<!--" if path.endswith(".md") else "//"


def touched(task: Task, path: str) -> list[Definition]:
    """Return the definitions of the right file that are new, or not as they were before."""
    before = task.base.get(path, "")
    was = {each.name: source(before, each) for each in definitions(path, before)}
    after = task.after[path]
    return [each for each in definitions(path, after) if was.get(each.name) != source(after, each)]


def untouched(task: Task, path: str) -> list[Definition]:
    """Return the definitions of the right file that are as they were before."""
    names = {each.name for each in touched(task, path)}
    return [each for each in definitions(path, task.after[path]) if each.name not in names]


def source(text: str, which: Definition) -> str:
    """Return the lines of a definition."""
    return "".join(text.splitlines(keepends=True)[which.start : which.end])


def edited_code(task: Task) -> list[str]:
    """Return the files of code a task edits, that most is done in first."""
    code = [path for path in task.edits if path.endswith((".py", ".js", ".go"))]
    return sorted(
        (path for path in code if not is_test(path)), key=lambda path: path != task.subject
    )


def replaced_lines(text: str, start: int, end: int, lines: Sequence[str]) -> str:
    """Put lines in the place of others."""
    every = text.splitlines(keepends=True)
    return "".join([*every[:start], *(f"{line}\n" for line in lines), *every[end:]])
