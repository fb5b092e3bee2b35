"""Make a box of the task in hand hold exactly one tree, and nothing of an earlier answer."""

from __future__ import annotations

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.ports import Box
from runner.preparing import prepared_image, restore_home
from runner.reading import everything
from runner.snapshot import Snapshot
from runner.state import RunState
from runner.workspace import materialise


async def filled(state: RunState, deps: Deps, base: Snapshot, changes: ChangeSet) -> Box:
    """Return a box that holds this tree and in which nothing has run; fill it where needed.

    Whoever runs anything in it sets ``bench.holds`` to '', so that the next one gets a fresh box.
    """
    box = await deps.bench.box(state, await prepared_image(state, deps, base, changes))
    tree = changes.tree(base)
    if deps.bench.holds == tree:
        return box
    deps.bench.holds = ""
    await materialise(box, await everything(deps, base, changes))
    if state.request.options.setup:
        await restore_home(box)
    deps.bench.holds = tree
    return box
