"""Why a task failed: patterns first, in the order of how sure they are. Pure (DESIGN §8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from runner.recovery.demands import is_clear
from runner.recovery.facts import Facts
from runner.recovery.patterns.circular import circular
from runner.recovery.patterns.contradiction import contradiction
from runner.recovery.patterns.environment import environment
from runner.recovery.patterns.forbidden import forbidden
from runner.recovery.patterns.large import large
from runner.recovery.patterns.later import later
from runner.recovery.patterns.modules import modules
from runner.recovery.patterns.outside import outside
from runner.recovery.patterns.vague import vague
from runner.recovery.values import Classification
from runner.texts_failure import NOT_VAGUE

Pattern = Callable[[Facts], Classification | None]

PATTERNS: Final[tuple[Pattern, ...]] = (
    outside,
    circular,
    modules,
    environment,
    later,
    contradiction,
    forbidden,
    vague,
    large,
)
"""The first that is sure decides: what an error names exactly comes before what words suggest."""


def classify(facts: Facts) -> Classification | None:
    """Say why the task failed, with the lines that show it; None when no pattern is sure."""
    return next((found for pattern in PATTERNS if (found := pattern(facts))), None)


def believed(said: Classification, facts: Facts) -> Classification:
    """Return what a model says, but for a clear task that it calls vague: nobody rewrites that.

    A model that never saw the right file, or cannot do what is asked, likes to blame the task.
    """
    if said.reason == "task_too_vague" and is_clear(facts.task):
        return Classification("unknown", (NOT_VAGUE, *said.evidence))
    return said
