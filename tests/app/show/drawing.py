"""A run as its events tell it, and what a terminal of some size would show of it."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from app.show.live import Look, View, advanced, screen, standing
from runner.money import Usage
from runner.state.events import Advanced, Event, NodeStarted, RunChanged
from runner.state.run_state import Attempt, RunState
from tests.runner.fields import changed
from tests.runner.states import START, run_state

ROADMAP = """\
# Roadmap

## Phase 1: Basics

- [x] 1.1 Begin
- [ ] 1.2 Add
- [ ] 1.3 Subtract

## Phase 2: More

- [ ] 2.1 Double
"""


def view_after(*events: tuple[float, Event]) -> View:
    """Fold events that came at these times."""
    view = View()
    for at, event in events:
        view = advanced(view, event, at=at)
    return view


def started(state: RunState) -> Event:
    """The run begins."""
    return RunChanged(state.request.id, "", "started")


def entered(state: RunState, number: int, node: str) -> Event:
    """A task (its place in the file) comes to a node."""
    return NodeStarted(state.request.id, state.tasks[number].key, node)


def saved(state: RunState, number: int | None = None) -> Event:
    """A step was saved; of a task, or of the run itself."""
    task = "" if number is None else state.tasks[number].key
    return Advanced(state.request.id, task, state)


def working(state: RunState, number: int, node: str, **attempt: object) -> RunState:
    """The run with a task in hand at a node."""
    key = state.tasks[number].key
    known = state.attempts.get(key) or Attempt(task=key, base=START, below="main")
    return replace(state.put(changed(known, **attempt)), current=key, node=node)


def at_work(roadmap: str = ROADMAP, node: str = "verify_task", **attempt: object) -> View:
    """A run whose second task has been at a node for 65 seconds."""
    state = run_state(roadmap)
    usage = {"execute_task": Usage(2.0, 1200, 0.5, 1)}
    given = {"usage": usage, "total": Usage(2.0, 1200, 0.5, 1), "steps": 1, **attempt}
    now = working(state, 1, node, **given)
    return view_after(
        (0, started(state)), (1, saved(state)), (5, entered(now, 1, node)), (6, saved(now, 1))
    )


def drawn(
    view: View, *, width: int = 100, height: int = 24, plain: bool = False, now: float = 70.0
) -> str:
    """What is shown, with its escapes of colour."""
    console = Console(width=width, height=height, force_terminal=True, color_system="standard")
    look = Look(width, height, plain)
    stands = standing(view.state, frozenset(view.at_work)) if view.state else standing(run_state())
    with console.capture() as caught:
        console.print(screen(view, stands, look, now=now))
    return caught.get()
