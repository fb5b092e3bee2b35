"""A task nobody can say the end of: by its words, and by what the model made of it."""

from __future__ import annotations

import re

from runner.recovery.demands import is_clear
from runner.recovery.facts import Facts
from runner.recovery.values import Classification
from runner.roadmap.lint.vague import vague as lint_vague

ENOUGH = 3
"""Points that make a task vague; its words alone are never enough."""

_NOTHING = frozenset({"EmptyAnswer", "UnreadableAnswer", "SameAnswer"})
_WORDS = re.compile(
    r"\b(?:some|various|several|misc\w*|useful|nice|nicer|better|appropriate|necessary|needed|"
    r"proper(?:ly)?|good|more|other|others|remaining|the same|stuff|things?|etc)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`\n]*`")


def vague(facts: Facts) -> Classification | None:
    """Count what says so; the text must, and the answers must as well."""
    if is_clear(facts.task):
        return None
    text, answers = _text(facts), _answers(facts)
    if not text or not answers or sum(text.values()) + sum(answers.values()) < ENOUGH:
        return None
    return Classification("task_too_vague", (", ".join(text), *answers))


def _text(facts: Facts) -> dict[str, int]:
    """Points of the task's own words, each with what it says."""
    points: dict[str, int] = {}
    if found := lint_vague(facts.reading):
        points[found.message.partition(";")[0]] = 2
    elif facts.reading.explained:
        return {}
    if word := _WORDS.search(_CODE.sub(" ", facts.task.text[:2_000])):
        points[f'"{word[0]}" leaves open what is meant'] = 1
    return points


def _answers(facts: Facts) -> dict[str, int]:
    """Points of what was answered."""
    points: dict[str, int] = {}
    nothing = sorted(_NOTHING & facts.errors)
    if nothing:
        points[f"{facts.answers} answers, among them {', '.join(nothing)}"] = len(nothing)
    if not facts.failures and not facts.output:
        points["no answer was ever good enough to be tested"] = 1
    return points
