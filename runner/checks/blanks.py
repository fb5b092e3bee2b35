"""Separate changes of blanks from changes of code, and undo them; keep licence headers.

Blanks mean something in many places: Python's indentation, strings, a Makefile's tabs, two blanks
at the end of a Markdown line. So two versions count as the same only if a parser says so; in a
text without a parser, only line ends and the blank lines at the end of the file may differ.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator

from tree_sitter import Node

from runner.checks import grammars
from runner.code.languages import language_of, python_tree
from runner.text.compared import Compared
from runner.text.patterns import lazy_pattern

_APART = 3
"""Lines between a change of blanks and the nearest real change; closer ones belong to it."""

_EXACT_TEXT = lazy_pattern(r"string|template|char|regex|heredoc|raw|text|content|preproc_arg")
_FREE_LAYOUT = (
    ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".rs", ".java", ".c", ".h",
    ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".css",
)  # fmt: skip
_EVERY_BYTE_COUNTS = lazy_pattern(
    r"(?:^|/)(?:fixtures?|testdata|test-data|data|(?:__)?snapshots?(?:__)?|goldens?|cassettes)/"
    r"|\.(?:snap|diff|patch|csv|tsv|golden|out|expected|bat|cmd)$",
    re.IGNORECASE,
)


def same_but_for_blanks(path: str, old: bytes, new: bytes) -> bool:
    """Say whether two versions of a file differ in blanks alone, and these mean nothing there."""
    if _EVERY_BYTE_COUNTS.search(path) or b"\0" in old:
        return False
    if old.replace(b"\r\n", b"\n").rstrip() == new.replace(b"\r\n", b"\n").rstrip():
        return not path.endswith((".sh", ".bash"))  # a carriage return breaks a shell script
    return _squeezed(old) == _squeezed(new) and _same_code(path, old, new)


def without_blank_changes(path: str, old: bytes, new: bytes) -> bytes:
    """Return the new version with the old blanks wherever nothing else changed.

    The result has the same syntax tree as ``new``; where that cannot be had, it is ``new``.
    """
    if _EVERY_BYTE_COUNTS.search(path) or not path.endswith((".py", ".pyi", *_FREE_LAYOUT)):
        return new
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    kept = b"".join(_kept(before, after))
    return kept if kept != new and _same_code(path, kept, new) else new


def _kept(before: list[bytes], after: list[bytes]) -> Iterator[bytes]:
    opcodes = Compared(before, after, autojunk=True).get_opcodes()
    real = [
        (c, d)
        for tag, a, b, c, d in opcodes
        if tag != "equal" and not _only_blanks(before[a:b], after[c:d])
    ]
    for _, a, b, c, d in opcodes:
        apart = all(d + _APART <= start or end + _APART <= c for start, end in real)
        blanks = _only_blanks(before[a:b], after[c:d])
        yield from before[a:b] if blanks and apart else after[c:d]


def _only_blanks(before: list[bytes], after: list[bytes]) -> bool:
    return _squeezed(b"".join(before)) == _squeezed(b"".join(after))


def _squeezed(content: bytes) -> bytes:
    return b"".join(content.split())


def _same_code(path: str, old: bytes, new: bytes) -> bool:
    """Say whether a parser reads the same in both versions (False without a parser)."""
    if path.endswith((".py", ".pyi")):
        return same_python(old, new)
    if path.endswith(_FREE_LAYOUT):
        return _same_tree(path, old, new)
    try:
        if path.endswith(".json"):
            return bool(json.loads(old) == json.loads(new))
        return path.endswith(".toml") and tomllib.loads(old.decode()) == tomllib.loads(new.decode())
    except (ValueError, RecursionError):
        return False


def same_python(old: bytes | str, new: bytes | str) -> bool:
    """Say whether Python reads the same in both versions."""
    try:
        return ast.dump(python_tree(old)) == ast.dump(python_tree(new))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _same_tree(path: str, old: bytes, new: bytes) -> bool:
    language = language_of(path)
    seen = []
    for content in (old, new):
        tree = grammars.parse(language, content)
        if tree is None or tree.root_node.has_error:
            return False
        seen.append(list(_nodes(tree.root_node, content)))
    return seen[0] == seen[1]


def _nodes(root: Node, content: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Yield every node: its kind, its depth, and the text of those that have none below."""
    todo = [(root, 0)]
    while todo:
        node, depth = todo.pop()
        text = content[node.start_byte : node.end_byte]
        below = node.children
        if "comment" in node.type:
            yield node.type, depth, _squeezed(text)
        elif _EXACT_TEXT.search(node.type) or not below:
            yield node.type, depth, text
        else:
            yield node.type, depth, b""
            todo += [(child, depth + 1) for child in reversed(below)]


_LEGAL = lazy_pattern(
    r"SPDX-|copyright|@licen[sc]e|\u00a9|\(c\)\s+\d{4}|licen[sc]ed under", re.IGNORECASE
)
_COMMENT = lazy_pattern(r"\s*(?:#|//|/\*|\*|--|;|<!--|%|\"\"\"|''')")
_FIRST = lazy_pattern(rb"#!|#.*coding[:=]|<\?(?:php|xml)")
_LOOKED_AT = 30


def with_legal_lines(_path: str, old: bytes, new: bytes) -> bytes:
    """Return the new text with the comment lines about copyright and licence that the old had.

    They are at the top again, after a ``#!`` line. Of blocks with several lines, only the missing
    lines are put back.
    """
    there = {line.strip() for line in new.split(b"\n")}
    lost = [line for line in _legal(old) if line.strip() not in there]
    if not lost:
        return new
    lines = new.split(b"\n")
    at = 0
    while at < len(lines) and _FIRST.match(lines[at]):
        at += 1
    gap = [] if at < len(lines) and (not lines[at].strip() or _is_comment(lines[at])) else [b""]
    return b"\n".join([*lines[:at], *lost, *gap, *lines[at:]])


def _legal(text: bytes) -> list[bytes]:
    """Return the comment lines about rights, from the top of the file."""
    top = text.split(b"\n")[:_LOOKED_AT]
    found = []
    for line in top:
        if line.strip() and not _is_comment(line):
            break
        if _is_comment(line) and _LEGAL.search(line.decode("utf-8", "replace")):
            found.append(line)
    whole = [line for line in found if line.lstrip().startswith((b"#", b"//", b"--", b";", b"%"))]
    closed = [line for line in found if line.lstrip().startswith(b"/*") and b"*/" in line]
    return [line for line in found if line in whole or line in closed]


def _is_comment(line: bytes) -> bool:
    return _COMMENT.match(line.decode("utf-8", "replace")) is not None


def added_lines(text: str, old: str) -> frozenset[int]:
    """Return the numbers (from 1) of the lines that the old text has not, or has less often.

    A line that only moved does not count. Linear; a true diff is quadratic.
    """
    before = Counter(old.split("\n"))
    numbers = []
    for number, line in enumerate(text.split("\n"), 1):
        if before[line] > 0:
            before[line] -= 1
        else:
            numbers.append(number)
    return frozenset(numbers)
