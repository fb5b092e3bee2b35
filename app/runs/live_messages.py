"""What watchers are told of an event: small JSON, without prompts, answers and outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from runner.events import (
    Advanced,
    Event,
    ModelAnswered,
    NodeFinished,
    NodeStarted,
    RunChanged,
    Verified,
)
from runner.state import RunState

_LONGEST = 2_000
"""Characters of one text in a message."""


@dataclass(frozen=True, slots=True)
class Message:
    """One thing that happened; ``id`` is that of the event stream, ``data`` is JSON."""

    id: str
    at: datetime
    data: Mapping[str, object]


def told(
    event: Event, state: RunState | None, mask: Callable[[str], str]
) -> dict[str, object] | None:
    """Return what an event says to watchers, None for nothing; ``state`` names its task."""
    data = _data(event)
    if data is None:
        return None
    whole = {"task": _task(event.task, state), **data}
    return {key: _safe(value, mask) for key, value in whole.items()}


def _data(event: Event) -> dict[str, object] | None:
    match event:
        case NodeStarted():
            return {"event": "node_started", "node": event.node}
        case NodeFinished(usage=used):
            return {
                "event": "node_finished",
                "node": event.node,
                "outcome": event.outcome,
                "tokens": used.tokens,
                "cost": round(used.cost, 6),
                "seconds": round(used.seconds, 3),
            }
        case ModelAnswered(exchange=said):
            tokens = said.prompt_tokens + said.completion_tokens
            return {
                "event": "model_answered",
                "node": event.node,
                "model": said.model,
                "tokens": tokens,
                "cost": said.cost,
                "seconds": round(said.seconds, 3),
            }
        case Verified(verification=found):
            return {"event": "verified", "passed": found.passed, "by_tests": found.verified}
        case Advanced(state=state):
            return {"event": "advanced", "node": state.node}
        case RunChanged():
            return {"event": "run_changed", "status": event.status, "detail": event.detail}
    return None


def _task(key: str, state: RunState | None) -> str:
    """What people call the task; its key as long as no roadmap is known."""
    tasks = state.tasks if state else ()
    return next((task.name for task in tasks if task.key == key), key)


def _safe(value: object, mask: Callable[[str], str]) -> object:
    return mask(value)[:_LONGEST] if isinstance(value, str) else value
