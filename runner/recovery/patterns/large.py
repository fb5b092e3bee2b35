"""A task that is several: by what it names, by its plan, and by what became of the answers."""

from __future__ import annotations

import re

from runner.recovery.facts import Facts
from runner.recovery.values import Classification
from runner.roadmap.lint.size import features, files, joints, nested, scope, verbs
from runner.roadmap.lint.size import large as lint_large

ENOUGH = 3
"""Points that make a task too large: of its text or plan, and of its answers."""

_LISTED, _JOINED = 4, 3
_SHORT = 5
"""Words of one thing in a list; what is longer explains."""

_SENTENCE = re.compile(r"[.;:!?\n—]+")
_PART = re.compile(r",\s*(?:and\s)?|\s(?:and|&|\+)\s")
_WORD = re.compile(r"[^\W\d_]{2,}")

_MANY_ANSWERS = 4
_MANY_FILES = 4
_MANY_STEPS = 6


def large(facts: Facts) -> Classification | None:
    """Count what says so; the task or its plan must, and the answers must as well."""
    task, answers = {**_text(facts), **_plan(facts)}, _answers(facts)
    if any(worth >= ENOUGH for worth in answers.values()):
        return Classification("task_too_complex", _told(task, answers))
    if not task or not answers or sum(task.values()) + sum(answers.values()) < ENOUGH:
        return None
    return Classification("task_too_complex", _told(task, answers))


def _told(task: dict[str, int], answers: dict[str, int]) -> tuple[str, ...]:
    return (", ".join(task), *answers) if task else tuple(answers)


def _text(facts: Facts) -> dict[str, int]:
    """Points of what the task names; what the lint calls too large counts double."""
    if found := lint_large(facts.reading):
        return {found.message.partition(";")[0]: 2}
    reading = facts.reading
    counted = (
        (files(reading), 4, "it names {n:g} files"),
        (verbs(reading), 3, "it asks to do {n:g} kinds of work"),
        (features(reading), 3, "it lists {n:g} features"),
        (nested(reading), 5, "it has {n:g} points below it"),
        (scope(reading), 1, "it is about a whole application"),
    )
    points = {said.format(n=n): 1 for n, much, said in counted if n >= much}
    named, joined = listed(reading.prose), joints(reading)
    if named >= _LISTED:
        points[f"it lists {named} things"] = 1 if named == _LISTED else 2
    elif joined >= _JOINED:
        points[f"{joined:g} words join one thing to the next"] = 1
    return points


def listed(text: str) -> int:
    """Count the things in the longest list of a text: short parts between commas and "and"."""
    longest = 0
    for sentence in _SENTENCE.split(text):
        run = 0
        for at, part in enumerate(_PART.split(sentence)):
            words = len(_WORD.findall(part))
            # the first part has the beginning of the sentence before it
            run = run + 1 if 0 < words <= _SHORT else int(at == 0 and words > 0)
            longest = max(longest, run)
    return longest


def _plan(facts: Facts) -> dict[str, int]:
    plan = facts.plan
    if plan is None:
        return {}
    points = {"the plan calls it complex": 1} if plan.complexity == "high" else {}
    if len(plan.steps) >= _MANY_STEPS or len(plan.likely_files) >= _MANY_FILES:
        points[f"its plan has {len(plan.steps)} steps, {len(plan.likely_files)} files"] = 1
    return points


def _answers(facts: Facts) -> dict[str, int]:
    """Points of what was answered; a change too large to be taken is enough by itself."""
    points: dict[str, int] = {}
    large = next((c.message for c in facts.complaints if c.error == "TooLarge"), "")
    if large:
        points[large] = ENOUGH
    if "TruncatedAnswer" in facts.errors:
        points["answers were cut off at the length a model can say at once"] = 2
    if facts.answers >= _MANY_ANSWERS:
        points[f"{facts.answers} answers were not enough"] = 1
    broken = {failure.file for failure in facts.failures if failure.file}
    if len(broken) >= _MANY_FILES:
        points[f"tests fail in {len(broken)} files"] = 1
    return points
