"""What a file defines: names, signatures and where they stand; enough for the three projects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_JS_TOP = re.compile(r"^(?:export )?(?:async )?function (\w+)\((.*)\) \{$")
_JS_CLASS = re.compile(r"^(?:export )?class (\w+)")
_JS_METHOD = re.compile(r"^  (?:async )?(#?\w+)\((.*)\) \{$")
_GO = re.compile(r"^func (?:\(\w+ \*?(\w+)\) )?(\w+)(\(.*) \{$")
_TEST_CALL = re.compile(r"^test\('([^']+)'")
CHECK = re.compile(
    r"\bassert\b(?!\w)(?! from)|\bassert\.|pytest\.raises|\bt\.(?:Error|Errorf|Fatal|Fatalf)\("
)
"""What a test checks by, in the three languages."""


@dataclass(frozen=True)
class Definition:
    """A function, a method, or a test of Node's; lines ``start`` to ``end`` of its file, from 0.

    ``start`` is the line of its comment or decorators, ``head`` that of its signature, and ``end``
    the one behind its last.
    """

    name: str
    signature: str
    start: int
    head: int
    end: int

    @property
    def public(self) -> bool:
        """Whether others may use it."""
        last = self.name.rpartition(".")[2]
        return not last.startswith(("_", "#"))


@cache  # the harms ask thousands of times about the same hundred files
def definitions(path: str, text: str) -> tuple[Definition, ...]:
    """Return what a file defines, in its order. Raises SyntaxError for broken Python."""
    match Path(path).suffix:
        case ".py":
            return tuple(sorted(_python(ast.parse(text)), key=lambda each: each.start))
        case ".js":
            return tuple(_javascript(text.splitlines()))
        case ".go":
            return tuple(_go(text.splitlines()))
    return ()


def cut(text: str, *which: Definition) -> str:
    """Return a text without some definitions, and without the empty lines behind them."""
    lines = text.splitlines(keepends=True)
    for each in sorted(which, key=lambda one: -one.start):
        end = each.end
        while end < len(lines) and lines[end].strip() == "":
            end += 1
        if end == len(lines) or lines[end].startswith("}"):  # the last one: the lines before it
            start = each.start
            while start and lines[start - 1].strip() == "":
                start -= 1
            lines[start : each.end] = []
        else:
            lines[each.start : end] = []
    return "".join(lines)


def body_of(text: str, which: Definition) -> tuple[int, int]:
    """Return the lines between a definition's signature and its end, without the closing one."""
    lines = text.splitlines()
    end = which.end - 1 if lines[which.end - 1].strip() in ("}", "});") else which.end
    return which.head + 1, end


def checks(text: str) -> int:
    """Count what a test file checks."""
    return len(CHECK.findall(text))


def _python(tree: ast.AST, prefix: str = "") -> Iterator[Definition]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _python(node, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            assert node.end_lineno is not None
            head = node.body[0].lineno - 2
            name = prefix + node.name
            yield Definition(name, ast.unparse(node.args), start - 1, head, node.end_lineno)


def _javascript(lines: list[str]) -> Iterator[Definition]:
    inside = ""
    for at, line in enumerate(lines):
        if found := _JS_CLASS.match(line):
            inside = found[1]
        elif line == "}":
            inside = ""
        if found := _JS_TOP.match(line):
            yield _until(lines, at, "}", found[1], found[2])
        elif found := _TEST_CALL.match(line):
            yield _until(lines, at, "});", found[1], "")
        elif inside and (found := _JS_METHOD.match(line)):
            yield _until(lines, at, "  }", f"{inside}.{found[1]}", found[2])


def _go(lines: list[str]) -> Iterator[Definition]:
    for at, line in enumerate(lines):
        if found := _GO.match(line):
            name = f"{found[1]}.{found[2]}" if found[1] else found[2]
            yield _until(lines, at, "}", name, found[3])


def _until(lines: list[str], at: int, closing: str, name: str, signature: str) -> Definition:
    end = lines.index(closing, at) + 1
    start = at
    while start and lines[start - 1].strip().startswith(("//", "/*", "*")):
        start -= 1
    return Definition(name, signature, start, at, end)
