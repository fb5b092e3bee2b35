"""A bug of Cairn that an answer brings out costs the task that answer, and not the run.

What makes a node fail in a way that nobody thought of is nearly always what the model answered. The
answer is kept, so that a run which stopped there would stop there again whenever it is resumed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from runner.graph import GRAPH, RUN_NODES
from runner.loop.accepted import restored
from runner.loop.strategy import judged
from runner.state.findings import Complaint
from runner.state.run_state import Failure, RunState, Step
from runner.text.sanitize import cut_middle, sendable

_ASKING: Final = frozenset({"execute_task", "repair_code", "repair_test"})
_LONGEST = 300


def bad_answer(state: RunState, bug: Exception) -> Step | None:
    """Return how the current node ends after a bug; None where no task is to blame.

    Where an answer is read or judged it is refused, like one that cannot be understood. A plan is
    done without. Everywhere else the attempt ends, with the bug as its failure.
    """
    node = state.node
    if node in RUN_NODES:
        return None
    said = cut_middle(sendable(f"{type(bug).__name__}: {bug}".rstrip(": ")), _LONGEST)
    refused = Complaint(
        "",
        "UnreadableAnswer",
        f"This answer triggered a bug in Cairn ({said}).",
        advice="Answer again in a simpler form.",
    )
    if node == "plan_task":
        return Step(state, "ok")
    attempt, checked = state.attempt, replace(state.attempt.checked, complaints=(refused,))
    if attempt.accepted and "kept" in GRAPH[node]:
        return restored(state, f"a bug in Cairn ({said})")
    if node in _ASKING:
        answered = replace(attempt.answered, answers=attempt.answered.answers + 1)
        attempt = replace(attempt, failure=None, answered=answered, checked=checked)
        return Step(state.put(attempt), "ok")
    if "afresh" in GRAPH[node]:
        return judged(state.updated(checked), "code", same=True)
    failure = Failure("internal", f"a bug in Cairn ended it ({said})", node=node)
    return Step(state.put(replace(attempt, failure=attempt.failure or failure)), "error")
