"""What handlers may ask of the runner: one narrow port and the values that cross it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Protocol

from handlers.events import Repo, User
from handlers.orders import Execute


def run_id(delivery: str, nth: int = 0) -> str:
    """Name the run that the ``nth`` command of a delivery starts: 10 hex digits.

    A redelivery has the same GUID, so that it names the same run and starts nothing new.
    """
    seed = f"{delivery}#{nth}" if nth else delivery
    return hashlib.sha256(seed.encode()).hexdigest()[:10]


_UNKNOWN = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequested:
    """Somebody who may do so asked for a run; ``nth`` counts the commands of the comment from 0."""

    delivery: str
    repository: Repo
    installation_id: int
    issue: int
    by: User
    command: Execute
    comment_id: int = 0
    created_at: datetime = _UNKNOWN
    nth: int = 0

    @property
    def run(self) -> str:
        """The run's id."""
        return run_id(self.delivery, self.nth)


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One task of a run as it stands; ``url`` is its pull request or commit, if any."""

    name: str
    title: str
    status: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A run as it stands; ``detail`` says why it is paused or how it ended, ``url`` shows more."""

    run: str
    status: Literal["queued", "working", "resting", "paused", "cancelled", "ended"]
    detail: str = ""
    url: str = ""
    tasks: tuple[TaskLine, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedTask:
    """The one task that is meant, in the roadmap at ``roadmap``."""

    key: str
    name: str
    title: str
    roadmap: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """No task is called so; ``names`` are those there are."""

    roadmap: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several tasks are called so: (key, line, title) of each."""

    candidates: tuple[tuple[str, int, str], ...]


class Runs(Protocol):
    """The runs of this server; repositories by id, issues by number."""

    async def start(self, request: RunRequested) -> None:
        """Queue the run and say so in its comment; doing it twice leaves one of each."""

    async def find_task(self, request: RunRequested, name: str) -> NamedTask | Unknown | Ambiguous:
        """Find the task a name means in the roadmap of the issue's newest run."""

    async def retry(self, request: RunRequested) -> tuple[str, ...]:
        """Queue a run for the one task of the command, whatever was decided about it.

        Returns the ids of open proposals about it, which are closed. Twice leaves one of each.
        """

    async def skip(self, request: RunRequested, task: NamedTask) -> bool:
        """Leave a task out until it is retried; False when it is left out already."""

    async def status(self, *, repository_id: int, issue: int) -> tuple[RunStatus, ...]:
        """Return the runs asked for on this issue, newest first; () when there is none."""

    async def cancel(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Order the unfinished runs of the issue to stop; return their ids, every time."""

    async def pause(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Order the runs of the issue that work or wait to rest; return their ids."""

    async def resume(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Let the paused runs of the issue go on; return their ids."""
