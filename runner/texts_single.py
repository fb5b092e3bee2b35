"""Every sentence of a pull request that shows all tasks of a run (``pull_requests: single``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.findings import Verification
from runner.publishing import Row
from runner.state import Attempt, RunState, Status
from runner.texts import doubt_of, money, title_of, verdict_of

_MOST = 45_000
"""Characters of details in one description, of the newest tasks; GitHub stores 65,536 in all."""

_HEAD = ["| task | result | answers | cost |", "| --- | --- | --- | --- |"]


def shared_title(roadmap: str) -> str:
    """The title of a run's one pull request."""
    return f"Tasks of {roadmap}"


def shared_body(roadmap: str, rows: Sequence[Row]) -> str:
    """Its description: a row for each task, then what the newest of them are about."""
    said = f"Tasks of `{roadmap}`, each in a commit of its own, in this order:"
    return "\n\n".join([said, "\n".join([*_HEAD, *(row.line for row in rows)]), *_details(rows)])


def rows_of(state: RunState, added: Mapping[str, Attempt]) -> tuple[Row, ...]:
    """The rows of all that was added to the run's branch, the task in hand among it."""
    others = {**state.attempts, **added}
    others.pop(state.current)
    before = [_row(state.put(each), key) for key, each in others.items() if each.told]
    return (*before, _row(state, state.current))


def _row(state: RunState, key: str) -> Row:
    state = replace(state, current=key)
    task, attempt = state.task, state.attempt
    name = title_of(task).replace("|", "\\|")
    cells = (name, _result(attempt), str(attempt.answers), money(attempt))
    details = f"<details><summary>{title_of(task)}</summary>\n\n{attempt.told.decode()}\n\n"
    return Row(key, f"| {' | '.join(cells)} |", f"{details}</details>")


def _result(attempt: Attempt) -> str:
    verification: Verification | None = attempt.verification
    if attempt.proposal and attempt.rewritten:
        return f"✂️ {attempt.proposal.strategy}: other tasks in its place"
    if verification is None or not verification.levels:
        return "⚠️ nothing was run"
    if verdict_of(attempt).verified:
        return "✅ verified"
    return f"⚠️ not verified: {doubt_of(replace(attempt, status=Status.COMPLETED))}".replace(
        "|", "\\|"
    )


def _details(rows: Sequence[Row]) -> list[str]:
    """As many as there is room for, the newest first; those of the others are in the run's."""
    room, found = _MOST, list[str]()
    for row in reversed(rows):
        room -= len(row.details)
        if room < 0:
            break
        found.append(row.details)
    return list(reversed(found))
