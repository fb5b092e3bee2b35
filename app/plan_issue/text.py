"""The dashboard issue that people can tick, and the plan of a roadmap. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from app.plan_issue.board import Board
from app.plan_issue.issue import noted
from app.progress.text import PROGRESS
from handlers.ticks import Tick, checkbox
from runner.loop.schedule import ready, upcoming, with_blocked
from runner.people.sentences import blocked_reason
from runner.people.texts import Texts, environment
from runner.roadmap.lint import lint
from runner.roadmap.order import apart
from runner.roadmap.task import Roadmap, Task
from runner.state.options import Options, Request, Scope
from runner.state.run_state import RunState, Status
from runner.text.fit import fit

_LONGEST = 59_000
_MOST_ROWS = 100
_SIDE_BY_SIDE = 10
_AGAIN = (Status.PENDING, Status.FAILED, Status.DEFERRED, Status.BLOCKED)
"""What a new run takes up, unless it is held."""


def plannable(roadmap: Roadmap | None) -> bool:
    """Say whether there is anything to plan: open work, or what could become some."""
    if roadmap is None:
        return False
    is_open = any(task.kind == "work" and not task.checked for task in roadmap.tasks)
    return is_open or bool(roadmap.candidates or roadmap.asks)


def _has_no_work(roadmap: Roadmap) -> bool:
    return bool(roadmap.asks) or not any(task.kind == "work" for task in roadmap.tasks)


def _by_phase(tasks: Iterable[Task]) -> list[tuple[str, list[Task]]]:
    """Tasks that follow each other under one heading, with its words ('' for none)."""

    def phase(task: Task) -> str:
        return task.place.headings[-1].text if task.place.headings else ""

    return [(title, list(each)) for title, each in groupby(tasks, key=phase)]


PLAN_ISSUE = environment("app.plan_issue", PROGRESS)
PLAN_ISSUE.filters |= {
    "by_phase": _by_phase,
    "has_no_work": _has_no_work,
    "noted": noted,
    "tick": lambda kind, name="": checkbox(Tick(kind, name)),
}

plan_texts = Texts(PLAN_ISSUE, "plan")


def board_text(board: Board) -> str:
    """The issue's text: a plan that people can tick."""
    return _rendered("board", board)


def plan_of(board: Board) -> str:
    """The plan alone: what is to be done in which order, and what is in review."""
    return _rendered("plan", board)


def plan_text(roadmap: Roadmap, note: str = "") -> str:
    """The plan where nothing but the roadmap is known.

    ``note`` says what the last push started (Markdown, already sanitized).
    """
    return fit(_rendered("plan", Board(roadmap, {}, note=note)), _LONGEST)


def _rendered(how: str, board: Board) -> str:
    roadmap = board.roadmap
    # a run that would take all that is open, as it would begin now
    options = Options(scope=Scope(max_tasks=len(roadmap.tasks)))
    statuses = {
        key: mark.status
        for key, mark in board.marks.items()
        if mark.held or mark.status not in _AGAIN
    }
    state = RunState(Request("", roadmap.path, options), roadmap=roadmap, statuses=statuses)
    state = with_blocked(replace(state, elsewhere=board.elsewhere))
    tasks = upcoming(state)
    marks = [board.mark(task).status for task in board.work]
    review, done = marks.count(Status.IN_REVIEW), marks.count(Status.COMPLETED)
    todo = len(marks) - review - done
    if not board.marks:
        todo, done = len(tasks), sum(task.checked for task in board.work)
    stands = {"todo": todo, "review": review, "done": done}
    render = plan_texts.board if how == "board" else plan_texts.plan
    return render(board, tasks, stands, _beside(state), _rest(state, roadmap, board.projects))


def _beside(state: RunState) -> Sequence[Task]:
    """Some tasks that wait for nothing and are likely to write different files."""
    chosen: list[Task] = []
    for task in ready(state)[:_MOST_ROWS]:
        if len(chosen) < _SIDE_BY_SIDE and all(apart(task, other) for other in chosen):
            chosen.append(task)
    return chosen


def _rest(state: RunState, roadmap: Roadmap, projects: Sequence[str]) -> dict[str, Any]:
    """What is not in the order, and why; and what to look at in the file."""
    blocked = [task for task in roadmap.tasks if task.key in state.blocked_by]
    left = [task for task in roadmap.tasks if not task.checked]
    return {
        "blocked": [(task, blocked_reason(state, task)) for task in blocked],
        "unasked": [task for task in left if task.kind == "work" and not task.runnable],
        "checks": [task for task in left if task.kind == "check"],
        "candidates": roadmap.candidates,
        "warnings": lint(roadmap, projects),
    }
