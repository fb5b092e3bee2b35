"""The text of the progress comment: a table and a graph of the tasks. A pure function of the state.

GitHub draws the mermaid graph:
https://docs.github.com/get-started/writing-on-github/working-with-advanced-formatting/creating-diagrams
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from math import ceil
from typing import Any

from gidgethub import GitHubException

from app.progress.waiting import Turn
from handlers.texts import HANDLERS
from runner.errors import Outage
from runner.people.report import report
from runner.people.run_view import DONE, RunView, TaskView, view_of
from runner.people.texts import Texts, environment
from runner.roadmap.task import Task
from runner.state.run_state import RunState, Status
from runner.state.status_words import DECISIONS, RUNS, TASKS
from runner.text.fit import MOST_STORED, fit
from runner.text.sanitize import sanitize

MAX_ROWS = 100
GAP = "\u200b"
_DETAIL = 20_000
_LABEL = 40
_UNSAFE = re.compile(r"[^\w .,:/()+-]+")


def cell(text: str, most: int) -> str:
    """Foreign text in a table's cell: on one line, cut, sanitized, no HTML and no new cell."""
    line = " ".join(text.split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return sanitize(line, plain=True).replace("|", "\\|").replace("<", f"<{GAP}")


def mermaid_label(text: str) -> str:
    """Letters, digits and a few signs: nothing that mermaid or Markdown reads as its own."""
    plain = " ".join(_UNSAFE.sub(" ", text).split())
    return plain if len(plain) <= _LABEL else plain[: _LABEL - 1] + "…"


def _minutes(seconds: float) -> str:
    minutes = max(1, ceil(seconds / 60))
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"


PROGRESS = environment("app.progress", HANDLERS)
PROGRESS.filters |= {"mermaid": mermaid_label, "minutes": _minutes, "short": cell}
PROGRESS.globals |= {"DECISIONS": DECISIONS, "TASKS": TASKS}

progress_texts = Texts(PROGRESS, "progress")


def named(task: Task | TaskView) -> str:
    """A task as people know it."""
    return progress_texts.called(task.name, task.title)


def why(error: BaseException) -> str:
    """Say for people what stopped a run; of a bug they learn no more than that."""
    if isinstance(error, Outage):
        return error.message
    if isinstance(error, GitHubException):
        return f"GitHub refused: {error}"
    return "an internal error stopped it; see the operator's log for details"


def marker(run: str) -> str:
    """The hidden mark by which the comment is found again."""
    return f"<!-- cairn:progress:{run} -->"


def progress_text(
    run: str,
    status: str,
    detail: str,
    state: RunState | None,
    turn: Turn | None = None,
    link: str = "",
) -> str:
    """Render the comment; ``detail`` is a sentence (why paused, what is wrong).

    ``link`` is the address of the run's page for readers of the comment, if it has one. Where there
    is not room for everything, the table of tasks gives way.
    """
    view = view_of(state) if state is not None and state.tasks else None
    render = partial(
        progress_texts.comment,
        run=run,
        stands=_stands(status, view),
        # a folded part or a comment that foreign text opens would swallow what follows
        detail=fit(sanitize(detail, links=True).replace("<", f"<{GAP}"), _DETAIL) if detail else "",
        advice=RUNS[status].advice if status == "paused" else "",
        turn=turn,
        link=link,
        state=state,
        view=view,
        told=_told(state) if state is not None and state.attempts else None,
        links=_links(state) if state is not None else {},
        over=status != "running" and not (state is not None and _is_open(state)),
    )
    rows = _rows(view, MOST_STORED - len(render(rows=())) - 100) if view else []
    return fit(render(rows=rows), MOST_STORED) + f"\n\n{marker(run)}"


def _rows(view: RunView, room: int) -> list[TaskView]:
    """The tasks for whose rows there is ``room``; what the run has touched newest comes first."""
    chosen = set()
    every = sorted(
        view.standing, key=lambda task: (not task.current, 1 if task.turn is None else -task.turn)
    )
    for task in every[:MAX_ROWS]:
        room -= len(progress_texts.row(task)) + 1
        if room < 0:
            break
        chosen.add(task.key)
    return [task for task in view.standing if task.key in chosen]


def _stands(status: str, view: RunView | None) -> str:
    """How a run stands; one that has ended is done only if all it took up is."""
    touched = [task for task in view.tasks if task.touched and not task.gone] if view else []
    if status == "ended" and touched and all(task.status in DONE for task in touched):
        return "is done"
    return RUNS[status].sentence


def _is_open(state: RunState) -> bool:
    """Whether a task is in hand, or waits for people to decide."""
    waits = Status.AWAITING_APPROVAL
    return bool(state.current or state.at_work) or any(
        a.status is waits for a in state.attempts.values()
    )


def _told(state: RunState) -> Mapping[str, Any]:
    told: Mapping[str, Any] = report(state)
    return {**told, "deferred": [{"task": key} for key in told["deferrals"]]}


def _links(state: RunState) -> dict[str, dict[str, str]]:
    """What people call each task, and where to read more of it."""
    names = {task.key: task.name for task in (*state.tasks, *state.replaced.tasks)}
    links = {}
    for attempt in state.attempts.values():
        asked = attempt.proposal.place.url if attempt.proposal else ""
        made = attempt.published.url or attempt.published.commit[:12]
        name = names.get(attempt.task, "")
        links[attempt.task] = {"name": name, "place": asked or made, "made": made or asked}
    return links
