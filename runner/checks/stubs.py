"""Functions that the task names and that do nothing: found from syntax, where no test is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from runner.checks.asked import TaskWords
from runner.code.languages import (
    comment_of,
    does_nothing,
    is_among_tests,
    language_of,
    python_functions,
    python_tree,
)
from runner.code.symbols import Definition, symbols_of
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint

Read = Callable[[str], bytes | None]

_TEXT_OF_COMMENTS = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
_TRIVIAL = re.compile(
    r"(?:return(?:\s+(?:undefined|null|nil|void 0))?\s*;?|(?:todo|unimplemented)!\([^)]*\)\s*;?"
    r"|(?:throw\s+(?:new\s+)?\w*(?:Error|Exception)|panic)\(\s*[\"'`][^\"'`]*[\"'`]\s*\)\s*;?)?",
    re.DOTALL,
)


def stubs(changes: ChangeSet, asked: TaskWords, *, read: Read) -> Iterator[Complaint]:
    """Complain of functions that the task names, and that do nothing now.

    ``read`` returns what a file held before. One that does something elsewhere excuses the others:
    a null object may do nothing.
    """
    empty: dict[str, tuple[str, int]] = {}
    full: set[str] = set()
    for path, write in changes.files.items():
        if write is None or is_among_tests(path) or path.endswith(".pyi"):
            continue
        before = _functions(path, read(path) or b"")
        had = {name for name, _, _ in before}
        was_empty = {name for name, _, is_empty in before if is_empty}
        for name, line, is_empty in _functions(path, write.content):
            if is_empty and name in asked.names - was_empty:
                empty.setdefault(name, (path, line))
            elif not is_empty and name not in had:
                full.add(name)
    for name, (path, line) in empty.items():
        if name not in full:
            message = f"`{name}` in {path} does nothing yet."
            yield Complaint(path, "StubBody", message, line, advice="Write what the task asks for.")


def _functions(path: str, content: bytes) -> list[tuple[str, int, bool]]:
    """Return a file's functions: name, line, and whether it does nothing."""
    if language_of(path) == "python":
        try:
            tree = python_tree(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []
        return [
            (each.name, each.lineno, not meant and does_nothing(each))
            for _, each, meant in python_functions(tree)
        ]
    if comment_of(path) != "//":
        return []
    lines = content.decode("utf-8", "replace").split("\n")
    found = symbols_of(path, content).definitions
    bodies = ((each, _body(lines, each)) for each in found)
    return [
        (each.name, each.line, bool(_TRIVIAL.fullmatch(_TEXT_OF_COMMENTS.sub("", body).strip())))
        for each, body in bodies
        if body is not None
    ]


def _body(lines: list[str], definition: Definition) -> str | None:
    """Return what is between a function's braces; None for other nodes."""
    text = "\n".join(lines[definition.line - 1 : definition.end_line])
    opening, depth = text.find("("), 0
    if opening < 0 or "{" in text[:opening]:
        return None
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0 and (brace := text.find("{", at)) >= 0 and text.rstrip().endswith("}"):
            return text[brace + 1 : text.rindex("}")]
    return None
