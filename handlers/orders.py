"""What a comment can ask for, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute:
    """Start a run. ``path`` None means the configured roadmap, ``model`` None the configured one.

    ``task`` is a key or written id; ``max_tasks`` counts roadmap tasks, replacements too. ``tasks``
    are keys, of a run that a push starts: nothing else is worked on then. ``phase`` is a number or
    heading, ``plan`` stops after the plans, a higher ``priority`` goes first.
    """

    path: str | None = None
    task: str | None = None
    tasks: tuple[str, ...] = ()
    phase: str | None = None
    max_tasks: int = 10
    model: str | None = None
    plan: bool = False
    dry_run: bool = False
    approval_mode: str | None = None
    priority: int = 0


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Work on one task (key or written id) again."""

    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Leave one task (key or written id) out."""

    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """Approve a proposal; ``proposal`` is its id or its task ('' for the one that is here)."""

    proposal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Reject a proposal: ``words`` may begin with its id or task, the rest is why."""

    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Approve a proposal with other tasks: the list that stands ``below``."""

    proposal: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class Misunderstood:
    """A command we cannot carry out: what was wrong (Markdown) and what to type instead."""

    problem: str
    suggestion: str


Deciding = Approve | Reject | Edit
Order = Execute | Help | Status | Cancel | Pause | Resume | Retry | Skip | Deciding | Misunderstood
