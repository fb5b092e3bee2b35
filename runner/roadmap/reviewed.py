"""What became of a task in the roadmap while its pull request is open.

All places that show pull requests ask here, so that they say the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from runner.roadmap.plans import form_of
from runner.roadmap.task import Roadmap

Fate = Literal["in review", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """``now`` is what a changed task is called now."""

    fate: Fate = "in review"
    now: str = ""


@dataclass(frozen=True, slots=True)
class ReviewedPull:
    """An open pull request that shows our work on a task, and what became of that since."""

    number: int
    title: str
    task: Reviewed = Reviewed()


def reviewed(newest: Roadmap, keys: Collection[str], title: str) -> Reviewed:
    """Compare the tasks of an open pull request with the newest roadmap of the default branch.

    A task that has other words now is found by its written id, with which the ``title`` begins, if
    not with its project and the id (``api#1.2``).
    """
    if form_of(newest.path).apart or any(task.key in keys for task in newest.tasks):
        return Reviewed()
    id = re.sub(r"^[A-Za-z][\w-]*#", "", title.split(" ", 1)[0])
    same = next((task for task in newest.tasks if task.id and task.id == id), None)
    return Reviewed("changed", f"{same.name}: {same.title}") if same else Reviewed("gone")
