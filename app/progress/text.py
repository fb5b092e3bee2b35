"""What the progress comment of a run says: a pure function of its state."""

from __future__ import annotations

from datetime import datetime
from math import ceil

from gidgethub import GitHubException

from app.progress.cut import cut
from app.progress.graph import graph
from app.progress.panel import panel, total
from app.progress.tasks import GAP, named, task_table
from app.runs.waiting import Turn
from runner.defuse import defuse
from runner.errors import Outage
from runner.recovery.numbers import by_strategy
from runner.state import RunState
from runner.texts_recovery import recoveries_told

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

_DETAIL = 20_000
_PLACE = 1_000
"""Characters that the rest needs beside detail, table, graph and panel, at most."""


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
    return f"**Paused:** {reason.rstrip('.')}.{when}"


def marker(run: str) -> str:
    """The hidden mark by which the comment is found again."""
    return f"<!-- cairn:progress:{run} -->"


def progress_text(
    run: str, status: str, detail: str, state: RunState | None, turn: Turn | None = None
) -> str:
    """Render the whole comment; ``detail`` is a sentence (why paused, what is wrong)."""
    parts = [f"### Cairn run `{run}` {_HEADS.get(status, status)}"]
    if detail:
        # a folded part or a comment that foreign text opens would swallow what follows
        parts.append(cut(defuse(detail).replace("<", f"<{GAP}"), _DETAIL))
    if status == "paused":
        parts.append("Nothing is lost. `/execute resume` goes on from here.")
    if turn is not None:
        parts.append(_queue(turn))
    if state is not None and state.tasks:
        parts += _work(state, MAX_LENGTH - _PLACE - sum(map(len, parts)))
    return cut("\n\n".join(part for part in parts if part), MAX_LENGTH) + f"\n\n{marker(run)}"


def _queue(turn: Turn) -> str:
    before = turn.position - 1
    first = "1 run goes first" if before == 1 else f"{before:,} runs go first"
    wait = f"; about {_minutes(turn.seconds)} to wait" if turn.seconds is not None else ""
    return (
        f"It was queued at position {turn.position:,}: {first}{wait}. It starts by itself. "
        "`/execute status` tells how it stands, `/execute cancel` takes it out."
    )


def _minutes(seconds: float) -> str:
    minutes = max(1, ceil(seconds / 60))
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"


def _work(state: RunState, most: int) -> list[str]:
    """Where it is, the tasks, their graph, and what was used; the table gives way to the rest."""
    now, drawn, used, recovered = _now(state), _drawn(state), _usage(state), _recovered(state)
    table = task_table(state, most - len(now) - len(drawn) - len(used) - len(recovered))
    return [now, table, recovered, drawn, used]


def _now(state: RunState) -> str:
    return f"Now at {named(state.task)}, `{state.node}`." if state.current else ""


def _recovered(state: RunState) -> str:
    """How often each strategy was proposed, applied, and led to finished tasks; '' for never."""
    by = by_strategy(state)
    if not by:
        return ""
    lines = [
        "| recovery | tried | applied | led to finished tasks |",
        "| --- | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {strategy} | {done['attempted']} | {done['applied']} | {done['successful']} |"
        for strategy, done in by.items()
    ]
    told = recoveries_told(state)
    both = f"\n\n{_folded('What was replaced by what', told)}" if told else ""
    return "\n".join(lines) + both


def _drawn(state: RunState) -> str:
    source = graph(state)
    return _folded("Graph of this run", f"```mermaid\n{source}\n```") if source else ""


def _usage(state: RunState) -> str:
    rows = panel(state)
    if not rows:
        return ""
    lines = ["| node | tokens | % | duration | calls |", "| --- | ---: | ---: | ---: | ---: |"]
    lines += [
        f"| {row.node} | {row.usage.tokens} | {row.percent:.1f} "
        f"| {row.usage.seconds:.1f} s | {row.usage.calls} |"
        for row in rows
    ]
    used = total(state)
    cost = f", ${used.cost:.4f}" if used.cost else ""
    return _folded(f"Time and cost: {used.tokens:,} tokens{cost}", "\n".join(lines))


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"
