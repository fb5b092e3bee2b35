"""Test configuration that keeps tests from running.

https://docs.pytest.org/en/stable/reference/reference.html#hooks
"""

from __future__ import annotations

import ast
import configparser
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Set

from runner.code.languages import python_tree
from runner.state.changes import ChangeSet
from runner.text.patterns import lazy_pattern

Read = Callable[[str], bytes | None]

# not those that only show something: a header, how a comparison is explained
_HOOKS = lazy_pattern(
    r"^pytest_(?:collect|ignore_collect|itemcollected|runtest_(?!logstart|logfinish)|pyfunc_call"
    r"|pycollect|make_collect|sessionfinish|exception_interact|report_teststatus|configure|cmdline"
    r"|load_initial|addoption|generate_tests|fixture_setup).*$"
)
_NAMES = {"collect_ignore", "collect_ignore_glob", "pytestmark", "pytest_plugins"}
_SKIPPING = {"skip", "xfail", "exit", "_exit", "importorskip", "deselect"}
_KEYS = {"testpaths", "python_files", "python_classes", "python_functions", "norecursedirs",
         "collect_imported_tests", "xfail_strict", "confcutdir", "required_plugins"}  # fmt: skip


_SHOWING = lazy_pattern(
    r"-[qvls]+|-r\w+|--(?:strict(?:-markers|-config)?|verbose|quiet|showlocals|tb=\w+|color=\w+"
    r"|durations=\d+|cov\S*|import-mode=\w+)"
)
_FILES = {"pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg",
          "pyproject.toml"}  # fmt: skip
_OUTRANKS = {name: name.endswith(("pytest.toml", "pytest.ini")) for name in _FILES}


def loosened(path: str, old: bytes, new: bytes) -> Iterator[str]:
    """Yield what a changed configuration file does to keep tests from running."""
    name = path.rpartition("/")[2]
    if name in {"conftest.py", "sitecustomize.py", "usercustomize.py"}:
        for word in sorted(_said(new, _steering) - _said(old, _steering)):
            yield f"would steer which tests run and how they end ({word})"
    elif name in _FILES:
        if not old and _OUTRANKS.get(name):
            yield "would take the place of the configuration there is"
            return
        before, after = _options(name, old), _options(name, new)
        for key in sorted(_KEYS | {"addopts"}):
            if after.get(key, "") != before.get(key, "") and not _harmless(key, after.get(key, "")):
                yield f"would change which tests run ({key} = {after.get(key, 'left out')})"
    elif name == "package.json":
        script, now = _script(old), _script(new)
        if script and script != now and "no test specified" not in script:
            yield f"would change how the tests are run (scripts.test = {now or 'left out'})"


def _harmless(key: str, value: str) -> bool:
    """Say whether options change how results are shown, and not what runs."""
    return key == "addopts" and all(_SHOWING.fullmatch(word) for word in value.split())


def _script(manifest: bytes) -> str:
    """The command of ``npm test``, or ''."""
    try:
        command = json.loads(manifest)["scripts"]["test"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return " ".join(command.split()) if isinstance(command, str) else ""


def _said(source: bytes, words: Callable[[ast.AST], Iterator[str]]) -> set[str]:
    """Return the words of all that a file says; none of one that cannot be read."""
    try:
        tree = python_tree(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {word for node in ast.walk(tree) for word in words(node)}


def _steering(node: ast.AST) -> Iterator[str]:
    """The hooks and calls of a conftest that can hide a failing test."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _HOOKS.match(node.name):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        if node.id in _NAMES or _HOOKS.match(node.id):
            yield node.id
    elif isinstance(node, ast.ImportFrom):
        yield from (n.name for n in node.names if n.name == "*" or _HOOKS.match(n.asname or n.name))
    elif isinstance(node, ast.Attribute) and node.attr in _SKIPPING:
        yield node.attr


def meddling(changes: ChangeSet, *, read: Read) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the files that reach for the process or the pytest that runs their tests, and how."""
    for path, write in changes.files.items():
        if write and path.endswith(".py"):
            found = _reached(write.content) - _reached(read(path) or b"")
            if found:
                yield path, tuple(sorted(found))


def deceives(names: Iterable[str]) -> bool:
    """Whether what a file reaches for makes tests pass that would not, and hardly anything else."""
    return any(name == _EQUALS_ALL or "pytest" in name.lower() for name in names)


def _reached(source: bytes) -> set[str]:
    # names may be written in other letters, which Python takes for the same ones
    if source.isascii() and not _INNER_WORDS.search(source):
        return set()
    return set(filter(_INNER.match, _said(source, _inner)))


def _inner(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Attribute | ast.Subscript | ast.Compare):
        yield ast.unparse(node).replace("'", "").replace('"', "")
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from (node.value,) if node.value.startswith("PYTEST_") else ()
    elif isinstance(node, ast.FunctionDef) and node.name == "__eq__":
        end = node.body[-1]
        if isinstance(end, ast.Return) and isinstance(end.value, ast.Constant) and end.value.value:
            yield _EQUALS_ALL


_EQUALS_ALL = "__eq__ that is always true"
_INNER_WORDS = lazy_pattern(rb"(?i)pytest|\bgc\b|_exit|frame|stack|modules|__eq__")
_INNER = lazy_pattern(
    r"_pytest\b|gc\b|os\._exit$|sys\._getframe$|sys\.modules\[_?pytest\b|PYTEST_[A-Z_]+$"
    r"|_?pytest (?:not )?in sys\.modules$"
    r"|__eq__ that|(?:inspect|traceback)\.(?:stack|currentframe|extract_stack|walk_stack)$"
)


def acts_on_its_tests(old: bytes, new: bytes) -> bool:
    """Whether a file of tests has code beside them now that may change what they test.

    It runs when it is loaded, is a fixture, or has a name that stood for something else. What a new
    file has besides what it runs concerns nobody's tests.
    """
    try:
        before, after = python_tree(old).body, python_tree(new).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    was, now = _imported(before), _imported(after)
    known = set(map(ast.dump, before))
    return any(was.get(name, origin) != origin for name, origin in now.items()) or any(
        _acts(node, was.keys(), alone=not old) for node in after if ast.dump(node) not in known
    )


def _acts(node: ast.stmt, names: Set[str], *, alone: bool) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom():
            return False
        case ast.Expr():
            return not isinstance(node.value, ast.Constant)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            test = node.name.startswith(("test", "Test"))
            return node.name in names or not (test or alone or not node.decorator_list)
        case ast.Assign():
            targets = [target.id for target in node.targets if isinstance(target, ast.Name)]
            return len(targets) < len(node.targets) or not names.isdisjoint(targets)
    return True


def _imported(nodes: Iterable[ast.stmt]) -> dict[str, str]:
    """The names that imports bind, and what each stands for."""
    return {
        alias.asname or alias.name: f"{getattr(node, 'module', '')} {alias.name}"
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def _options(name: str, content: bytes) -> dict[str, str]:
    """Return pytest's options in a file as one-line texts."""
    text = content.decode("utf-8", "replace")
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    try:
        if name == "pyproject.toml":
            tool = tomllib.loads(text).get("tool", {}).get("pytest", {})
            table = {**tool, **tool.get("ini_options", {})}
            return {key: _flat(value) for key, value in table.items()}
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        parser.read_string(text)
        return {k: _flat(v) for k, v in parser[section].items()} if section in parser else {}
    except (tomllib.TOMLDecodeError, configparser.Error, AttributeError, TypeError, ValueError):
        return {}


def _flat(value: object) -> str:
    parts = value if isinstance(value, list) else str(value).split()
    return " ".join(str(part) for part in parts)
