"""Code that parses and cannot be meant: defined twice, a script's import gone that is used."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator

from pyflakes.messages import RedefinedWhileUnused

from runner.checks.undefined import python_messages
from runner.code.languages import is_among_tests, language_of, python_tree
from runner.code.symbols import symbols_of
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint

Read = Callable[[str], bytes | None]
Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_JS_IMPORT = re.compile(
    r"^[ \t]*(?:import\s+(?:type\s+)?(?P<names>[^'\";]+?)\s+from\s+['\"][^'\"]+['\"]"
    r"|(?:const|let|var)\s+(?P<required>[\w$]+|\{[^}]*\})\s*=\s*require\([^)]*\));?[ \t]*$",
    re.MULTILINE,
)
_JS_BOUND = (
    r"(?:function\*?|class|const|let|var|enum|type|interface)\s+{0}\b|[(,{{]\s*{0}\s*[,)}}=:]"
)
_JS_FUNCTION = re.compile(r"(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b")
_JS_SAID = re.compile(r"/\*.*?\*/|//[^\n]*|'[^'\n]*'|\"[^\"\n]*\"", re.DOTALL)


def broken_code(changes: ChangeSet, *, read: Read) -> Iterator[Complaint]:
    """Complain of what a change set breaks though every file parses; ``read`` gives the old."""
    for path, write in changes.files.items():
        if write is None or is_among_tests(path):
            continue
        old, language = read(path) or b"", language_of(path)
        if language == "python":
            if twice := _redefined(path, write.content):
                before = {name for name, _ in _redefined(path, old)}
                yield from (_twice(path, name, at) for name, at in twice if name not in before)
        elif language in ("javascript", "typescript", "tsx"):
            had, has = (text.decode("utf-8", "replace") for text in (old, write.content))
            yield from _of_javascript(path, had, has)


def _redefined(path: str, content: bytes) -> list[tuple[str, int]]:
    """Return functions and classes that are defined again before anything uses them."""
    again = [m for m in python_messages(path, content) if isinstance(m, RedefinedWhileUnused)]
    if not again:
        return []
    nodes = [node for node in ast.walk(python_tree(content)) if isinstance(node, Defined)]
    decorated = {node.name for node in nodes if node.decorator_list}
    lines = {node.lineno for node in nodes if node.name not in {*decorated, "_"}}
    return [(str(m.message_args[0]), m.lineno) for m in again if m.lineno in lines]


def _of_javascript(path: str, old: str, new: str) -> Iterator[Complaint]:
    had = Counter(_functions_at_top(path, old))
    for name, times in Counter(_functions_at_top(path, new)).items():
        if times > max(had[name], 1) and path.endswith((".js", ".mjs", ".cjs", ".jsx")):
            yield _twice(path, name, 0)
    now, code = _js_imports(new), _JS_SAID.sub("", new)
    lost = {name: line for name, line in _js_imports(old).items() if name not in now}
    for name, line in lost.items():
        uses = [
            m.start() for m in re.finditer(rf"(?<![\w$.]){re.escape(name)}(?![\w$]|\s*:)", code)
        ]
        if uses and not re.search(_JS_BOUND.format(re.escape(name)), code):
            at = code.count("\n", 0, uses[0]) + 1
            message = f"{path} no longer imports `{name}`, but line {at} uses it."
            advice = "Put it back (below)."
            yield Complaint(path, "LostImport", message, at, excerpt=line, advice=advice)


def _functions_at_top(path: str, text: str) -> list[str]:
    return [
        each.name
        for each in symbols_of(path, text.encode("utf-8", "replace")).definitions
        if each.depth == 0 and _JS_FUNCTION.match(each.signature)
    ]


def _js_imports(text: str) -> dict[str, str]:
    """Return the names that imports bind, each with its line."""
    found = {}
    for line in _JS_IMPORT.finditer(text):
        for part in re.split(r"[{},]", line["names"] or line["required"]):
            if words := re.findall(r"[\w$]+", re.sub(r"^\s*type\s+", "", part)):
                found[words[-1]] = line[0].strip()
    return found


def _twice(path: str, name: str, line: int) -> Complaint:
    message = f"{path} defines `{name}` twice."
    return Complaint(path, "DefinedTwice", message, line or None, advice="Keep one of them.")
