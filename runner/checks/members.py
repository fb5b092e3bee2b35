"""Methods that a task promises for several classes: each of them has to get it.

"Give `Disk` and `Memory` a method `clear()`", "Add `clear()` to `Disk`, `Memory` and `Cloud`", "a
method `clear()`: the protocol `Store`, `Disk` and `Memory`". Where a class may have the method from
somewhere else (a base, a decorator, an assignment), nothing is said.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from runner.checks.asked import TaskWords
from runner.checks.interfaces import may_inherit
from runner.checks.promises import promised_spans
from runner.code.languages import is_among_tests, language_of, python_tree
from runner.code.symbols import symbols_of
from runner.state.findings import Complaint
from runner.text.patterns import lazy_pattern

_KIND = r"(?:(?:the|a|an|abstract|base|protocol|interface|class(?:es)?|structs?|types?|both)\s+)*"
_ONE = rf"{_KIND}`[A-Z]\w*`(?:\s*\([^()\n]*\))?"
_AND = r"\s*(?:,\s*and\b|,|\band\b|&|\+)\s*"
_SEVERAL = rf"{_ONE}(?:{_AND}{_ONE})+"
_AFTER = lazy_pattern(
    rf"(?:[^.;:`]{{0,80}}?\b(?:to|in|on|for)\s+|[^.;:`]{{0,120}}:\s+)({_SEVERAL})", re.IGNORECASE
)
_BEFORE = lazy_pattern(
    rf"\bgive\s+({_SEVERAL})\s+[^.;:`]{{0,60}}$|({_SEVERAL})\s+get\b[^.;:`]{{0,60}}$", re.IGNORECASE
)
_OWNER = lazy_pattern(r"`([A-Z]\w*)`")
_SENTENCE = 300
_SCRIPTS = ("javascript", "typescript", "tsx")
_PLAIN_DECORATORS = lazy_pattern(
    r"(?:dataclasses\.)?dataclass\b|(?:typing\.)?(?:final|runtime_check)"
)


def members_of_several(asked: TaskWords) -> tuple[tuple[str, str], ...]:
    """Return the methods that the task promises for more than one class, each with its class."""
    found: dict[tuple[str, str], None] = {}
    for span in promised_spans(asked):
        before = asked.text[max(0, span.start() - _SENTENCE) : span.start()].split("\n\n")[-1]
        after = asked.text[span.end() : span.end() + _SENTENCE].split("\n\n")[0]
        listed = _BEFORE.search(before) or _AFTER.match(after)
        listing = " ".join(filter(None, listed.groups())) if listed else ""
        found |= dict.fromkeys((span["name"], owner) for owner in _OWNER.findall(listing))
    return tuple(found)


def without_members(files: Mapping[str, bytes], asked: TaskWords) -> Iterator[Complaint]:
    """Yield a complaint for each class that lacks a method promised for several.

    ``files`` are the changed files as they are now, and others that may have the classes.
    """
    for name, owner in members_of_several(asked):
        for path, content in files.items():
            if is_among_tests(path) or owner.encode() not in content:
                continue
            if line := _lacking(path, content.decode("utf-8", "replace"), owner, name, files):
                message = f"The task asks for `{name}` in `{owner}` as well."
                yield Complaint(path, "NameMissing", message, line, advice="Write it there.")


def _lacking(path: str, text: str, owner: str, name: str, files: Mapping[str, bytes]) -> int:
    """Return the line of a class that surely lacks a member; 0 where it has it, or may have it."""
    language = language_of(path)
    if re.search(rf"\b{owner}\.(?:prototype\.)?{name}\s*=|setattr\(\s*{owner}\b", text):
        return 0
    if language == "python":
        return _of_python(text, owner, name)
    if language in _SCRIPTS:
        return _of_script(path, text, owner, name)
    return _of_go(path, text, owner, name, files) if language == "go" else 0


def _of_python(text: str, owner: str, name: str) -> int:
    try:
        tree = python_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    found = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == owner)
    return next((node.lineno for node in found if not _may_have(node, name)), 0)


def _may_have(node: ast.ClassDef, name: str) -> bool:
    decorators = (ast.unparse(each) for each in node.decorator_list)
    if may_inherit(node) or node.keywords or not all(map(_PLAIN_DECORATORS.match, decorators)):
        return True
    return any(name in _bound(inner) or "__getattr__" in _bound(inner) for inner in ast.walk(node))


def _bound(node: ast.AST) -> tuple[str, ...]:
    """The names that a node defines or sets."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
        return (node.id if isinstance(node, ast.Name) else node.attr,)
    return (node.name, node.asname or "") if isinstance(node, ast.alias) else ()


def _of_script(path: str, text: str, owner: str, name: str) -> int:
    lines = text.split("\n")
    for each in symbols_of(path, text.encode()).definitions:
        own = "\n".join(lines[each.line - 1 : each.end_line])
        head = own.partition("{")[0]
        if each.name == owner and re.search(r"\b(?:class|interface)\b", head):
            may = re.search(r"\b(?:extends|implements)\b|@\w", head)
            return 0 if may or re.search(rf"(?<![\w$.]){name}(?![\w$])", own) else each.line
    return 0


def _of_go(path: str, text: str, owner: str, name: str, files: Mapping[str, bytes]) -> int:
    """A type's methods stand beside it, in any file of its package."""
    found = re.search(rf"^type\s+{owner}\s+(struct|interface)\s*\{{(.*?)^\}}", text, re.M | re.S)
    if found is None or re.search(r"^\s*\*?[\w.]+\s*$", found[2], re.MULTILINE):
        return 0  # what is embedded may have it
    folder = path.rpartition("/")[0]
    package = b"\n".join(c for p, c in files.items() if p.rpartition("/")[0] == folder)
    method = rf"^func\s*\(\s*(?:\w+\s+)?\*?{owner}\s*\)\s*{name}\s*\("
    beside = re.search(method.encode(), package, re.MULTILINE)
    inside = found[1] == "interface" and re.search(rf"\b{name}\s*\(", found[2])
    return 0 if beside or inside else text.count("\n", 0, found.start()) + 1
