"""Tasks made by hand, for tests that need no file."""

from __future__ import annotations

from typing import Any

from runner.roadmap.task import Heading, Task


def task(name: str, /, **fields: Any) -> Task:
    """A task whose key and id are its name, open work unless told otherwise."""
    given: dict[str, Any] = {
        "key": name,
        "id": name,
        "title": f"Do {name}",
        "text": f"{name} Do {name}",
        "line": 1,
        "text_end_line": 1,
        "end_line": 1,
        "checked": False,
        "depth": 1,
        "kind": "work",
        "headings": (),
    }
    return Task(**given | fields)


def heading(text: str, *, level: int = 2, line: int = 1) -> Heading:
    """A heading."""
    return Heading(level, line, text)
