"""What the tests of a Python file check, read from its syntax tree."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from runner.python_tree import python_tree

Function = ast.FunctionDef | ast.AsyncFunctionDef

_SKIPPING = {"skip", "skipif", "skipIf", "skipUnless", "skipTest", "xfail", "expectedFailure",
             "importorskip", "exit"}  # fmt: skip


@dataclass(frozen=True)
class TestCode:
    """One test function ('' stands for the module itself).

    ``checks`` counts its assertions by their text, ``skips`` are the words that keep it from
    running, ``cases`` how many rows its parametrization has (1 without).
    """

    __test__ = False  # a value, not a test class of pytest's

    line: int
    checks: Counter[str]
    skips: frozenset[str]
    cases: int = 1


def inventory(source: bytes) -> dict[str, TestCode] | None:
    """Return the tests of a file by name (``Class::function``); None when it does not parse."""
    try:
        tree = python_tree(source)
        found = {"": TestCode(1, Counter(), frozenset(_module_skips(tree)))}
        for name, function, inherited in _functions(tree, "", ()):
            found[name] = _test(function, inherited)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found


def source_of(source: bytes, name: str) -> str:
    """Return the text of one test (``Class::function``) and of the file's helpers it uses.

    The whole file where the test is not found.
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


def _test(function: Function, inherited: tuple[ast.expr, ...]) -> TestCode:
    decorators = [*inherited, *function.decorator_list]
    skips = {word for node in decorators for word in _skip_words(node)}
    skips |= {word for node in function.body for word in _skip_words(node)}
    checks = Counter(text for node in ast.walk(function) if (text := _check(node)))
    cases = 1
    for node in decorators:
        cases *= _cases(node)
    return TestCode(function.lineno, checks, frozenset(skips), cases)


def _check(node: ast.AST) -> str:
    """Return the text of an assertion; one about a constant checks nothing."""
    if isinstance(node, ast.Assert):
        return "" if isinstance(node.test, ast.Constant) else f"assert {ast.unparse(node.test)}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name.startswith("assert") or name in {"raises", "warns"}:
            return ast.unparse(node)
    return ""


def _skip_words(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in _SKIPPING:
            yield ast.unparse(inner)
        elif isinstance(inner, ast.Name) and inner.id in _SKIPPING - {"exit"}:
            yield inner.id


def _cases(node: ast.expr) -> int:
    """Return how many rows a ``parametrize`` decorator lists (1 for anything else)."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return 1
    rows = node.args[1] if node.func.attr == "parametrize" and len(node.args) > 1 else None
    return len(rows.elts) if isinstance(rows, ast.List | ast.Tuple) else 1


def _module_skips(tree: ast.Module) -> Iterator[str]:
    """Yield what skips a whole module: ``pytestmark``, ``__test__`` or a call at its top."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            if "__test__" in names:
                yield "__test__"
        if not isinstance(node, ast.ClassDef | Function):
            yield from _skip_words(node)
