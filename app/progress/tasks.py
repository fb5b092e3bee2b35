"""The tasks of a run as lines of a Markdown table."""

from __future__ import annotations

from runner.defuse import defuse
from runner.roadmap.task import Task
from runner.state import Attempt, RunState, Status
from runner.texts import blocked_reason, doubt_of, warnings_of

MAX_ROWS = 100
_TITLE = 200
_WHY = 400
_MOST_WARNINGS = 5
GAP = "\u200b"
_MARKS = {
    Status.PENDING: "⬜",
    Status.IN_PROGRESS: "⏳",
    Status.IN_REVIEW: "👀",
    Status.COMPLETED: "✅",
    Status.FAILED: "❌",
    Status.DEFERRED: "⏭️",
    Status.SKIPPED: "⏭️",
    Status.BLOCKED: "⛔",
    Status.DECLINED: "🚫",
    Status.AWAITING_APPROVAL: "✋",
    Status.REPLACED: "🔁",
}
_HEAD = "| | task | status | answers | tokens | |\n| --- | --- | --- | ---: | ---: | --- |"


def task_table(state: RunState, most: int) -> str:
    """One line a task in at most ``most`` characters; what the run has touched comes first."""
    work = [task for task in state.tasks if task.kind == "work"]
    rows: dict[str, str] = {}
    left = most - len(_HEAD) - 100  # the line that says what is left out
    for task in _by_weight(state, work)[:MAX_ROWS]:
        row = _row(state, task)
        if len(row) >= left:
            break
        left -= len(row) + 1
        rows[task.key] = row
    lines = [rows[task.key] for task in work if task.key in rows]
    if len(lines) < len(work):
        lines.append(f"| | … {len(work) - len(lines):,} more of {len(work):,} tasks | | | | |")
    return "\n".join([_HEAD, *lines])


def cell(text: str, most: int) -> str:
    """Foreign text in a table's cell: on one line, cut, defused, no HTML and no new cell."""
    line = " ".join(text.split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return defuse(line, plain=True).replace("|", "\\|").replace("<", f"<{GAP}")


def named(task: Task) -> str:
    """A task as people know it."""
    return f"**{cell(task.name, 80)}** {cell(task.title, _TITLE)}"


def _by_weight(state: RunState, work: list[Task]) -> list[Task]:
    """The task in hand, then the newest this run has touched, then the others in their order."""
    newest = {key: -place for place, key in enumerate(state.attempts)}
    return sorted(work, key=lambda t: (t.key != state.current, newest.get(t.key, 1)))


def _row(state: RunState, task: Task) -> str:
    attempt, status = state.attempts.get(task.key), state.status(task)
    cells = [_MARKS[status], named(task), _standing(status, attempt)]
    if attempt is None:
        return f"| {' | '.join(cells)} | | | {cell(blocked_reason(state, task), _WHY)} |"
    why = cell(attempt.failure.message, _WHY) if attempt.failure else ""
    cells += [
        str(attempt.answers or ""),
        f"{attempt.spent.tokens:,}" if attempt.spent.tokens else "",
    ]
    return f"| {' | '.join(cells)} | {' '.join([attempt.url or why, *_marked(attempt)]).strip()} |"


def _marked(attempt: Attempt) -> list[str]:
    """The warnings of an accepted change, each behind its mark."""
    return [f"⚠️ {cell(text, _WHY)}" for text in warnings_of(attempt)[:_MOST_WARNINGS]]


def _standing(status: Status, attempt: Attempt | None) -> str:
    """A status in words; what no test has shown is not called verified, and why."""
    doubt = doubt_of(attempt)
    if doubt and status is Status.COMPLETED:
        return f"completed, **not verified**: {cell(doubt, _WHY)}"
    return str(status).replace("_", " ")
