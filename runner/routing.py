"""Which tasks are planned first: a plan costs a call, and a small task is its own plan. Pure."""

from __future__ import annotations

import re
from typing import Literal

from runner.roadmap.task import Task

Planning = Literal["auto", "always", "never"]

MOST_WORDS, MOST_FILES, MOST_LINES = 40, 2, 6
"""Words, named files and nested lines of a task that is taken directly."""

_WORD = re.compile(r"\w+")


def plans_first(task: Task, planning: Planning) -> bool:
    """Say whether a task is planned before its context is built."""
    if planning != "auto":
        return planning == "always"
    nested = sum(1 for line in task.details.split("\n") if line.strip())
    return (
        len(_WORD.findall(task.text)) > MOST_WORDS
        or len(task.files) > MOST_FILES
        or nested + len(task.acceptance) > MOST_LINES
    )
