"""Find out why a task failed: patterns first, the surest first. Pure.

Some failures are known after the first test run. A model that invents an import can remove it
again. But if the task itself asks for a module that does not exist, every answer fails alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final

from runner.code.missing import INSTALLED_AS, Missing, missing_in
from runner.people.texts import recovery_texts
from runner.recovery.checks import is_clear
from runner.recovery.facts import FailureFacts
from runner.recovery.patterns.environment import environment, forbidden, outside
from runner.recovery.patterns.imports import circular, modules, words_of
from runner.recovery.patterns.tasks import contradiction, large, later, question, vague
from runner.state.proposal import Classification

Pattern = Callable[[FailureFacts], Classification | None]

PATTERNS: Final[tuple[Pattern, ...]] = (
    outside,
    circular,
    modules,
    environment,
    later,
    contradiction,
    forbidden,
    vague,
    question,
    large,
)
"""The first that is sure decides: what an error names exactly comes before what words suggest."""


def classify(facts: FailureFacts) -> Classification | None:
    """Say why the task failed, with the lines that show it; None when no pattern is sure."""
    return next((found for pattern in PATTERNS if (found := pattern(facts))), None)


def believed(answer: Classification, facts: FailureFacts) -> Classification:
    """Return what a model says, unless it calls a clear task vague: that is not rewritten.

    A model that never saw the right file, or cannot do what is asked, likes to blame the task.
    """
    if answer.reason == "task_too_vague" and is_clear(facts.task):
        return Classification("unknown", (recovery_texts.not_vague(), *answer.evidence))
    return answer


def unrepairable(facts: FailureFacts, *, to_come: Collection[str]) -> bool:
    """Say whether all that failed are imports the task asks for and this run cannot provide yet.

    ``to_come`` are the keys of tasks the run will work on before it comes back to this one (empty:
    it does not come back). Where setup commands run, a repair may add a package to a manifest.
    """
    wanted = [missing_in(message.text) for message in facts.messages]
    if not wanted or not all(wanted):
        return False
    if not all(_asked_for(facts, each) for found in wanted for each in found):
        return False
    found = modules(facts)
    if found is None:
        return False
    if found.reason == "missing_dependency":
        return found.waits_for in to_come
    return found.reason == "environment_issue" and not facts.setup


def _asked_for(facts: FailureFacts, missing: Missing) -> bool:
    """Whether the task's own text names the module or its package.

    Not if the repository has a file of that name: its path can be corrected.
    """
    file = missing.path.rpartition("/")[2].split(".")[0]
    if any(path.rpartition("/")[2].split(".")[0] == file for path in facts.paths):
        return False
    top = missing.name.split(".")[0]
    names = {missing.name, missing.path, top, INSTALLED_AS.get(top, top)} - {""}
    text = words_of(facts.task)
    return any(re.search(rf"(?<![\w.]){re.escape(name)}(?![\w])", text) for name in names)
