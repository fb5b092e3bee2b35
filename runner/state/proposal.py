"""A proposal as a value: why a task failed, what to do, and what an approval is bound to. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Final, Literal

from runner.roadmap.lint import lint_text
from runner.roadmap.replace import MOST
from runner.roadmap.source import line_starts
from runner.roadmap.task import NewTask, Roadmap, Task
from runner.roadmap.writing import task_fault
from runner.state.changes import ChangeSet

Reason = Literal[
    "task_too_vague",
    "task_too_complex",
    "missing_dependency",
    "environment_issue",
    "already_done",
    "unknown",
]
Strategy = Literal["rewrite", "decompose", "defer", "skip", "escalate"]
ApprovalMode = Literal["auto", "approve_decompose", "interactive", "review_only"]

STRATEGY_OF: Final[Mapping[Reason, Strategy]] = {
    "task_too_vague": "rewrite",
    "task_too_complex": "decompose",
    "missing_dependency": "defer",
    "environment_issue": "skip",
    "already_done": "skip",
    "unknown": "escalate",
}

MAX_DEPTH = 1
"""A task deeper in its own recoveries than this can only be escalated."""

MAX_REPLACEMENTS = 20
"""Replacement tasks of one run."""

MOST_PARTS = 5
"""Tasks that one decomposition makes at most."""

REPLACED_BY: Final[Mapping[Strategy, tuple[int, int]]] = {
    "rewrite": (1, 1),
    "decompose": (2, MOST_PARTS),
}
"""The strategies that replace a task, and with how many tasks: at least, at most."""


@dataclass(frozen=True, slots=True)
class Classification:
    """Why a task failed; ``evidence`` are the lines that say so, ``by`` who found it.

    ``waits_for`` is the key of the task that is to make what is missing ('' when none is known).
    """

    reason: Reason
    evidence: tuple[str, ...]
    by: Literal["pattern", "model", "nobody"] = "pattern"
    waits_for: str = ""


@dataclass(frozen=True, slots=True)
class ProposalPlace:
    """Where people find a proposal: its pull request, and the comment that they react to."""

    number: int | None = None
    url: str = ""
    comment_id: int | None = None
    comment_node_id: str = ""


@dataclass(frozen=True)
class ProposalPushes:
    """What people pushed to the branch of a proposal, and what became of it.

    ``head`` is the commit of a person that the branch is at ('' while it is ours), ``held`` why
    that cannot be approved, ``revision`` counts how often a push was read, ``ours`` is what was
    proposed before the first one. ``onto`` is a person's commit that the branch is rebuilt on top
    of, where what is proposed is ours again.
    """

    head: str = ""
    held: str = ""
    revision: int = 0
    onto: str = ""
    ours: Proposal | None = None


@dataclass(frozen=True)
class Proposal:
    """What to do about a failed task, or about a change set that needs a person.

    ``kind`` is ``recovery`` or ``changes`` (``changes`` then holds what asks for approval; for an
    escalation the last validated attempt). ``original`` are the task's own bytes as text when it
    was made. ``fingerprint`` (hex) names task, its bytes and the whole text of the proposal:
    whoever approves approves exactly this. ``branch`` is that of its pull request, if any.
    ``attempt`` separates the proposal of a second attempt from an equal one of the first, which was
    closed.
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
    place: ProposalPlace = field(default_factory=ProposalPlace)
    pushes: ProposalPushes = field(default_factory=ProposalPushes)

    @property
    def replaces(self) -> bool:
        """Whether approval replaces its task with others."""
        return self.kind == "recovery" and self.strategy in REPLACED_BY

    def after(self, before: Proposal | None) -> Proposal:
        """Return it as the next one on a branch where people pushed to the one ``before``.

        It is shown on top of their commits, for people decide on what they see.
        """
        onto = before.pushes.head or before.pushes.onto if before else ""
        if before is None or not onto:
            return self
        pushes = replace(self.pushes, onto=onto, revision=before.pushes.revision + 1)
        return replace(self, pushes=pushes)

    def held(self, why: str) -> Proposal:
        """Return it as one that cannot be approved as it is on its branch now."""
        return replace(self, pushes=replace(self.pushes, held=why))

    @property
    def id(self) -> str:
        """What people type to name it: the beginning of its fingerprint."""
        return self.fingerprint[:8]


def sealed(proposal: Proposal) -> Proposal:
    """Return the proposal with the fingerprint of all that a person is shown and agrees to."""
    pushes = proposal.pushes
    shown = [
        proposal.task,
        proposal.kind,
        proposal.strategy,
        proposal.reason,
        proposal.explanation,
        proposal.original,
        [asdict(each) for each in proposal.replacements],
        proposal.changes.digest,
        *([proposal.attempt] if proposal.attempt > 1 else []),
        *([pushes.revision, pushes.head, pushes.held] if pushes.revision else []),
    ]
    text = json.dumps(shown, ensure_ascii=True, sort_keys=True)
    return replace(proposal, fingerprint=hashlib.sha256(text.encode()).hexdigest())


def original_of(roadmap: Roadmap, task: Task) -> str:
    """Return the task's own lines as they are in the file, with nested content."""
    starts = [*line_starts(roadmap.content), len(roadmap.content)]
    own = roadmap.content[
        starts[task.place.line - 1] : starts[min(task.place.end_line, len(starts) - 1)]
    ]
    return own.decode("utf-8", "backslashreplace").rstrip()


_LONGEST_NAME = 60


def as_item(task: NewTask) -> str:
    """The task as an item of a list, with a checkbox."""
    lines = [f"- [ ] {task.id} {task.text}" if task.id else f"- [ ] {task.text}"]
    lines += [f"  - {line}" for line in task.details]
    lines += ["  - Acceptance:"] * bool(task.acceptance)
    lines += [f"    - {line}" for line in task.acceptance]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return f'"{" ".join(text.split())[:_LONGEST_NAME]}"'


def problems_of(
    tasks: Sequence[NewTask], *, quoted: Callable[[str], str] = _quoted
) -> Iterator[str]:
    """Say why listed tasks cannot be written into a roadmap, one sentence each.

    ``quoted`` makes a task's text safe for the sentence.
    """
    if len(tasks) > MOST:
        yield f"There are {len(tasks)} tasks; write at most {MOST}."
    for number, task in enumerate(tasks[:MOST], 1):
        for problem in [why] if (why := task_fault(task)) else lint_text(as_item(task)):
            yield f"Task {number} ({quoted(task.text)}): {problem}."
