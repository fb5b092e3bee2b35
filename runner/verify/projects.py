"""Which tools have tests in a tree: at its root, and in the projects below it (``packages/*``).

A folder with a manifest of its own is a project. Its tests are run there, as a person would, unless
the root's own tests reach them. A change concerns the projects it touches and those that name one
of these among what they need.
"""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from runner.code.languages import is_pytest_module
from runner.ports import SandboxSession
from runner.state.findings import Level
from runner.verify.commands import TOOLS
from runner.verify.folders import below, opened, placed, reader
from runner.verify.judging import Read, Tool
from runner.verify.python_layout import MANIFESTS, PythonLayout, layout_of
from runner.verify.release_version import normal
from runner.verify.tools.go import Go
from runner.verify.tools.node import Node, files_for, reaches_packages, starts_packages
from runner.verify.tools.python import CONFIGURATION, PLAIN, Pytest, plain_modules, testpaths
from runner.verify.tools.ruby import MAKEFILES, Make, Script

MOST = 100
"""So many projects of a tree are looked at."""

_DEEPEST = 4
_MARKS: Final[Mapping[str, tuple[str, ...]]] = {
    "pytest": (*MANIFESTS, "pytest.ini", "tox.ini", "requirements.txt"),
    "node": ("package.json",),
    "cargo": ("Cargo.toml",),
    "go": ("go.mod",),
    "maven": ("pom.xml",),
    "gradle": ("build.gradle", "build.gradle.kts"),
    "rspec": ("Gemfile",),
    "minitest": ("Gemfile",),
    "phpunit": ("composer.json",),
}
_ANY_MARK = frozenset(name for names in _MARKS.values() for name in names)
# what lies there is material for tests, an example, or somebody else's
_NO_PROJECT = re.compile(
    r"(^|/)(\.[^/]*|node_modules|vendor|third[_-]party|tests?|testing|__tests__|__fixtures__"
    r"|fixtures?|testdata|examples?|samples?|demos?|docs?|benchmarks?|templates?|dist|build)(/|$)"
)


def configuration(paths: Iterable[str]) -> list[str]:
    """The files whose content tells which tests a tree has, at its root and in its projects."""
    folders = {"", *project_folders(paths)}
    names = {*CONFIGURATION, *MANIFESTS} - {*MAKEFILES, *PLAIN}
    inner = (path for path in paths if path.rpartition("/")[2] in names)
    return sorted({*CONFIGURATION, *(p for p in inner if posixpath.dirname(p) in folders)})


def project_files(paths: Collection[str], name: str) -> list[str]:
    """The files of this name in the projects below the root."""
    return [path for folder in project_folders(paths) if (path := f"{folder}/{name}") in paths]


def tools_of(
    paths: Collection[str], read: Read, *, tools: Sequence[Tool] = TOOLS
) -> tuple[Tool, ...]:
    """Return what can run the tests of a tree; a makefile or script starts what others start too.

    ``read`` knows the files of ``configuration``.
    """
    plain = plain_modules(paths, read)
    at_root = [
        replace(tool, files=plain) if isinstance(tool, Pytest) else tool
        for tool in tools
        if tool.found(paths, read)
    ]
    inner = [
        inside
        for folder in project_folders(paths)
        for inside in _inside(folder, paths, read, tools)
        if not _reached(inside, at_root, paths, read)
    ]
    found = (*_rest(at_root, inner, paths, read), *inner)
    last = (Make.name, Script.name)
    return tuple(tool for tool in found if tool.name not in last) or found[:1]


def concerned(tools: Sequence[Tool], touched: Collection[str]) -> tuple[Tool, ...]:
    """Those of ``tools`` whose tests a change of these files may turn: all of the root's.

    Where only projects have tests, a file that belongs to none of them concerns them all.
    """
    inner = [tool for tool in tools if isinstance(tool, Inside)]
    owners = {_owner(path, inner) for path in touched}
    if len(inner) == len(tools) and "" in owners:
        return tuple(tools)
    folders = _with_dependents(owners - {""}, inner)
    return tuple(t for t in tools if not isinstance(t, Inside) or t.folder in folders)


def named_in(tools: Sequence[Tool], words: str) -> tuple[Tool, ...]:
    """Those of ``tools`` that tasks with these words are about: the root's, and what they name."""
    return tuple(t for t in tools if not isinstance(t, Inside) or f"{t.folder}/" in words)


def pytest_of(tools: Sequence[Tool], files: Collection[str]) -> Tool | None:
    """The pytest that runs all these files: that of the project they belong to, or the root's."""
    return _of_kind(Pytest().name, tools, files)


def node_of(tools: Sequence[Tool], files: Collection[str]) -> Tool | None:
    """What runs all these files of JavaScript: that of their package, or the root's."""
    return _of_kind(Node().name, tools, files)


def _of_kind(kind: str, tools: Sequence[Tool], files: Collection[str]) -> Tool | None:
    inner = [tool for tool in tools if isinstance(tool, Inside)]
    owners = {_owner(path, inner) for path in files}
    if len(owners) > 1:
        return None
    folder = next(iter(owners), "")
    name = f"{kind} in {folder}" if folder else kind
    return next((tool for tool in tools if tool.name == name), None)


def is_pytest(tool: Tool) -> bool:
    """Whether it is pytest, at the root or in a project below it."""
    return isinstance(tool.tool if isinstance(tool, Inside) else tool, Pytest)


def running(
    tools: Sequence[Tool], files: Sequence[str], paths: Collection[str], read: Read
) -> tuple[tuple[Tool, tuple[str, ...]], ...]:
    """Return the tools that can run some of these test files by themselves, and which.

    ``paths`` are all files of the tree; the order of ``files`` is kept.
    """
    inner = [tool for tool in tools if isinstance(tool, Inside)]
    found: list[tuple[Tool, tuple[str, ...]]] = []
    for tool in tools:
        folder = tool.folder if isinstance(tool, Inside) else ""
        start = f"{folder}/" if folder else ""
        own = [path.removeprefix(start) for path in files if _owner(path, inner) == folder]
        there, reading = (below(folder, paths), reader(folder, read)) if start else (paths, read)
        kind = tool.tool if isinstance(tool, Inside) else tool
        if taken := _taken(kind, own, there, reading):
            found.append((tool, tuple(f"{start}{path}" for path in taken)))
    return tuple(found)


def _taken(tool: Tool, files: Sequence[str], paths: Collection[str], read: Read) -> tuple[str, ...]:
    """The files that a tool would run in any case, and can run alone."""
    if isinstance(tool, Pytest):
        wanted = testpaths(paths, read) or ()
        modules = (path for path in files if is_pytest_module(path))
        return tuple(p for p in modules if not wanted or any(_meets(w, p) for w in wanted))
    if isinstance(tool, Node):
        return files_for(read("package.json"), files)
    if isinstance(tool, Go):
        return tuple(path for path in files if path.endswith("_test.go"))
    return ()


@dataclass(frozen=True, slots=True)
class Inside:
    """The ``Tool`` of a project below the root; ``paths`` are the project's own files.

    ``called`` is the name by which other projects need it, ``needs`` what it needs itself.
    """

    folder: str
    tool: Tool
    paths: frozenset[str]
    layout: PythonLayout
    called: str = ""
    needs: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """What the level is marked with."""
        return f"{self.tool.name} in {self.folder}"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether a tree has this project with its tests."""
        return self.tool.found(below(self.folder, paths), reader(self.folder, read))

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run the project's tests in its folder, or ``only`` these."""
        own = [name.removeprefix(f"{self.folder}/") for name in only]
        inner = await self.opened(session)
        return self._placed(await self.tool.run(inner, timeout=timeout, only=own))

    async def start(self, session: SandboxSession, *, timeout: float) -> Level:
        """Say whether the project's tests can begin; those of pytest are collected only."""
        if not isinstance(self.tool, Pytest):
            return await self.run(session, timeout=timeout)
        return self._placed(await self.tool.start(await self.opened(session), timeout=timeout))

    async def opened(self, session: SandboxSession) -> SandboxSession:
        """Return a session in the project's folder, whose commands can import the project."""
        return await opened(
            session, self.folder, self.layout if isinstance(self.tool, Pytest) else None
        )

    def _placed(self, level: Level) -> Level:
        """The level with paths as the repository has them."""
        command = ("cd", self.folder, "&&", *level.command)
        level = placed(level, self.folder, self.paths)
        return replace(level, tool=self.name, command=command)


def project_folders(paths: Iterable[str]) -> list[str]:
    """The folders below the root that have a manifest and may be projects."""
    marked = {f for f, _, name in (p.rpartition("/") for p in paths) if name in _ANY_MARK} - {""}
    near = (folder for folder in marked if folder.count("/") < _DEEPEST)
    return sorted(folder for folder in near if not _NO_PROJECT.search(folder))[:MOST]


def _inside(
    folder: str, paths: Collection[str], read: Read, tools: Sequence[Tool]
) -> Iterator[Inside]:
    inner, own = below(folder, paths), reader(folder, read)
    for tool in tools:
        if _marked(tool, inner) and tool.found(inner, own):
            # an answer may bring any module: none of them stands for an installed one
            layout = replace(layout_of(inner, own), own=())
            called, needs = _package(tool, own)
            yield Inside(folder, tool, inner, layout, called, needs)


def _marked(tool: Tool, paths: Collection[str]) -> bool:
    return any(mark in paths for mark in _MARKS.get(tool.name, ()))


def _reached(inside: Inside, at_root: Sequence[Tool], paths: Collection[str], read: Read) -> bool:
    """Whether the root's own tests are those of the project, too."""
    name = inside.tool.name
    if name not in {tool.name for tool in at_root}:
        return False
    if name == "pytest":
        wanted = testpaths(paths, read)
        return wanted is not None and (not wanted or any(_meets(w, inside.folder) for w in wanted))
    if name == "node":
        return reaches_packages(read("package.json"), read(f"{inside.folder}/package.json"))
    return name != "go" and _marked(inside.tool, paths)


def _meets(wanted: str, folder: str) -> bool:
    """Whether a path of ``testpaths`` is the folder, or one above or below it."""
    wanted = wanted.strip("./").rstrip("/")
    both = zip(wanted.split("/"), folder.split("/"), strict=False)
    return not wanted or all(fnmatchcase(part, pattern) for pattern, part in both)


def _rest(
    at_root: Sequence[Tool], inner: Sequence[Inside], paths: Collection[str], read: Read
) -> Iterator[Tool]:
    """The root's tools without the tests that projects run themselves."""
    for tool in at_root:
        folders = tuple(each.folder for each in inner if each.tool.name == tool.name)
        rest = [path for path in paths if not path.startswith(tuple(f"{f}/" for f in folders))]
        if not folders:
            yield tool
        elif tool.name == "node" and starts_packages(read("package.json")):
            continue
        elif tool.found(rest, read):
            yield replace(tool, ignored=folders) if isinstance(tool, Pytest) else tool


def _owner(path: str, inner: Sequence[Inside]) -> str:
    """The folder of the project that a file belongs to; '' for a file of the root's."""
    folders = {tool.folder for tool in inner if path.startswith(f"{tool.folder}/")}
    return max(folders, key=len, default="")


def _with_dependents(folders: Collection[str], inner: Sequence[Inside]) -> frozenset[str]:
    found, size = set(folders), -1
    while size != len(found):
        size = len(found)
        called = {tool.called for tool in inner if tool.folder in found} - {""}
        found |= {tool.folder for tool in inner if tool.needs & called}
    return frozenset(found)


def _package(tool: Tool, read: Read) -> tuple[str, frozenset[str]]:
    """By what name others need a project, and what it needs, as its manifest says."""
    if tool.name == "node":
        data = _loaded(read("package.json"), json.loads)
        groups = ("dependencies", "devDependencies", "peerDependencies")
        needs = {name for group in groups for name in _table(data.get(group))}
        return str(data.get("name") or ""), frozenset(needs)
    if tool.name == "pytest":
        project = _table(_loaded(read("pyproject.toml"), tomllib.loads).get("project"))
        asked = project.get("dependencies")
        lines = [each for each in asked if isinstance(each, str)] if isinstance(asked, list) else []
        names = (re.split(r"[^\w.-]", line.strip(), maxsplit=1)[0] for line in lines)
        return normal(str(project.get("name") or "")), frozenset(map(normal, names))
    return "", frozenset()


def _loaded(content: bytes | None, load: Any) -> Mapping[str, Any]:
    try:
        return _table(load((content or b"").decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return {}


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
