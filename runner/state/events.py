"""What the loop reports while it works: typed events, and those that follow from two states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from runner.money import Usage, total
from runner.retries.policy import Tried
from runner.state.findings import Verification
from runner.state.run_state import Attempt, RunState


@dataclass(frozen=True, slots=True)
class Exchange:
    """One model exchange; ``seconds`` wall time, ``cost`` in USD (None: price unknown).

    ``cached`` tokens of the prompt came from the endpoint's cache.
    ``tried`` are the tries that failed before it.
    """

    model: str
    prompt: str
    reply: str
    prompt_tokens: int
    completion_tokens: int
    finish_reason: str
    seconds: float
    retries: int
    cost: float | None
    tried: tuple[Tried, ...] = ()
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened in ``run``; ``task`` is a task key, empty when about the run itself."""

    run: str
    task: str


@dataclass(frozen=True, slots=True)
class NodeStarted(Event):
    node: str


@dataclass(frozen=True, slots=True)
class NodeFinished(Event):
    """A step finished.

    If a process dies before the step is saved, it runs again and is reported again.
    """

    node: Annotated[str, "The step, as in the graph of the loop."]
    outcome: Annotated[str, "How it ended; this decides which step is next."]
    usage: Annotated[Usage, "of the step"]


@dataclass(frozen=True, slots=True)
class ModelAnswered(Event):
    """A question was answered; ``asked`` is the model it was put to ('': the usual one)."""

    node: str
    exchange: Exchange
    asked: str = ""


TestedTree = Literal["change", "again", "before", "proof"]
"""What tests ran on: see ``Verified.tested``."""


@dataclass(frozen=True, slots=True)
class ModelFailed(Event):
    """A question got no answer; ``model`` is the one asked for ('': the usual one)."""

    node: str
    model: str
    prompt: str
    error: str
    tried: tuple[Tried, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified(Event):
    """The project's tests and other checks ran."""

    verification: Annotated[Verification, "of the change"]
    tested: Annotated[
        str,
        "`change`: the project with the answer. `again`: once more, only tests that failed. "
        "`before`: the project without the change. `proof`: also what the new tests are worth.",
    ] = "change"
    attempt: Annotated[int, "The attempt's number, from 1."] = 1
    answer: Annotated[int, "The number of the answer within its attempt, from 1."] = 1


@dataclass(frozen=True, slots=True)
class Busy(Event):
    """Something that may take long begins (``what`` it is), or has ended ('')."""

    what: str


@dataclass(frozen=True, slots=True)
class OutageMet(Event):
    """An outage keeps the task from going on, and pauses the run; ``kind`` is its word."""

    kind: str


@dataclass(frozen=True, slots=True)
class Advanced(Event):
    """A step was saved; ``state`` is the whole run after it (``task`` is the task it was about)."""

    state: RunState


@dataclass(frozen=True, slots=True)
class RunRecalled(Event):
    """A process begins to drive the run; ``state`` is what the journal has of it."""

    state: RunState


@dataclass(frozen=True, slots=True)
class RunChanged(Event):
    """The run's status changed."""

    status: Annotated[
        str,
        "`ready` (its first turn has come; server and Action only), `started`, `paused`, "
        "`waiting` (it waits for people), `interrupted`, `cancelled`, `timed_out` (it waited too "
        "long for its first turn) or `ended`.",
    ]
    detail: Annotated[str, "Why, in a sentence; may be empty."] = ""


@dataclass(frozen=True, slots=True)
class RunQueued(Event):
    """Somebody asked for a run, and it waits for its turn (server and Action only)."""

    roadmap: Annotated[str, "The roadmap's path."]
    by: Annotated[str, "The login of whoever asked for it."]
    issue: Annotated[int, "The issue or pull request it was asked for on; 0 for none."]


@dataclass(frozen=True, slots=True)
class TaskChanged(Event):
    """The status of an attempt at a task changed. Reported once for each attempt and status."""

    attempt: Annotated[int, "The attempt's number, from 1."]
    status: Annotated[str, "The new status, as in reports: `in_progress`, `completed`, `failed` …"]
    error: Annotated[str, "The type of error that ended it; empty for none."]
    usage: Annotated[Usage, "of the attempt so far"]


@dataclass(frozen=True, slots=True)
class ProposalMade(Event):
    """Cairn made a proposal that people decide about."""

    attempt: Annotated[int, "The attempt's number, from 1."]
    proposal: Annotated[str, "The proposal's id, as people type it."]
    kind: Annotated[str, "`recovery` of a failed task, or `changes` that need approval."]
    strategy: Annotated[str, "`rewrite`, `decompose`, `defer`, `skip` or `escalate`."]
    url: Annotated[str, "Where people find it; empty on a checkout."]


@dataclass(frozen=True, slots=True)
class ProposalDecided(Event):
    """The run applied a decision about a proposal."""

    attempt: Annotated[int, "The attempt's number, from 1."]
    proposal: Annotated[str, "The proposal's id, as people type it."]
    strategy: Annotated[str, "What was proposed."]
    verdict: Annotated[str, "`approve`, `reject`, `skip`, `edit` or `defer`."]
    by: Annotated[str, "Who decided."]
    channel: Annotated[str, "How: `reaction`, `reply`, `review`, `merge`, `prompt` …"]


@dataclass(frozen=True, slots=True)
class CheckpointPublished(Event):
    """The work on a task was committed, and its pull request opened (a checkout has none)."""

    attempt: Annotated[int, "The attempt's number, from 1."]
    commit: Annotated[str, "The commit."]
    branch: Annotated[str, "Its branch."]
    url: Annotated[str, "The pull request's page; empty on a checkout."]


@dataclass(frozen=True, slots=True)
class CheckpointMerged(Event):
    """A pull request of Cairn was merged (server only). It may contain several tasks."""

    number: Annotated[int, "The pull request's number."]
    branch: Annotated[str, "Its branch."]
    by: Annotated[str, "The login of whoever merged it."]


@dataclass(frozen=True, slots=True)
class BudgetReserved(Event):
    """Cairn is about to ask a model a question, and the run's budget covers it.

    Only runs with a budget report this. What the answer does not use becomes free again.
    """

    node: Annotated[str, "The step that asks."]
    tokens: Annotated[int, "Tokens that are reserved."]
    cost: Annotated[float | None, "USD that is reserved; null without a cost limit."]


def happened(before: RunState | None, after: RunState) -> tuple[Event, ...]:
    """Return what happened in between, in order; without ``before`` all that a state tells."""
    found: list[Event] = []
    for task, new in after.attempts.items():
        old = before.attempts.get(task) if before else None
        if new is not old:
            same = old if old and old.number == new.number else None
            found += _of_attempt(after.request.id, same, new)
    return tuple(found)


def _of_attempt(run: str, old: Attempt | None, new: Attempt) -> Iterator[Event]:
    task, number = new.task, new.number
    proposal, decision, published = new.proposal, new.agreed.decision, new.published
    shown = proposal if proposal and proposal.fingerprint else None
    earlier = old.proposal if old else None
    if shown and (earlier is None or earlier.fingerprint != shown.fingerprint):
        about = (shown.id, shown.kind, shown.strategy, shown.place.url)
        yield ProposalMade(run, task, number, *about)
    if shown and decision and (old is None or old.agreed.decision != decision):
        how = (shown.id, shown.strategy, decision.verdict, decision.by, decision.channel)
        yield ProposalDecided(run, task, number, *how)
    if published.commit and (old is None or old.published.commit != published.commit):
        where = (published.commit, published.branch, published.url)
        yield CheckpointPublished(run, task, number, *where)
    if old is None or old.status is not new.status:
        error = new.failure.error if new.failure else ""
        used = replace(new.spent.total, seconds=total(new.spent.usage.values()).seconds)
        yield TaskChanged(run, task, number, str(new.status), error, used)
