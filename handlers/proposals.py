"""What handlers may ask about proposals: one narrow port and the values that cross it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from handlers.payloads import Repo, User
from handlers.table import Need
from runner.roadmap.new_task import NewTask

State = Literal["open", "approved", "rejected", "superseded", "closed", "expired"]
Channel = Literal["reaction", "reply", "review", "check", "merge", "close", "retry"]
Verdict = Literal["approve", "reject", "skip", "edit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposal as it stands; ``id`` is what people type, ``name`` what they call its task.

    ``run_status`` is the word of the runs table, ``starter`` the id of who asked for the run.
    ``decided_by``, ``channel`` and ``delivery`` tell of the decision, once there is one.
    """

    seq: int
    run: str
    task: str
    name: str
    fingerprint: str
    strategy: str
    number: int | None
    url: str
    comment_id: int | None
    state: State
    made_at: datetime
    decided_by: str
    channel: str
    delivery: str
    run_status: str
    starter: int

    @property
    def id(self) -> str:
        """What people type to name it."""
        return self.fingerprint[:8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """What somebody said to a proposal: ``delivery`` names it, a redelivery names the same.

    ``outdated`` says that what they looked at is not what the pull request shows.
    """

    delivery: str
    by: User
    at: datetime
    channel: Channel
    verdict: Verdict
    why: str = ""
    tasks: tuple[NewTask, ...] = ()
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """Who may decide: ``need`` on the repository; with ``own_runs`` also who started the run."""

    need: Need = "maintain"
    own_runs: bool = True


class Proposals(Protocol):
    """The proposals of this server; repositories by id, pull requests and issues by number."""

    async def on_pull(self, repository_id: int, number: int) -> tuple[Proposal, ...]:
        """Return those shown on a pull request, the newest first."""

    async def of_issue(self, repository_id: int, issue: int) -> tuple[Proposal, ...]:
        """Return those of the runs asked for on an issue, the newest first."""

    async def named(self, repository_id: int, id: str) -> tuple[Proposal, ...]:
        """Return those of a repository whose fingerprint begins so, the newest first."""

    async def of_task(self, repository_id: int, roadmap: str, task: str) -> tuple[Proposal, ...]:
        """Return the open ones about a task (by key), of any run, the newest first."""

    async def decide(self, proposal: Proposal, saying: Saying) -> Proposal:
        """Store a decision unless another one was first; return the proposal as it is then."""

    async def pushed(self, proposal: Proposal, *, by: User, delivery: str) -> None:
        """Let the run of an open proposal read what was pushed to its branch."""

    async def rules(self, repository: Repo, installation_id: int) -> Rules:
        """Return who may decide, as the repository's configuration says now."""

    async def touch(self, repository_id: int, number: int) -> None:
        """Look for reactions on a pull request at once: something happened there."""

    async def lose_comment(self, proposal: Proposal) -> bool:
        """Remember that a proposal's comment is gone; False when that was known."""
