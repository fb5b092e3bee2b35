"""What the loop tells the outside while it works: typed events, one class each."""

from __future__ import annotations

from dataclasses import dataclass

from runner.findings import Verification


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
    """``tokens``, ``cost`` (USD) and ``calls`` are those of the node's own model calls."""

    node: str
    outcome: str
    seconds: float
    tokens: int
    cost: float | None
    calls: int


@dataclass(frozen=True, slots=True)
class ModelAnswered(Event):
    node: str
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class Verified(Event):
    verification: Verification


@dataclass(frozen=True, slots=True)
class TaskChanged(Event):
    """A task's status changed; ``detail`` is a sentence, ``url`` its pull request or commit."""

    status: str
    detail: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class RunChanged(Event):
    """The run's status changed: started, paused, cancelled or ended; ``detail`` says why."""

    status: str
    detail: str = ""
