"""What a feature may add to Cairn. ``app/features/__init__.py`` has the list of features."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.jobs.worker import Outcome
from app.runs.begun import Begun
from app.runs.service import RunService
from app.store.runs import StoredRuns
from handlers.events import PullChanged
from handlers.grammar import Commands
from runner.loop.task_pool import Ended
from runner.nodes.preflight import CannotStart
from runner.ports import Reviews
from runner.state.run_state import RunState

RunKind = Callable[[Begun], Awaitable[Outcome]]
"""What a run does that drives no task. Raises ``Outage``."""


@dataclass(frozen=True)
class Hindrance:
    """Why a run works on no task, in a sentence; ``passes`` where it may begin by itself later."""

    text: str
    passes: bool = False


@dataclass(frozen=True, kw_only=True)
class Feature:
    """What a folder of ``app/features`` gives: its ``register`` returns this. All is optional."""

    commands: Commands = ()
    """Its rows of the table of slash commands."""
    reviews: Callable[[Begun], Reviews | None] | None = None
    """What a run is asked about a pull request, where that is not what reviewers wrote."""
    kinds: Mapping[str, RunKind] = field(default_factory=dict)
    """What a run does instead of working on tasks, by the word in its request."""
    hindered: Callable[[Begun], Awaitable[Hindrance | None]] | None = None
    """Called before a run works on tasks for the first time; what it returns is why it does not."""
    looked: Callable[[Begun, RunState, CannotStart | None], Awaitable[str]] | None = None
    """Called before the first task, with what keeps the tests from starting, if anything does.

    A run that cannot start ends with the first text that a feature returns.
    """
    published: Callable[[Begun], Awaitable[None]] | None = None
    """Called when a run has published the work on a task, and that is saved."""
    verified: Callable[[Begun, StoredRuns], Awaitable[None]] | None = None
    """Called when a run has verified the head of a pull request again, and shown the result."""
    ended: Callable[[Begun, Ended], Awaitable[str]] | None = None
    """Called when a run that works on tasks stops; what it returns is said below the result."""
    events: Mapping[type, Callable[[RunService, Any], Awaitable[None]]] = field(
        default_factory=dict
    )
    """Called with each event of a type (``handlers/``) after all else was done about it."""
    restacking: Callable[[RunService, PullChanged], Awaitable[None]] | None = None
    """Called before what builds on a pull request is kept true because that one changed."""
    restacked: Callable[[RunService, PullChanged], Awaitable[None]] | None = None
    """Called when what builds on a pull request was kept true after it changed."""
