"""What the tests of a file check: from the syntax tree in Python, line by line in other languages.

Runners differ, but the words are few: a title, an assertion, a mark that skips. What is lost of
them between two versions of a file counts.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from runner.checks.tests_strength import Demands, Function, demands_of
from runner.code.languages import python_tree
from runner.text.patterns import lazy_pattern

_SKIPPING = {"skip", "skipif", "skipIf", "skipUnless", "skipTest", "xfail", "expectedFailure",
             "importorskip", "exit"}  # fmt: skip
_MOST_CALLS = 20


@dataclass(frozen=True)
class TestCode:
    """One test function ('' means the module itself).

    ``demands`` are its assertions and those of the file's helpers it uses, ``skips`` the words that
    keep it from running, ``cases`` how many rows its parametrization has (1 without, 0 if unknown).
    ``acts`` says that it calls something, ``names`` are the names it uses.
    """

    __test__ = False  # a value, not a test class of pytest's

    line: int
    demands: Demands = field(default_factory=Demands)
    skips: frozenset[str] = frozenset()
    cases: int = 1
    acts: bool = True
    names: frozenset[str] = frozenset()

    @property
    def checks(self) -> Counter[str]:
        """The assertions that demand something, counted by their text."""
        return self.demands.checks

    @property
    def room(self) -> int:
        """How many assertions of another shape its own may replace, besides their number."""
        return self.demands.more + max(0, self.cases - 1) * self.checks.total()


def inventory(source: bytes) -> dict[str, TestCode] | None:
    """Return the tests of a file by name (``Class::function``); None when it does not parse."""
    try:
        tree = python_tree(source)
        found = {"": TestCode(1, skips=frozenset(_module_skips(tree)))}
        helpers = _demanding(tree)
        rows, aliases = _listed(tree), _aliases(tree)
        for name, function, inherited in _functions(tree, "", ()):
            found[name] = _test(function, inherited, helpers, rows, aliases)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found


def _demanding(tree: ast.Module) -> dict[str, Demands]:
    """What the file's other functions demand, by name: helpers and fixtures that assert."""
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, Function) and not node.name.startswith("test")
    ]
    own = {node.name: demands_of(node) for node in functions}
    for node in functions:  # one helper may use another
        for name in sorted((set(_used(node)) & own.keys()) - {node.name}):
            if own[name].checks and not own[node.name].checks:
                own[node.name].merge(own[name])
    return {name: demands for name, demands in own.items() if demands.checks}


def _used(node: ast.AST) -> Counter[str]:
    """The names a function calls or takes as fixtures, counted."""
    called = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    names = Counter(
        each.id if isinstance(each, ast.Name) else each.attr
        for each in called
        if isinstance(each, ast.Name | ast.Attribute)
    )
    taken = {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}
    return names + Counter(taken - names.keys())


def _listed(tree: ast.Module) -> dict[str, int]:
    """How many rows the lists at the top of the file have, by name."""
    return {
        target.id: len(node.value.elts)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Tuple)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def source_of(source: bytes, name: str) -> str:
    """Return the text of one test (``Class::function``) and of the file's helpers it uses.

    The entire file if the test is not found.
    """
    text = source.decode("utf-8", "replace")
    plain = name.partition("[")[0]
    try:
        tree = python_tree(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
    found = (node for of, node, _ in _functions(tree, "", ()) if of == plain)
    node = next(found, None)
    if node is None:
        return text
    used = [node, *_helpers(tree, node)]
    return "\n".join(ast.get_source_segment(text, each) or "" for each in used)


def unchanged_tests(old: bytes, new: bytes) -> frozenset[str]:
    """The Python tests (``Class::function``) of a file that are as they were.

    So is what they use of the file, rows of their parametrization among it; other words in a
    docstring do not count.
    """
    was, now = inventory(old) or {}, inventory(new) or {}
    before, after = _code_of_tests(old), _code_of_tests(new)
    return frozenset(
        name
        for name, code in after.items()
        if code == before.get(name)
        and name in was
        and name in now
        and (was[name].checks, was[name].cases) == (now[name].checks, now[name].cases)
    )


def _code_of_tests(source: bytes) -> dict[str, list[str]]:
    """The syntax of each test, the decorators of its classes and the helpers of its file."""
    try:
        tree = python_tree(source)
        return {
            name: [
                ast.dump(each)
                for each in (
                    *(node.args, *node.decorator_list, *_undocumented(node), *inherited),
                    *_helpers(tree, node),
                )
            ]
            for name, node, inherited in _functions(tree, "", ())
        }
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def _undocumented(function: Function) -> list[ast.stmt]:
    return function.body[ast.get_docstring(function, clean=False) is not None :]


def _helpers(tree: ast.Module, test: ast.AST) -> list[ast.stmt]:
    """The functions and classes of the file that a test uses, directly or through another."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    there = {node.name: node for node in tree.body if isinstance(node, kinds) and node is not test}
    found: dict[str, ast.stmt] = {}
    todo: list[ast.AST] = [test]
    while todo:
        names = {inner.id for inner in ast.walk(todo.pop()) if isinstance(inner, ast.Name)}
        names |= {arg.arg for arg in ast.walk(test) if isinstance(arg, ast.arg)}  # fixtures
        new = {name: there[name] for name in sorted(names & there.keys() - found.keys())}
        found |= new
        todo += new.values()
    return list(found.values())


def _functions(
    scope: ast.Module | ast.ClassDef, prefix: str, inherited: tuple[ast.expr, ...]
) -> Iterator[tuple[str, Function, tuple[ast.expr, ...]]]:
    for node in scope.body:
        if isinstance(node, ast.ClassDef):
            decorators = (*inherited, *node.decorator_list)
            yield from _functions(node, f"{prefix}{node.name}::", decorators)
        elif isinstance(node, Function) and node.name.startswith("test"):
            yield f"{prefix}{node.name}", node, inherited


def _test(
    function: Function,
    inherited: tuple[ast.expr, ...],
    helpers: Mapping[str, Demands],
    rows: Mapping[str, int],
    aliases: frozenset[str],
) -> TestCode:
    decorators = [*inherited, *function.decorator_list]
    skips = {word for node in decorators for word in _skip_words(node, aliases)}
    skips |= {word for node in function.body for word in _skip_words(node)}
    skips |= {"parametrize without rows" for node in decorators if _is_empty(node)}
    demands = demands_of(function)
    for name, times in _used(function).items():
        for _ in range(min(times, _MOST_CALLS) if name in helpers else 0):
            demands.merge(helpers[name])
    cases = 1
    for node in decorators:
        cases *= _cases(node, rows)
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
    return TestCode(
        function.lineno, demands, frozenset(skips), cases, _acts(function), frozenset(names)
    )


def _acts(function: Function) -> bool:
    """Whether a test calls, awaits, imports or reads anything that could fail."""
    kinds = (ast.Call, ast.Await, ast.Import, ast.ImportFrom, ast.Attribute, ast.Raise, ast.Yield)
    body = (node for statement in function.body for node in ast.walk(statement))
    return any(isinstance(node, (*kinds, ast.Subscript, ast.Delete, ast.With)) for node in body)


def _skip_words(node: ast.AST, aliases: frozenset[str] = frozenset()) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in _SKIPPING:
            if inner.attr != "exit" or ast.unparse(inner.value) == "pytest":
                yield ast.unparse(inner)
        elif isinstance(inner, ast.Name) and inner.id in (_SKIPPING - {"exit"}) | aliases:
            yield inner.id


def _cases(node: ast.expr, rows: Mapping[str, int]) -> int:
    """Return how many rows a ``parametrize`` decorator lists: 1 for anything else, 0: unknown."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return 1
    if node.func.attr != "parametrize" or len(node.args) < 2:
        return 1
    listed = node.args[1]
    if isinstance(listed, ast.Name):
        return rows.get(listed.id, 0)
    return len(listed.elts) if isinstance(listed, ast.List | ast.Tuple) else 0


def _is_empty(node: ast.expr) -> bool:
    """Whether a decorator parametrizes with no row at all: the test never runs."""
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return False
    rows = node.args[1]
    return isinstance(rows, ast.List | ast.Tuple) and not rows.elts


def _module_skips(tree: ast.Module) -> Iterator[str]:
    """Yield what skips an entire module: ``pytestmark``, ``__test__`` or a call at its top."""
    for node in tree.body:
        names = _targets(node)
        if "__test__" in names:
            yield "__test__"
        if "pytestmark" in names or not isinstance(node, ast.Assign | ast.ClassDef | Function):
            yield from _skip_words(node)


def _aliases(tree: ast.Module) -> frozenset[str]:
    """Names that the file gives to marks that skip."""
    marked = (node for node in tree.body if isinstance(node, ast.Assign) and any(_skip_words(node)))
    return frozenset(name for node in marked for name in _targets(node) - {"pytestmark"})


def _targets(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


_COMMENT = lazy_pattern(r"/\*.*?\*/|^\s*(?://|#(?!\[)).*?$", re.DOTALL | re.MULTILINE)
_TITLE = lazy_pattern(
    r"""\b(?:test|it|describe|context|specify)(?:\.\w+)*\s*\(?\s*(["'`])(?P<said>.+?)\1"""
    r"|\bfunc\s+(?P<go>(?:Test|Fuzz|Example)\w*)|\b(?:def|fn|fun|void|function)\s+(?P<name>\w+)\s*\("
)
_CHECK = lazy_pattern(
    r"\bassert\w*\b|\bexpect\w*\b|\brequire\.\w+\(|\bshould\b|\bmust_\w+|\bt\.(?:Error|Fatal|Fail)|\$this->"
)
_SKIP = lazy_pattern(
    r"\b(?:test|it|describe|context)\.(?:skip|todo|only|fixme|failing)\b|\bskip\s*:|\btodo\s*:"
    r"|\bx(?:it|test|describe|context|specify)\b|\bt\.Skip\w*|@(?:Disabled|Ignore)\b|#\[ignore"
    r"|\bmarkTest(?:Skipped|Incomplete)\b|\bpending\b|^\s*skip\b|\bprocess\.exit\b|\bos\.Exit\b",
    re.MULTILINE,
)
_ALWAYS_TRUE = lazy_pattern(
    r"\b(?:assert(?:True|_true|\.ok|\.isTrue)?!?|expect)\s*\(?\s*(?:true|1|!0)\s*\)?(?:\s*;|\s*$|\.to\b|\.toBe)"
    r"|\b(?:assert\w*|assert_eq!)\s*\(?\s*(\d+|\"[^\"]*\"|true)\s*,\s*\1\s*\)"
)


def lost(old: bytes, new: bytes, *, checks: bool) -> str:
    """Say what a test file loses ('' for nothing): tests, runs of them, with ``checks`` assertions.

    What moves or is indented otherwise is not lost.
    """
    before, after = _plain(old), _plain(new)
    titles, skips = _counted(_TITLE, before), _counted(_SKIP, after)
    if gone := titles - _counted(_TITLE, after):
        return f"would lose the test `{min(gone)}`"
    if new_skips := skips - _counted(_SKIP, before):
        return f"would skip tests ({min(new_skips).strip()})"
    if checks and (gone := _checks(before) - _checks(after)):
        return f"would lose the check `{min(gone)}`"
    return ""


def fewer(old: bytes, new: bytes) -> str:
    """Say that a file asserts less often than before, not counting what is always true."""
    before, after = (
        [line for line in _checks(_plain(text)).elements() if not _ALWAYS_TRUE.search(line)]
        for text in (old, new)
    )
    if len(after) < len(before):
        return f"would have {len(after)} assertions instead of {len(before)}"
    return ""


def _plain(content: bytes) -> str:
    return _COMMENT.sub("", content.decode("utf-8", "replace"))


def _counted(pattern: re.Pattern[str], text: str) -> Counter[str]:
    return Counter(
        next((name for name in found.groupdict().values() if name), found[0])
        for found in pattern.finditer(text)
    )


def _checks(text: str) -> Counter[str]:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return Counter(line for line in lines if _CHECK.search(line))
