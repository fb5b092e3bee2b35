"""Who imports whom: statements as they are written, resolved to paths of the tree (best effort).

Python, JavaScript and TypeScript follow their rules for relative imports; the other languages are
matched by the end of a path, which is right unless two files share it.

"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from runner.code.languages import language_of

MAX_TARGETS = 60
"""Files one file's imports lead to at most."""

_MAX_SAME = 50
_FROM = re.compile(r"from\s+(\.*)\s*([\w.]*)\s+import\s+(.*)", re.DOTALL)
_NAME = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_QUOTED = re.compile(r"""["'<]([^"'<>]+)["'>]""")
_SCRIPT_ENDS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".d.ts", "/index.ts", "/index.js")
_OF_SCRIPT = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",)}


class ModulePaths:
    """The paths of a tree, found by how they end."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_folder: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.paths):
            folder, _, name = path.rpartition("/")
            self._by_name[name].append(path)
            self._by_folder[folder.rpartition("/")[2]].append(path)

    def ending(self, end: str, near: str) -> Iterator[str]:
        """The file whose path is ``end`` or ends with it; of several the one nearest ``near``."""
        name = end.rpartition("/")[2]
        same = self._by_name.get(name, [])[:_MAX_SAME]
        fits = [path for path in same if path == end or path.endswith(f"/{end}")]
        if fits:
            yield max(fits, key=lambda path: (len(posixpath.commonprefix([path, near])), path))

    def within(self, folder: str, suffix: str) -> Iterator[str]:
        """Files directly in the folder whose path ends with ``folder``."""
        for path in self._by_folder.get(folder.rpartition("/")[2], [])[:_MAX_SAME]:
            here = path.rpartition("/")[0]
            if path.endswith(suffix) and (here == folder or here.endswith(f"/{folder}")):
                yield path


def imported(path: str, statements: Iterable[str], places: ModulePaths) -> frozenset[str]:
    """Return the files of the tree that a file's import statements name."""
    follow = _RULES.get(language_of(path))
    if follow is None:
        return frozenset()
    found: dict[str, None] = {}
    for statement in statements:
        for target in follow(path, statement, places):
            if target != path:
                found[target] = None
        if len(found) >= MAX_TARGETS:
            break
    return frozenset(list(found)[:MAX_TARGETS])


def _python(path: str, statement: str, places: ModulePaths) -> Iterator[str]:
    if found := _FROM.match(statement):
        dots, module, names = found.groups()
        parts = module.split(".") if module else []
        inner = [[*parts, name] for name in _NAME.findall(names)[:30]]
        for wanted in (parts, *inner):
            yield from _module(path, len(dots), wanted, places)
    else:
        for name in _DOTTED.findall(statement.removeprefix("import"))[:30]:
            yield from _module(path, 0, name.split("."), places)


def _module(path: str, dots: int, parts: list[str], places: ModulePaths) -> Iterator[str]:
    """A dotted module as its file or package; relative when there are dots."""
    ends = ["/".join(parts) + ".py", "/".join([*parts, "__init__.py"])] if parts else []
    if not dots:
        for end in ends:
            yield from places.ending(end, path)
        return
    folder = path
    for _ in range(dots):
        folder = folder.rpartition("/")[0]
    for end in ends or ["__init__.py"]:
        target = f"{folder}/{end}".lstrip("/")
        if target in places.paths:
            yield target


def _script(path: str, statement: str, places: ModulePaths) -> Iterator[str]:
    name = statement.strip("\"'`")
    if not name.startswith("."):
        return
    target = _beside(path, name)
    stem, dot, end = target.rpartition(".")
    others = [stem + other for other in _OF_SCRIPT.get(dot + end, ())]
    for candidate in [*(target + more for more in _SCRIPT_ENDS), *others]:
        if candidate in places.paths:
            yield candidate
            return


def _relative(path: str, statement: str, places: ModulePaths) -> Iterator[str]:
    """A path in the statement, from here or from the root or by its end."""
    found = _QUOTED.search(statement)
    name = (found[1] if found else statement).split("?")[0].split("#")[0].strip()
    if "://" in name or not name:
        return
    ends = ("", ".rb") if path.endswith((".rb", ".rake")) else ("",)
    for end in ends:
        target = _beside(path, name + end)
        if target in places.paths:
            yield target
        else:
            yield from places.ending((name + end).lstrip("./"), path)


def _go(path: str, statement: str, places: ModulePaths) -> Iterator[str]:
    parts = statement.strip('"`').split("/")
    for folder in ("/".join(parts[-2:]), parts[-1]):
        found = [target for target in places.within(folder, ".go") if "_test." not in target]
        if found:
            yield from found
            return


def _csharp(path: str, statement: str, places: ModulePaths) -> Iterator[str]:
    """A namespace as the folder that is named like it; a class (``using static``) as its file."""
    parts = _DOTTED.findall(statement)[-1].split(".")
    for folder in ("/".join(parts[-2:]), parts[-1]):
        if found := list(places.within(folder, ".cs")):
            yield from found
            return
    yield from places.ending("/".join(parts[-2:]) + ".cs", path)


def _rust(path: str, statement: str, places: ModulePaths) -> Iterator[str]:
    parts = [p for p in _NAME.findall(statement) if p not in ("use", "mod", "pub", "crate", "self")]
    if statement.lstrip().startswith(("mod", "pub mod")) and parts:
        inside = path.removesuffix(".rs").removesuffix("/mod")
        for folder in (path.rpartition("/")[0], inside):
            for end in (f"{parts[-1]}.rs", f"{parts[-1]}/mod.rs"):
                target = f"{folder}/{end}".lstrip("/")
                if target in places.paths:
                    yield target
        return
    for upto in range(min(len(parts), 4), 0, -1):
        for end in ("/".join(parts[:upto]) + ".rs", "/".join([*parts[:upto], "mod.rs"])):
            yield from places.ending(end, path)


def _dotted(suffix: str) -> Callable[[str, str, ModulePaths], Iterator[str]]:
    """Names with dots or backslashes that are paths: Java's and PHP's."""

    def follow(path: str, statement: str, places: ModulePaths) -> Iterator[str]:
        if _QUOTED.search(statement):
            yield from _relative(path, statement, places)
            return
        words = statement.strip(" ;").split(" as ")[0].split()
        parts = re.split(r"[.\\]", words[-1].strip("\\;")) if words else []
        if parts and parts[-1] == "*":
            yield from places.within("/".join(parts[:-1][-2:]), suffix)
        for start in range(max(0, len(parts) - 3), len(parts)):
            if found := list(places.ending("/".join(parts[start:]) + suffix, path)):
                yield from found
                return

    return follow


def _beside(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(path.rpartition("/")[0], name))


_RULES: dict[str, Callable[[str, str, ModulePaths], Iterator[str]]] = {
    "python": _python,
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "go": _go,
    "rust": _rust,
    "java": _dotted(".java"),
    "csharp": _csharp,
    "php": _dotted(".php"),
    "c": _relative,
    "cpp": _relative,
    "ruby": _relative,
    "bash": _relative,
    "css": _relative,
    "html": _relative,
}
