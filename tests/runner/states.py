"""States and attempts to start a test from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from runner.roadmap.parse import parse_roadmap
from runner.state.options import Options, Request
from runner.state.run_state import Attempt, RunStack, RunState, Status
from tests.runner.fields import changed
from tests.runner.memory_repository import START

ROADMAP = "# Plan\n\n- [ ] 1.1 Add `a.py`\n- [ ] 1.2 Add b\n- [x] 1.3 Old\n"


def run_state(roadmap: str = ROADMAP, **options: Any) -> RunState:
    """A run that has read its roadmap."""
    parsed = parse_roadmap("ROADMAP.md", roadmap.encode())
    request = Request("r1", options=changed(Options(), **{"approval_mode": "auto", **options}))
    return RunState(
        request, roadmap=parsed, stack=RunStack(tip=START, branch="main"), node="decide_next"
    )


def at(node: str, state: RunState | None = None, *, number: int = 0, **attempt: Any) -> RunState:
    """A run with one task in hand, at ``node``."""
    state = state or run_state()
    key = state.tasks[number].key
    made = changed(Attempt(task=key, base=START, below="main"), path=("build_context",))
    state = replace(state, node=node, current=key)
    return state.put(changed(made, **attempt))


def with_status(state: RunState, status: Status, *, number: int = 0, **attempt: Any) -> RunState:
    """The run with a task already left, with this status."""
    key = state.tasks[number].key
    made = changed(
        Attempt(task=key, base=START, below="main", status=status), path=("build_context",)
    )
    return state.put(changed(made, **attempt))
