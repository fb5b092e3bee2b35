"""What the progress comment of a run says: a pure function of its state."""

from __future__ import annotations

from datetime import datetime

from gidgethub import GitHubException

from runner.defuse import defuse
from runner.errors import Outage
from runner.report import shares, table
from runner.state import RunState

_MARKS = {
    "pending": "⬜",
    "in_progress": "⏳",
    "in_review": "👀",
    "completed": "✅",
    "failed": "❌",
    "deferred": "⏭️",
    "skipped": "⏭️",
    "blocked": "⛔",
    "declined": "🚫",
    "awaiting_approval": "✋",
    "replaced": "🔁",
}
_HEADS = {
    "queued": "is queued",
    "running": "is working",
    "started": "is working",
    "paused": "is paused",
    "cancelled": "was cancelled",
    "ended": "is done",
    "resting": "rests",
}
MAX_LENGTH = 60_000
"""Characters; GitHub refuses bodies that are not much longer."""

MAX_ROWS = 100


def why(error: BaseException) -> str:
    """Say for people what stopped a run; of a bug they learn no more than that."""
    if isinstance(error, Outage):
        return error.message
    if isinstance(error, GitHubException):
        return f"GitHub refused: {error}"
    return "an internal error stopped it; the operator's log has more"


def pause(reason: str, until: datetime | None) -> str:
    """Say why a run is paused, and when it goes on if that is known."""
    when = f" It goes on by itself at {until:%H:%M} UTC." if until else ""
    return f"**Paused:** {reason}{when}"


def marker(run: str) -> str:
    """The hidden mark by which the comment is found again."""
    return f"<!-- cairn:progress:{run} -->"


def progress_text(run: str, status: str, detail: str, state: RunState | None) -> str:
    """Render the whole comment; ``detail`` is a sentence (why paused, what is wrong)."""
    parts = [f"### Cairn run `{run}` {_HEADS.get(status, status)}"]
    if detail:
        parts.append(detail)
    if status == "paused":
        parts.append("Nothing is lost. `/execute resume` goes on from here.")
    if state is not None and state.tasks:
        parts += [_now(state), _table(state), _usage(state)]
    return "\n\n".join(part for part in parts if part)[:MAX_LENGTH] + f"\n\n{marker(run)}"


def _now(state: RunState) -> str:
    if not state.current:
        return ""
    name = f"**{defuse(state.task.name)}** {defuse(state.task.title)}"
    return f"Now at {name}, `{state.node}`."


def _table(state: RunState) -> str:
    """One line a task; the ones this run has touched first if there are too many."""
    rows = table(state)
    shown = rows
    if len(rows) > MAX_ROWS:
        shown = [row for row in rows if row["answers"]] or rows
    lines = ["| | task | status | answers | tokens | |", "| --- | --- | --- | ---: | ---: | --- |"]
    lines += [
        f"| {_MARKS[str(row['status'])]} | **{row['name']}** {row['title']} | {row['status']} "
        f"| {row['answers'] or ''} | {row['tokens'] or ''} | {row['url'] or row['why']} |"
        for row in shown[:MAX_ROWS]
    ]
    if len(shown) < len(rows) or len(shown) > MAX_ROWS:
        lines.append(f"| | … of {len(rows)} tasks | | | | |")
    return "\n".join(lines)


def _usage(state: RunState) -> str:
    rows = [row for row in shares(state) if row[1].seconds >= 0.005 or row[1].calls]
    if not rows:
        return ""
    lines = ["| node | tokens | % | duration | calls |", "| --- | ---: | ---: | ---: | ---: |"]
    lines += [
        f"| {node} | {used.tokens} | {share:.1f} | {used.seconds:.1f} s | {used.calls} |"
        for node, used, share in rows
    ]
    cost = sum(used.cost for _, used, _ in rows)
    total = f"{sum(used.tokens for _, used, _ in rows):,} tokens"
    known = f", ${cost:.4f}" if cost else ""
    body = "\n".join(lines)
    return f"<details><summary>Time and cost: {total}{known}</summary>\n\n{body}\n\n</details>"
