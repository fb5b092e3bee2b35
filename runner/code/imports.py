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
_NO_FOLDERS = {"use", "mod", "pub", "crate", "self", "super"}
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
        same = self._by_name.get(name, ())
        fits = [path for path in same[:_MAX_SAME] if path == end or path.endswith(f"/{end}")]
        if len(fits) < 2:  # most are one or none
            yield from fits
        else:
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


def _named(path: str, statement: str, places: ModulePaths) -> Iterator[str]:
    """Names that are paths: of a file by its end, the longest first, else of a folder's files.

    The last names of Rust are often of what is in the file.
    """
    go, rust = path.endswith(".go"), path.endswith(".rs")
    if not go and _QUOTED.search(statement):
        yield from _relative(path, statement, places)
        return
    suffix = "." + path.rpartition(".")[2]
    words = statement.strip(' ;"`').partition(" as ")[0].split()
    said = " ".join(words[1:]) if rust else "".join(words[-1:])
    parts = [part for part in _NAME.findall(said) if part not in _NO_FOLDERS]
    for end in range(len(parts), 0 if rust else len(parts) - 1, -1):
        for start in range(max(0, end - 3), 0 if go else end):
            name = "/".join(parts[start:end])
            for target in (name + suffix, f"{name}/mod.rs"):
                if found := list(places.ending(target, path)):
                    yield from found
                    return
    for folder in ("/".join(parts[-2:]), *parts[-1:]):
        if found := [each for each in places.within(folder, suffix) if "_test." not in each]:
            yield from found
            return


def _beside(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(path.rpartition("/")[0], name))


_RULES: dict[str, Callable[[str, str, ModulePaths], Iterator[str]]] = {
    "python": _python,
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "go": _named,
    "rust": _named,
    "java": _named,
    "csharp": _named,
    "php": _named,
    "c": _relative,
    "cpp": _relative,
    "ruby": _relative,
    "bash": _relative,
    "css": _relative,
    "html": _relative,
}
