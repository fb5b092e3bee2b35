"""What handlers may ask of runs and proposals: narrow ports and the values that cross them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, Protocol

from handlers.events import InstalledRepository, User
from handlers.grammar import ExecuteCommand, Need
from runner.roadmap.reviewed import Reviewed
from runner.roadmap.task import NewTask
from runner.state.proposal import ProposalPlace
from runner.state.revising import RevisionRequest

State = Literal["open", "approved", "rejected", "superseded", "closed", "expired"]
Channel = Literal["reaction", "reply", "review", "check", "merge", "close", "retry", "tick", "page"]
Verdict = Literal["approve", "reject", "skip", "edit"]


@dataclass(frozen=True, slots=True)
class DecisionView:
    """Who decided about a proposal, by which channel; ``delivery`` brought the decision."""

    by: str
    channel: str
    delivery: str


UNDO = "undo"
"""The strategy of a proposal to take a merged task back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """A proposal as a server keeps it; ``id`` is what people type, ``name`` is that of its task.

    ``place`` is where people find it, ``decision`` what they decided. ``run_status`` is the stored
    word for its run, ``starter`` the id of who asked for that.
    """

    seq: int
    run: str
    task: str
    name: str
    fingerprint: str
    strategy: str
    repository: InstalledRepository
    roadmap: str
    place: ProposalPlace
    state: State
    made_at: datetime
    decision: DecisionView | None = None
    run_status: str
    starter: int

    @property
    def id(self) -> str:
        """What people type to name it."""
        return self.fingerprint[:8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What somebody answered to a proposal: ``delivery`` names it, also when redelivered.

    ``outdated`` says that what they looked at is not what the pull request shows, ``guarded`` that
    they merged it into the default branch, whose protection is for GitHub to keep.
    """

    delivery: str
    by: User
    at: datetime
    channel: Channel
    verdict: Verdict
    why: str = ""
    tasks: tuple[NewTask, ...] = ()
    outdated: bool = False
    guarded: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """Who may decide: ``need`` on the repository; with ``own_runs`` also who started the run."""

    need: Need = "maintain"
    own_runs: bool = True


class Proposals(Protocol):
    """The proposals of this server; repositories by id, pull requests and issues by number."""

    async def on_pull(self, repository_id: int, number: int) -> tuple[ProposalView, ...]:
        """Return those shown on a pull request, the newest first."""

    async def of_issue(self, repository_id: int, issue: int) -> tuple[ProposalView, ...]:
        """Return those of the runs asked for on an issue, the newest first."""

    async def named(self, repository_id: int, id: str) -> tuple[ProposalView, ...]:
        """Return those of a repository whose fingerprint begins so, the newest first."""

    async def of_task(
        self, repository_id: int, roadmap: str, task: str
    ) -> tuple[ProposalView, ...]:
        """Return the open ones about a task (by key), of any run, the newest first."""

    async def decide(self, proposal: ProposalView, vote: Vote) -> ProposalView:
        """Store a decision unless another one was first; return the proposal as it is then."""

    async def pushed(self, proposal: ProposalView, *, by: User, delivery: str) -> None:
        """Let the run of an open proposal read what was pushed to its branch."""

    async def rules(self, repository: InstalledRepository) -> Rules:
        """Return who may decide, as the repository's configuration says now."""

    async def touch(self, repository_id: int, number: int) -> None:
        """Look for reactions on a pull request at once: something happened there."""

    async def lose_comment(self, proposal: ProposalView) -> bool:
        """Remember that a proposal's comment is gone; False when that was known."""


def run_id(delivery: str, nth: int = 0) -> str:
    """Name the run that the ``nth`` command of a delivery starts: 10 hex digits.

    A redelivery has the same GUID, so that it names the same run and starts nothing new.
    """
    seed = f"{delivery}#{nth}" if nth else delivery
    return hashlib.sha256(seed.encode()).hexdigest()[:10]


_UNKNOWN = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequested:
    """Somebody who may do so asked for a run; ``nth`` counts the commands of the comment from 0.

    ``told`` is the text of the issue at that moment, '' on a pull request.
    """

    delivery: str
    repository: InstalledRepository
    issue: int
    by: User
    command: ExecuteCommand
    comment_id: int = 0
    created_at: datetime = _UNKNOWN
    nth: int = 0
    told: str = ""

    @property
    def run(self) -> str:
        """The run's id."""
        return run_id(self.delivery, self.nth)


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One task of a run as it is now; ``url`` is its pull request or commit, if any."""

    name: str
    title: str
    status: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A run as it is now: ``status`` is the stored word, ``url`` shows more.

    ``detail`` says why it is paused or how it ended, ``position`` where in the queue it is (0: it
    does not wait there). A paused one continues ``again`` by itself, if that is known. ``roadmap``
    is the path of its plan.
    """

    run: str
    status: str
    detail: str = ""
    url: str = ""
    tasks: tuple[TaskLine, ...] = ()
    position: int = 0
    again: datetime | None = None
    roadmap: str = ""


@dataclass(frozen=True, slots=True)
class NamedTask:
    """The one task that is meant, in the roadmap at ``roadmap``."""

    key: str
    name: str
    title: str
    roadmap: str


@dataclass(frozen=True, slots=True)
class Projects:
    """The projects of a repository, by name.

    ``problems`` say what is wrong in its configuration, and in which line: then none is known.
    """

    names: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """No task is called so; ``names`` are those there are.

    ``projects`` are those of the repository where a task of theirs may be meant.
    """

    roadmap: str
    names: tuple[str, ...]
    projects: Projects = Projects()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several tasks are called so: (key, line, title) of each."""

    candidates: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class StackPlace:
    """Where an open pull request is in its stack, which is ``size`` members high.

    ``below`` are the numbers of those under it, the bottom first: they have to be merged before it,
    but the ``needless`` of them closed. GitHub merges those that are ``along`` together with it, as
    all are in one ``native`` stack of GitHub. ``uppers`` are those that build on it. One that is
    ``held`` is in conflict, or has what must not be merged with it; the task of one that is
    ``done`` (or needless) is done without it.
    """

    size: int = 1
    below: tuple[int, ...] = ()
    uppers: tuple[int, ...] = ()
    needless: tuple[int, ...] = ()
    held: bool = False
    done: bool = False
    along: tuple[int, ...] = ()
    native: bool = False

    @property
    def height(self) -> int:
        """Its position, counted from 1 at the bottom."""
        return len(self.below) + 1

    @property
    def to_merge(self) -> tuple[int, ...]:
        """Those to merge before it, in this order."""
        return tuple(each for each in self.below if each not in (*self.needless, *self.along))

    @property
    def to_close(self) -> tuple[int, ...]:
        """Those to close before it."""
        return tuple(each for each in self.needless if each not in self.along)

    @property
    def waits_for(self) -> int | None:
        """The one right before it that has to be merged or closed first."""
        return next((each for each in reversed(self.below) if each not in self.along), None)


@dataclass(frozen=True, slots=True)
class InReview:
    """An open pull request that shows our work on a ``roadmap``.

    ``task`` says whether the newest roadmap still has its task.
    """

    number: int
    title: str
    roadmap: str
    place: StackPlace
    task: Reviewed = field(default_factory=Reviewed)


@dataclass(frozen=True, slots=True)
class CheckpointStatus:
    """A checkpoint's pull request as it is now: its title, and the ``run`` that made it.

    ``issue`` is where the run was asked for (0: unknown), ``tasks`` are the keys of those that it
    shows, in their ``roadmap``.
    """

    title: str
    run: str
    issue: int
    open: bool
    merged: bool
    roadmap: str = ""
    tasks: tuple[str, ...] = ()
    place: StackPlace = StackPlace()


OfferKind = Literal["normalise", "setup", "undo", "advice", "fix", "recovery"]
"""What a pull request of ours proposes that shows no task's work (``recovery``: a proposal)."""


@dataclass(frozen=True, slots=True)
class Revising:
    """What became of the wish to revise a pull request.

    ``started`` says that a run works on it, or will: the ``used``-th of ``most`` revisions.
    ``limit`` says that all of them are used, ``off`` that the repository allows none, ``closed``
    that the pull request is not open. ``offer`` says that it is one of ours that shows no task's
    work, ``other`` that it is not ours.
    """

    outcome: Literal["started", "limit", "off", "closed", "offer", "other"]
    used: int = 0
    most: int = 0
    offer: OfferKind | None = None


Order = Literal["cancel", "pause", "resume"]


class Runs(Protocol):
    """The runs of this server; repositories by id, issues by number."""

    async def start(self, request: RunRequested, asked: Mapping[str, object] | None = None) -> None:
        """Queue the run and say so in its comment; doing it twice leaves one of each.

        What is ``asked`` besides its command is kept with it: the kind of run it is, if it works on
        no task (``Feature.kinds``).
        """

    async def projects(self, repository: InstalledRepository) -> Projects:
        """Return the projects of a repository. Raises ``Outage``."""

    async def find_task(
        self, request: RunRequested, name: str, path: str | None = None
    ) -> NamedTask | Unknown | Ambiguous:
        """Find the task a name means: in a roadmap, else in that of the issue's newest run.

        A name with a project (``api#1.2``) means a task of that project's plan.
        """

    async def kept(self, request: RunRequested) -> str | None:
        """Return the newest run that kept a change for the one task of the command."""

    async def retry(
        self, request: RunRequested, *, note: str = "", again: str = ""
    ) -> tuple[str, ...]:
        """Queue a run for the one task of the command, whatever was decided about it.

        ``note`` is what a person adds to the task; of the run ``again`` the change is verified.
        Returns the ids of open proposals about it, which are closed. Twice leaves one of each.
        """

    async def revise(self, request: RunRequested, asked: RevisionRequest) -> Revising:
        """Queue a run that changes a checkpoint as reviewers ask; twice leaves one."""

    async def repair(
        self, request: RunRequested, head: str, *, branches: Sequence[str] = ()
    ) -> None:
        """Queue a run that repairs a checkpoint on whose ``head`` checks of others fail, if any do.

        A request without an issue is about the checkpoint of one of the ``branches``. Nothing
        happens where the repository does not want it, or all attempts are used.
        """

    async def verify(self, request: RunRequested) -> None:
        """Queue a run that only verifies the head of an open checkpoint; twice leaves one."""

    async def say_again(self, *, repository_id: int, issue: int) -> None:
        """Say the end of runs that people of an issue could not be told."""

    async def skip(self, request: RunRequested, task: NamedTask) -> bool:
        """Leave a task out until it is retried; False when it is left out already."""

    async def status(self, *, repository_id: int, issue: int) -> tuple[RunStatus, ...]:
        """Return the runs asked for on this issue, newest first; () for none."""

    async def checkpoint(self, request: RunRequested) -> CheckpointStatus | None:
        """Return how the pull request of the request is doing, if it shows our work on a task."""

    async def offer(self, request: RunRequested) -> OfferKind | None:
        """Return what the pull request of the request proposes, if it is such an open one."""

    async def in_review(self, request: RunRequested) -> tuple[InReview, ...]:
        """Return the open pull requests of the roadmap that the issue's newest run worked on.

        Those to merge first come first.
        """

    async def order(
        self, what: Order, *, repository_id: int, issue: int, by: User
    ) -> tuple[str, ...]:
        """Have runs of the issue stopped, paused or continued; return their ids.

        An order to stop those that are not finished returns them every time.
        """
