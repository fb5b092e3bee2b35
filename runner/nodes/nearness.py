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
from runner.state import RunState

log = logging.getLogger(__name__)


async def near(
    state: RunState, deps: Deps, base: Snapshot, library: Library, text: str
) -> Sequence[str]:
    """Return the paths nearest to the task by meaning; () where no embeddings are wished for."""
    model = state.request.options.embeddings
    if not model or deps.embedder is None:
        return ()
    shas = {path: base.entries[path].sha for path in library.facts if path in base.entries}
    try:
        for path, vector in (await _new(deps, deps.embedder, base, library, model, text)).items():
            deps.index.vectors.keep(model, shas[path], vector)
        (question,) = await deps.embedder.embed([text[:LONGEST]], model=model)
    except PortError as error:
        log.warning("No embeddings: files are ranked by their words alone (%s)", error.message)
        return ()
    known = {p: there for p, sha in shas.items() if (there := deps.index.vectors.of(model, sha))}
    return nearest(question, known)


async def _new(
    deps: Deps, embedder: Embedder, base: Snapshot, library: Library, model: str, text: str
) -> dict[str, Sequence[float]]:
    """Embed files that are not known yet: those that share words with the task before others."""
    words = library.search.scores(terms(text))
    there = (path for path in library.facts if path in base.entries)
    new = [p for p in there if deps.index.vectors.of(model, base.entries[p].sha) is None]
    new.sort(key=lambda path: (-words.get(path, 0.0), path))
    found = await contents(deps, base, new[:MOST_NEW])
    if not found:
        return {}
    texts = [f"{p}\n{found[p].decode('utf-8', 'replace')}"[:LONGEST] for p in found]
    return dict(zip(found, await embedder.embed(texts, model=model), strict=True))
