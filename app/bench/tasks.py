"""The tasks of a bench: projects as a run finds them, and the tests that judge what it made."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

Function = ast.FunctionDef | ast.AsyncFunctionDef
Functions = Iterator[tuple[str, Function, bool]]
Texts = Mapping[str, str]
"""Texts of files by path; bytes that are not UTF-8 are kept as surrogates."""

FEWEST = 2
"""Tests that a task needs: one to show, one to hide."""

ROADMAP = "ROADMAP.md"


@dataclass(frozen=True, kw_only=True)
class BenchTask:
    """``files`` are laid over the project, or are the whole of it where it is not ``shared``.

    ``hidden`` are the tests as they judge. Those that are ``wanted`` have to pass then, and those
    that are ``kept`` passed before and must not break; each is ``path::Class::function``.
    """

    name: str
    files: Texts
    hidden: Texts
    wanted: Sequence[str]
    kept: Sequence[str] = field(default=())
    shared: bool = False


def roadmap(text: str, details: str = "") -> str:
    """Return the plan with this one task."""
    below = "".join(f"  {line}\n" for line in details.splitlines())
    return f"# Roadmap\n\n- [ ] 1.1 {text}\n{below}"


def half_hidden(
    name: str, files: Texts, tests: Texts, *, wanted: Collection[str] = ()
) -> BenchTask:
    """Make a task of which every second test is hidden, in an order that only their names decide.

    ``tests`` are whole test files, of which only the ``wanted`` ones are about the task (none
    given: all). Raises ``ValueError`` where there are too few, or where a file is not Python.
    """
    known = [f"{path}::{test}" for path, text in tests.items() for test, *_ in functions(text)]
    own = [test for test in known if is_test(test) and (not wanted or test in wanted)]
    if len(own) < FEWEST:
        raise ValueError(f"{name} has too few tests")
    away = sorted(own, key=lambda test: sha256(test.encode()).digest())[1::2]
    left = {
        path: without(
            text, [test.partition("::")[2] for test in away if test.startswith(f"{path}::")]
        )
        for path, text in tests.items()
    }
    return BenchTask(name=name, files={**files, **left}, hidden=tests, wanted=sorted(wanted or own))


def is_test(name: str) -> bool:
    """Whether pytest would run the function of this name."""
    return name.rpartition("::")[2].startswith("test")


def functions(source: str) -> Functions:
    """Yield the functions of a module and of its classes: name, node, and whether in a class.

    Raises ``ValueError`` (``SyntaxError``) for what is not Python.
    """
    return _functions(ast.parse(source).body, "")


def _functions(body: Sequence[ast.stmt], inside: str) -> Functions:
    for node in body:
        if isinstance(node, Function):
            yield f"{inside}{node.name}", node, bool(inside)
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{inside}{node.name}::")


def without(source: str, names: Collection[str]) -> str:
    """Return a module without these functions; in a class ``pass`` takes the place of each."""
    lines: list[str | None] = [*source.split("\n")]
    for name, node, in_class in functions(source):
        if name in names:
            first = min(each.lineno for each in (node, *node.decorator_list))
            end = node.end_lineno or first
            indent = source.split("\n")[node.lineno - 1][: node.col_offset]
            lines[first - 1 : end] = [None] * (end - first + 1)
            lines[first - 1] = f"{indent}pass" if in_class else None
    return "\n".join(line for line in lines if line is not None)


def emptied(source: str, node: Function) -> str:
    """Return a module in which a function has its docstring and no other code."""
    told = ast.get_docstring(node, clean=False) is not None
    body = node.body[1:] if told else node.body
    decorators = getattr(body[0], "decorator_list", [])
    first = min(each.lineno for each in (body[0], *decorators))
    lines = source.split("\n")  # as ast counts them: a form feed ends no line
    indent = lines[first - 1][: body[0].col_offset]
    lines[first - 1 : node.end_lineno] = [f"{indent}raise NotImplementedError"]
    return "\n".join(lines)
