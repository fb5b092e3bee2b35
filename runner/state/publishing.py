"""What is published or already exists, as values: checkpoints, proposals, the stack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from runner.state.changes import ChangeSet
from runner.state.trust import Trusts

PullRequests = Literal["stacked", "independent", "single"]
"""How the pull requests of a run build on each other (docs/design.md, "GitHub")."""

Push = Literal["at_once", "approved"]
"""When what a model wrote is pushed: as soon as it is verified, or after somebody's approval."""


@dataclass(frozen=True, slots=True)
class HumanCommits:
    """What people pushed to the branch of a task's proposal; a retry continues from it.

    ``commit`` is the head of ``branch``, ``base`` where that left the line a run builds on;
    ``people`` are who made it, each as ``Name <mail>``; ``url`` is the proposal's pull request.
    """

    branch: str
    commit: str
    base: str
    people: tuple[str, ...]
    url: str = ""


@dataclass(frozen=True, slots=True)
class TaskRow:
    """What a pull request of several tasks says about one (key ``task``): a line, and more."""

    task: str
    line: str
    details: str


@dataclass(frozen=True, slots=True)
class LineNote:
    """What a check says about lines of a file; ``title`` and ``text`` are safe to publish."""

    path: str
    start: int
    end: int
    title: str
    text: str
    level: Literal["notice", "warning", "failure"] = "warning"


@dataclass(frozen=True, slots=True)
class CheckDetails:
    """What the check of a pull request shows of one task beside the trust (Markdown).

    ``notes`` are about lines as they are after the change of the task.
    """

    task: str
    text: str
    notes: tuple[LineNote, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownTasks:
    """What a pull request shows of its tasks; ``trust`` says how far each is verified.

    ``rows`` exist if one pull request shows all tasks of a run: its branch gets a commit for each,
    and they describe every task that was added to it. ``details`` are for the check.
    """

    rows: tuple[TaskRow, ...] = ()
    trust: Trusts = ()
    details: tuple[CheckDetails, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckpointText:
    """The words of a checkpoint: of its commit, and of its pull request.

    ``message`` is the commit's, which ``trailers`` end; ``title`` and ``body`` are those of the
    pull request ('' where there is none to open).
    """

    message: str
    trailers: tuple[tuple[str, str], ...]
    title: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A verified change set to be committed (``changes`` includes the ticked roadmap).

    ``parent`` is the commit it builds on, ``below`` the branch that commit is the head of (the
    branch the pull request is made against); ``tree`` is the tree sha the commit must have.
    ``text`` is what it says to people. ``members`` are further tasks it ticks. ``kind`` is
    ``recovery`` for an applied proposal, which only edits the roadmap: its pull request may already
    exist; ``revision`` for one more commit on the branch of an open one; ``fix`` for a repair of
    the pull request whose branch is ``below``, which ticks nothing. ``human_commits`` is
    people's work it continues from, whose pull request it takes over; ``onto`` the commit of a
    person on its branch that it is put on top of. Of a ``revision`` on a newer base, ``onto`` is
    the head of the branch, and ``rebuild`` says why it takes the place of that ('': it builds on
    both). ``shows`` says of the tasks what its pull request shows beside the text.
    """

    run: str
    task: str
    branch: str
    below: str
    parent: str
    changes: ChangeSet
    tree: str
    text: CheckpointText
    kind: Literal["checkpoint", "recovery", "revision", "fix"] = "checkpoint"
    members: tuple[str, ...] = ()
    human_commits: HumanCommits | None = None
    onto: str = ""
    rebuild: str = ""
    shows: ShownTasks = field(default_factory=ShownTasks)


@dataclass(frozen=True, slots=True)
class Published:
    """A checkpoint as it can be seen: ``url`` of the pull request ('' on a checkout).

    ``comment_id`` and ``comment_node_id`` name what people react to, where a proposal is one;
    ``notes`` say what was refused and is missing (a label, a check).
    """

    commit: str
    branch: str
    number: int | None = None
    url: str = ""
    comment_id: int | None = None
    comment_node_id: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal to show to people, on its own pull request.

    ``shown`` is what approval would do (of an escalation the last validated attempt): kind
    ``recovery``, its changes may be empty. ``comment`` is the proposal as people read it, which
    ends the description; ``fingerprint`` names exactly this text.
    """

    shown: Checkpoint
    strategy: str
    comment: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Member:
    """An open pull request that others can build on: its tasks, its branch, the one below.

    ``commit`` is the head of ``branch``, ``fork`` the commit at which that left what is below it
    ('' where nobody knows); ``rewrites`` says that it is an applied recovery.
    """

    tasks: tuple[str, ...]
    commit: str
    branch: str
    below: str
    url: str = ""
    rewrites: bool = False
    fork: str = ""

    @property
    def task(self) -> str:
        """The first of its tasks."""
        return self.tasks[0]


@dataclass(frozen=True, slots=True)
class ShownPull:
    """An open pull request that shows our work on ``tasks`` (their keys)."""

    number: int
    title: str
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class Stack:
    """Where a new run starts: the tip of what is not merged yet, across runs.

    ``tip`` is a commit, ``branch`` the branch it is the head of. ``in_review`` are task keys with
    an open checkpoint, ``declined`` those whose checkpoint a person closed unmerged, ``proposed``
    those with an open proposal of any run. ``base`` is the commit that all of it builds on, head of
    ``base_branch``; ``members`` are the open ones in the order they were opened, ``open`` is how
    many wait for people in all, ``shown`` are those that show work on tasks. (On a checkout there
    are none, and nothing is independent.) ``unshown`` are the keys of tasks that a checkout's
    commits did and that no test shows to be done. ``issues`` are those with an open checkpoint of
    their own, ``others`` the open checkpoints of other plans, by path.
    """

    tip: str
    branch: str
    in_review: frozenset[str] = frozenset()
    declined: frozenset[str] = frozenset()
    proposed: frozenset[str] = frozenset()
    base: str = ""
    base_branch: str = ""
    members: tuple[Member, ...] = ()
    open: int = 0
    shown: tuple[ShownPull, ...] = ()
    unshown: frozenset[str] = frozenset()
    issues: frozenset[int] = frozenset()
    others: Mapping[str, tuple[ShownPull, ...]] = field(default_factory=dict)
