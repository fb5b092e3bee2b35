"""Tasks made by hand, for tests that need no file."""

from __future__ import annotations

from typing import Any

from runner.roadmap.task import Heading, Task
from tests.runner.fields import changed


def task(name: str, /, **fields: Any) -> Task:
    """A task whose key and id are its name, open work unless told otherwise."""
    plain = Task(name, name, f"Do {name}", f"{name} Do {name}", checked=False, kind="work")
    return changed(plain, **{"depth": 1, **fields})


def heading(text: str, *, level: int = 2, line: int = 1) -> Heading:
    """A heading."""
    return Heading(level, line, text)
