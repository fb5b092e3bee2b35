"""The semantic layer: right code in, code that parses and is wrong out (None: does not fit)."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping

from bench.loop.corpus import Task

ProgramFault = Callable[[Task], str | None]

_SWAPS = (
    (" <= ", " < "), (" < ", " <= "), (" >= ", " > "), (" > ", " >= "), (" == ", " != "),
    (" != ", " == "), (" === ", " !== "), (" + ", " - "), (" - ", " + "), (" and ", " or "),
    (" or ", " and "), (" && ", " || "), (" || ", " && "), (" not ", " "), (" // ", " / "),
    (" % ", " // "), (" * ", " + "), ("[0]", "[1]"), ("[1]", "[0]"), ("[-1]", "[0]"),
    ("(0)", "(1)"), (" = 0", " = 1"), (" 1)", " 2)"), ("True", "False"),
    ("return ", "return not "), ("[1:]", "[2:]"), ("min(", "max("), ("max(", "min("),
    ("lower()", "upper()"), ('" "', '""'), ('"-"', '"_"'),
)  # fmt: skip
_NAMED = re.compile(
    r"^\s*(?:export )?(?:async )?(?:def|class|function) ([A-Za-z]\w*)", re.MULTILINE
)


def new_lines(task: Task) -> list[int]:
    """Numbers (from 0) of the lines of the right file that the task adds."""
    old = set(task.before.split("\n"))
    return [n for n, line in enumerate(task.right.split("\n")) if line.strip() and line not in old]


def main_name(task: Task) -> str:
    """The name a task is about: the first public one that it adds and its tests use."""
    lines = task.right.split("\n")
    added = "\n".join(lines[number] for number in new_lines(task))
    tests = task.seen[1]
    names = [name for name in _NAMED.findall(added) if re.search(rf"\b{name}\b", tests)]
    return names[0] if names else ""


def mutants(task: Task) -> Iterator[str]:
    """Right code with one operator, constant, bound or condition wrong."""
    yield from task.caught
    lines = task.right.split("\n")
    for number in new_lines(task):
        line = lines[number]
        if line.lstrip().startswith(('"""', "/**", "#", "import ", "from ")):
            continue
        for old, new in _SWAPS:
            if old in line:
                yield "\n".join([*lines[:number], line.replace(old, new, 1), *lines[number + 1 :]])


def _logic(task: Task) -> str | None:
    return next(mutants(task), None)


def _missing_import(task: Task) -> str | None:
    lines = task.right.split("\n")
    found = [n for n, line in enumerate(lines) if re.match(r"(?:import|from) (?!__future__)", line)]
    return "\n".join(lines[: found[0]] + lines[found[0] + 1 :]) if found else None


def _wrong_name(task: Task) -> str | None:
    name = main_name(task)
    return re.sub(rf"\b{name}\b", f"do_{name}", task.right) if name else None


def _placeholder(task: Task) -> str | None:
    span = _span(task)
    if span is None:
        return None
    lines = task.right.split("\n")
    head, end = span[1], span[2]
    indent = lines[head][: len(lines[head]) - len(lines[head].lstrip())]
    body = "// TODO" if task.language == "javascript" else "raise NotImplementedError"
    return "\n".join([*lines[:head], indent + body, *lines[end:]])


def _dropped(task: Task) -> str | None:
    span = _span(task)
    if span is None:
        return None
    lines = task.right.split("\n")
    return "\n".join([*lines[: span[0]], *lines[span[2] + (task.language == "javascript") :]])


def _invented(task: Task) -> str | None:
    if task.language == "javascript":
        return f'import {{ helper }} from "./helpers-pro.js";\n{task.right}'
    lines = task.right.split("\n")
    after = max(
        (n for n, line in enumerate(lines) if line.startswith("from __future__")), default=-1
    )
    after = after if after >= 0 else 0 if lines[0].startswith(('"""', "'''")) else -1
    return "\n".join([*lines[: after + 1], "import fasthelpers_pro", *lines[after + 1 :]])


def _signature(task: Task) -> str | None:
    name = main_name(task)
    if task.language == "javascript" or f"def {name}(" not in task.right:
        return None
    after = r"self, options, " if f"    def {name}(self" in task.right else r"options, "
    head = rf"(def {name}\()(?:self, |self(?=\)))?"
    return re.sub(head, lambda found: found[1] + after, task.right, count=1)


def _endless(task: Task) -> str | None:
    span = _span(task)
    if span is None:
        return None
    lines = task.right.split("\n")
    head = span[1]
    indent = lines[head][: len(lines[head]) - len(lines[head].lstrip())]
    loop = ["while (true) {}"] if task.language == "javascript" else ["while True:", "    pass"]
    return "\n".join([*lines[:head], *(indent + line for line in loop), *lines[head:]])


def _toplevel(task: Task) -> str | None:
    if task.language == "javascript":
        return task.right + '\nthrow new Error("usage: give a file");\n'
    return task.right + '\n\nname = input("What shall be done? ")\nprint(name)\n'


def _other_task(task: Task) -> str | None:
    if task.language == "javascript":
        return 'export function greet(name) {\n  return "Hello, " + name;\n}\n'
    return 'def greet(name: str) -> str:\n    """Greet somebody."""\n    return f"Hello, {name}!"\n'


def _span(task: Task) -> tuple[int, int, int] | None:
    """First line of what a task is about, first of its body, the one after its end (from 0)."""
    name = main_name(task)
    if not name:
        return None
    if task.language == "javascript":
        lines = task.right.split("\n")
        start = next(
            n for n, line in enumerate(lines) if re.search(rf"(?:function|class) {name}\b", line)
        )
        end = lines.index("}", start)
        return (start, start + 1, end) if "function" in lines[start] else None
    for node in ast.walk(ast.parse(task.right)):
        if isinstance(node, ast.FunctionDef) and node.name == name and node.end_lineno:
            body = node.body[1] if len(node.body) > 1 and ast.get_docstring(node) else node.body[0]
            return node.lineno - 1, body.lineno - 1, node.end_lineno
    return None


PROGRAM: Mapping[str, ProgramFault] = {
    "logic": _logic,
    "missing_import": _missing_import,
    "wrong_name": _wrong_name,
    "placeholder": _placeholder,
    "dropped_function": _dropped,
    "invented_import": _invented,
    "signature": _signature,
    "endless": _endless,
    "toplevel_input": _toplevel,
    "other_task": _other_task,
}
