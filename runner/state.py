"""What the loop knows: one record a task (its newest attempt), the run a fold over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from runner.changes import ChangeSet
from runner.findings import Complaint, Verification
from runner.graph import START
from runner.roadmap.task import Roadmap, Task


class Status(StrEnum):
    """Where a task stands; the words of ``todos.json`` and of the report."""

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


SETTLED = frozenset(Status) - {Status.PENDING, Status.IN_PROGRESS}
"""A task with one of these is never picked again by the same run (but for a deferred retry)."""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for; limits as in DESIGN §4. ``protect`` are path patterns not to be written.

    ``max_tokens``, ``max_seconds`` (wall time), ``max_files`` and ``max_bytes`` (of all files)
    bound one attempt, ``max_answer_tokens`` one model answer. ``task`` is a key or a written id;
    ``test_timeout`` (seconds) one test run; sizes of the box in bytes. ``setup`` are the commands
    that install what the tests need, ``setup_files`` patterns of files they read besides the usual
    ones, ``setup_network`` is for them alone; ``project`` is whose the result is.
    """

    max_tasks: int = 10
    task: str = ""
    model: str = ""
    loop: str = "hybrid"
    planning: bool = False
    verify_mode: Literal["auto", "tests", "syntax", "off"] = "auto"
    max_iterations: int = 100
    max_answer_tokens: int = 8192
    max_tokens: int = 200_000
    max_seconds: float = 3600.0
    max_files: int = 50
    max_bytes: int = 1 << 20
    protect: tuple[str, ...] = ()
    image: str = ""
    memory: int = 1 << 30
    disk: int = 512 << 20
    cpus: float = 1.0
    pids: int = 256
    test_timeout: float = 300.0
    setup: tuple[tuple[str, ...], ...] = ()
    setup_files: tuple[str, ...] = ()
    setup_network: bool = False
    project: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One run as it was asked for; ``id`` names it everywhere."""

    id: str
    roadmap: str = "ROADMAP.md"
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a task cannot be finished. ``reason`` is DESIGN §8's word, ``evidence`` what was seen."""

    type: str
    message: str
    node: str
    reason: str = "unknown"
    recoverable: bool = True
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """What the model means to do, kept in the iteration file and shown in the context."""

    likely_files: tuple[str, ...]
    steps: tuple[str, ...]
    acceptance: tuple[str, ...]
    complexity: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What a node used so far: wall ``seconds``, model ``tokens``, ``cost`` (USD) and ``calls``."""

    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.seconds + other.seconds,
            self.tokens + other.tokens,
            self.cost + other.cost,
            self.calls + other.calls,
        )


@dataclass(frozen=True)
class Attempt:
    """One task going once through the loop. A new one starts every counter at 0 by construction.

    ``answers`` counts first, fresh and repaired answers; ``base`` is the commit it builds on and
    ``below`` the branch of that commit; ``tried`` are digests of change sets that were judged;
    ``avoid`` what a fresh answer must not repeat; ``commit`` and ``url`` its checkpoint. ``spent``
    is what its model calls used, ``usage`` the same by node with wall time, ``path`` the nodes it
    went through, ``reasons`` why the loop strategy went where it did.
    """

    task: str
    base: str
    below: str
    number: int = 1
    status: Status = Status.IN_PROGRESS
    steps: int = 0
    answers: int = 0
    code_repairs: int = 0
    test_repairs: int = 0
    spent: Usage = field(default_factory=Usage)
    plan: Plan | None = None
    context: bytes = b""
    changes: ChangeSet = field(default_factory=ChangeSet)
    complaints: tuple[Complaint, ...] = ()
    mended: tuple[str, ...] = ()
    verification: Verification | None = None
    tried: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    failure: Failure | None = None
    commit: str = ""
    branch: str = ""
    url: str = ""
    path: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        """Model calls after the first answer of this attempt."""
        return max(0, self.answers - 1)


@dataclass(frozen=True)
class RunState:
    """A run: what was asked, what was read, and the newest attempt of every task it touched.

    ``tip`` and ``tip_branch`` are what the next task builds on; ``statuses`` are those of tasks
    without an attempt (in review or declined before this run). ``current`` is the task a node
    works on, ``decided`` are tasks a person has decided about, ``stopping`` an order to cancel,
    ``problem`` why there is nothing to do.
    """

    request: Request
    node: str = START
    roadmap: Roadmap | None = None
    tip: str = ""
    tip_branch: str = ""
    current: str = ""
    picked: int = 0
    stopping: bool = False
    problem: str = ""
    started: float = 0.0
    ended: float = 0.0
    statuses: Mapping[str, Status] = field(default_factory=dict)
    usage: Mapping[str, Usage] = field(default_factory=dict)
    decided: tuple[str, ...] = ()
    attempts: Mapping[str, Attempt] = field(default_factory=dict)

    @property
    def attempt(self) -> Attempt:
        """The attempt in hand; a node of the task cursor always has one."""
        return self.attempts[self.current]

    @property
    def task(self) -> Task:
        """The task in hand."""
        return next(task for task in self.tasks if task.key == self.current)

    @property
    def tasks(self) -> tuple[Task, ...]:
        return self.roadmap.tasks if self.roadmap else ()

    def status(self, task: Task) -> Status:
        """Where a task stands now."""
        if attempt := self.attempts.get(task.key):
            return attempt.status
        if task.checked:
            return Status.COMPLETED
        return self.statuses.get(task.key, Status.PENDING)

    def with_attempt(self, **changes: object) -> RunState:
        """Return the state with fields of the attempt in hand replaced."""
        return self.put(replace(self.attempt, **changes))  # type: ignore[arg-type]

    def put(self, attempt: Attempt) -> RunState:
        """Return the state with ``attempt`` as its task's newest."""
        return replace(self, attempts={**self.attempts, attempt.task: attempt})


@dataclass(frozen=True, slots=True)
class Step:
    """What a node returns: the new state and the word it ended with."""

    state: RunState
    outcome: str
