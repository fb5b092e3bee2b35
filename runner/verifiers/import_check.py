"""Names that changed Python files import and that are nowhere: a program for the sandbox.

Nothing of the project is run: modules are looked for by name, in-tree ones are parsed. What the
project knows otherwise (a manifest or another file names it) is left to the tests, and so is what
stands in a ``try``, under ``TYPE_CHECKING`` or in a function.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

MOST_FILES, LARGEST = 20000, 1 << 18
MANIFESTS = re.compile(
    r"(requirements.*\.txt|pyproject\.toml|setup\.(py|cfg)|Pipfile|environment\.ya?ml)$"
)
NOWHERE = "ModuleNotFoundError: No module named '%s'"
PATH_SETTINGS = re.compile(r"((^|/)(pytest\.ini|tox\.ini|Makefile|conftest\.py)|\.ya?ml)$")
SKIPPED = {".git", "node_modules", ".venv", "venv", "__pycache__"}


def tree() -> list[str]:
    """All paths of the workspace."""
    found: list[str] = []
    for folder, folders, files in os.walk("."):
        folders[:] = [name for name in folders if name not in SKIPPED]
        found += [Path(folder, name).as_posix() for name in files]
        if len(found) > MOST_FILES:
            break
    return found


def read(path: str) -> str:
    """A file's text, or nothing."""
    file = Path(path)
    try:
        if file.is_symlink() or file.stat().st_size > LARGEST:
            return ""
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def parsed(path: str) -> ast.Module | None:
    """A file's syntax tree, or nothing."""
    try:
        return ast.parse(read(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def statements(module: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that are run when the module is, whatever happens."""
    todo: list[ast.stmt] = list(module.body)
    while todo:
        node = todo.pop(0)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, (ast.With, ast.ClassDef)):
            todo = [*node.body, *todo]


def places(name: str, paths: list[str]) -> tuple[list[str], bool]:
    """In-tree files and folders that a dotted name can mean."""
    end = name.replace(".", "/")
    files = [
        p for p in paths if ("/" + p).endswith(("/" + end + ".py", "/" + end + "/__init__.py"))
    ]
    folder = any(("/" + end + "/") in ("/" + p) for p in paths)
    return files, folder


def installed(name: str) -> bool:
    """Whether the sandbox's own Python has the module."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def known(name: str, changed: set[str], paths: list[str]) -> bool:
    """Whether the project names the package elsewhere, so that it is no invention."""
    word = re.compile(r"(?<![\w.-])" + re.escape(name).replace("_", "[-_.]") + r"(?![\w])", re.I)
    if any(word.search(read(p)) for p in paths if MANIFESTS.search(p)):
        return True
    using = re.compile(r"^\s*(?:import|from)\s+" + re.escape(name) + r"\b", re.M)
    others = [p for p in paths if p.endswith(".py") and p not in changed]
    return any(using.search(read(p)) for p in others[:2000])


def out_of_reach(name: str, files: list[str], importer: str, paths: list[str]) -> bool:
    """Whether a module lies only where Python does not look for it from a file.

    It looks in the root, in a folder of sources right below it, in folders around the importing
    file, and where a setting says so.
    """
    end = name.replace(".", "/")
    stems = (path.removesuffix(".py").removesuffix("/__init__") for path in files)
    folders = {stem.removesuffix(end).rstrip("/") for stem in stems}
    for folder in folders:
        sources = "/" not in folder and folder + "/__init__.py" not in paths
        if sources or importer.startswith(folder + "/"):
            return False
    settings = [read(p) for p in paths if MANIFESTS.search(p) or PATH_SETTINGS.search(p)]
    named = "|".join(re.escape(folder) for folder in folders)
    told = re.compile(r"sys\.path|PYTHONPATH|(?<![\w/])(?:" + named + r")(?![\w/])")
    if not folders or "sys.path" in read(importer):
        return False
    return not any(map(told.search, settings))


def defines(path: str, name: str) -> bool:
    """Whether a module has a name, as far as can be seen without running it."""
    module = parsed(path)
    return module is None or any(binds(node, name) for node in ast.walk(module))


def binds(node: ast.AST, name: str) -> bool:
    """Whether a node of a module may give it the name."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name in (name, "__getattr__")
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Store)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        bound = [alias.asname or alias.name.split(".")[0] for alias in node.names]
        return name in bound or "*" in bound
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("globals", "setattr")


def missing(name: str, importer: str, changed: set[str], paths: list[str]) -> tuple[str, list[str]]:
    """What is wrong with a module's name: its error, or nothing; and its files."""
    top = name.split(".")[0]
    files, folder = places(name, paths)
    strange = not folder and not installed(top) and not known(top, changed, paths)
    if strange and out_of_reach(name, files, importer, paths):
        return NOWHERE % top, []
    if files or folder:
        return "", files
    in_tree, as_folder = places(top, paths)
    if not in_tree and not as_folder and (installed(top) or known(top, changed, paths)):
        return "", []
    if (in_tree or as_folder) and installed(top):
        return "", []
    return NOWHERE % (name if in_tree or as_folder else top), []


def absolute(node: ast.ImportFrom, path: str) -> str:
    """The dotted name a from-import means."""
    if not node.level:
        return node.module or ""
    folder = path.split("/")[: -node.level]
    return ".".join(folder + ([node.module] if node.module else []))


def problems(path: str, changed: set[str], paths: list[str]) -> Iterator[tuple[int, str]]:
    """(line, message) of each import of a file that leads nowhere."""
    module = parsed(path)
    for node in statements(module) if module else ():
        if isinstance(node, ast.Import):
            said = [missing(alias.name, path, changed, paths)[0] for alias in node.names]
        else:
            said = imported_from(node, path, changed, paths)
        for message in said:
            if message:
                yield node.lineno, message


def imported_from(
    node: ast.ImportFrom, path: str, changed: set[str], paths: list[str]
) -> list[str]:
    """What is wrong with the module of a from-import, or with the names it wants of it."""
    name = absolute(node, path)
    if not name:
        return []
    error, files = missing(name, path, changed, paths)
    if error or len(files) != 1:
        return [error]
    form = "ImportError: cannot import name '%s' from '%s' (%s)"
    return [
        form % (alias.name, name, files[0])
        for alias in node.names
        if alias.name != "*"
        and not any(places(name + "." + alias.name, paths))
        and not defines(files[0], alias.name)
    ]


def main(changed: list[str]) -> int:
    """Print one JSON object a problem; exit 1 when there is one."""
    paths = tree()
    bad = 0
    for path in changed:
        for line, message in problems(path, set(changed), paths):
            bad = 1
            print(json.dumps({"path": path, "line": line, "message": message}))
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
