"""Answers as models write them, through ``cairn run``: right ones land at once, harmful ones never.

Drawn from ``tests.answers``; ``make bench ARGS=answers`` plays all of them, also the forms that
are held out here.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.answers.drawing import (
    HARMS,
    RIGHT,
    TASKS,
    HarmCase,
    RightCase,
    harm_case,
    held_out,
    made,
    missing,
    right_cases,
)
from tests.answers.examining import harm_verdict, right_verdict
from tests.answers.judging import hidden, problems, visible
from tests.answers.playing import naive
from tests.answers.projects import LANGUAGES, Language, Task

SEED, ORDINARY = 1, 2
MANY = "many answers, each a run"
EVERY = [task for tasks in TASKS.values() for task in tasks]


def _needs(language: Language) -> None:
    if why := missing(language):
        pytest.skip(why)


def _right_cases() -> list[RightCase]:
    """Every eleventh of what is not held out: all forms and languages by turns."""
    return [case for case in right_cases(SEED) if not held_out(case.form.id)][::11]


def _harm_cases() -> list[HarmCase]:
    """Every eleventh of what is not held out and can be told: all harms and languages by turns."""
    harms = [harm for harm in HARMS.values() if not held_out(harm.id) and not harm.undetectable]
    chosen = list(product(harms, LANGUAGES, (False, True)))[::11]
    cases = (harm_case(harm, language, SEED, stubborn=again) for harm, language, again in chosen)
    return [case for case in cases if case is not None]


@pytest.mark.sample(ORDINARY, MANY)
@pytest.mark.parametrize("case", _right_cases(), ids=lambda case: case.id)
async def test_a_right_answer_lands_at_once(case: RightCase, tmp_path: Path) -> None:
    """Whatever form it has: one call, one commit, and the tree is what the task asks for."""
    _needs(case.task.language)

    verdict = await right_verdict(case, tmp_path)

    assert verdict.ok or verdict.unfair, f"{verdict}\n{verdict.played.said.err}"


@pytest.mark.sample(ORDINARY, MANY)
@pytest.mark.parametrize("case", _harm_cases(), ids=lambda case: case.id)
async def test_no_harm_lands(case: HarmCase, tmp_path: Path) -> None:
    """It is left out or asked about again; a right answer after it lands, the same again never."""
    _needs(case.task.language)

    verdict = await harm_verdict(case, tmp_path)

    assert verdict.ok, f"{verdict}\n{verdict.played.said.err}"


def test_there_are_forty_of_each() -> None:
    """At least forty ways to be right and forty to do harm."""
    assert len(RIGHT) >= 40
    assert sum(not harm.undetectable for harm in HARMS.values()) >= 40


@pytest.mark.sample(1, "runs the tests of a whole project")
@pytest.mark.parametrize("task", EVERY, ids=lambda task: task.name)
def test_the_right_result_is_right(task: Task) -> None:
    """It passes its project's tests and the hidden program; the repository as it was does not."""
    _needs(task.language)

    assert visible(task, task.after) == []
    assert hidden(task, task.after) == []
    assert hidden(task, task.base) != []


@pytest.mark.sample(0, "judges every damage a task can take")
@pytest.mark.parametrize("task", EVERY, ids=lambda task: task.name)
def test_harm_is_harm(task: Task) -> None:
    """Whoever takes a harmful answer at its word has a tree that is not right."""
    _needs(task.language)

    harmless = []
    for harm in HARMS.values():
        harmful = made(harm, task, SEED)
        if harmful is not None and not problems(task, naive(task, harmful.change)):
            harmless.append(harm.id)

    assert harmless == []
