"""Every sentence about why a task failed and what is proposed, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from runner.recovery.values import Reason, Strategy
from runner.state import Failure
from runner.text import cut_middle

_LONGEST = 240

_BECAUSE: dict[Reason, str] = {
    "task_too_vague": "The task leaves open what is to be done",
    "task_too_complex": "The task is too much for one attempt",
    "missing_dependency": "The task needs something that is not there yet",
    "environment_issue": "The tests need something that this environment lacks",
}
_UNKNOWN = {
    "pattern": "Neither another wording nor another order of the tasks would help",
    "model": "The model found no cause that another wording or order of the tasks would remove",
    "nobody": "No rule and no model could say why this failed",
}
NOT_VAGUE = (
    "the model called the task too vague, but the task names its files and what to write there, "
    "so it was not rewritten"
)
_DOES: dict[Strategy, str] = {
    "rewrite": "The new text says what to write and how to see that it is done",
    "decompose": "It becomes {parts} tasks, in this order, each of which can be tested alone",
    "defer": "It is tried once more, with fresh context, after the other tasks",
    "skip": "Once the environment has what is missing, `/execute retry` takes the task up again",
    "escalate": "",
}


def tests_fail(answers: int, red: Sequence[str]) -> str:
    """What still fails, and how much was tried."""
    first = cut_middle(red[0], _LONGEST)
    more = f" (and {len(red) - 1} more)" if len(red) > 1 else ""
    return f"after {_answers(answers)} the tests still fail: {first}{more}"


def answers_refused(answers: int, said: str) -> str:
    """What no answer got past, and how much was tried."""
    why = f": {cut_middle(said, _LONGEST)}" if said else ""
    return f"none of {_answers(answers)} could be accepted{why}"


def _answers(count: int) -> str:
    return "1 answer" if count == 1 else f"{count} answers"


def defer_refused(why: Literal["once", "never"], name: str = "") -> str:
    """Why a task is not put off."""
    if why == "once":
        return "it was put off once already, and that did not help"
    return f"it waits for task {name}, which this run will not come to"


def rewrites_refused(why: Literal["deep", "many", "kind"], number: int) -> str:
    """Why no other tasks are proposed."""
    if why == "deep":
        return f"it comes from {number} recoveries already, so it is not written anew once more"
    if why == "many":
        return f"recoveries made {number} tasks in this run already, which is the most"
    return "it is no open work item, so nothing can take its place"


def explained(strategy: Strategy, failure: Failure, parts: int, instead: str) -> str:
    """Why, and what is proposed, for somebody who has half a minute; the evidence stands below."""
    seen = next(iter(failure.evidence), "") if failure.found_by != "nobody" else ""
    why = _because(failure)
    because = f"{why}: {cut_middle(seen, _LONGEST)}" if seen not in ("", failure.message) else why
    refused = f"Cairn cannot go on by itself: {instead}" if instead else ""
    does = _DOES[strategy].format(parts=parts)
    return " ".join(_ended(part) for part in (because, refused, does) if part)


def _because(failure: Failure) -> str:
    if failure.type == "conflict":
        return "Another task changed the same at the same time"
    if failure.reason != "unknown":
        return _BECAUSE[failure.reason]
    return _UNKNOWN[failure.found_by]


def _ended(text: str) -> str:
    """A sentence of its own, on one line."""
    line = " ".join(text.split()).rstrip()
    return line if line.endswith((".", "!", "?")) else f"{line}."
