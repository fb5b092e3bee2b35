"""What handlers may ask of the runner: one narrow port and the values that cross it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal, Protocol

from handlers.events import Repo, User
from handlers.orders import Execute


def run_id(delivery: str, nth: int = 0) -> str:
    """Name the run that the ``nth`` command of a delivery starts: 10 hex digits.

    A redelivery has the same GUID, so that it names the same run and starts nothing new.
    """
    seed = f"{delivery}#{nth}" if nth else delivery
    return hashlib.sha256(seed.encode()).hexdigest()[:10]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequested:
    """Somebody who may do so asked for a run; ``nth`` counts the commands of the comment from 0."""

    delivery: str
    repository: Repo
    installation_id: int
    issue: int
    comment_id: int
    by: User
    command: Execute
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


class Runs(Protocol):
    """The runs of this server; repositories by id, issues by number."""

    async def start(self, request: RunRequested) -> None:
        """Queue the run and say so in its comment; doing it twice leaves one of each."""

    async def status(self, *, repository_id: int, issue: int) -> tuple[RunStatus, ...]:
        """Return the runs asked for on this issue, newest first; () when there is none."""

    async def cancel(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Order the unfinished runs of the issue to stop; return their ids, every time."""

    async def pause(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Order the runs of the issue that work or wait to rest; return their ids."""

    async def resume(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Let the paused runs of the issue go on; return their ids."""
