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
_PATH = r"['\"]([\w./-]+)['\"]"
_PACKAGE_DIR = lazy_pattern(r"package_dir\s*=\s*\{\s*['\"]{2}\s*:\s*" + _PATH)
_FIND = lazy_pattern(r"find(?:_namespace)?_packages\(\s*(?:where\s*=\s*)?" + _PATH)
_WRITE_TO = lazy_pattern(r"['\"]?\b(?:write_to|version_file)\b['\"]?\s*[:=]\s*" + _PATH)
_ARGUMENT = r"^\s*{}\s*=\s*['\"]([\w.+!-]+)['\"]"
_FROM_GIT = ("setuptools_scm", "use_scm_version", "vcs", "versioningit")
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
    roots = tuple(root for root in dict.fromkeys(_roots(manifests, paths)) if _usable(root, paths))
    name = manifests.name
    modules = {module for root in roots for module in _modules(root, paths)}
    modules |= _modules("", paths) & {_module_name(name)}
    return PythonLayout(
        name=name,
        version=manifests.version,
        version_from=tuple(_version_sources(manifests, paths, roots)),
        version_files=tuple(path for path in manifests.version_files if path not in paths),
        roots=roots,
        own=tuple(sorted(modules - sys.stdlib_module_names - _JUDGES)),
        entry_points=manifests.entry_points,
    )


def version_variables(
    read: Read, *, tags: Iterable[str] = (), told: Mapping[str, bytes] | None = None
) -> dict[str, str]:
    """Return variables that tell a build the version which it would work out from git's tags.

    The trees that setup commands see have no history, so such a build would fail there. ``told``
    are the contents of ``telling_files``.
    """
    manifests = _Manifests(read)
    requires = _texts(table(manifests.pyproject, "build-system").get("requires"))
    text = " ".join((*requires, manifests.setup_py)).lower().replace("_", "-")
    own = re.sub(r"[-_.]+", "_", manifests.name).upper()
    names = {name for word, name in _VERSION_VARIABLES.items() if word in text}
    back = manifests.fallback_version
    version = release_version(manifests.name, tags=tags, told=told or {}, fallback=back)
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
    def fallback_version(self) -> str:
        """The version for a build that finds no tag."""
        scm = table(self.tool, "setuptools_scm").get("fallback_version")
        hatch = table(self.tool, "hatch", "version").get("fallback-version")
        pdm = table(self.tool, "pdm", "version").get("fallback_version")
        return _first((scm, hatch, pdm)) or self._argument("fallback_version")

    @property
    def version_attribute(self) -> str:
        """The module whose attribute is the version (``package.about``)."""
        dynamic = table(self.tool, "setuptools", "dynamic", "version").get("attr")
        cfg = self._cfg("metadata", "version").partition("attr:")[2]
        return _first((dynamic, cfg.strip())).rpartition(".")[0]

    @property
    def version_path(self) -> str:
        """The file that has the version."""
        hatch, pdm = table(self.tool, "hatch", "version"), table(self.tool, "pdm", "version")
        return _first((hatch.get("path"), pdm.get("path")))

    @property
    def module(self) -> str:
        """The module that is named after another name than the project's."""
        flit = table(self.tool, "flit", "module").get("name")
        return _first((flit, table(self.tool, "flit", "metadata").get("module")))

    @property
    def version_files(self) -> tuple[str, ...]:
        """Files the build writes the version into."""
        scm = table(self.tool, "setuptools_scm")
        vcs = table(self.tool, "hatch", "build", "hooks", "vcs")
        paths = [scm.get("version_file"), scm.get("write_to"), vcs.get("version-file")]
        paths += [table(self.tool, "pdm", "version").get("write_to")]
        paths += [table(self.tool, "versioningit", "write").get("file")]
        if any(word in self.setup_py for word in _FROM_GIT):
            paths += _WRITE_TO.findall(self.setup_py)
        found = [_inside(path) for path in paths if isinstance(path, str)]
        return tuple(dict.fromkeys(path for path in found if path.endswith(".py")))

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
        """Folders of modules, as each build back end calls them."""
        setuptools = table(self.tool, "setuptools")
        yield _first((table(setuptools, "package-dir").get(""),))
        yield from _texts(table(setuptools, "packages", "find").get("where"))
        yield from (_lines(self._cfg("options", "package_dir")).get("", ""),)
        yield self._cfg("options.packages.find", "where")
        yield from _PACKAGE_DIR.findall(self.setup_py)
        yield from _FIND.findall(self.setup_py)
        packages = self.poetry.get("packages")
        for package in packages if isinstance(packages, list) else ():
            yield _first((package.get("from") if isinstance(package, dict) else "",))
        wheel = table(self.tool, "hatch", "build", "targets", "wheel")
        yield from map(posixpath.dirname, _texts(wheel.get("packages")))
        yield from _texts(wheel.get("sources"))
        yield _first((table(self.tool, "pdm", "build").get("package-dir"),))
        yield _first((table(self.tool, "uv", "build-backend").get("module-root"),))
        yield _first((table(self.tool, "maturin").get("python-source"),))

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


def _roots(manifests: _Manifests, paths: Collection[str]) -> Iterator[str]:
    """The folders that are named, and ``src``, which every back end looks into."""
    for root in manifests.roots():
        yield _inside(root)
    if not any(path in ("src/__init__.py", "src/src.py") for path in paths):
        yield "src"


def _usable(root: str, paths: Collection[str]) -> bool:
    """Whether a folder holds modules, none of which would hide one of the standard library."""
    found = _modules(root, paths) if root not in ("", ".") else set()
    return bool(found) and not found & sys.stdlib_module_names


def _modules(root: str, paths: Collection[str]) -> set[str]:
    """The names that can be imported from a folder: its modules, and folders with any."""
    start = f"{root}/" if root else ""
    inner = (p.removeprefix(start) for p in paths if p.startswith(start) and p.endswith(".py"))
    return {
        name for path in inner if (name := path.split("/")[0].removesuffix(".py")).isidentifier()
    }


def _version_sources(
    manifests: _Manifests, paths: Collection[str], roots: Collection[str]
) -> Iterator[str]:
    """Files that may say ``__version__ = "1.2"``, the likeliest first."""
    if manifests.version_path:
        yield _inside(manifests.version_path)
    name = manifests.module or _module_name(manifests.name)
    modules = [manifests.version_attribute.replace(".", "/"), name]
    for root in ("", *roots):
        for module in filter(None, modules):
            path = posixpath.join(root, module)
            known = (
                f"{path}.py",
                f"{path}/__init__.py",
                f"{path}/__version__.py",
                f"{path}/__about__.py",
            )
            yield from (each for each in known if each in paths)


def _module_name(name: str) -> str:
    return re.sub(r"[-.]+", "_", name).lower()


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
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]


def _first(values: Collection[object]) -> str:
    """The first text that says something."""
    return next((value for value in values if isinstance(value, str) and value), "")
