"""Where a roadmap has no checkboxes, a pull request proposes them."""

from __future__ import annotations

from app.features.checkboxes.proposing import propose_boxes
from app.github.one_pull import OfferedPulls
from app.runs.begun import Begun
from app.runs.feature import Feature
from runner.loop.task_pool import Ended


async def _ended(begun: Begun, ended: Ended) -> str:
    """A push names its tasks; only a command that finds none is answered with a proposal."""
    scope, state = ended.state.request.options.scope, ended.state
    if ended.status != "ended" or scope.tasks or scope.revision or not begun.writes:
        return ""
    if not state.problem:
        return ""
    return await propose_boxes(
        state, begun.ports.deps, OfferedPulls(begun.ports.repository, "normalise")
    )


def register() -> Feature:
    """Return what the feature adds."""
    return Feature(ended=_ended)
