"""Print events for programs: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from runner.events import Event, ModelAnswered, NodeFinished, RunChanged, Verified


class JsonLines:
    """Hands each event to ``write`` as a line without its line end."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    async def emit(self, event: Event) -> None:
        """Write the event if it is one that programs follow."""
        if (data := _data(event)) is not None:
            self._write(line(_NAMES[type(event)], event.run, task=event.task, **data))


def line(event: str, run: str, **data: object) -> str:
    """Make one line."""
    return json.dumps({"event": event, "run": run, **data}, ensure_ascii=False, default=str)


def _data(event: Event) -> dict[str, object] | None:
    match event:
        case NodeFinished(usage=used):
            return {
                "node": event.node,
                "outcome": event.outcome,
                "tokens": used.tokens,
                "cost": used.known_cost,
                "seconds": round(used.seconds, 4),
                "calls": used.calls,
            }
        case ModelAnswered(exchange=said):
            tokens = said.prompt_tokens + said.completion_tokens
            return {"node": event.node, "tokens": tokens, "cost": said.cost, "model": said.model}
        case Verified(verification=found):
            levels = {level.name: level.result for level in found.levels}
            return {"passed": found.passed, "verified": found.verified, "levels": levels}
        case RunChanged():
            return {"status": event.status, "detail": event.detail}
    return None


_NAMES: Mapping[type[Event], str] = {
    NodeFinished: "node_finished",
    ModelAnswered: "model_answered",
    Verified: "verified",
    RunChanged: "run_changed",
}
