"""What the tests of a file check: from the syntax tree in Python, line by line in other languages.

Runners differ, but the words are few: a title, an assertion, a mark that skips. What is lost of
them between two versions of a file counts.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from runner.checks.tests_strength import Demands, demands_of
from runner.code.languages import Function, python_tree, words_in
from runner.text.patterns import lazy_pattern

_SKIPPING = {"skip", "skipif", "skipIf", "skipUnless", "skipTest", "xfail", "expectedFailure",
             "importorskip", "exit"}  # fmt: skip
_MOST_CALLS = 20


@dataclass(frozen=True)
class TestCode:
    """One test function ('' means the module itself).

    ``demands`` are its assertions and those of the file's helpers it uses, ``skips`` the words that
    keep it from running, ``cases`` how many rows its parametrization has (1 without, 0 if unknown).
    ``names`` are the names it uses.
    """

    __test__ = False  # a value, not a test class of pytest's

    line: int
    demands: Demands = field(default_factory=Demands)
    skips: frozenset[str] = frozenset()
    cases: int = 1
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
        assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
        lists = [node for node in assigned if isinstance(node.value, ast.List | ast.Tuple)]
        rows = {name: len(node.value.elts) for node in lists for name in _targets(node)}  # type: ignore[attr-defined]
        marks = [node for node in assigned if any(_skip_words(node))]
        aliases = frozenset(name for node in marks for name in _targets(node) - {"pytestmark"})
        for name, function, classes in _functions(tree, "", ()):
            found[name] = _test(function, classes, helpers, rows, aliases)
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

    So is what they use of the file: helpers, constants, imports, rows of their parametrization, and
    whatever runs for every test. Other words in a docstring do not count.
    """
    was, now = inventory(old), inventory(new)
    if not was or not now:
        return frozenset()
    try:
        before, after = _Parts(python_tree(old)), _Parts(python_tree(new))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    keys = before.code.keys() | after.code.keys()
    changed = {key for key in keys if before.code.get(key) != after.code.get(key)}
    changed |= {
        test
        for test in was.keys() & now.keys()
        if (was[test].checks, was[test].cases) != (now[test].checks, now[test].cases)
    }
    return frozenset((was.keys() & now.keys()) - after.reached(changed) - {""})


def bent_tests(old: bytes, new: bytes) -> frozenset[str]:
    """The Python tests (``Class::function``) in both versions of a file that lost some code.

    It may be a statement, a row of their parametrization, or part of a helper or constant that they
    use. What is only added counts for nothing, and no import does.
    """
    try:
        before, after = _Parts(python_tree(old)), _Parts(python_tree(new))
        tests = [{name for name, *_ in _functions(python_tree(of), "", ())} for of in (old, new)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    less = {
        key
        for key, code in before.code.items()
        for left in [Counter(code) - Counter(after.code.get(key, ()))]
        if not all(piece.startswith("Import") for piece in left)
    }
    return frozenset(tests[0] & tests[1] & after.reached(less))


def standing_tests(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> dict[str, frozenset[str]]:
    """Where the old Python tests (``path::Class::function``) of a change still stand.

    A test stands under its own name, or where the same code has a new name; one that is openly
    skipped stands nowhere. ``old`` and ``new`` are the files by path, each as far as it is there.
    """
    before, after = _test_code(old), _test_code(new)
    fresh: dict[str, set[str]] = {}
    for test in after.keys() - before.keys():
        fresh.setdefault(after[test], set()).add(test)
    skipped = {
        f"{path}::{name}"
        for path, content in new.items()
        for tests in [inventory(content) or {}]
        for name, test in tests.items()
        if (test.skips | tests[""].skips) - {"__test__"}
    }
    places = {t: {t} if t in after else fresh.get(code, set()) for t, code in before.items()}
    return {test: frozenset(at - skipped) for test, at in places.items() if at - skipped}


def _test_code(files: Mapping[str, bytes]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, content in files.items():
        try:
            tree = python_tree(content)
            tests: dict[str, str] = {}
            for name, test, _ in _functions(tree, "", ()):
                parts = (test.args, *test.decorator_list, *_undocumented(test))
                tests[name] = " ".join(map(ast.dump, parts))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        for base, heir in [
            (base, node.name) for node in classes for base in map(ast.unparse, node.bases)
        ]:
            for name in [name for name in tests if name.startswith(f"{base}::")]:
                tests.setdefault(f"{heir}::{name.partition('::')[2]}", tests[name])
        found |= {f"{path}::{name}": code for name, code in tests.items()}
    return found


_UNNAMED = {"setUpModule", "tearDownModule", "setup_module", "teardown_module", "setup_function",
            "teardown_function", "pytestmark", "pytest_plugins", "__test__"}  # fmt: skip
"""What pytest uses of a module without being told
(https://docs.pytest.org/en/stable/how-to/xunit_setup.html)."""


class _Parts:
    """The parts of a test file, each with its syntax as text (``code``) and the names it ``uses``.

    A part is a test (``Class::function``), what a class gives to its tests (``Class::``), what has
    a name at the top of the file, or what runs for every test ('').
    """

    def __init__(self, tree: ast.Module) -> None:
        self.code: dict[str, list[str]] = {}
        self.uses: dict[str, set[str]] = {}
        of_tests = (d for _, test, _ in _functions(tree, "", ()) for d in test.decorator_list)
        self._rows = {n.id for d in of_tests for n in ast.walk(d) if isinstance(n, ast.Name)}
        for node in _undocumented(tree):
            if _is_test(node):
                continue
            for part in _single(node):
                names = _bound_by(part)
                decorators = part.decorator_list if isinstance(part, Function) else []
                words = (word for each in decorators for word in ast.walk(each))
                every = any(isinstance(w, ast.keyword) and w.arg == "autouse" for w in words)
                if every or not names or names & _UNNAMED:
                    names |= {""}
                self._add(names, [part])
        classes: set[str] = set()
        for name, test, around in _functions(tree, "", ()):
            self._add({name}, [test.args, *test.decorator_list, *_undocumented(test)])
            self.uses[name].add("")
            key = ""
            for each in around:
                key += f"{each.name}::"
                self.uses[name].add(key)
                if key not in classes:
                    classes.add(key)
                    body = (p for p in _undocumented(each) if not isinstance(p, ast.ClassDef))
                    rest = [part for part in body if not _is_test(part)]
                    self._add({key}, [*each.bases, *each.keywords, *each.decorator_list, *rest])

    def _add(self, keys: Collection[str], nodes: Sequence[ast.AST]) -> None:
        inner = [each for node in nodes for each in ast.walk(node)]
        used = {each.id for each in inner if isinstance(each, ast.Name)}
        used |= {each.arg for each in inner if isinstance(each, ast.arg)}  # fixtures
        # fixtures and what is patched may also be named in a string
        texts = (each.value for each in inner if isinstance(each, ast.Constant))
        used |= {text for text in texts if isinstance(text, str) and text.isidentifier()}
        code = [piece for node in nodes for piece in _pieces(node, self._rows)]
        for key in keys:
            self.code.setdefault(key, []).extend(code)
            self.uses.setdefault(key, set()).update(used)

    def reached(self, keys: Collection[str]) -> set[str]:
        """These parts, and those that use one of them, directly or through another."""
        users: dict[str, list[str]] = {}
        for key, used in self.uses.items():
            for name in used:
                users.setdefault(name, []).append(key)
        found, todo = set(keys), list(keys)
        while todo:
            more = set(users.get(todo.pop(), ())) - found
            found |= more
            todo += more
        return found


def _pieces(node: ast.AST, rows: set[str]) -> list[str]:
    """The syntax of a statement or decorator as text; of a list of rows each row for itself.

    Rows are in decorators, in lists whose names (``rows``) decorators use, and in those of tuples.
    """
    text = ast.dump(node)
    within: list[ast.AST] = []
    if isinstance(node, ast.Assign):
        values = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else []
        several = all(isinstance(value, ast.Tuple | ast.List | ast.Call) for value in values)
        within += [node.value] if (values and several) or rows & _targets(node) else []
    elif isinstance(node, ast.For | ast.Call):
        within.append(node.iter if isinstance(node, ast.For) else node)
    found: list[str] = []
    lists = 0
    while within:
        each = within.pop(0)
        if isinstance(each, ast.List | ast.Tuple | ast.Set):
            lists += 1
            found += [f"{lists}: {ast.dump(row)}" for row in each.elts]
            text = text.replace(ast.dump(each), "rows", 1)
        else:
            inner = ast.iter_child_nodes(each)
            within += [part for part in inner if isinstance(part, ast.expr | ast.keyword)]
    return [text, *found]


def _undocumented(node: Function | ast.Module | ast.ClassDef) -> list[ast.stmt]:
    return node.body[ast.get_docstring(node, clean=False) is not None :]


def _is_test(node: ast.AST) -> bool:
    return isinstance(node, Function) and node.name.startswith("test")


def _single(node: ast.stmt) -> list[ast.stmt]:
    """A statement; of an import each name alone, so that one more does not change the others."""
    if isinstance(node, ast.Import):
        return [ast.Import([each]) for each in node.names]
    if isinstance(node, ast.ImportFrom):
        return [ast.ImportFrom(node.module, [each], node.level) for each in node.names]
    return [node]


def _bound_by(node: ast.stmt) -> frozenset[str]:
    """The names that a statement gives to its module; none where it only does something."""
    if isinstance(node, Function | ast.ClassDef):
        return frozenset({node.name})
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute | ast.Subscript) and isinstance(inner.ctx, ast.Store):
            return frozenset()  # it may change what any test uses
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.add(inner.id)
        elif isinstance(inner, Function | ast.ClassDef):
            found.add(inner.name)
        elif isinstance(inner, ast.alias):
            found.add(inner.asname or inner.name.partition(".")[0])
    return frozenset(found - {"*"})


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
    scope: ast.Module | ast.ClassDef, prefix: str, classes: tuple[ast.ClassDef, ...]
) -> Iterator[tuple[str, Function, tuple[ast.ClassDef, ...]]]:
    """The tests of a file by name, each with the classes around it."""
    for node in scope.body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}::", (*classes, node))
        elif isinstance(node, Function) and _is_test(node):
            yield f"{prefix}{node.name}", node, classes


def _test(
    function: Function,
    classes: tuple[ast.ClassDef, ...],
    helpers: Mapping[str, Demands],
    rows: Mapping[str, int],
    aliases: frozenset[str],
) -> TestCode:
    inherited = (node for each in classes for node in each.decorator_list)
    decorators = [*inherited, *function.decorator_list]
    skips = {word for node in decorators for word in _skip_words(node, aliases)}
    skips |= {word for node in function.body for word in _skip_words(node)}
    sizes = [size for node in decorators if (size := _cases(node, rows)) is not None]
    if any(ast.unparse(node).endswith((", [])", ", ())")) for node in decorators):
        skips.add("parametrize without rows")
    demands = demands_of(function)
    for name, times in _used(function).items():
        for _ in range(min(times, _MOST_CALLS) if name in helpers else 0):
            demands.merge(helpers[name])
    return TestCode(
        function.lineno,
        demands,
        frozenset(skips),
        math.prod(sizes),
        frozenset(words_in([function])),
    )


def _skip_words(node: ast.AST, aliases: frozenset[str] = frozenset()) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in _SKIPPING:
            if inner.attr != "exit" or ast.unparse(inner.value) == "pytest":
                yield ast.unparse(inner)
        elif isinstance(inner, ast.Name) and inner.id in (_SKIPPING - {"exit"}) | aliases:
            yield inner.id


def _cases(node: ast.expr, rows: Mapping[str, int]) -> int | None:
    """Return how many rows a ``parametrize`` decorator lists (0: unknown); None for others."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return None
    if node.func.attr != "parametrize" or len(node.args) < 2:
        return None
    listed = node.args[1]
    if isinstance(listed, ast.Name):
        return rows.get(listed.id, 0)
    return len(listed.elts) if isinstance(listed, ast.List | ast.Tuple) else 0


def _module_skips(tree: ast.Module) -> Iterator[str]:
    """Yield what skips an entire module: ``pytestmark``, ``__test__`` or a call at its top."""
    for node in tree.body:
        names = _targets(node)
        if "__test__" in names:
            yield "__test__"
        if "pytestmark" in names or not isinstance(node, ast.Assign | ast.ClassDef | Function):
            yield from _skip_words(node)


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
    """Say what a test file loses ('' for nothing): tests, runs of them, assertions.

    With ``checks`` every assertion has to stay, otherwise as many: what is always true is none.
    What moves or is indented otherwise is not lost.
    """
    before, after = (_COMMENT.sub("", each.decode("utf-8", "replace")) for each in (old, new))
    if gone := _counted(_TITLE, before) - _counted(_TITLE, after):
        return f"would lose the test `{min(gone)}`"
    if new_skips := _counted(_SKIP, after) - _counted(_SKIP, before):
        return f"would skip tests ({min(new_skips).strip()})"
    had, has = (
        Counter(s for line in text.split("\n") if _CHECK.search(s := " ".join(line.split())))
        for text in (before, after)
    )
    if checks:
        return f"would lose the check `{min(had - has)}`" if had - has else ""
    was, now = (
        sum(not _ALWAYS_TRUE.search(line) for line in each.elements()) for each in (had, has)
    )
    return f"would have {now} assertions instead of {was}" if now < was else ""


def _counted(pattern: re.Pattern[str], text: str) -> Counter[str]:
    return Counter(
        next((name for name in found.groupdict().values() if name), found[0])
        for found in pattern.finditer(text)
    )
