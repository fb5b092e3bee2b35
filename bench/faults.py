"""Small faults of mutation testing books: another comparison, ``and`` for ``or``, a number off by
one, a condition turned round, a statement gone. And how one is put into code that runs.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FunctionType

_OTHER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: ``what`` is done to node ``number`` of the module's syntax tree."""

    path: str
    line: int
    number: int
    what: str

    @property
    def module(self) -> str:
        """The name under which the file is imported."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def sites(root: Path, rooms: Collection[str]) -> Iterator[Mutant]:
    """Yield every mutant of the rooms."""
    for room in rooms:
        for file in sorted((root / room).rglob("*.py")):
            path = str(file.relative_to(root))
            module = ast.parse(file.read_text())
            unnoticed = {id(node) for node in _of_dataclasses(module)}
            for number, node in enumerate(ast.walk(module)):
                if id(node) not in unnoticed and (what := _fault(node)):
                    yield Mutant(path, getattr(node, "lineno", 1), number, what)


def _of_dataclasses(module: ast.Module) -> Iterator[ast.AST]:
    """Yield what is in ``@dataclass(frozen=True, slots=True)``: no right program depends on it."""
    classes = (node for node in ast.walk(module) if isinstance(node, ast.ClassDef))
    for decorator in (each for node in classes for each in node.decorator_list):
        yield from ast.walk(decorator)


def _fault(node: ast.AST) -> str:
    """Return the name of the fault that can be put into a node; '' for none."""
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in _OTHER:
            return "another comparison"
        case ast.BoolOp():
            return "and for or"
        case ast.Constant(value=bool()):
            return "the other truth"
        case ast.Constant(value=int()):
            return "one more"
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return "plus for minus"
        case ast.If() | ast.IfExp() | ast.While():
            return "the condition turned round"
        case ast.Return(value=ast.expr() as value) if not _is_nothing(value):
            return "nothing returned"
        case ast.Expr(value=ast.Call() | ast.Await()):
            return "a call less"
        case _:
            return ""


def _is_nothing(value: ast.expr) -> bool:
    """Whether None in its place would say the same: ``None``, ``""``, ``False``, ``()``."""
    try:
        return not ast.literal_eval(value)
    except ValueError:
        return False


def put_in(mutant: Mutant, root: Path) -> bool:
    """Put a fault into this process; False where only a process that begins anew can have it.

    The code of functions is exchanged in place. What ran when the module was imported (a constant,
    a default value) ran without the fault.
    """
    running = sys.modules.get(mutant.module)
    if running is None:
        import_with(mutant, root)
        return True
    wrong = _changed(root / mutant.path, mutant)
    meant = [
        (function, wrong[_key(function.__code__)])
        for function in gc.get_objects()
        if isinstance(function, FunctionType)
        and function.__module__ == mutant.module
        and function.__code__.co_filename == running.__file__
        and _key(function.__code__) in wrong
    ]
    if any(function.__code__.co_freevars != code.co_freevars for function, code in meant):
        return False
    for function, code in meant:
        function.__code__ = code
    return bool(meant)


def import_with(mutant: Mutant, root: Path) -> None:
    """See to it that the mutant's module has the fault when it is imported."""
    sys.meta_path.insert(0, _Finder(mutant, root))


class _Finder(MetaPathFinder):
    """Finds one module, with its fault."""

    def __init__(self, mutant: Mutant, root: Path) -> None:
        self._mutant, self._file = mutant, str(root / mutant.path)

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Find the mutant's module; leave all others to the finders that follow."""
        if fullname != self._mutant.module:
            return None
        loader = _Loader(fullname, self._file)
        loader.mutant = self._mutant
        return spec_from_file_location(fullname, self._file, loader=loader)


class _Loader(SourceFileLoader):
    mutant: Mutant

    def get_code(self, fullname: str) -> CodeType:
        return _compiled(Path(self.path), self.mutant)


_Key = tuple[str, int]


def _key(code: CodeType) -> _Key:
    return code.co_qualname, code.co_firstlineno


def _changed(file: Path, mutant: Mutant) -> dict[_Key, CodeType]:
    """Return the code of the functions that hold the fault."""
    right = {_key(code): code for code in _codes(_compiled(file, None))}
    wrong = {_key(code): code for code in _codes(_compiled(file, mutant))}
    return {key: code for key, code in wrong.items() if right.get(key) != code}


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _compiled(file: Path, mutant: Mutant | None) -> CodeType:
    module = ast.parse(file.read_text())
    if mutant:
        _put(next(node for n, node in enumerate(ast.walk(module)) if n == mutant.number))
        ast.fix_missing_locations(module)
    return compile(module, str(file), "exec", dont_inherit=True)


def _one_more(value: object) -> int:
    assert isinstance(value, int)  # _fault picks no other constants
    return value + 1


def _put(node: ast.AST) -> None:
    if isinstance(node, ast.Compare):
        node.ops[0] = _OTHER[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else _one_more(node.value)
    elif isinstance(node, ast.BinOp):
        node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Return | ast.Expr):
        node.value = ast.Constant(None)
