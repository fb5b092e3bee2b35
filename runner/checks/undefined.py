"""Names that Python code uses and nothing defines, or that it defines twice.

pyflakes decides what is undefined. What a file already had undefined before the change is left
alone, and so are files that define names in ways that cannot be read off (``globals()``), and
places that may never run here (``else`` of a version of Python) or expect a ``NameError``.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pyflakes.checker import Checker
from pyflakes.messages import Message, RedefinedWhileUnused, UndefinedExport, UndefinedName

from runner.code.languages import is_among_tests, python_tree
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint

Read = Callable[[str], bytes | None]
Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_LARGEST = 400_000
_MOST = 5
_FOUND_AT_RUN_TIME = (
    b"globals()", b"locals()[", b"vars()[", b"exec(", b"__builtins__", b"builtins.",
    b"sys.modules[__name__]",
)  # fmt: skip
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_KNOWN_TO_TOOLS = frozenset({"_", "ngettext", "reveal_type", "get_ipython", "WindowsError",
                             "get_config", "snakemake", "dbutils"})  # fmt: skip
_KNOWN_IN = {"conf.py": frozenset({"tags"})}  # Sphinx
_NOT_HERE = re.compile(r"version_info|\bPY[23]\b|sys\.platform|os\.name\b|NameError")
_DEFINED = r"^(?:class|(?:async )?def)\s+{0}\b|^{0}\s*="


@dataclass(frozen=True, slots=True)
class OtherFiles:
    """What the rest of the repository says of names: which files define each, and which are given.

    A name that another file uses without defining it, too, is put there by what loads them.
    """

    defined: Mapping[str, Sequence[str]] = field(default_factory=dict)
    given: frozenset[str] = frozenset()


_NO_FILES = OtherFiles()


def other_files(files: Mapping[str, bytes], names: Collection[str]) -> OtherFiles:
    """Look in files that a change leaves as they are for names that it does not define."""
    defined: dict[str, list[str]] = {}
    given: set[str] = set()
    for path, content in files.items():
        text = content.decode("utf-8", "replace")
        if not any(name in text for name in names):
            continue
        for name in names:
            if re.search(_DEFINED.format(name), text, re.MULTILINE) and not is_among_tests(path):
                defined.setdefault(name, []).append(path)
        given |= {name for name, _, _ in _undefined(path, content)} & set(names)
    return OtherFiles(defined, frozenset(given))


def undefined_names(
    changes: ChangeSet, *, read: Read, others: OtherFiles = _NO_FILES
) -> Iterator[Complaint]:
    """Yield the names that a changed Python file uses and does not define, at most five a file.

    ``read`` returns a file's content before the change.
    """
    for path, name, line, column in _added(changes, read):
        if name not in others.given:
            there = others.defined.get(name, ())
            hint = f" {there[0]} defines it." if there else ""
            message = f"`{name}` is used but not defined or imported in {path}.{hint}"
            yield Complaint(path, "UndefinedName", message, line, column)


def unknown_names(changes: ChangeSet, *, read: Read) -> frozenset[str]:
    """Return the names that a change uses and does not define."""
    return frozenset(name for _, name, _, _ in _added(changes, read))


def _added(changes: ChangeSet, read: Read) -> Iterator[tuple[str, str, int, int]]:
    """Yield path, name, line and column of the undefined names that the base did not have."""
    for path, write in changes.files.items():
        found = _undefined(path, write.content) if write else []
        before = {name for name, _, _ in _undefined(path, read(path) or b"")} if found else set()
        first = {each[0]: each for each in reversed(found) if each[0] not in before}
        yield from ((path, *each) for each in list(first.values())[:_MOST])


def _undefined(path: str, content: bytes) -> list[tuple[str, int, int]]:
    """Return name, line and column of each use of an undefined name; [] if unknown."""
    if not path.endswith(".py") or len(content) > _LARGEST:
        return []
    # Python also ends a line at a lone carriage return: its numbers are not those of our lines
    if any(mark in content for mark in _FOUND_AT_RUN_TIME) or _LONE_RETURN.search(content):
        return []
    found = [
        (str(message.message_args[0]), message.lineno, message.col + 1)
        for message in python_messages(path, content)
        if isinstance(message, UndefinedName)
        or (isinstance(message, UndefinedExport) and b"__getattr__" not in content)
    ]
    return _blamed(path, content, found) if found else []


@lru_cache(maxsize=32)
def python_messages(path: str, content: bytes) -> tuple[Message, ...]:
    """What pyflakes says of a file, as several checks ask; () of one that cannot be read."""
    try:
        tree = python_tree(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tuple(Checker(tree, path).messages)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _blamed(
    path: str, content: bytes, found: list[tuple[str, int, int]]
) -> list[tuple[str, int, int]]:
    """Without the names that tools know, and those in places where nobody can tell."""
    known = _KNOWN_TO_TOOLS | _KNOWN_IN.get(path.rpartition("/")[2], frozenset())
    lines = content.decode("utf-8", "replace").split("\n")
    spared = {line for node in ast.walk(python_tree(content)) for line in _spared(node)}
    return [
        (name, line, column)
        for name, line, column in found
        if name not in known and line not in spared and "noqa" not in lines[line - 1]
    ]


def _spared(node: ast.AST) -> range:
    """The lines of a node whose names may be defined in a way that is not seen."""
    by_class = isinstance(node, ast.ClassDef) and any(k.arg == "metaclass" for k in node.keywords)
    tests = [node.test] if isinstance(node, ast.If) else []
    tests += [item.context_expr for item in node.items] if isinstance(node, ast.With) else []
    if by_class or any(_NOT_HERE.search(ast.unparse(test)) for test in tests):
        first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
        return range(first, (last or first) + 1)
    return range(0)


def defined_twice(changes: ChangeSet, *, read: Read) -> Iterator[Complaint]:
    """Complain of functions and classes that a change defines twice; ``read`` gives the old."""
    for path, write in changes.files.items():
        if write is None or not path.endswith(".py") or is_among_tests(path):
            continue
        if twice := _redefined(path, write.content):
            before = {name for name, _ in _redefined(path, read(path) or b"")}
            for name, line in twice:
                if name not in before:
                    message, advice = f"{path} defines `{name}` twice.", "Keep one of them."
                    yield Complaint(path, "DefinedTwice", message, line, advice=advice)


def _redefined(path: str, content: bytes) -> list[tuple[str, int]]:
    """Return functions and classes that are defined again before anything uses them."""
    again = [m for m in python_messages(path, content) if isinstance(m, RedefinedWhileUnused)]
    if not again:
        return []
    nodes = [node for node in ast.walk(python_tree(content)) if isinstance(node, Defined)]
    decorated = {node.name for node in nodes if node.decorator_list}
    lines = {node.lineno for node in nodes if node.name not in {*decorated, "_"}}
    return [(str(m.message_args[0]), m.lineno) for m in again if m.lineno in lines]
