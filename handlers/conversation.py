"""What a command is answered from: the comment, its author's role, and whoever is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from handlers.events import IssueCommentCreated
from handlers.grammar import Commands, ExecuteCommand
from handlers.issue_thread import IssueThread, Role
from handlers.ports import Proposals, RunRequested, Runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One comment, whoever is needed to answer it, and the table of commands.

    ``role`` is what its author may do; ``nth`` counts the commands of the comment from 0.
    """

    event: IssueCommentCreated
    thread: IssueThread
    runs: Runs
    proposals: Proposals
    rows: Commands
    role: Role
    nth: int = 0

    @property
    def service(self) -> Any:
        """What features know ``runs`` as: a ``RunService`` (``app/runs/service.py``)."""
        return self.runs

    @property
    def here(self) -> dict[str, int]:
        """The issue that the comment is on."""
        return {"repository_id": self.event.repository.id, "issue": self.event.issue}

    def request(self, command: ExecuteCommand) -> RunRequested:
        """The run that a command asks for."""
        event = self.event
        return RunRequested(
            delivery=event.delivery,
            repository=event.repository,
            issue=event.issue,
            comment_id=event.comment_id,
            created_at=event.created_at,
            by=event.author,
            command=command,
            nth=self.nth,
            told=event.told,
        )
