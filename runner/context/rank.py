"""Which files matter for a task, and which files use what it is going to change."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from runner.code.imports import ModulePaths, imported
from runner.code.languages import language_of
from runner.context.facts import FileFacts
from runner.context.library import Library
from runner.context.search import names_in, terms

_NAME = re.compile(r"[^\W\d]\w*")
_SAME_NAME = 4
"""A name with more definitions than this says nothing about where."""

_TEXT, _DEFINES, _USES, _NAMESAKE, _SAYS, _NEIGHBOUR = 5.0, 6.0, 3.0, 3.0, 4.0, 0.2
_STUBS = (".pyi", ".d.ts")
_DOTTED = re.compile(r"\b([^\W\d]\w*)\.([^\W\d]\w*)")
_SPREAD_FROM = 25


@dataclass(frozen=True, slots=True)
class RankTarget:
    """A definition the task names: its ``name`` and the file that has it."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """``scores`` by path; ``targets`` are what changes, ``users`` (path → names) who is hit."""

    scores: Mapping[str, float]
    targets: tuple[RankTarget, ...]
    users: Mapping[str, tuple[str, ...]]


def ranked(library: Library, text: str, *, named: Sequence[str] = ()) -> Ranking:
    """Weigh files by the words of a task, the definitions it names and who imports whom.

    ``named`` are files it is about; their own definitions are recognised by plain words, too.
    ``near`` are files near to it by meaning, the nearest first (empty: nobody asked).
    """
    targets = _targets(library, text, named)
    users = _users(library, targets, named)
    words = library.search.scores(terms(text))
    scores = {path: _TEXT * score for path, score in words.items()}
    for target in targets:
        scores[target.path] = scores.get(target.path, 0.0) + _DEFINES
    for path in users:
        scores[path] = scores.get(path, 0.0) + _USES
    for path in _namesakes(library, text):
        scores[path] = scores.get(path, 0.0) + _NAMESAKE
    return Ranking(_spread(library, scores), targets, users)


def _targets(library: Library, text: str, named: Sequence[str]) -> tuple[RankTarget, ...]:
    plain = set(_NAME.findall(text))
    of_named = [
        RankTarget(path, definition.name)
        for path in named
        if path in library.facts
        for definition in library.facts[path].symbols.definitions
        if definition.name in plain
    ]
    taken = {target.name for target in of_named}
    others = [
        RankTarget(path, name)
        for name in names_in(text)
        if name not in taken and len(definers := library.definers(name)) <= _SAME_NAME
        for path in definers
    ]
    others.sort(key=lambda target: target.path.endswith(_STUBS))
    methods = [target for target in _methods(library, text) if target.name not in taken]
    return tuple(dict.fromkeys([*of_named, *methods, *others]))[:40]


def _methods(library: Library, text: str) -> Iterator[RankTarget]:
    """What ``Class.method`` names, however many others define a method of that name."""
    for outer, name in dict.fromkeys(_DOTTED.findall(text)):
        both = sorted({*library.definers(outer)} & {*library.definers(name)})
        if len(both) <= _SAME_NAME:
            yield from (RankTarget(path, name) for path in both)


def saying(ranking: Ranking, contents: Mapping[str, bytes], texts: Iterable[str]) -> Ranking:
    """Lift the files in which a text stands that the task quotes, if these are few."""
    scores = dict(ranking.scores)
    for text in texts:
        raw = text.encode("utf-8", "replace")
        found = [path for path, content in contents.items() if raw in content]
        for path in found if len(found) <= _SAME_NAME else ():
            scores[path] = scores.get(path, 0.0) + _SAYS / len(found)
    return replace(ranking, scores=scores)


def _namesakes(library: Library, text: str) -> Iterator[str]:
    """Files that are called as a name of the task is: ``qs.parse`` may be about ``parse.js``."""
    names = frozenset(names_in(text))
    stems: dict[str, list[str]] = {}
    for path in library.facts:
        stem = path.rpartition("/")[2].partition(".")[0]
        if stem in names:
            stems.setdefault(stem, []).append(path)
    for paths in stems.values():
        yield from paths if len(paths) <= _SAME_NAME else ()


def _users(
    library: Library, targets: Collection[RankTarget], named: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Files that use a target: its file's importers that mention it, or all that call its name."""
    users: dict[str, dict[str, None]] = {}
    for target in targets:
        calling = library.users(target.name)
        others = library.importers(target.path).difference(calling)
        imported_name = re.compile(rf"\b{re.escape(target.name)}\b")
        naming = [
            path
            for path in others
            if any(map(imported_name.search, library.facts[path].statements))
        ]
        for path in (*calling, *naming):
            if path != target.path:
                users.setdefault(path, {})[target.name] = None
    if not targets:
        for path in named:
            for user in sorted(library.importers(path)):
                users.setdefault(user, {})
    return {path: tuple(names) for path, names in sorted(users.items())}


def _spread(library: Library, scores: Mapping[str, float]) -> dict[str, float]:
    """Let the best files lift those they import and those that import them."""
    lifted = dict(scores)
    best = sorted(scores, key=lambda path: (-scores[path], path))[:_SPREAD_FROM]
    for path in best:
        near = [*library.imports(path), *library.importers(path)]
        for other in near:
            share = _NEIGHBOUR * scores[path] / max(1, len(near)) ** 0.5
            lifted[other] = lifted.get(other, 0.0) + share
    return lifted


FOLLOWED = frozenset({"python", "javascript", "typescript", "tsx", "go"})
"""Languages whose imports lead from a test to all that it uses; others load more than they say."""


@dataclass(frozen=True, slots=True)
class Importers:
    """Who imports each file of a tree; Go files ``beside`` each other need no import."""

    of: Mapping[str, Collection[str]]
    beside: Mapping[str, Collection[str]]

    def users(self, touched: Iterable[str]) -> frozenset[str]:
        """Return the files that use one of ``touched``, these among them."""
        found: set[str] = set()
        todo = list(touched)
        while todo:
            path = todo.pop()
            if path not in found:
                found.add(path)
                todo += self.of.get(path, ())
                todo += self.beside.get(path.rpartition("/")[0], ()) if path.endswith(".go") else ()
        return frozenset(found)


def importers_of(facts: Mapping[str, FileFacts], paths: Collection[str]) -> Importers:
    """Return who imports whom among ``paths``; ``facts`` say what the files import."""
    places = ModulePaths(paths)
    importers: dict[str, set[str]] = defaultdict(set)
    for path, known in facts.items():
        for target in (
            *imported(path, known.statements, places),
            *_unasked(path, places.paths),
        ):
            importers[target].add(path)
            for package in _packages(target, places.paths):
                importers[package].add(path)
    return Importers(importers, _go_packages(places.paths))


def names_of(path: str) -> tuple[str, ...]:
    """What text that starts or reads a file calls it: by its name, or as a module by dots."""
    name = path.rpartition("/")[2]
    if not path.endswith(".py"):
        return (name,)
    module = path.removesuffix(".py").removesuffix("/__init__").removesuffix("/__main__")
    return (name, module.removeprefix("src/").removeprefix("lib/").replace("/", "."))


def _unasked(path: str, paths: Collection[str]) -> Iterator[str]:
    """The ``conftest.py`` files that pytest loads for a Python file, in its folder and above."""
    if not path.endswith(".py"):
        return
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        there = f"{folder}/conftest.py".lstrip("/")
        if there in paths and there != path:
            yield there


def _packages(path: str, paths: Collection[str]) -> Iterator[str]:
    """The packages around a Python module, which are run before it is."""
    folder = path.rpartition("/")[0] if path.endswith(".py") else ""
    while folder and f"{folder}/__init__.py" in paths:
        yield f"{folder}/__init__.py"
        folder = folder.rpartition("/")[0]


def _go_packages(paths: Iterable[str]) -> dict[str, list[str]]:
    """Go files by folder: those of one package use each other without an import."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if path.endswith(".go"):
            found[path.rpartition("/")[0]].append(path)
    return found


def followed(path: str) -> bool:
    """Whether imports show who uses a file."""
    return language_of(path) in FOLLOWED
