"""How much an assertion of a Python test demands: nothing, little (it exists), or a value.

``assert True``, ``1 == 1`` and ``x or True`` hold whatever the code does. Neither does an assertion
demand anything that is never reached, or whose failure is caught. ``assert False`` never holds: it
fails the test where the code must not get to, as ``fail`` does.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from runner.code.languages import Function

NOTHING, LITTLE, VALUE = 0, 1, 2
_MOST_ROWS = 20
_SEVERAL = 4
"""What a loop over something unknown counts for, where an assertion moved into it."""

_LITTLE = {"assertTrue", "assertFalse", "assertIsNotNone", "assertIsInstance", "assertNotEqual",
           "assertIsNot", "assert_called", "assertNoLogs"}  # fmt: skip
_WIDE = {"Exception", "BaseException"}
_SWALLOWS = {*_WIDE, "AssertionError"}
_Run = tuple[ast.AST, int, int]
_RAISES = {"raises", "warns", "assertRaises", "assertRaisesRegex", "assertWarns", "deprecated_call",
           "assertLogs"}  # fmt: skip
_HELPER = ("assert", "check", "verify", "expect", "validate", "ensure", "should", "compare", "must")
_OF_UNITTEST = tuple(f"assert{letter}" for letter in "ADEFGILMNRSTW")
"""Their arguments are all they look at; a helper or a mock may look elsewhere."""
_NEVER_HOLD = {("assertTrue", False), ("assert_", False), ("assertFalse", True)}
_FAILING = {"fail", "check_call", "check_output", "raise_for_status", "testmod"}


@dataclass
class Demands:
    """What a test demands. ``checks`` and ``values`` count assertions by their text (``values``
    those that demand one); ``more`` is what assertions in
    loops and about several values at once may count for beside that."""

    checks: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    more: int = 0

    def add(self, text: str, strength: int, times: int = 1, more: int = 0) -> None:
        """Count one assertion."""
        if strength == NOTHING:
            return
        self.checks[text] += times
        self.more += more
        if strength == VALUE:
            self.values[text] += times

    def merge(self, other: Demands) -> None:
        """Count all that another function demands, which this one calls."""
        self.checks += other.checks
        self.values += other.values
        self.more += other.more


def demands_of(function: Function) -> Demands:
    """Return what the function demands itself, without what it calls."""
    found = Demands()
    constants = _constants(function)
    for node, times, more in _reached(function.body, 1, 0):
        for text, strength, several in _assertions(node, constants):
            found.add(text, strength, times, more + several)
    return found


def _reached(body: list[ast.stmt], times: int, more: int) -> Iterator[_Run]:
    """Yield what is run of a block, each statement once, with how often it is."""
    for node in body:
        heads, blocks = _parts(node)
        yield from ((head, times, more) for head in heads)
        for block, rows, extra in blocks:
            yield from _reached(block, times * rows, more + extra)
        if isinstance(node, ast.Return | ast.Raise) or _ends(node):
            return


def _parts(node: ast.stmt) -> tuple[list[ast.AST], list[tuple[list[ast.stmt], int, int]]]:
    """What of a statement is run itself, and its blocks: how often, and how often perhaps."""
    match node:
        case ast.If() | ast.While() if _never(node.test):
            return [], [(node.orelse, 1, 0)]
        case ast.If() | ast.While():
            return [node.test], [(node.body, 1, 0), (node.orelse, 1, 0)]
        case ast.For() | ast.AsyncFor():
            return [], [(node.body, *_rounds(node.iter)), (node.orelse, 1, 0)]
        case ast.Try():
            body = [] if any(map(_swallows, node.handlers)) else node.body
            inner = [body, *(h.body for h in node.handlers), node.orelse, node.finalbody]
            return [], [(block, 1, 0) for block in inner]
        case ast.With() | ast.AsyncWith():
            entered = [item.context_expr for item in node.items]
            return [*entered], [([] if any(map(_suppresses, entered)) else node.body, 1, 0)]
        case ast.Match():
            return [], [(case.body, 1, 0) for case in node.cases]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [], [(node.body, 1, 0)]
    return [node], []


def _rounds(rows: ast.expr) -> tuple[int, int]:
    """How often a loop over this runs: surely, and perhaps beside that."""
    if isinstance(rows, ast.List | ast.Tuple):
        return min(len(rows.elts), _MOST_ROWS), 0
    return 1, _SEVERAL


def _assertions(node: ast.AST, constants: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the assertions of a statement: text, strength, how many values beside the first."""
    if isinstance(node, ast.Assert):
        yield from _asserted(node.test, constants)
        return
    if isinstance(node, ast.Raise) and "AssertionError" in ast.dump(node):
        yield ast.unparse(node), VALUE, 0
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            yield from _called(inner, constants)


def _asserted(test: ast.expr, constants: Collection[str]) -> Iterator[tuple[str, int, int]]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _asserted(value, constants)
        return
    text = f"assert {ast.unparse(test)}"
    yield text, _strength(test, constants), _several(test)


def _strength(test: ast.expr, constants: Collection[str]) -> int:
    if isinstance(test, ast.Constant) and not test.value:
        return VALUE
    if _fixed(test, constants) or _always(test, constants):
        return NOTHING
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return min(LITTLE, _strength(test.operand, constants))
    if isinstance(test, ast.IfExp):
        return _strength(test.body, constants)
    if isinstance(test, ast.BoolOp):
        return min(_strength(value, constants) for value in test.values)
    if not isinstance(test, ast.Compare):
        return LITTLE
    little = isinstance(test.ops[0], ast.NotEq | ast.IsNot) or (
        isinstance(test.ops[0], ast.Gt | ast.GtE)
        and ast.unparse(test.comparators[0]) in ("0", "1", "-1")
    )
    constants_there = (c.value for c in test.comparators if isinstance(c, ast.Constant))
    truth = any(isinstance(value, bool) for value in constants_there)
    of_type = ast.unparse(test.left).startswith("type(")
    return LITTLE if little or truth or of_type else VALUE


def _always(test: ast.expr, constants: Collection[str]) -> bool:
    """Whether an expression is true whatever its values are."""
    if isinstance(test, ast.Tuple | ast.Lambda):
        return True
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        dumps = {ast.dump(value) for value in test.values}
        negated = {ast.dump(v.operand) for v in test.values if isinstance(v, ast.UnaryOp)}
        return any(_fixed(value, constants) for value in test.values) or bool(dumps & negated)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name):
        return test.func.id == "isinstance" and ast.unparse(test.args[-1]) == "object"
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        same = ast.dump(left) == ast.dump(right) and not any(
            isinstance(node, ast.Call | ast.Await) for node in ast.walk(left)
        )
        counted = ast.unparse(left).startswith("len(") and ast.unparse(right) == "0"
        return same or (counted and isinstance(test.ops[0], ast.GtE))
    return False


def _fixed(expression: ast.expr, constants: Collection[str]) -> bool:
    """Whether an expression is made of constants alone."""
    nodes = list(ast.walk(expression))
    if any(isinstance(n, ast.Call | ast.Await | ast.Attribute | ast.Yield) for n in nodes):
        return False
    return all(n.id in constants for n in nodes if isinstance(n, ast.Name))


def _constants(function: Function) -> set[str]:
    """Names that are given a value once in the function, and that is a constant."""
    stored = Counter(
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    fixed = {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return {name for name in fixed if stored[name] == 1}


def _several(test: ast.expr) -> int:
    """How many values an assertion compares beside the first."""
    if isinstance(test, ast.Compare):
        sizes = [_size(side) for side in (test.left, *test.comparators)]
        return max(0, min(max(sizes), _MOST_ROWS) - 1)
    if (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Name)
        and test.func.id in ("all", "any")
    ):
        return _SEVERAL
    return 0


def _size(side: ast.expr) -> int:
    if isinstance(side, ast.List | ast.Tuple | ast.Set):
        return len(side.elts)
    if isinstance(side, ast.Constant) and isinstance(side.value, str):
        return side.value.count("\n") + 1
    return len(side.keys) if isinstance(side, ast.Dict) else 1


def _called(call: ast.Call, constants: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """Yield what a call asserts: unittest's methods, ``raises``, helpers by their name."""
    name = _name_of(call)
    if name in _RAISES:
        yield from _raised(call, name)
    elif name in _FAILING or any(
        k.arg == "check" and isinstance(k.value, ast.Constant) and k.value.value is True
        for k in call.keywords
    ):
        yield ast.unparse(call), VALUE, 0
    elif name.lower().lstrip("_").startswith(_HELPER):
        several = max(0, max(map(_size, call.args), default=1) - 1)
        yield ast.unparse(call), _strength_of_call(call, name, constants), several


def _strength_of_call(call: ast.Call, name: str, constants: Collection[str]) -> int:
    if not call.args:
        return LITTLE if name in _LITTLE else VALUE
    first = call.args[0]
    if isinstance(first, ast.Constant) and (name, bool(first.value)) in _NEVER_HOLD:
        return VALUE
    same = len(call.args) > 1 and ast.dump(first) == ast.dump(call.args[1])
    fixed = all(_fixed(arg, constants) for arg in call.args)
    if name.startswith(_OF_UNITTEST) and (fixed or (same and isinstance(first, ast.Name))):
        return NOTHING
    if name in {"assertTrue", "assertFalse", "assert_"}:
        return _strength(first, constants)
    return LITTLE if name in _LITTLE else VALUE


def _name_of(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _raised(call: ast.Call, name: str) -> Iterator[tuple[str, int, int]]:
    if not call.args and not call.keywords and name == "raises":
        return
    what = ast.unparse(call.args[0]) if call.args else ""
    wide = what.rpartition(".")[2] in _WIDE
    more = [k for k in call.keywords if k.arg in ("match", "check")]
    yield f"{name}({what})", LITTLE if wide else VALUE, 0
    yield from ((f"{name}({what}, {ast.unparse(k)})", VALUE, 0) for k in more)


def _never(test: ast.expr) -> bool:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Constant) and bool(test.operand.value)
    return isinstance(test, ast.Constant) and not test.value


def _ends(node: ast.stmt) -> bool:
    """Whether nothing behind a statement is run: an unconditional skip."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return call.func.attr in {"skip", "skipTest", "xfail"}


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches what an assertion raises and continues as if nothing happened."""
    for node in (n for statement in handler.body for n in ast.walk(statement)):
        failing = isinstance(node, ast.Call) and _name_of(node) in {*_FAILING, "exit", "_exit"}
        if failing or isinstance(node, ast.Raise | ast.Assert):
            return False
    return handler.type is None or bool(_named(handler.type) & _SWALLOWS)


def _suppresses(expression: ast.expr) -> bool:
    if not isinstance(expression, ast.Call) or not ast.unparse(expression.func).endswith(
        "suppress"
    ):
        return False
    return any(_named(arg) & _SWALLOWS for arg in expression.args)


def _named(expression: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
