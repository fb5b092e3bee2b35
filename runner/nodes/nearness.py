"""Ask for the embeddings a context is ranked with; where that fails words alone rank it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from runner.context.library import Library
from runner.context.nearness import LONGEST, MOST_NEW, nearest
from runner.context.terms import terms
from runner.deps import Deps
from runner.errors import PortError
from runner.ports import Embedder
from runner.reading import contents
from runner.snapshot import Snapshot
from runner.state import RunState, Usage

log = logging.getLogger(__name__)


class _Counted:
    """An embedder of one model that adds up what was used."""

    def __init__(self, embedder: Embedder, model: str) -> None:
        self._embedder = embedder
        self.model = model
        self.used = Usage()

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return a vector for each text. Raises ``Outage`` or ``TaskError``."""
        found = await self._embedder.embed(texts, model=self.model)
        self.used += Usage(
            found.seconds, found.tokens, found.cost or 0.0, 1, int(found.cost is None)
        )
        return found.vectors


async def near(
    state: RunState, deps: Deps, base: Snapshot, library: Library, text: str
) -> tuple[RunState, Sequence[str]]:
    """Return the paths nearest to the task by meaning; () where no embeddings are wished for.

    What they took is counted with the attempt, those too that were of no use in the end.
    """
    model = state.request.options.embeddings
    if not model or deps.embedder is None:
        return state, ()
    embedder, paths = _Counted(deps.embedder, model), list[str]()
    try:
        paths = await _nearest(deps, embedder, base, library, text)
    except PortError as error:
        log.warning("No embeddings: files are ranked by their words alone (%s)", error.message)
    spent, embedded = state.attempt.spent, state.attempt.embedded
    used = embedder.used
    return state.with_attempt(spent=spent + used, embedded=embedded + used), paths


async def _nearest(
    deps: Deps, embedder: _Counted, base: Snapshot, library: Library, text: str
) -> list[str]:
    model, vectors = embedder.model, deps.index.vectors
    shas = {path: base.entries[path].sha for path in library.facts if path in base.entries}
    for path, vector in (await _new(deps, embedder, base, library, text)).items():
        vectors.keep(model, shas[path], vector)
    (question,) = await embedder.embed([text[:LONGEST]])
    return nearest(question, {p: v for p, sha in shas.items() if (v := vectors.of(model, sha))})


async def _new(
    deps: Deps, embedder: _Counted, base: Snapshot, library: Library, text: str
) -> dict[str, Sequence[float]]:
    """Embed files that are not known yet: those that share words with the task before others."""
    words, vectors = library.search.scores(terms(text)), deps.index.vectors
    there = (path for path in library.facts if path in base.entries)
    new = [p for p in there if vectors.of(embedder.model, base.entries[p].sha) is None]
    new.sort(key=lambda path: (-words.get(path, 0.0), path))
    found = await contents(deps, base, new[:MOST_NEW])
    if not found:
        return {}
    texts = [f"{p}\n{found[p].decode('utf-8', 'replace')}"[:LONGEST] for p in found]
    return dict(zip(found, await embedder.embed(texts), strict=True))
