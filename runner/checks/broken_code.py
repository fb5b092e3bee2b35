"""Code that parses and cannot be meant: defined twice, an import gone that is used, an exit."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator

from runner.checks.asked import TaskWords
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
_JS_SAID = re.compile(r"/\*.*?\*/|//[^\n]*|'[^'\n]*'|\"[^\"\n]*\"", re.DOTALL)
_GO_EXIT = re.compile(r"\b(?:os\.Exit|syscall\.Exit|runtime\.Goexit)\(")
_MAIN = re.compile(r"^package\s+main\b", re.MULTILINE)


def broken_code(changes: ChangeSet, asked: TaskWords, *, read: Read) -> tuple[Complaint, ...]:
    """Complain of what a change set breaks though every file parses; ``read`` gives the old."""
    found: list[Complaint] = []
    for path, write in changes.files.items():
        if write is None or is_among_tests(path):
            continue
        old = (read(path) or b"").decode("utf-8", "replace")
        new = write.content.decode("utf-8", "replace")
        language = language_of(path)
        if language == "python":
            found += _of_python(path, old, new)
        elif language in ("javascript", "typescript", "tsx"):
            found += _of_javascript(path, old, new)
        elif language == "go" and not asked.mentions("exit"):
            found += _exits(path, old, new)
    return tuple(found)


def _of_python(path: str, old: str, new: str) -> Iterator[Complaint]:
    try:
        before, after = python_tree(old), python_tree(new)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    had = Counter(_definitions(before))
    for (name, times), line in _lines_of_twice(after).items():
        if times > max(had[name], 1):
            yield _twice(path, name, line)
    yield from _lost_imports(path, old, before, after)


def _definitions(tree: ast.AST, prefix: str = "") -> Iterator[str]:
    for name, _ in _placed(tree, prefix):
        yield name


def _placed(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Yield what a module and its classes define right below them, without what is decorated."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Defined):
            if not node.decorator_list and node.name != "_":
                yield f"{prefix}{node.name}", node.lineno
            if isinstance(node, ast.ClassDef):
                yield from _placed(node, f"{prefix}{node.name}.")


def _lines_of_twice(tree: ast.AST) -> dict[tuple[str, int], int]:
    placed = list(_placed(tree))
    times = Counter(name for name, _ in placed)
    return {(name, times[name]): line for name, line in placed if times[name] > 1}


def _lost_imports(path: str, old: str, before: ast.AST, after: ast.AST) -> Iterator[Complaint]:
    """Names that an import bound, that nothing binds now, and that the file still uses."""
    gone = {name: node for node in ast.walk(before) for name in _bound_by_import(node)}
    if any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in ast.walk(after)):
        return
    bound = _bound(after)
    gone = {name: node for name, node in gone.items() if name not in bound}
    used = {n.id: n.lineno for n in ast.walk(after) if _is_load(n) and isinstance(n, ast.Name)}
    for name in sorted(gone.keys() & used.keys()):
        shown = ast.get_source_segment(old, gone[name]) or ""
        yield _lost(path, name, used[name], shown)


def _is_load(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _bound_by_import(node: ast.AST) -> set[str]:
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    return {each.asname or each.name.partition(".")[0] for each in node.names}


def _bound(tree: ast.AST) -> set[str]:
    """Every name that anything in the file binds."""
    found: set[str] = set()
    for node in ast.walk(tree):
        found |= _bound_by_import(node)
        if isinstance(node, Defined):
            found.add(node.name)
        elif isinstance(node, ast.Name) and not _is_load(node):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
    return found


def _of_javascript(path: str, old: str, new: str) -> Iterator[Complaint]:
    had = Counter(_functions_at_top(path, old))
    for name, times in Counter(_functions_at_top(path, new)).items():
        if times > max(had[name], 1) and path.endswith((".js", ".mjs", ".cjs", ".jsx")):
            yield _twice(path, name, 0)
    now, code = _js_imports(new), _JS_SAID.sub("", new)
    for name, line in _js_imports(old).items():
        if name in now:  # before the search: it goes through the file
            continue
        uses = [
            m.start() for m in re.finditer(rf"(?<![\w$.]){re.escape(name)}(?![\w$]|\s*:)", code)
        ]
        if uses and not re.search(_JS_BOUND.format(re.escape(name)), code):
            yield _lost(path, name, code.count("\n", 0, uses[0]) + 1, line)


def _functions_at_top(path: str, text: str) -> Iterator[str]:
    for each in symbols_of(path, text.encode("utf-8", "replace")).definitions:
        if each.depth == 0 and re.match(r"(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b",
                                        each.signature):  # fmt: skip
            yield each.name


def _js_imports(text: str) -> dict[str, str]:
    """Return the names that imports bind, each with its line."""
    found = {}
    for line in _JS_IMPORT.finditer(text):
        for part in re.split(r"[{},]", line["names"] or line["required"]):
            if words := re.findall(r"[\w$]+", re.sub(r"^\s*type\s+", "", part)):
                found[words[-1]] = line[0].strip()
    return found


def _exits(path: str, old: str, new: str) -> Iterator[Complaint]:
    """A package that is not a program ends the process: its tests would end with it, unseen."""
    found = _GO_EXIT.search(new)
    if found and not _GO_EXIT.search(old) and not _MAIN.search(new):
        message = f"{path} would end the whole program ({found[0]}…)."
        line = new.count("\n", 0, found.start()) + 1
        yield Complaint(path, "EndsProcess", message, line, advice="Return an error instead.")


def _twice(path: str, name: str, line: int) -> Complaint:
    message = f"{path} defines `{name}` twice."
    return Complaint(path, "DefinedTwice", message, line or None, advice="Keep one of them.")


def _lost(path: str, name: str, line: int, shown: str) -> Complaint:
    message = f"{path} no longer imports `{name}`, but line {line} uses it."
    advice = "Put it back (below)."
    return Complaint(path, "LostImport", message, line, excerpt=shown, advice=advice)
