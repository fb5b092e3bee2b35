"""What the loop reports while it works: typed events, one class each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from runner.money import Usage
from runner.state.findings import Verification
from runner.state.run_state import RunState


@dataclass(frozen=True, slots=True)
class Exchange:
    """One model exchange; ``seconds`` wall time, ``cost`` in USD (None: price unknown)."""

    model: str
    prompt: str
    reply: str
    prompt_tokens: int
    completion_tokens: int
    finish_reason: str
    seconds: float
    retries: int
    cost: float | None


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
    """A step finished. If a process dies before it is saved, it runs and is reported again."""

    node: Annotated[str, "The step, as in the graph of the loop."]
    outcome: Annotated[str, "How it ended; this decides which step is next."]
    usage: Annotated[Usage, "of the step"]


@dataclass(frozen=True, slots=True)
class ModelAnswered(Event):
    node: str
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class Verified(Event):
    """The project's tests and other checks ran."""

    verification: Annotated[Verification, "of the change"]


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

    status: Annotated[str, "`started`, `paused`, `resting`, `interrupted`, `cancelled` or `ended`."]
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
    """Cairn proposed something that people decide about."""

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
    """A pull request of Cairn was merged (server only). It may be one of several tasks."""

    number: Annotated[int, "The pull request's number."]
    branch: Annotated[str, "Its branch."]
    by: Annotated[str, "The login of whoever merged it."]


@dataclass(frozen=True, slots=True)
class BudgetReserved(Event):
    """A question to a model is about to be asked, and the run's budget covers it.

    Only runs with a budget report this. What the answer does not use is free again.
    """

    node: Annotated[str, "The step that asks."]
    tokens: Annotated[int, "Tokens that are reserved."]
    cost: Annotated[float | None, "USD that are reserved; null without a limit in money."]
