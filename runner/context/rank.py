"""Which files matter for a task, and which use what it is going to change."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from runner.context.facts import Facts
from runner.context.library import Library
from runner.context.nearness import fused
from runner.context.terms import terms

_QUOTED = re.compile(r"`([^`\n]{1,120})`")
_NAME = re.compile(r"[^\W\d]\w*")
_CODE = re.compile(r"\b([^\W\d]\w*)(?=\()|\b(\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b")
_SAME_NAME = 4
"""A name with more definitions than this says nothing about where."""

_TEXT, _DEFINES, _USES, _NEIGHBOUR = 5.0, 6.0, 3.0, 0.2
_SPREAD_FROM = 25


@dataclass(frozen=True, slots=True)
class Target:
    """A definition the task names: its ``name`` and the file that has it."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """``scores`` by path; ``targets`` are what changes, ``users`` (path → names) who is hit."""

    scores: Mapping[str, float]
    targets: tuple[Target, ...]
    users: Mapping[str, tuple[str, ...]]


def ranked(
    library: Library, text: str, *, named: Sequence[str] = (), near: Sequence[str] = ()
) -> Ranking:
    """Weigh files by the words of a task, the definitions it names and who imports whom.

    ``named`` are files it is about; their own definitions are recognised by plain words, too.
    ``near`` are files near to it by meaning, the nearest first (empty: nobody asked).
    """
    targets = _targets(library, text, named)
    users = _users(library, targets, named)
    words = fused(library.search.scores(terms(text)), near)
    scores = {path: _TEXT * score for path, score in words.items()}
    for target in targets:
        scores[target.path] = scores.get(target.path, 0.0) + _DEFINES
    for path in users:
        scores[path] = scores.get(path, 0.0) + _USES
    return Ranking(_spread(library, scores), targets, users)


def _targets(library: Library, text: str, named: Sequence[str]) -> tuple[Target, ...]:
    plain = set(_NAME.findall(text))
    of_named = [
        Target(path, definition.name)
        for path in named
        if path in library.facts
        for definition in library.facts[path].symbols.definitions
        if definition.name in plain
    ]
    taken = {target.name for target in of_named}
    others = [
        Target(path, name)
        for name in dict.fromkeys(_code_names(text))
        if name not in taken and len(library.definers.get(name, ())) <= _SAME_NAME
        for path in library.definers.get(name, ())
    ]
    return tuple(dict.fromkeys([*of_named, *others]))[:40]


def _code_names(text: str) -> Iterable[str]:
    """Names that are written as code is: in backticks, called, or of several parts."""
    for quoted in _QUOTED.findall(text):
        yield from _NAME.findall(quoted)
    for called, composed in _CODE.findall(text):
        yield called or composed


def _users(
    library: Library, targets: Collection[Target], named: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Files that use a target: its file's importers that mention it, or all that call its name."""
    users: dict[str, dict[str, None]] = {}
    for target in targets:
        importers = library.importers.get(target.path, frozenset())
        for path, facts in library.facts.items():
            calls = target.name in facts.symbols.references
            if path != target.path and (calls or path in importers) and _mentions(facts, target):
                users.setdefault(path, {})[target.name] = None
    if not targets:
        for path in named:
            for user in sorted(library.importers.get(path, ())):
                users.setdefault(user, {})
    return {path: tuple(names) for path, names in sorted(users.items())}


def _mentions(facts: Facts, target: Target) -> bool:
    """Whether the file uses the name, or imports it from somewhere."""
    symbols = facts.symbols
    pattern = re.compile(rf"\b{re.escape(target.name)}\b")
    return target.name in symbols.references or any(map(pattern.search, symbols.imports))


def _spread(library: Library, scores: Mapping[str, float]) -> dict[str, float]:
    """Let the best files lift those they import and those that import them."""
    lifted = dict(scores)
    best = sorted(scores, key=lambda path: (-scores[path], path))[:_SPREAD_FROM]
    for path in best:
        near = [*library.imports.get(path, ()), *library.importers.get(path, ())]
        for other in near:
            share = _NEIGHBOUR * scores[path] / max(1, len(near)) ** 0.5
            lifted[other] = lifted.get(other, 0.0) + share
    return lifted
