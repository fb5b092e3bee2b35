"""Trees as values: a snapshot is what is there, a change set what is to be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Literal

from runner.graph import START
from runner.money import Usage
from runner.roadmap.parse import TaskGroup
from runner.roadmap.reviewed import ReviewedPull
from runner.roadmap.task import Roadmap, Task
from runner.state.changes import ChangeSet
from runner.state.error_types import ErrorType, Severity, error_type
from runner.state.findings import AskedTest, Complaint, LostName, Verdict, Verification
from runner.state.options import Request
from runner.state.proposal import Proposal, Reason
from runner.state.publishing import HumanCommits, Member
from runner.state.revising import Revision


class Status(StrEnum):
    """A task's status; the words of ``todos.json`` and of the report."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    IN_REVIEW = "in_review"
    COMPLETED = "completed"
    FAILED = "failed"
    DEFERRED = "deferred"
    SKIPPED = "skipped"
    BLOCKED = "blocked"
    DECLINED = "declined"
    AWAITING_APPROVAL = "awaiting_approval"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class TaskElsewhere:
    """A task of another project that is not done (``name``: ``api#1.2``).

    ``pull`` is the number of the open pull request that shows it (0: none); one that is not
    ``known`` is not in that project's plan.
    """

    name: str
    pull: int = 0
    known: bool = True


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a task cannot be finished. ``reason`` is a ``Reason``, ``evidence`` what was seen.

    ``type`` is one word: syntax, test, import, missing_file, file, timeout, permission, model,
    environment, sandbox, github, git, budget, conflict, unclear, done, internal, and merged or
    closed for a pull request that ended meanwhile, withdrawn for a question about one ...;
    ``found_by`` says who named the reason, ``waits_for`` is the key of the task that is to make
    what is missing. ``references`` are the files of the run that show it, filled in by who writes
    them.
    """

    type: str
    message: str
    node: str
    reason: Reason = "unknown"
    recoverable: bool = True
    evidence: tuple[str, ...] = ()
    severity: Severity = "error"
    found_by: Literal["pattern", "model", "nobody"] = "nobody"
    waits_for: str = ""
    references: tuple[str, ...] = ()

    @property
    def error(self) -> ErrorType:
        """The everyday error that it is, for counts and statistics."""
        return error_type(self.type)


@dataclass(frozen=True)
class Plan:
    """What the model means to do, kept in the iteration file and shown in the context."""

    likely_files: tuple[str, ...]
    steps: tuple[str, ...]
    acceptance: tuple[str, ...]
    complexity: str


@dataclass(frozen=True, slots=True)
class Decided:
    """What a person said to a proposal: who, by which channel, when (ISO, UTC), in what words."""

    verdict: str
    by: str
    channel: str = ""
    at: str = ""
    why: str = ""


@dataclass(frozen=True)
class Planned:
    """What an attempt is to do, and what it is shown.

    ``members`` are further tasks it does together with its own, ``former`` those of a group that
    failed and fell apart. ``partial`` are files of which its ``context`` shows only a part, or
    nothing though the task names them, ``long`` are long ones that it shows whole; ``more`` says
    whether files that matter are not shown whole, ``shown`` are those of the newest question that
    shows the repository, in its order. ``specification`` names what it shows of the
    plan's own files, ``absent`` what the task names there that does not exist. ``human_commits``
    is people's work that it continues from, ``revision`` the pull request that it works on again.
    ``places`` are files that a project's plan names as they are called in its folder, with their
    whole paths.
    """

    members: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    plan: Plan | None = None
    context: bytes = b""
    partial: tuple[str, ...] = ()
    long: tuple[str, ...] = ()
    more: bool = False
    shown: tuple[str, ...] = ()
    specification: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    human_commits: HumanCommits | None = None
    revision: Revision | None = None
    places: Mapping[str, str] = field(default_factory=dict)

    @property
    def by_people(self) -> bool:
        """Say whether people decided what the change contains: they pushed it, or ask for it."""
        return self.human_commits is not None or self.revision is not None


@dataclass(frozen=True)
class Answered:
    """What the model answered, and how often it was asked.

    ``answers`` counts first, fresh and repaired answers, ``looks`` how often it asked to see more,
    ``looked`` are these requests, and ``unusable_looks`` counts those with nothing to show;
    ``errors`` are the types of what failed, one for each answer that was refused or red, in order;
    ``failures`` are digests of how they failed, ``fresh_failures`` those of the fresh ones;
    ``tried`` are digests of change sets that were judged, ``avoid`` what a fresh answer must not
    repeat. ``auto_repairs`` are notes on what Cairn repaired in answers without a model,
    ``left_out`` paths that it left out of them, each with the reason. ``explanation`` is what the
    model says about its answer, ``form`` whether the newest one has ``edits`` or whole ``files``.
    ``lines`` is how many lines the change adds or takes away. ``pattern`` says by which pattern it
    was made, with its inputs ('' where a model or people made it).
    """

    answers: int = 0
    looks: int = 0
    looked: tuple[str, ...] = ()
    unusable_looks: int = 0
    code_repairs: int = 0
    test_repairs: int = 0
    changes: ChangeSet = field(default_factory=ChangeSet)
    auto_repairs: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    explanation: str = ""
    form: str = ""
    lines: int = 0
    errors: tuple[ErrorType, ...] = ()
    failures: tuple[str, ...] = ()
    fresh_failures: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    pattern: str = ""


@dataclass(frozen=True)
class Checked:
    """What was found in the newest answer before it ran.

    ``warnings`` are sentences for a reviewer about a change that was accepted (a public name that
    is gone, a test that proves nothing), ``other_tests`` marks of existing tests that it made
    assert something else, ``asked`` keys of what the model was asked about, which it may insist on.
    ``lost_names`` are public names that the change does not keep though its task does not say so,
    None where there were none to compare.
    """

    complaints: tuple[Complaint, ...] = ()
    warnings: tuple[str, ...] = ()
    other_tests: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    lost_names: tuple[LostName, ...] | None = None


@dataclass(frozen=True)
class VerifiedWork:
    """What its tests said.

    ``verdict`` is what tests say about a change that was accepted, ``command`` the line a model
    proposed to verify it with ('' for none, None before it is asked). ``suite_seconds`` is how long
    all tests took when they last ran to their end, 0 while that is not known. ``asked_test`` is the
    one that was asked for apart, None before that.
    """

    verification: Verification | None = None
    verdict: Verdict | None = None
    command: str | None = None
    suite_seconds: float = 0.0
    asked_test: AskedTest | None = None


@dataclass(frozen=True)
class Agreed:
    """What a person said to the proposal about it.

    ``approved`` is the digest of a change set a person agreed to, ``rewritten`` the roadmap after
    its recovery was applied. ``dropped`` says why what was approved before is not used.
    """

    decision: Decided | None = None
    approved: str = ""
    dropped: str = ""
    rewritten: bytes = b""


@dataclass(frozen=True)
class PublishedWork:
    """Where people find it: its commit, its branch and the page to look at.

    ``notes`` say what GitHub refused to show there, ``body`` is what a pull request of several
    tasks says about this one. ``unticked``: the commit leaves the task's box to a person.
    """

    commit: str = ""
    branch: str = ""
    url: str = ""
    notes: tuple[str, ...] = ()
    body: bytes = b""
    unticked: bool = False


@dataclass(frozen=True)
class Spent:
    """What it took so far, and the way it went.

    ``total`` is what its calls used, ``by_model`` the same by model, ``usage`` by node with wall
    time. ``path`` are the nodes it went through, ``reasons`` say why the loop strategy went where
    it did. ``models`` are the models that answered, by node. ``retries`` is how many tries failed
    before their answers.
    """

    steps: int = 0
    total: Usage = field(default_factory=Usage)
    by_model: Mapping[str, Usage] = field(default_factory=dict)
    usage: Mapping[str, Usage] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    models: Mapping[str, str] = field(default_factory=dict)
    retries: int = 0


Part = Planned | Answered | Checked | VerifiedWork | Agreed | PublishedWork | Spent
"""What an attempt is made of."""


@dataclass(frozen=True)
class AcceptedChange:
    """A change that its tests accept, kept while a model is asked to satisfy the linters."""

    answered: Answered
    checked: Checked
    tested: VerifiedWork


@dataclass(frozen=True)
class Attempt:
    """One task going once through the loop. A new one starts every counter at 0 by construction.

    ``base`` is the commit it builds on and ``below`` the branch of that commit; ``failure`` says
    why it cannot be finished, ``proposal`` what is proposed to do about that. ``accepted`` is a
    change that can be published as it is while a better one is tried. ``turn`` counts the attempts
    of a run in the order in which they were begun, or taken up again.
    """

    task: str
    base: str
    below: str
    number: int = 1
    turn: int = 0
    status: Status = Status.IN_PROGRESS
    failure: Failure | None = None
    proposal: Proposal | None = None
    accepted: AcceptedChange | None = None
    planned: Planned = field(default_factory=Planned)
    answered: Answered = field(default_factory=Answered)
    checked: Checked = field(default_factory=Checked)
    tested: VerifiedWork = field(default_factory=VerifiedWork)
    agreed: Agreed = field(default_factory=Agreed)
    published: PublishedWork = field(default_factory=PublishedWork)
    spent: Spent = field(default_factory=Spent)

    @property
    def asks_first(self) -> bool:
        """Whether ``failure`` only says why people were asked first: nothing went wrong."""
        no_error = self.status in (Status.AWAITING_APPROVAL, Status.SKIPPED, Status.REPLACED)
        return no_error and self.failure is not None and self.failure.type == "approval"

    @property
    def calls(self) -> int:
        """Model calls after the first answer of this attempt."""
        return max(0, self.answered.answers - 1)


_NAMES: Final[Mapping[type[Part], str]] = {
    Planned: "planned",
    Answered: "answered",
    Checked: "checked",
    VerifiedWork: "tested",
    Agreed: "agreed",
    PublishedWork: "published",
    Spent: "spent",
}


@dataclass(frozen=True)
class RunStack:
    """What the tasks of a run build on.

    ``tip`` is the commit the next one builds on, head of ``branch``; ``base`` is the commit of the
    base branch whose roadmap was read ('' on a checkout, where that is the tip's). ``members`` are
    the open pull requests that independent tasks can build on, by task, and ``taken`` the tasks of
    this run whose commits are or were among them. ``open`` is how many pull requests were open when
    they were counted, and ``published`` how many this run had published then. ``left`` are the open
    ones whose task has other words in the roadmap now, or is gone from it.
    """

    tip: str = ""
    branch: str = ""
    base: str = ""
    members: Mapping[str, Member] = field(default_factory=dict)
    taken: tuple[str, ...] = ()
    open: int = 0
    published: int = 0
    left: tuple[ReviewedPull, ...] = ()


@dataclass(frozen=True)
class ReplacedTasks:
    """The tasks that recoveries or people took out of the roadmap.

    ``origins`` says whose place a task took (key of the new one → key of the old one).
    """

    tasks: tuple[Task, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RunTimes:
    """When a run started and ended (seconds since the epoch; 0: not yet)."""

    started: float = 0.0
    ended: float = 0.0

    @property
    def seconds(self) -> float:
        """How long it took; 0 while it goes on."""
        return max(0.0, (self.ended or self.started) - self.started)


@dataclass(frozen=True)
class RunState:
    """A run: what was asked, what was read, and the newest attempt of every task it touched.

    ``statuses`` are those of tasks without an attempt (in review or declined before this run, or
    declined while it waited), ``unshown`` those that commits did before this run and that no test
    shows to be done. ``current`` is the task a node works on, ``decided`` are tasks a
    person has decided about, ``stopping`` a request to cancel, ``problem`` why there is nothing to
    do, ``problem_kind`` its word if it is an error. ``blocked_by`` are tasks that wait in vain, by
    key, each with the key of what it waits for; ``elsewhere`` is what they need of other projects,
    by key. ``revision`` is the pull request that it works on
    again, if it does.
    """

    request: Request
    node: str = START
    roadmap: Roadmap | None = None
    stack: RunStack = field(default_factory=RunStack)
    current: str = ""
    stopping: bool = False
    problem: str = ""
    problem_kind: str = ""
    times: RunTimes = field(default_factory=RunTimes)
    statuses: Mapping[str, Status] = field(default_factory=dict)
    unshown: tuple[str, ...] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    decided: tuple[str, ...] = ()
    replaced: ReplacedTasks = field(default_factory=ReplacedTasks)
    blocked_by: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Mapping[str, tuple[TaskElsewhere, ...]] = field(default_factory=dict)
    revision: Revision | None = None
    attempts: Mapping[str, Attempt] = field(default_factory=dict)

    @property
    def picked(self) -> int:
        """How many tasks were taken up; a second attempt at one does not count."""
        members = (a.planned.members or a.planned.former for a in self.attempts.values())
        return len(self.attempts.keys() | {key for keys in members for key in keys})

    @property
    def next_turn(self) -> int:
        """The turn of an attempt that begins now."""
        return 1 + max((attempt.turn for attempt in self.attempts.values()), default=0)

    @property
    def depths(self) -> dict[str, int]:
        """How many recoveries a task comes from, by key; 0 when it is not there."""
        found: dict[str, int] = {}
        origins = self.replaced.origins
        for key in origins:
            depth, at = 0, key
            while at in origins and depth <= len(origins):
                depth, at = depth + 1, origins[at]
            found[key] = depth
        return found

    def written(self, key: str) -> str:
        """The key of the task that people wrote and that the one of this key replaces."""
        for _ in self.replaced.origins:
            key = self.replaced.origins.get(key, key)
        return key

    @property
    def at_work(self) -> tuple[str, ...]:
        """Tasks that are worked on besides the current one."""
        return tuple(
            key
            for key, attempt in self.attempts.items()
            if attempt.status is Status.IN_PROGRESS and key != self.current
        )

    @property
    def attempt(self) -> Attempt:
        """The current attempt; a node of the task cursor always has one."""
        return self.attempts[self.current]

    @property
    def proposal(self) -> Proposal:
        """What is proposed about the current task; asked for only where something is."""
        proposal = self.attempt.proposal
        assert proposal is not None  # noqa: S101
        return proposal

    @property
    def task(self) -> Task:
        """The current task, with what a person adds; of a group all its tasks as one."""
        grouped = (self.current, *self.attempt.planned.members)
        task = TaskGroup(tuple(self.task_of(key) for key in grouped)).task
        return task.with_note(self.request.options.scope.note).placed(self.attempt.planned.places)

    def task_of(self, key: str) -> Task:
        """A task by its key, also one that a recovery replaced."""
        return next(task for task in (*self.tasks, *self.replaced.tasks) if task.key == key)

    @property
    def tasks(self) -> tuple[Task, ...]:
        return self.roadmap.tasks if self.roadmap else ()

    def status(self, task: Task) -> Status:
        """A task's status now."""
        status = self.statuses.get(task.key, Status.PENDING)
        if attempt := self.attempts.get(task.key) or self._of_group(task.key):
            closed = status is Status.DECLINED and attempt.status is Status.COMPLETED
            status = status if closed else attempt.status
            if self.stopping and status is Status.AWAITING_APPROVAL:
                status = Status.PENDING  # a cancelled run asks nobody any more
        elif task.checked and status is not Status.IN_REVIEW:
            status = Status.COMPLETED
        waits = status is Status.PENDING and task.key in self.blocked_by
        return Status.BLOCKED if waits else status

    def _of_group(self, key: str) -> Attempt | None:
        """The attempt that does a task together with another one.

        A revision of a pull request with several tasks has one attempt for all of them.
        """
        if self.revision and key in self.revision.tasks:
            return next(iter(self.attempts.values()), None)
        if self.request.options.grouping <= 1:
            return None
        return next((a for a in self.attempts.values() if key in a.planned.members), None)

    def updated(self, *parts: Part) -> RunState:
        """Return the state with parts of the current attempt replaced."""
        new: dict[str, Any] = {_NAMES[type(part)]: part for part in parts}
        return self.put(replace(self.attempt, **new))

    def noted(self, reason: str) -> RunState:
        """Return the state with why the current attempt went where it did."""
        spent = self.attempt.spent
        return self.updated(replace(spent, reasons=(*spent.reasons, reason)))

    def with_changes(self, changes: ChangeSet) -> RunState:
        """Return the state with another change set as the current attempt's answer."""
        return self.updated(replace(self.attempt.answered, changes=changes))

    def with_status(self, status: Status) -> RunState:
        """Return the state with the current attempt's status replaced."""
        return self.put(replace(self.attempt, status=status))

    def put(self, attempt: Attempt) -> RunState:
        """Return the state with ``attempt`` as its task's newest."""
        return replace(self, attempts={**self.attempts, attempt.task: attempt})


@dataclass(frozen=True, slots=True)
class Step:
    """What a node returns: the new state and the word it ended with."""

    state: RunState
    outcome: str
