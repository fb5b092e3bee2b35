"""``/execute audit``: who started, decided, merged and configured what in a repository."""

from __future__ import annotations

from dataclasses import dataclass

from app.runs.feature import Feature
from handlers.conversation import Conversation
from handlers.grammar import Command, CommandReply, CommandRow, Option
from handlers.texts import HANDLERS
from runner.people.texts import Texts, environment

audit_texts = Texts(environment("app.features.audit", HANDLERS), "audit")

MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCommand(Command):
    """Show who did what; ``writes`` says whether also what Cairn wrote to GitHub."""

    writes: bool = False


async def _audit(conversation: Conversation, command: AuditCommand) -> CommandReply:
    """Show the newest entries of this repository, in one comment."""
    id = conversation.event.repository.id
    audit = conversation.service.parts.audit
    found = await audit.newest(MOST, repository_id=id, writes=command.writes)
    return CommandReply(audit_texts.audit(found), standing=f"audit-{command.writes}")


def register() -> Feature:
    """Return what the feature adds."""
    row = CommandRow(
        name="audit",
        makes=AuditCommand,
        handler=_audit,
        needs="admin",
        description="show who started, decided, merged and configured what in this repository",
        example="/execute audit --writes",
        options=(
            Option(
                name="--writes",
                kind="flag",
                help="also every request with which Cairn changed something on GitHub",
            ),
        ),
    )
    return Feature(commands=(row,))
