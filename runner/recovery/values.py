"""Why a task cannot be finished and what is proposed to do about it, as values (DESIGN §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from runner.changes import ChangeSet
from runner.roadmap.new_task import NewTask

Reason = Literal[
    "task_too_vague", "task_too_complex", "missing_dependency", "environment_issue", "unknown"
]
Strategy = Literal["rewrite", "decompose", "defer", "skip", "escalate"]
ApprovalMode = Literal["auto", "approve_decompose", "interactive", "review_only"]

STRATEGY_OF: Final[Mapping[Reason, Strategy]] = {
    "task_too_vague": "rewrite",
    "task_too_complex": "decompose",
    "missing_dependency": "defer",
    "environment_issue": "skip",
    "unknown": "escalate",
}

MAX_DEPTH = 1
"""A task deeper in its own recoveries than this can only be escalated."""

MAX_REPLACEMENTS = 20
"""Replacement tasks of one run."""


@dataclass(frozen=True, slots=True)
class Classification:
    """Why a task failed; ``evidence`` are the lines that say so, ``by`` who found it.

    ``waits_for`` is the key of the task that is to make what is missing ('' when none is known).
    """

    reason: Reason
    evidence: tuple[str, ...]
    by: Literal["pattern", "model", "nobody"] = "pattern"
    waits_for: str = ""


@dataclass(frozen=True)
class Proposal:
    """What to do about a failed task, or about a change set that needs a person.

    ``kind`` is ``recovery`` or ``changes`` (``changes`` then holds what asks for approval; for an
    escalation the last validated attempt). ``original`` are the task's own bytes as text when it
    was made. ``fingerprint`` (hex) names task, its bytes and the whole text of the proposal:
    whoever approves approves exactly this. ``branch``, ``url`` and ``number`` are those of its
    pull request, where there is one; ``comment_id`` and ``comment_node_id`` those of the comment
    people react to. ``attempt`` tells the proposal of a second attempt from an equal one of the
    first, which was closed. ``head`` is the commit of a person that its branch is at ('' while
    it is ours), ``held`` why that cannot be approved, ``revision`` counts how often a push was
    read, ``ours`` is what was proposed before the first one. ``onto`` is a person's commit that
    the branch is rebuilt on top of, where what is proposed is ours again.
    """

    task: str
    kind: Literal["recovery", "changes"]
    strategy: Strategy
    reason: Reason
    explanation: str
    original: str
    evidence: tuple[str, ...] = ()
    replacements: tuple[NewTask, ...] = ()
    changes: ChangeSet = field(default_factory=ChangeSet)
    made_at: float = 0.0
    attempt: int = 1
    fingerprint: str = ""
    branch: str = ""
    url: str = ""
    number: int | None = None
    comment_id: int | None = None
    comment_node_id: str = ""
    head: str = ""
    held: str = ""
    revision: int = 0
    onto: str = ""
    ours: Proposal | None = None

    @property
    def replaces(self) -> bool:
        """Whether approval puts other tasks in the place of its own."""
        return self.kind == "recovery" and self.strategy in ("rewrite", "decompose")

    def after(self, before: Proposal | None) -> Proposal:
        """Return it as the next one on a branch where people pushed to the one ``before``.

        It is shown on top of their commits, for people decide on what they see.
        """
        onto = before.head or before.onto if before else ""
        if before is None or not onto:
            return self
        return replace(self, onto=onto, revision=before.revision + 1)

    @property
    def id(self) -> str:
        """What people type to name it: the beginning of its fingerprint."""
        return self.fingerprint[:8]
