"""Make the box of the task in hand hold exactly one tree."""

from __future__ import annotations

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.ports import Box
from runner.preparing import prepared_image
from runner.reading import everything
from runner.snapshot import Snapshot
from runner.state import RunState
from runner.workspace import materialise


async def filled(state: RunState, deps: Deps, base: Snapshot, changes: ChangeSet) -> Box:
    """Fill the box, unless it holds just this tree and nothing has run in it since."""
    box = await deps.bench.box(state, await prepared_image(state, deps, base, changes))
    tree = changes.tree(base)
    if deps.bench.holds == tree:
        return box
    deps.bench.holds = ""
    await materialise(box, await everything(deps, base, changes))
    deps.bench.holds = tree
    return box
