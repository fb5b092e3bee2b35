"""Find imports of changed Python files that do not exist: a program for the sandbox.

Nothing of the project is run: modules are looked for by name, in-tree ones are parsed. The standard
library and installed packages come first, as for Python itself. What a manifest or another file of
the project names is left to the tests, and so are imports in a ``try``, in a ``with``, under
``TYPE_CHECKING`` or in a function. The sandbox has nothing of Cairn: only the standard library is
imported here.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import sys
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path

MOST_FILES, LARGEST = 20000, 1 << 18
MANIFESTS = re.compile(
    r"(requirements.*\.txt|pyproject\.toml|setup\.(py|cfg)|Pipfile|environment\.ya?ml|poetry\.lock|"
    r"uv\.lock)$"
)
NOWHERE = "ModuleNotFoundError: No module named '%s'"
PATH_SETTINGS = re.compile(r"((^|/)(pytest\.ini|tox\.ini|Makefile|conftest\.py)|\.ya?ml)$")
GENERATING = re.compile(r"(^|/)(\.gitignore|meson\.build|CMakeLists\.txt|MANIFEST\.in)$")
SKIPPED = {".git", "node_modules", ".venv", "venv", "__pycache__"}
SOURCES = ("src", "lib", "python", "source")
# modules that are not a Python file: compiled, to be compiled, or only described
OPAQUE = (".so", ".pyd", ".pyx", ".pyi", ".c", ".cpp", ".cc", ".rs", ".dll")
# a module that makes names while it runs, or that says itself where its parts are
DYNAMIC = re.compile(
    r"\b(?:globals|locals|vars|setattr|exec|eval|import_module|__import__)\(|sys\.modules|__getattr__"
    r"|__dict__|__path__|meta_path"
)
# a file that stops being run before its end where something is not installed
STOPS = re.compile(r"importorskip|allow_module_level|SkipTest")
# packages that are installed under another name than they are imported by
OTHER_NAMES = {
    "yaml": "pyyaml",
    "PIL": "pillow",
    "cv2": "opencv",
    "sklearn": "scikit-learn",
    "bs4": "beautifulsoup4",
    "attr": "attrs",
    "jwt": "pyjwt",
    "git": "gitpython",
    "Crypto": "pycryptodome",
    "OpenSSL": "pyopenssl",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "rest_framework": "djangorestframework",
}


class Tree:
    """The paths of the workspace, and where a module of some name can be found."""

    def __init__(self, changed: set[str]) -> None:
        self.changed = changed
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.opaque: set[str] = set()
        self.holders: dict[str, set[str]] = {}
        for folder, folders, files in os.walk("."):
            folders[:] = [name for name in folders if name not in SKIPPED]
            here = Path(folder).as_posix()
            self._add("" if here == "." else here, folders, files)
            if len(self.files) > MOST_FILES:
                break

    def _add(self, here: str, folders: list[str], files: list[str]) -> None:
        """Learn what one folder has."""
        self.folders.add(here)
        for name in folders:
            self.holders.setdefault(name, set()).add(here)
        for name in files:
            self.files.add(joined(here, name))
            stem = name.split(".")[0]
            if name.endswith(OPAQUE):
                self.opaque.add(joined(here, stem))
            if name.endswith((".py", *OPAQUE)):
                self.holders.setdefault(stem, set()).add(here)

    @cached_property
    def settings(self) -> list[str]:
        """The texts that say what is installed and where modules are looked for."""
        return [read(p) for p in self.files if MANIFESTS.search(p) or PATH_SETTINGS.search(p)]

    @cached_property
    def manifests(self) -> list[str]:
        """The texts that name the packages the project needs."""
        return [read(p) for p in self.files if MANIFESTS.search(p)]

    @cached_property
    def generated(self) -> list[str]:
        """The texts that name files which are made when the project is built."""
        return [read(p) for p in self.files if MANIFESTS.search(p) or GENERATING.search(p)]

    @cached_property
    def anywhere(self) -> bool:
        """Whether a setting changes where modules are looked for, in a way that is not read."""
        return any("sys.path" in text or "PYTHONPATH" in text for text in self.settings)

    @cached_property
    def imported(self) -> set[str]:
        """The first names of what is imported by files, those that were not changed."""
        others = sorted(p for p in self.files if p.endswith(".py") and p not in self.changed)
        using = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.M)
        return {name for p in others[:2000] for name in using.findall(read(p))}

    def module(self, path: str) -> str:
        """The Python file of a module at a path without its ending, or ''."""
        found = (path + ".py", joined(path, "__init__.py"))
        return next((file for file in found if file in self.files), "")

    def has(self, path: str) -> bool:
        """Whether anything at a path can be imported: a file, a package, a folder."""
        return bool(self.module(path)) or path in self.folders or path in self.opaque


def joined(folder: str, name: str) -> str:
    """A path below a folder; the root is ''."""
    return folder + "/" + name if folder else name


@cache
def read(path: str) -> str:
    """A file's text, or nothing."""
    file = Path(path)
    try:
        if file.is_symlink() or file.stat().st_size > LARGEST:
            return ""
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


@cache
def parsed(path: str) -> ast.Module | None:
    """A file's syntax tree, or nothing: also of a file too large to be read."""
    text = read(path)
    try:
        if not text and Path(path).stat().st_size:
            return None
        return ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def statements(module: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that are run when the module is, whatever happens."""
    todo: list[ast.stmt] = list(module.body)
    while todo:
        node = todo.pop(0)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.ClassDef):
            todo = [*node.body, *todo]


@cache
def installed(name: str) -> bool:
    """Whether the sandbox's own Python has the module: its standard library, or a package."""
    own = ("__main__", *sys.builtin_module_names, *getattr(sys, "stdlib_module_names", ()))
    if name in own:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def known(name: str, tree: Tree) -> bool:
    """Whether the project names the package elsewhere, so that it is not invented."""
    names = "|".join(
        re.escape(each).replace("_", "[-_.]") for each in (name, OTHER_NAMES.get(name, name))
    )
    word = re.compile(r"(?<![\w.-])(?:" + names + r")(?![\w])", re.I)
    return name in tree.imported or any(map(word.search, tree.manifests))


def reachable(folder: str, importer: str, tree: Tree) -> bool:
    """Whether Python can look for modules in a folder when it runs a file.

    It looks in the root, in a folder of sources, in folders around the importing file, and where a
    setting says so.
    """
    if not folder or importer.startswith(folder + "/"):
        return True
    if tree.anywhere or any("sys.path" in read(path) for path in (importer, *around(importer))):
        return True
    if is_package(folder, tree):
        return False
    above, _, last = folder.rpartition("/")
    here = [joined(f, name) for f in (folder, above) for name in ("pyproject.toml", "setup.py")]
    named = re.compile(r"(?<![\w/])" + re.escape(folder) + r"(?![\w/])")
    sources = not above or last in SOURCES or any(path in tree.files for path in here)
    return sources or any(map(named.search, tree.settings))


def around(path: str) -> Iterator[str]:
    """The packages that contain a file: their code runs before its own."""
    folder = path.rpartition("/")[0]
    while folder:
        yield joined(folder, "__init__.py")
        folder = folder.rpartition("/")[0]


def is_package(folder: str, tree: Tree) -> bool:
    """Whether a folder is a package: modules in it are imported by its name, not by their own."""
    return joined(folder, "__init__.py") in tree.files


def made_elsewhere(folder: str, parts: list[str], tree: Tree) -> bool:
    """Whether a module that is not there may come into being when the project is built or run."""
    path = folder
    for part in parts:
        path = joined(path, part)
        file = tree.module(path)
        if path in tree.opaque or (file and (parsed(file) is None or DYNAMIC.search(read(file)))):
            return True
    name = re.compile(r"(?<![\w-])" + re.escape(parts[-1]) + r"\.(?:py|pyx|so|\*)(?![\w])")
    return any(map(name.search, tree.generated))


def missing(name: str, importer: str, tree: Tree) -> tuple[str, list[str]]:
    """What is wrong with a module's name: its error, or nothing; and where it can be."""
    parts = name.split(".")
    if installed(parts[0]):
        return "", []
    roots = [r for r in sorted(tree.holders.get(parts[0], ())) if reachable(r, importer, tree)]
    # the modules of a package are imported by its name: one of this name may be another's
    roots = [r for r in roots if tree.anywhere or not is_package(r, tree)]
    if not roots:
        return ("" if known(parts[0], tree) else NOWHERE % parts[0]), []
    found = [joined(root, "/".join(parts)) for root in roots]
    there = [path for path in found if tree.has(path)]
    if there or any(made_elsewhere(root, parts, tree) for root in roots):
        return "", there
    return NOWHERE % name, []


def beside(node: ast.ImportFrom, importer: str, tree: Tree) -> tuple[str, str, list[str]]:
    """The dotted name a relative import means, what is wrong with it, and where it is."""
    folders = importer.split("/")[:-1]
    if node.level - 1 > len(folders):
        return "", "", []
    folders = folders[: len(folders) - node.level + 1]
    parts = node.module.split(".") if node.module else []
    path, name = "/".join([*folders, *parts]), ".".join([*folders, *parts])
    if not parts or tree.has(path) or made_elsewhere("/".join(folders), parts, tree):
        return name, "", [path]
    return name, NOWHERE % name, []


def defines(path: str, name: str) -> bool:
    """Whether a module has a name, as far as can be seen without running it."""
    module = parsed(path)
    if module is None or DYNAMIC.search(read(path)) or (name[:2] == name[-2:] == "__"):
        return True
    return any(binds(node, name) for node in ast.walk(module))


def binds(node: ast.AST, name: str) -> bool:
    """Whether a node of a module may give it the name."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name == name
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Store)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        bound = [alias.asname or alias.name.split(".")[0] for alias in node.names]
        return name in bound or "*" in bound
    # a text may be a name that is listed somewhere, and a pattern or handler binds one
    return getattr(node, "value", None) == name or getattr(node, "name", None) == name


def imported_from(node: ast.ImportFrom, importer: str, tree: Tree) -> list[str]:
    """What is wrong with the module of a from-import, or with the names it wants of it."""
    if node.level:
        name, error, found = beside(node, importer, tree)
    else:
        name = node.module or ""
        error, found = missing(name, importer, tree)
    if error or len(found) != 1 or not tree.module(found[0]):
        return [error]
    file = tree.module(found[0])
    form = "ImportError: cannot import name '%s' from '%s' (%s)"
    return [
        form % (alias.name, name, file)
        for alias in node.names
        if alias.name != "*" and file != importer
        if not tree.has(joined(found[0], alias.name)) and not defines(file, alias.name)
        if not made_elsewhere(found[0], [alias.name], tree)
    ]


def problems(path: str, tree: Tree) -> Iterator[tuple[int, str]]:
    """(line, message) of each import of a file that leads nowhere."""
    module = None if STOPS.search(read(path)) else parsed(path)
    for node in statements(module) if module else ():
        if isinstance(node, ast.Import):
            lines = [missing(alias.name, path, tree)[0] for alias in node.names]
        else:
            lines = imported_from(node, path, tree)
        for message in lines:
            if message:
                yield node.lineno, message


def main(changed: list[str]) -> int:
    """Print one JSON object a problem; exit 1 when there is one."""
    tree = Tree(set(changed))
    bad = 0
    for path in changed:
        for line, message in problems(path, tree):
            bad = 1
            print(json.dumps({"path": path, "line": line, "message": message}))
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
