"""How a Python project is imported, read from its own files: where its modules are, its name and
version, its entry points, and the files that its build writes. Pure.

https://packaging.python.org/en/latest/specifications/pyproject-toml/
"""

from __future__ import annotations

import configparser
import posixpath
import re
import sys
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from runner.text.patterns import lazy_pattern
from runner.verify.release_version import release_version

PYPROJECT, SETUP_CFG, SETUP_PY = "pyproject.toml", "setup.cfg", "setup.py"
MANIFESTS = (PYPROJECT, SETUP_CFG, SETUP_PY)
"""The files that make a folder a Python project."""

Read = Callable[[str], bytes | None]

# pytest judges the answer: it is never taken from the workspace
_JUDGES = frozenset({"pytest", "_pytest"})
_ROOTS = lazy_pattern(
    r"\b(?:package[-_]dir|where|from|python-source|module-root|packages|sources|"
    r"find(?:_namespace)?_packages)\b['\"]?\s*[=:(]\s*(\[[^\]]{0,2000}\]|[^\n]*(?:\n[ \t]+[^\n]*)?)"
)
"""Where a build back end is told which folders have modules, or which folders are packages."""
_WORD = re.compile(r"[\w./-]+")
_WRITE_TO = lazy_pattern(
    r"\b(?:write_to|version[-_]file)\b['\"]?\s*[:=]\s*['\"]([\w./-]+\.py)['\"]"
)
_FALLBACK = lazy_pattern(r"\bfallback[-_]version\b['\"]?\s*[:=]\s*['\"]([\w.+!-]+)['\"]")
_SAYS_VERSION = r"(?:{})(?:\.py|/(?:__init__|_*version_*|_*about_*)\.py)"
_ARGUMENT = r"^\s*{}\s*=\s*['\"]([\w.+!-]+)['\"]"
_VERSION_VARIABLES = {
    "setuptools-scm": "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{}",
    "use-scm-version": "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{}",
    "flit-scm": "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{}",
    "hatch-vcs": "SETUPTOOLS_SCM_PRETEND_VERSION",
    "pdm-backend": "PDM_BUILD_SCM_VERSION",
    "pbr": "PBR_VERSION",
}
"""What build tools read a version from instead of git's tags; ``{}`` is the project's name."""

_LITERAL = lazy_pattern(r"\d[\w.+!-]*")
_COMPILED = lazy_pattern(
    r"\.(?:c|h|cc|hh|cpp|hpp|cxx|hxx|pyx|pxd|pxi|rs|f|f90|f95)$|(?:^|/)(?:meson\.build|CMakeLists\.txt)$"
)
_COMPILERS = (
    *("ext-modules", "cythonize", "rust-extensions", "cffi-modules", "setuptools-rust", "maturin"),
    *("meson-python", "scikit-build", "py-build-cmake", "cython", "pybind11", "nanobind", "sip"),
)
"""What a ``setup.py`` or the build requirements of a project with compiled modules say."""


@dataclass(frozen=True, slots=True)
class PythonLayout:
    """How a project is imported.

    ``roots`` are the folders with its modules, besides the repository's own folder; ``own`` are its
    top-level modules, which an installed copy must not replace. ``version`` is '' where the
    manifests do not say it; ``version_from`` are files that may. ``version_files`` are written by
    the build and not in the tree. ``entry_points`` go by group and name.
    """

    name: str = ""
    version: str = ""
    version_from: tuple[str, ...] = ()
    version_files: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    entry_points: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.name or self.roots or self.version_files)


def layout_of(paths: Collection[str], read: Read) -> PythonLayout:
    """Return how the Python project at the root of a tree is imported; false if there is none.

    ``read`` knows the ``MANIFESTS``. Files that cannot be read are ignored.
    """
    manifests = _Manifests(read)
    if not manifests.any:
        return PythonLayout()
    roots = tuple(root for root in dict.fromkeys(manifests.roots()) if _usable(root, paths))
    name = manifests.name
    modules = {module for root in roots for module in _modules(root, paths)}
    modules |= _modules("", paths) & {re.sub(r"[-.]+", "_", name).lower()}
    starts = "|".join(f"{re.escape(root)}/" for root in roots)
    says = re.compile(f"(?:{starts}|)" + _SAYS_VERSION.format("|".join(map(re.escape, modules))))
    return PythonLayout(
        name=name,
        version=manifests.version,
        version_from=tuple(sorted(path for path in paths if says.fullmatch(path))),
        version_files=tuple(path for path in manifests.version_files if path not in paths),
        roots=roots,
        own=tuple(sorted(modules - sys.stdlib_module_names - _JUDGES)),
        entry_points=manifests.entry_points,
    )


def version_variables(read: Read, *, tags: Iterable[str] = ()) -> dict[str, str]:
    """Return variables that tell a build the version which it would work out from git's tags.

    The trees that setup commands see have no history, so such a build would fail there.
    """
    manifests = _Manifests(read)
    requires = _texts(table(manifests.pyproject, "build-system").get("requires"))
    text = " ".join((*requires, manifests.setup_py)).lower().replace("_", "-")
    own = re.sub(r"[-_.]+", "_", manifests.name).upper()
    names = {name for word, name in _VERSION_VARIABLES.items() if word in text}
    fallback = (_FALLBACK.findall(manifests.text) or [""])[0]
    version = release_version(manifests.name, tags=tags, fallback=fallback)
    return {name.format(own): version for name in names if own or "{}" not in name}


def compiled_sources(paths: Collection[str], read: Read) -> frozenset[str]:
    """Return the files that the build of the Python project at the root compiles.

    None where it builds no extension module, or where there is no such project.
    """
    manifests = _Manifests(read)
    requires = _texts(table(manifests.pyproject, "build-system").get("requires"))
    text = " ".join((*requires, manifests.setup_py)).lower().replace("_", "-")
    builds = any(re.search(rf"(?<![\w-]){word}", text) for word in _COMPILERS)
    if not builds and not table(manifests.tool, "setuptools").get("ext-modules"):
        return frozenset()
    return frozenset(path for path in paths if _COMPILED.search(path))


class _Manifests:
    """What ``pyproject.toml``, ``setup.cfg`` and ``setup.py`` say together."""

    def __init__(self, read: Read) -> None:
        found = {path: content for path in MANIFESTS if (content := read(path)) is not None}
        self.pyproject = _toml(found.get(PYPROJECT, b""))
        self.setup_cfg = _ini(found.get(SETUP_CFG, b""))
        self.setup_py = found.get(SETUP_PY, b"").decode("utf-8", "replace")
        self.text = "\n".join(content.decode("utf-8", "replace") for content in found.values())
        self.project = table(self.pyproject, "project")
        self.tool = table(self.pyproject, "tool")
        self.poetry = table(self.tool, "poetry")

    @property
    def any(self) -> bool:
        """Whether one of them describes a project: settings of tools alone do not."""
        described = self.project or self.poetry or table(self.pyproject, "build-system")
        return bool(described or self._cfg("metadata", "name") or self.setup_py)

    @property
    def name(self) -> str:
        """The name it is installed by, '' where it is worked out by code."""
        parts = (self.project.get("name"), self.poetry.get("name"), self._cfg("metadata", "name"))
        return _first(parts) or self._argument("name")

    @property
    def version(self) -> str:
        """The version, where it is written down there."""
        cfg = self._cfg("metadata", "version")
        parts = (self.project.get("version"), self.poetry.get("version"))
        literal = _first(parts) or self._argument("version") or cfg
        return literal if _LITERAL.fullmatch(literal) else ""

    @property
    def version_files(self) -> tuple[str, ...]:
        """Files the build writes the version into."""
        found = map(_inside, _WRITE_TO.findall(self.text))
        return tuple(dict.fromkeys(path for path in found if path))

    @property
    def entry_points(self) -> dict[str, dict[str, str]]:
        """Programs and plug-ins, by group and name."""
        groups = {
            "console_scripts": self.project.get("scripts") or self.poetry.get("scripts"),
            "gui_scripts": self.project.get("gui-scripts"),
            **table(self.project, "entry-points"),
            **table(self.poetry, "plugins"),
            **{group: _lines(text) for group, text in self._section("options.entry_points")},
        }
        clean = {group: _strings(points) for group, points in groups.items()}
        return {group: points for group, points in clean.items() if points}

    def roots(self) -> Iterator[str]:
        """What may be folders of modules: those that are named, and ``src``."""
        for value in _ROOTS.findall(self.text):
            for word in _WORD.findall(value.partition("exclude")[0]):
                yield from map(_inside, (word, posixpath.dirname(word)))
        yield "src"

    def _cfg(self, section: str, key: str) -> str:
        return self.setup_cfg.get(section, key, fallback="").strip()

    def _section(self, name: str) -> list[tuple[str, str]]:
        return self.setup_cfg.items(name) if self.setup_cfg.has_section(name) else []

    def _argument(self, name: str) -> str:
        found = re.search(_ARGUMENT.format(name), self.setup_py, re.MULTILINE)
        return found[1] if found else ""


def table(values: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return the table below ``keys``, or an empty one."""
    for key in keys:
        below = values.get(key)
        if not isinstance(below, dict):
            return {}
        values = below
    return values


def _toml(content: bytes) -> Mapping[str, Any]:
    try:
        return tomllib.loads(content.decode("utf-8", "replace"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _ini(content: bytes) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False, default_section="\0")
    try:
        parser.read_string(content.decode("utf-8", "replace"))
    except configparser.Error:
        parser.clear()
    return parser


def _usable(root: str, paths: Collection[str]) -> bool:
    """Whether a folder holds modules, none of which would hide one of the standard library.

    The modules of a package are imported by its name.
    """
    found = (
        _modules(root, paths)
        if root and not {f"{root}/__init__.py", f"{root}/{root}.py"} & set(paths)
        else set()
    )
    return bool(found) and not found & sys.stdlib_module_names


def _modules(root: str, paths: Collection[str]) -> set[str]:
    """The names that can be imported from a folder: its modules, and folders with any."""
    start = f"{root}/" if root else ""
    inner = (p.removeprefix(start) for p in paths if p.startswith(start) and p.endswith(".py"))
    return {
        name for path in inner if (name := path.split("/")[0].removesuffix(".py")).isidentifier()
    }


def _inside(path: str) -> str:
    """A path as trees have it; '' for one that leads out."""
    clean = posixpath.normpath(path) if path else ""
    return "" if clean.startswith(("..", "/")) or clean == "." else clean


def _lines(text: str) -> dict[str, str]:
    """The pairs of a value in several lines: ``name = value``."""
    pairs = (line.split("=", 1) for line in text.split("\n") if "=" in line)
    return {key.strip(): value.strip() for key, value in pairs}


def _strings(points: object) -> dict[str, str]:
    pairs = points.items() if isinstance(points, Mapping) else ()
    found = ((name, value) for name, value in pairs if isinstance(name, str))
    return {name: value for name, value in found if isinstance(value, str) and "\n" not in value}


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _first(values: Collection[object]) -> str:
    """The first text that says something."""
    return next((value for value in values if isinstance(value, str) and value), "")
