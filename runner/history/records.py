"""What is kept about an attempt at a task: one ``Execution``, with its nodes and its commands.

A record is made once its attempt is settled and replaced whenever more is known of it (a proposal
was decided, its replacements are done). Its key never changes, so that recording it twice leaves
one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, Final, Literal, cast

from pydantic import TypeAdapter, ValidationError

from runner.money import Usage
from runner.state.error_types import ErrorType, Severity
from runner.state.findings import VerdictKind
from runner.state.task_size import Complexity, TaskSize

VERSION: Final = 1
"""The form of a stored record; records of another one are counted as left out."""

DAY: Final = 86_400
"""Seconds of a day. Days are counted from 1970 in UTC."""

RouteTaken = Literal["single_phase", "planned"]
NOT_OVER: Final = frozenset({"in_progress", "awaiting_approval", "pending"})
"""Statuses of attempts that are not over: they count as neither finished nor failed."""


@dataclass(frozen=True, slots=True)
class ExecutionKey:
    """Names an attempt: the run, the task's key, and which attempt of the run at it this is."""

    run: str
    task: str
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class ExecutionPlace:
    """Which task of which repository; ``name`` and ``title`` are the task's as people wrote them.

    ``repository`` is its full name. The numbers are GitHub's ids, 0 on a checkout.
    """

    repository: str = ""
    repository_id: int = 0
    installation_id: int = 0
    roadmap: str = ""
    name: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class StartedBy:
    """Who started the run, and ``how``: comment, push, review, check, command_line ..."""

    by: str = ""
    how: str = ""
    issue: int = 0


@dataclass(frozen=True, slots=True)
class ExecutionRoute:
    """The way it went, and what was known of the task before.

    ``complexity`` is judged by the ``size`` alone, so that it does not depend on the route;
    ``planned_complexity`` is what a plan says. ``kind`` is what the task is about. ``tasks`` are
    worked on as one. ``context_bytes`` is the size of the repository's part in the question.
    """

    route: RouteTaken = "single_phase"
    complexity: Complexity = "low"
    planned_complexity: str = ""
    kind: str = ""
    size: TaskSize = field(default_factory=TaskSize)
    loop: str = ""
    tasks: int = 1
    revision: bool = False
    context_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ExecutionModels:
    """Which models answered.

    ``writing`` is the one that wrote the first answer, without the date in its name; ``by_node``
    has the full name that answered at each node. ``answered_in`` is the form of the newest answer
    (edits, files, both), ``pattern`` what made the change in the place of a model.
    """

    writing: str = ""
    by_node: Mapping[str, str] = field(default_factory=dict)
    answered_in: str = ""
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class ExecutionCalls:
    """How often the model was asked, and what was repaired; ``auto_repairs`` without a model.

    ``errors`` are the types of what failed, one for each answer that was refused or red;
    ``retries`` are the tries that failed before an answer came.
    """

    answers: int = 0
    looks: int = 0
    code_repairs: int = 0
    test_repairs: int = 0
    auto_repairs: int = 0
    errors: tuple[ErrorType, ...] = ()
    retries: int = 0


@dataclass(frozen=True, slots=True)
class ExecutionChange:
    """How large the change is."""

    files: int = 0
    lines: int = 0
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExecutionChecks:
    """How far it was verified: the result of each level by name, the tests, and the verdict."""

    levels: Mapping[str, str] = field(default_factory=dict)
    passed: int = 0
    failed: int = 0
    verified: bool = False
    verdict: VerdictKind | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class ExecutionEnd:
    """How it ended: the task's status, and the failure if there is one.

    ``error`` is the everyday type, ``word`` the precise one; ``node`` is where it failed.
    """

    status: str
    error: ErrorType | Literal[""] = ""
    word: str = ""
    severity: Severity | Literal[""] = ""
    reason: str = ""
    node: str = ""
    message: str = ""

    @property
    def finished(self) -> bool:
        """Whether its task is done: tests or a person ticked its box."""
        return self.status == "completed"

    @property
    def made(self) -> bool:
        """Whether its change is committed, be it that a person has yet to accept it."""
        return self.status in ("completed", "in_review")

    @property
    def over(self) -> bool:
        """Whether it counts: an attempt that is still open is neither finished nor failed."""
        return self.status not in NOT_OVER


@dataclass(frozen=True, slots=True)
class ExecutionRecovery:
    """What was proposed about a failure, what people decided, and what became of it.

    ``outcome`` is applied, waiting, closed or published; ``finished`` says that what it led to is
    completed.
    """

    strategy: str = ""
    verdict: str = ""
    by: str = ""
    channel: str = ""
    outcome: str = ""
    finished: bool = False


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """What one node used in an attempt, all its visits together."""

    node: str
    visits: int
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One attempt at a task. ``at`` is when it was recorded first (seconds since 1970, UTC).

    ``references`` are the artifacts of the run that show it. ``nodes`` are rows of their
    own, left out where only the record itself is asked for.
    """

    key: ExecutionKey
    place: ExecutionPlace
    at: float
    started: StartedBy = field(default_factory=StartedBy)
    route: ExecutionRoute = field(default_factory=ExecutionRoute)
    models: ExecutionModels = field(default_factory=ExecutionModels)
    calls: ExecutionCalls = field(default_factory=ExecutionCalls)
    used: Usage = field(default_factory=Usage)
    change: ExecutionChange = field(default_factory=ExecutionChange)
    checks: ExecutionChecks = field(default_factory=ExecutionChecks)
    end: ExecutionEnd
    recovery: ExecutionRecovery = field(default_factory=ExecutionRecovery)
    references: tuple[str, ...] = ()
    nodes: tuple[NodeRecord, ...] = ()

    @property
    def day(self) -> int:
        """The day it counts for."""
        return int(self.at // DAY)


_checked = cache(TypeAdapter)  # made when a record is first read: most runs read none


class UnreadableRecord(ValueError):
    """A stored record that this version cannot read."""


def for_programs(execution: Execution) -> dict[str, Any]:
    """Return a record as other programs get it: a cost that is not known is null, never 0."""
    data = asdict(execution)
    for used in (data["used"], *(node["usage"] for node in data["nodes"])):
        if used["unpriced"]:
            used["cost"] = None
    return data


def from_json(text: str) -> Execution:
    """Read a stored record. Raises ``UnreadableRecord``."""
    try:
        return cast("Execution", _checked(Execution).validate_json(text))
    except ValidationError as error:
        raise UnreadableRecord(str(error)) from error
