"""What a comment can ask for, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute:
    """Start a run. ``path`` None means the configured roadmap, ``model`` None the configured one.

    ``task`` is a key or written id; ``max_tasks`` counts roadmap tasks, replacements too.
    """

    path: str | None = None
    task: str | None = None
    max_tasks: int = 10
    model: str | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Help:
    """Explain the commands."""


@dataclass(frozen=True, slots=True)
class Status:
    """Tell how the runs of this issue stand."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop the runs of this issue for good."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Let the runs of this issue rest until somebody resumes them."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on with the paused runs of this issue."""


@dataclass(frozen=True, slots=True)
class Misunderstood:
    """A command we cannot carry out: what was wrong (Markdown) and what to type instead."""

    problem: str
    suggestion: str


Order = Execute | Help | Status | Cancel | Pause | Resume | Misunderstood
