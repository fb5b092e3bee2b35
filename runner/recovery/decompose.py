"""Take a task apart by its own structure, when no model says how. Pure (DESIGN §8)."""

from __future__ import annotations

import re
from dataclasses import replace

from runner.recovery.choose import MOST_PARTS
from runner.recovery.facts import unnumbered
from runner.roadmap.new_task import NewTask
from runner.roadmap.task import Task
from runner.state import Plan

_BULLET = re.compile(r"^(?P<indent>\s*)(?:[-*+]|\d{1,9}[.)])\s+(?!\[[ xX]\])(?P<text>\S.*)$")
_FILE = r"`[\w./-]{1,200}\.\w{1,8}`"
_FILES = re.compile(rf"{_FILE}(?:,?\s+and\s+{_FILE}|,\s*{_FILE})+")
_LONGEST_TITLE = 120


def parts_of(task: Task, plan: Plan | None) -> tuple[NewTask, ...]:
    """Return 2 to 5 parts in order, from its bullets, its list of files or its plan; else ().

    The acceptance criteria of the whole are those of the last part.
    """
    for parts in (_bullets(task), _files(task), _steps(plan)):
        if 2 <= len(parts) <= MOST_PARTS:
            return (*parts[:-1], replace(parts[-1], acceptance=task.acceptance))
    return ()


def _bullets(task: Task) -> list[NewTask]:
    """What is listed below the task, at the outermost level, as parts of its sentence."""
    about = unnumbered(task).partition("\n")[0].strip().rstrip(".:")[:_LONGEST_TITLE]
    return [NewTask(f"{about}: {text}") for text in _points(task)]


def _points(task: Task) -> list[str]:
    criteria = {" ".join(text.split()) for text in task.acceptance}
    found = [match for line in task.details.split("\n") if (match := _BULLET.match(line))]
    outer = min((len(match["indent"]) for match in found), default=0)
    texts = [" ".join(m["text"].split()) for m in found if len(m["indent"]) == outer]
    return [text for text in texts if _is_part(text, criteria)]


def _is_part(text: str, criteria: set[str]) -> bool:
    """A check says when it is done, and a label introduces others."""
    return text not in criteria and not text.endswith(":") and ":" not in text.split(" ")[0]


def _files(task: Task) -> list[NewTask]:
    """One part for each file of the one list of files in its sentence."""
    text = " ".join(unnumbered(task).split())
    lists = list(_FILES.finditer(text))
    if len(lists) != 1:
        return []
    before, after = text[: lists[0].start()], text[lists[0].end() :]
    files = dict.fromkeys(re.findall(_FILE, lists[0][0]))
    about = tuple(_points(task))
    return [NewTask(f"{before}{file}{after}", details=about) for file in files]


def _steps(plan: Plan | None) -> list[NewTask]:
    """The steps of its plan, where each names what it is about."""
    steps = [" ".join(step.split()) for step in plan.steps] if plan else []
    return [NewTask(step) for step in steps] if all("`" in s or "/" in s for s in steps) else []
