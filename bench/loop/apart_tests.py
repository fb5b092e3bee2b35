"""The tests that the fault model writes where one is asked for apart."""

from __future__ import annotations

import re

from bench.loop.corpus import Task
from bench.loop.draws import draw
from bench.loop.naming import Character

_VACUOUS = "def test_something():\n    assert True\n"
_EQUAL = re.compile(r"^(?P<before> +assert .+ == )(?P<value>.+)$", re.MULTILINE)
_TRUE = re.compile(r"^(?P<before> +assert )(?P<what>(?:(?! == ).)+)$", re.MULTILINE)


def quality(who: Character, task: Task) -> str:
    """What the test apart of a task is worth: right, wrong or vacuous."""
    drawn = draw(who.seed, task.name, "apart")
    if drawn < who.wrong:
        return "wrong"
    return "vacuous" if drawn < who.wrong + who.vacuous else "right"


def test_apart(who: Character, task: Task) -> str:
    """The text of that test."""
    kind = quality(who, task)
    if kind == "vacuous":
        return _VACUOUS
    text = task.seen[1]
    if kind == "right":
        return text
    return _EQUAL.sub(r"\g<before>[\g<value>]", _TRUE.sub(r"\g<before>not (\g<what>)", text))
