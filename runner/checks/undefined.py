"""Names that Python code uses and nothing defines: a missing import is added, the rest is refused.

pyflakes decides what is undefined. What a file already had undefined before the change is left
alone, and so are files that define names in ways that cannot be read off (``globals()``).
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Callable, Iterator

from pyflakes.checker import Checker
from pyflakes.messages import UndefinedName

from runner.code.languages import is_among_tests, python_tree
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint

Read = Callable[[str], bytes | None]

_LARGEST = 400_000
_MOST = 5
_FOUND_AT_RUN_TIME = (b"globals()", b"exec(", b"__builtins__", b"builtins.")
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_KNOWN_TO_TOOLS = frozenset({"_", "ngettext", "reveal_type", "get_ipython", "WindowsError"})
_OFTEN_USED = {
    "abc": "ABC abstractmethod",
    "collections": "ChainMap Counter OrderedDict defaultdict deque namedtuple",
    "contextlib": "ExitStack contextmanager suppress asynccontextmanager",
    "dataclasses": "dataclass",
    "datetime": "timedelta timezone",
    "decimal": "Decimal",
    "enum": "Enum IntEnum StrEnum",
    "fractions": "Fraction",
    "functools": "cached_property lru_cache partial wraps",
    "io": "BytesIO StringIO",
    "itertools": "chain groupby islice zip_longest",
    "pathlib": "Path PurePath PurePosixPath",
    "typing": "TYPE_CHECKING Any Callable ClassVar Dict Final Generic Iterable Iterator List "
    "Literal Mapping NamedTuple Optional Protocol Sequence Set Tuple Type TypeVar TypedDict Union "
    "cast overload",
}
_HOME = {name: module for module, names in _OFTEN_USED.items() for name in names.split()}


def undefined_names(changes: ChangeSet, *, read: Read) -> Iterator[Complaint]:
    """Yield the names that a changed Python file uses and does not define, at most five a file.

    ``read`` returns a file's content before the change.
    """
    for path, name, line, column in _added(changes, read):
        message = f"`{name}` is used but not defined or imported in {path}."
        yield Complaint(path, "UndefinedName", message, line, column)


def with_imports(changes: ChangeSet, *, read: Read) -> tuple[ChangeSet, tuple[str, ...]]:
    """Add the imports that are missing where only one can be meant, and say so."""
    files, notes = dict(changes.files), []
    for path, name, _, _ in _added(changes, read):
        write, statement = files[path], _import_of(name, path)
        if write is not None and statement:
            files[path] = Write(_with_line(write.content, statement), write.mode)
            notes.append(f"{path}: added `{statement}`")
    return (ChangeSet(files), tuple(notes)) if notes else (changes, ())


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
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            messages = Checker(python_tree(content), path).messages
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    lines = content.decode("utf-8", "replace").split("\n")
    return [
        (str(message.message_args[0]), message.lineno, message.col + 1)
        for message in messages
        if isinstance(message, UndefinedName)
        and message.message_args[0] not in _KNOWN_TO_TOOLS
        and "noqa" not in lines[message.lineno - 1]
    ]


def _import_of(name: str, path: str) -> str:
    """Return the import statement that a name needs; '' where several could be meant."""
    if module := _HOME.get(name):
        return f"from {module} import {name}"
    ambiguous = name in ("datetime", "time", "copy", "glob", "code", "site", "this", "test")
    if name in sys.stdlib_module_names and not ambiguous:
        return f"import {name}"
    return "import pytest" if name == "pytest" and is_among_tests(path) else ""


def _with_line(content: bytes, statement: str) -> bytes:
    """Put an import above the first one, below comments, the docstring and ``__future__``."""
    lines = content.split(b"\n")
    at = next(n for n, line in enumerate(lines) if not line.startswith(b"#"))
    for node in python_tree(content).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_docstring or is_future):
            if isinstance(node, ast.Import | ast.ImportFrom):
                at = node.lineno - 1
            break
        at = node.end_lineno or node.lineno
    end = b"\r" if lines[0].endswith(b"\r") else b""
    gap = [end] if at and at < len(lines) and not _is_import(lines[at]) and lines[at - 1] else []
    lines[at:at] = [*gap, statement.encode() + end]
    return b"\n".join(lines)


def _is_import(line: bytes) -> bool:
    return line.startswith((b"import ", b"from "))
