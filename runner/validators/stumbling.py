"""Put right line after line where the compiler stumbles, until the file compiles."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable

from runner.findings import Complaint
from runner.python_tree import python_tree
from runner.validators import python

_ROUNDS = 40
LineMend = Callable[[str, Complaint], str | None]
"""(line, what the compiler said of it) → the line put right, or None."""


def line_by_line(path: str, text: str, mend: LineMend) -> str:
    """Mend the lines the compiler names, up to one that cannot be mended."""
    for _ in range(_ROUNDS):
        complaint = python.check(path, text.encode("utf-8", "replace"))
        if complaint is None:
            return text
        lines = text.split("\n")
        at = (complaint.line or 0) - 1
        after = mend(lines[at], complaint) if 0 <= at < len(lines) else None
        if after is None or after == lines[at]:
            return text
        text = "\n".join([*lines[:at], after, *lines[at + 1 :]])
    return text


def meaning(text: str) -> str | None:
    """Return the syntax tree in words; None for what does not compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "text", "exec", dont_inherit=True)
            return ast.dump(python_tree(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def only_reading(texts: Iterable[str]) -> str | None:
    """Return the text that compiles, when all that do mean the same; None when they differ."""
    readings: dict[str, str] = {}
    for text in texts:
        said = meaning(text)
        if said is not None:
            readings.setdefault(said, text)
    return next(iter(readings.values())) if len(readings) == 1 else None
