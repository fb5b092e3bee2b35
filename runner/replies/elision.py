"""Answers that leave parts of a file out ("... rest unchanged ..."): put back, or refused.

A marker is a line that the file did not have before. It matters where something is gone: what it
stands for is put back where both its neighbours say exactly which lines those are; otherwise the
file is not written. Code that merely speaks of something like a marker loses nothing.
"""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from runner.context.symbols import Definition, symbols_of
from runner.findings import Complaint
from runner.python_tree import python_tree
from runner.replies.elision_words import Kind, kind_of

_TOO_MUCH = 0.3
"""The share of a file's, or of a definition's, lines that may not vanish beside a marker."""

_LEAST_GONE = 2
_MOST_DEFINITIONS = 20_000
_LONGEST_COMPARED = 20_000
_NAMED = 5
_MOST_IDLE = 8
_COMMENTS = ("#", "//", "/*", "<!--", "--", ";", "%", "{/*")
_MARKUP = (".md", ".mdx", ".markdown", ".rst", ".txt")
_STUBS = frozenset(("Protocol", "ABC", "ABCMeta", "abstractmethod", "overload"))
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Whole:
    """A text with nothing left out; ``note`` says what was done for that ('' for nothing).

    ``restored`` says that lines of the old text were put back, and that little else is gone.
    """

    text: str
    note: str = ""
    restored: bool = False


def whole(old: str, new: str, *, path: str, place: str) -> Whole | Complaint:
    """Return what a file becomes, or a complaint ``ElidedCode`` when parts of it are left out."""
    lines, before = new.split("\n"), old.split("\n")
    marks = _marks(old, new, path)
    if not marks:
        return Whole(new)
    shown = f"`{lines[min(marks)].strip()[:80]}`"
    restored = _restored(before, lines, sorted(marks))
    if restored is not None and not _lost(old, restored, path):
        missing = _counted(before) - _counted(restored.split("\n"))
        little = missing.total() <= _TOO_MUCH * len(before)
        return Whole(restored, f"{path}: put back what {shown} stands for", restored=little)
    if gone := _gone(old, new, path, marks):
        return _complaint(path, place, shown, gone)
    idle = {at for at, kind in marks.items() if kind == "certain" and _is_idle(lines[at])}
    kept = "\n".join(line for at, line in enumerate(lines) if at not in idle)
    return Whole(kept, f"{path}: took out {shown}, nothing is missing there" if idle else "")


def _marks(old: str, new: str, path: str) -> dict[int, Kind]:
    """Return the lines (from 0) that may leave something out, and how they say so."""
    lines, markdown = new.split("\n"), path.endswith(_MARKUP)
    there = Counter(line.strip() for line in old.split("\n"))
    marks: dict[int, Kind] = {}
    for at, line in enumerate(lines):
        if there[line.strip()] > 0:
            there[line.strip()] -= 1
        elif kind := kind_of(line, markdown=markdown):
            marks[at] = kind
    if path.endswith((".py", ".pyi")):
        return _of_python(old, new, marks) if marks or new.count("...") > old.count("...") else {}
    apart = _fenced(lines) if markdown and marks else ()
    return {at: kind for at, kind in marks.items() if at not in apart}


def _fenced(lines: Sequence[str]) -> frozenset[int]:
    """Return the lines inside fences of a document: they show code, they are none."""
    inside, found = False, set()
    for at, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
        elif inside:
            found.add(at)
    return frozenset(found)


def _of_python(old: str, new: str, marks: dict[int, Kind]) -> dict[int, Kind]:
    """Leave out what stands inside texts or is a stub's body; add the bodies that became stubs."""
    try:
        tree, before = python_tree(new), python_tree(old)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return marks
    real = {name for name, node in _functions(before) if not _is_stub(node)}
    found = dict(marks)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
            found = {a: k for a, k in found.items() if not node.lineno <= a + 1 <= _end(node)}
        elif isinstance(node, ast.ClassDef) and _is_stub(node):
            found.pop(node.body[-1].lineno - 1, None)
    functions = _functions(tree)
    emptied = real - {name for name, node in functions if not _is_stub(node)}
    for name, function in functions:
        at = function.body[-1].lineno - 1
        if _is_stub(function) and name not in emptied:
            found.pop(at, None)
        elif name in emptied and _is_ellipsis(function.body[-1]):
            found[at] = "certain"
    return found


def _end(node: ast.expr) -> int:
    return node.end_lineno or node.lineno


def _functions(
    tree: ast.AST, prefix: str = "", *, abstract: bool = False
) -> list[tuple[str, Function]]:
    """Return functions by qualified name; those that are meant to be empty have none ('')."""
    found: list[tuple[str, Function]] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            words = _words([*node.bases, *(keyword.value for keyword in node.keywords)])
            found += _functions(node, f"{prefix}{node.name}.", abstract=bool(_STUBS & words))
        elif isinstance(node, Function):
            meant = abstract or bool(_STUBS & _words(node.decorator_list))
            found.append(("" if meant else f"{prefix}{node.name}", node))
            found += _functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try | ast.With):
            found += _functions(node, prefix, abstract=abstract)
    return found


def _words(nodes: Sequence[ast.AST]) -> set[str]:
    inner = [each for node in nodes for each in ast.walk(node)]
    return {n.id for n in inner if isinstance(n, ast.Name)} | {
        n.attr for n in inner if isinstance(n, ast.Attribute)
    }


def _is_stub(node: Function | ast.ClassDef) -> bool:
    """Whether the body does nothing: ``...``, ``pass``, a text, or an error."""
    return all(isinstance(each, ast.Pass | ast.Raise) or _is_text(each) for each in node.body)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and ast.unparse(node) == "..."


def _restored(before: Sequence[str], lines: Sequence[str], marks: Sequence[int]) -> str | None:
    """Put back the lines between the neighbours of each marker; None when that is not certain.

    Each neighbour must stand once in the old and once in the new text; the beginning and the end
    of the file are neighbours, too.
    """
    if not all(_is_apart(lines[mark]) for mark in marks):
        return None
    kept: list[str] = []
    start = 0
    for mark in marks:
        above = next((at for at in range(mark - 1, -1, -1) if lines[at].strip()), None)
        below = next((at for at in range(mark + 1, len(lines)) if lines[at].strip()), None)
        first = -1 if above is None else _only(before, lines, above)
        last = len(before) if below is None else _only(before, lines, below)
        if first is None or last is None or first >= last or above in marks or below in marks:
            return None
        kept += [*lines[start : 0 if above is None else above + 1], *before[first + 1 : last]]
        start = len(lines) if below is None else below
    return "\n".join([*kept, *lines[start:]])


def _only(before: Sequence[str], lines: Sequence[str], at: int) -> int | None:
    """Return where the one line of the old text stands that this line of the new one is."""
    line = lines[at]
    if before.count(line) != 1 or lines.count(line) != 1:
        return None
    return before.index(line)


def _lost(old: str, new: str, path: str) -> list[Definition]:
    """Return the definitions of the old text that the new one has not, or has twice."""
    before = _definitions(old, path)
    had, has = (Counter(d.name for d in found) for found in (before, _definitions(new, path)))
    return [d for d in before if has[d.name] < had[d.name] or has[d.name] > max(had[d.name], 1)]


def _definitions(text: str, path: str) -> Sequence[Definition]:
    found = symbols_of(path, text.encode("utf-8", "replace"), most=_MOST_DEFINITIONS)
    return found.definitions


def _gone(old: str, new: str, path: str, marks: dict[int, Kind]) -> list[str]:
    """Return the names and lines that vanished where that is too much, else nothing."""
    before = _counted(old.split("\n"))
    gone = before - _counted(new.split("\n"))
    names = Counter(d.name for d in _definitions(old, path))
    names -= Counter(d.name for d in _definitions(new, path))
    much = gone.total() > _TOO_MUCH * before.total()
    if set(marks.values()) == {"weak"} and len(new) > (1 - _TOO_MUCH) * len(old):
        return []
    if names or much or _in_place(old, new, marks, gone) or _inside(old, new, path, marks, gone):
        return [*names, *gone.elements()]
    return []


def _in_place(old: str, new: str, marks: dict[int, Kind], gone: Counter[str]) -> bool:
    """Whether a certain marker stands where lines were."""
    before, lines = old.split("\n"), new.split("\n")
    certain = [at for at, kind in marks.items() if kind == "certain"]
    if not certain or max(len(before), len(lines)) > _LONGEST_COMPARED:
        return bool(certain) and bool(gone)
    matcher = difflib.SequenceMatcher(None, before, lines, autojunk=False)
    return any(
        any(start <= at < end for at in certain) and bool(_counted(before[a:b]) & gone)
        for tag, a, b, start, end in matcher.get_opcodes()
        if tag == "replace"
    )


def _inside(old: str, new: str, path: str, marks: dict[int, Kind], gone: Counter[str]) -> bool:
    """Whether a definition with a marker in it lost too many of its lines."""
    before, lines = {d.name: d for d in _definitions(old, path)}, old.split("\n")
    for definition in _definitions(new, path):
        was = before.get(definition.name)
        if was and any(definition.line <= at + 1 <= definition.end_line for at in marks):
            own = _counted(lines[was.line - 1 : was.end_line])
            lost = (own & gone).total()
            if lost >= _LEAST_GONE and lost > _TOO_MUCH * own.total():
                return True
    return False


def _counted(lines: Sequence[str]) -> Counter[str]:
    return Counter(line.strip() for line in lines if line.strip())


def _is_idle(line: str) -> bool:
    """Whether the line has nothing but a marker in a comment, which may be taken out."""
    return line.strip().startswith(_COMMENTS) and len(line.split()) <= _MOST_IDLE


def _is_apart(line: str) -> bool:
    """Whether the marker has its line for itself."""
    return line.strip().startswith((*_COMMENTS, "[", "(", "<", ".", "\u2026"))


def _complaint(path: str, place: str, shown: str, gone: Sequence[str]) -> Complaint:
    named = ", ".join(f"`{line[:60]}`" for line in gone[:_NAMED])
    more = ", ..." if len(gone) > _NAMED else ""
    message = (
        f"{place} has {shown} in place of code of {path}, and this is missing: {named}{more}. "
        "Leave nothing out: write every line of the file, or only edits (SEARCH/REPLACE) of the "
        "lines that change."
    )
    return Complaint(path, "ElidedCode", message)
