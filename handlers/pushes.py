"""A push to the default branch: what we keep of the event, and what its roadmap change may start.

The payload's list of commits is never read: it is cut at 2,048, says nothing of a force push, and
is not there for what is merged (https://docs.github.com/en/webhooks/webhook-events-and-payloads#push).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from handlers.payloads import Envelope, Repo, User, validated
from handlers.permissions import Role, suffices
from handlers.table import START
from runner.roadmap.diff import RoadmapDiff

EVENT = "push"
MOST_TASKS = 1000
"""Tasks one push can start; a repository's own limit is no higher."""

_NOTHING = "0" * 40
Trigger = Literal["execute", "plan", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchPushed:
    """The default branch moved from one commit to another (``before`` '': it was not there).

    ``delivery`` is GitHub's GUID, the same for a redelivery; ``sender`` pushed or merged.
    """

    delivery: str
    repository: Repo
    installation_id: int
    before: str
    after: str
    sender: User

    @property
    def accounts(self) -> tuple[User, ...]:
        """Everybody who had a hand in it."""
        return (self.sender,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What is known of a push when it is decided what it starts.

    ``diff`` is None when the roadmap before it cannot be read; ``role`` is that of who pushed, and
    ``bot`` says that it was one nobody allowed.
    """

    trigger: Trigger
    diff: RoadmapDiff | None
    role: Role = "none"
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """The keys of the tasks a push starts, or why it starts none though it changes some."""

    tasks: tuple[str, ...] = ()
    refused: Literal["", "unreadable", "bot", "permission"] = ""


class _PushPayload(Envelope):
    ref: str
    before: str
    after: str
    deleted: bool


def read_push(*, delivery: str, payload: dict[str, object]) -> BranchPushed | None:
    """Reduce a push; None for other branches, tags, deletions. Raises ``MalformedPayload``."""
    if payload.get("deleted") is True:
        return None
    found = validated(EVENT, _PushPayload, payload)
    if found.deleted or found.ref != f"refs/heads/{found.repository.default_branch}":
        return None
    return BranchPushed(
        delivery=delivery,
        repository=found.repository,
        installation_id=found.installation.id,
        before="" if found.before == _NOTHING else found.before,
        after=found.after,
        sender=found.sender,
    )


def changes_tasks(diff: RoadmapDiff | None) -> bool:
    """Say whether a push says anything new: ticks and moves do not."""
    return diff is None or bool(diff.added or diff.removed or diff.changed or diff.unclear)


def started_by(push: Pushed) -> Start:
    """Decide what a push starts: the tasks it adds or changes that a run would take unasked."""
    if push.trigger != "execute":
        return Start()
    if push.diff is None:
        return Start(refused="unreadable")
    tasks = fresh(push.diff)
    if not tasks:
        return Start()
    if push.bot:
        return Start(refused="bot")
    if not suffices(push.role, START.needs):
        return Start(refused="permission")
    return Start(tasks[:MOST_TASKS])


def fresh(diff: RoadmapDiff) -> tuple[str, ...]:
    """Return the keys of the new or changed tasks that are open, in no order that matters.

    What could be several of the old tasks counts as none of the new ones: nobody said so.
    """
    said = (*diff.added, *(new for _, new in diff.changed))
    return tuple(dict.fromkeys(t.key for t in said if t.runnable and not t.checked))
