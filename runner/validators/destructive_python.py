"""Destructive calls in Python, found in its syntax tree: comments and docstrings do not count."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from runner.python_tree import python_tree
from runner.validators.commands import Category, Verdict, judge, judge_text
from runner.validators.destructive_sql import judge_sql

Found = tuple[int, int, Category, str]
"""(first line, last line, category, pattern)"""

_DYNAMIC = "X"  # stands for what is known only when the program runs
_SHELL_CALL = re.compile(
    r"(?:os\.(?:system|popen|exec\w+|spawn\w+)|subprocess\.\w+|commands\.\w+|pty\.spawn"
    r"|asyncio\.create_subprocess_\w+|anyio\.(?:run|open)_process|(?:\w+\.)*(?:run_command|check_call"
    r"|check_output|Popen|sudo|local|run))"
)
_SQL_CALL = re.compile(r"(?:.*\.)?(?:execute\w*|raw|text|query|run_sql|exec_driver_sql|RunSQL|sql)")
_CALLS: tuple[tuple[re.Pattern[str], Category, str], ...] = (
    (re.compile(r"shutil\.rmtree"), "filesystem", "shutil.rmtree"),
    (re.compile(r"os\.removedirs"), "filesystem", "os.removedirs"),
    (re.compile(r"(?:.*\.)?drop_(?:table|all|column|database|collection|schema)"), "database", ""),
    (re.compile(r"(?:.*\.)?(?:flushall|flushdb|truncate_table)"), "database", ""),
    (re.compile(r"(?:.*\.)?delete_(?:bucket|table|stack|db_instance|cluster|function|volume"
                r"|snapshot|repository|resource_group|namespaced_\w+)"), "cloud", ""),
    (re.compile(r"(?:.*\.)?terminate_instances"), "cloud", ""),
)  # fmt: skip
_FOR_TESTS = re.compile(r"(?:self\.)?_?(?:tmp|temp|scratch)\w*", re.IGNORECASE)


def found_in(content: bytes, *, is_test: bool = False) -> Iterator[Found]:
    """Yield destructive calls; a test that only removes its own temporary folder does not count."""
    try:
        tree = python_tree(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names, constants = _imports(tree), _constants(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        for category, pattern in dict.fromkeys(_verdicts(node, names, constants)):
            if not (is_test and category == "filesystem" and _of_test(node)):
                yield node.lineno, node.end_lineno or node.lineno, category, pattern


def _verdicts(
    call: ast.Call, names: dict[str, str], constants: dict[str, ast.expr]
) -> Iterator[Verdict]:
    name = _dotted(call.func, names)
    for pattern, category, said in _CALLS:
        if pattern.fullmatch(name):
            yield category, said or name.rpartition(".")[2]
    yield from _kills(name, call)
    yield from _git_python(name, call)
    arguments = [*call.args, *(k.value for k in call.keywords if k.arg in {"args", "cmd", "sql"})]
    values = [_resolved(argument, constants) for argument in arguments[:8]]
    if _SHELL_CALL.fullmatch(name):
        yield from _commands(values, constants)
    if _SQL_CALL.fullmatch(name):
        for value in values:
            text = _text(value)
            yield from (("database", pattern) for pattern in judge_sql(text or ""))


def _commands(values: list[ast.expr], constants: dict[str, ast.expr]) -> Iterator[Verdict]:
    words = [text for value in values if (text := _text(value)) is not None]
    if len(words) > 1:  # create_subprocess_exec("rm", "-rf", ...)
        yield from judge(words)
    for value in values:
        if isinstance(value, ast.List | ast.Tuple):
            parts = [_text(_resolved(part, constants)) or _DYNAMIC for part in value.elts[:100]]
            yield from judge(parts)
        elif isinstance(value, ast.Call) and _dotted(value.func, {}).endswith("split"):
            yield from judge_text(_text(value.args[0]) or "") if value.args else ()
        elif text := _text(value):
            yield from judge_text(text)


def _kills(name: str, call: ast.Call) -> Iterator[Verdict]:
    if name in {"os.kill", "os.killpg"} and len(call.args) == 2:
        said = ast.unparse(call.args[1])
        if said == "9" or said.endswith("SIGKILL"):
            yield "process", "kill -9"


def _git_python(name: str, call: ast.Call) -> Iterator[Verdict]:
    """Judge ``repo.git.push("--force")`` as the command it starts."""
    head, _, verb = name.rpartition(".")
    if head == "git" or head.endswith(".git"):
        yield from judge(["git", verb, *(_text(value) or _DYNAMIC for value in call.args[:20])])


def _imports(tree: ast.Module) -> dict[str, str]:
    """Return what each imported name stands for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return names


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the values of names that are bound by a plain assignment (the last one counts)."""
    return {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """Return ``a.b.c`` of a callee with imported names written out; a call in it is left out."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            break
    if isinstance(node, ast.Name):
        parts.append(names.get(node.id, node.id))
    return ".".join(reversed(parts))


def _resolved(node: ast.expr, constants: dict[str, ast.expr]) -> ast.expr:
    if isinstance(node, ast.Await | ast.Starred):
        node = node.value
    return constants.get(node.id, node) if isinstance(node, ast.Name) else node


def _text(node: ast.expr) -> str | None:
    """Return a text with what is dynamic replaced by a word; None for what is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or _DYNAMIC for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        left: ast.expr = node
        while isinstance(left, ast.BinOp):  # a long chain of + is deep on its left
            left = left.left
        text = _text(left) if not isinstance(left, ast.BinOp) else None
        return None if text is None else text.replace("%s", _DYNAMIC) + " " + _DYNAMIC
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "format" and isinstance(node.func.value, ast.Constant):
            return _text(node.func.value)
        if node.func.attr == "join" and node.args and isinstance(node.args[0], ast.List):
            return " ".join(_text(part) or _DYNAMIC for part in node.args[0].elts[:100])
    return None


def _of_test(call: ast.Call) -> bool:
    """Whether what is removed is the test's own temporary folder."""
    said = ast.unparse(call.args[0]) if call.args else ""
    return _FOR_TESTS.match(said) is not None
