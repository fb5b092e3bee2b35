"""What the loop reports while it works: typed events, one class each."""

from __future__ import annotations

from dataclasses import dataclass

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
    """``usage`` is the node's own wall time and that of its model calls."""

    node: str
    outcome: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class ModelAnswered(Event):
    node: str
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class Verified(Event):
    verification: Verification


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
    """The run's status changed: started, paused, cancelled or ended; ``detail`` says why."""

    status: str
    detail: str = ""
