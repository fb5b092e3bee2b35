"""BM25 over documents of terms (https://github.com/xhluca/bm25s)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence


class Search:
    """An index of named documents; built once, asked often."""

    def __init__(self, documents: Mapping[str, Sequence[str]]) -> None:
        import bm25s  # type: ignore[import-untyped] # with numpy 0.2 s: not at every command

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets DEBUG by itself
        self._names = [name for name, terms in documents.items() if terms]
        self._index = bm25s.BM25(method="lucene")
        if self._names:
            corpus = [list(documents[name]) for name in self._names]
            self._index.index(corpus, show_progress=False)

    def scores(self, query: Sequence[str]) -> dict[str, float]:
        """Return documents with a score above 0; the best has 1."""
        if not self._names or not query:
            return {}
        found = self._index.get_scores(list(query))
        best = float(found.max())
        if best <= 0:
            return {}
        hits = found.nonzero()[0]
        return {self._names[at]: float(found[at]) / best for at in hits}
