"""Goals of degree or taste that nothing makes measurable: nobody can say when they are reached."""

from __future__ import annotations

from collections.abc import Iterator

from runner.roadmap.lint.finding import Finding, about, short
from runner.roadmap.lint.reading import Reading, readings
from runner.roadmap.lint.vague import vague
from runner.roadmap.lint.words import MEASURE, QUALITY
from runner.roadmap.task import Roadmap

_HABIT = 0.75
_FEWEST = 4
_ASK = 'add "Acceptance:" and what can be checked, below it'


def no_acceptance(roadmap: Roadmap) -> Iterator[Finding]:
    """Find tasks whose goal cannot be checked, and those that alone have no criteria.

    The second only where three of four open tasks (at least four) have some: there a task
    without is an oversight, elsewhere it is the author's manner.
    """
    tasks = list(readings(roadmap))
    with_criteria = sum(bool(reading.task.acceptance) for reading in tasks)
    usual = with_criteria >= max(_FEWEST, _HABIT * len(tasks))
    for reading in tasks:
        if reading.explained or vague(reading):
            continue
        if found := unmeasured(reading):
            yield found
        elif usual and not reading.explanation:
            why = f"{with_criteria} of {len(tasks)} open tasks here have acceptance criteria"
            yield about(reading.task, f"{why}, this one has none; {_ASK}")


def unmeasured(reading: Reading) -> Finding | None:
    """Find a goal like "faster" or "gracefully" without a number, a case or a way."""
    found = QUALITY.search(reading.own)
    if found is None or reading.explanation or MEASURE.search(reading.own):
        return None
    word = found[0].strip(" *_")
    return about(reading.task, f'nothing says when "{short(word)}" is reached; {_ASK}', word)
