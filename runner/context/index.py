"""Facts by blob sha, kept in memory: each content is read once a process, whoever asks."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from cachetools import LRUCache

from runner.context.facts import Facts, facts_of
from runner.context.grammars import language_of
from runner.context.library import Library, library
from runner.context.nearness import Vectors

_MOST = 6_000_000
"""References held by all facts together, about 100 MB."""

Key = tuple[str, str]


class Index:
    """Shared by all runs of a process and used from worker threads, hence the lock."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._facts: LRUCache[Key, Facts] = LRUCache(_MOST, getsizeof=lambda facts: facts.weight)
        self.vectors = Vectors()
        self._libraries: LRUCache[frozenset[tuple[str, str]], Library] = LRUCache(2)

    def known(self, path: str, sha: str) -> Facts | None:
        """Return the facts of a blob, if it was read before."""
        with self._lock:
            facts: Facts | None = self._facts.get((sha, language_of(path)))
            return facts

    def learn(self, path: str, sha: str, content: bytes) -> Facts:
        """Read a blob and keep what it tells."""
        facts = facts_of(path, content)
        with self._lock:
            self._facts[sha, language_of(path)] = facts
        return facts

    def library(self, facts: Mapping[str, Facts], shas: Mapping[str, str]) -> Library:
        """Return the library of these files; ``shas`` (by path) name it."""
        key = frozenset((path, shas[path]) for path in facts)
        with self._lock:
            kept: Library | None = self._libraries.get(key)
        if kept is None:
            kept = library(facts)
            with self._lock:
                self._libraries[key] = kept
        return kept
