"""What there is to show of a run at work: a fold of its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from runner.events import Advanced, Event, NodeStarted, RunChanged
from runner.graph import RUN_NODES
from runner.state import RunState, Status


@dataclass(frozen=True, slots=True)
class InHand:
    """A task at work: its node, and when (monotonic seconds) it was first seen there."""

    node: str
    since: float


@dataclass(frozen=True, slots=True)
class View:
    """A run as it was last heard of.

    ``node`` is that of the run's own cursor, ``in_hand`` the tasks at work by key, ``took`` the
    seconds of each task that was finished while somebody watched, ``began`` the monotonic time
    of the start.
    """

    run: str = ""
    status: str = ""
    began: float = 0.0
    node: str = ""
    state: RunState | None = None
    in_hand: Mapping[str, InHand] = field(default_factory=dict)
    took: tuple[float, ...] = ()


def advanced(view: View, event: Event, *, at: float) -> View:
    """Return the view after an event that was told ``at`` this monotonic time."""
    match event:
        case RunChanged(status="started"):
            return View(event.run, event.status, began=at, took=view.took)
        case RunChanged():
            return replace(view, status=event.status, in_hand={})
        case NodeStarted(node=node) if node in RUN_NODES:
            return replace(view, node=node)
        case NodeStarted(task=task, node=node):
            since = view.in_hand[task].since if task in view.in_hand else at
            return replace(view, in_hand={**view.in_hand, task: InHand(node, since)})
        case Advanced():
            return _taken_in(view, event, at)
    return view


def _taken_in(view: View, event: Advanced, at: float) -> View:
    state, task = _newest(view.state, event), event.task
    view = replace(view, state=state)
    attempt = state.attempts.get(task)
    if task not in view.in_hand or (attempt and attempt.status is Status.IN_PROGRESS):
        return view
    in_hand = {key: each for key, each in view.in_hand.items() if key != task}
    done = attempt is not None and attempt.status is Status.COMPLETED
    took = (*view.took, at - view.in_hand[task].since) if done else view.took
    return replace(view, in_hand=in_hand, took=took)


def _newest(known: RunState | None, event: Advanced) -> RunState:
    """The state of the event, with what is newer of the tasks beside its own.

    A task at work tells the run as it was when its step began: the others have gone on.
    """
    state = event.state
    if known is None or known.request.id != state.request.id:
        return state
    newer = {
        key: attempt
        for key, attempt in known.attempts.items()
        if key != event.task and key in state.attempts and attempt.steps > _steps(state, key)
        if attempt.number == state.attempts[key].number
    }
    if event.task and state.current == event.task and event.task in state.attempts:
        own = {event.task: state.attempts[event.task]}
        return replace(known, attempts={**state.attempts, **known.attempts, **own})
    return replace(state, attempts={**state.attempts, **newer}) if newer else state


def _steps(state: RunState, key: str) -> int:
    return state.attempts[key].steps
