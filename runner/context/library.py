"""A tree's files together: search, who defines what, who imports whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from runner.context.facts import Facts
from runner.context.imports import Places, imported
from runner.context.search import Search
from runner.context.terms import terms

_PATH_COUNTS = 3


@dataclass(frozen=True)
class Library:
    """``imports`` and ``importers`` by path; ``definers`` by name, in order of path."""

    facts: Mapping[str, Facts]
    search: Search
    imports: Mapping[str, frozenset[str]]
    importers: Mapping[str, frozenset[str]]
    definers: Mapping[str, tuple[str, ...]]


def library(facts: Mapping[str, Facts]) -> Library:
    """Put what is known of single files together."""
    places = Places(facts)
    imports = {
        path: imported(path, known.symbols.imports, places)
        for path, known in facts.items()
        if known.symbols.imports
    }
    documents = {
        path: (*known.terms, *terms(_without_suffix(path)) * _PATH_COUNTS)
        for path, known in facts.items()
    }
    return Library(facts, Search(documents), imports, _reversed(imports), _definers(facts))


def _without_suffix(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name.rpartition(".")[0] or name)


def _reversed(imports: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    importers: dict[str, set[str]] = defaultdict(set)
    for path, targets in imports.items():
        for target in targets:
            importers[target].add(path)
    return {path: frozenset(found) for path, found in importers.items()}


def _definers(facts: Mapping[str, Facts]) -> dict[str, tuple[str, ...]]:
    definers: dict[str, dict[str, None]] = defaultdict(dict)
    for path in sorted(facts):
        for definition in facts[path].symbols.definitions:
            definers[definition.name][path] = None
    return {name: tuple(paths) for name, paths in definers.items()}
