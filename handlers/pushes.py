"""Pushes and installations: what we keep of these events, and what they may start."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from handlers.commands import START
from handlers.events import Envelope, Installation, InstalledRepository, User, validated
from handlers.issue_thread import Role, suffices
from runner.config.model import CONFIG_PATH
from runner.roadmap.diff import RoadmapDiff

MOST_TASKS = 1000
"""Tasks that one push can start; a repository's own limit is not higher."""

_NOTHING = "0" * 40
Trigger = Literal["execute", "plan", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchPushed:
    """The default branch moved from one commit to another (``before`` '': it was not there).

    ``delivery`` is GitHub's GUID, the same for a redelivery; ``sender`` pushed or merged, which
    changed the repository's configuration where it ``configures``.
    """

    delivery: str
    repository: InstalledRepository
    before: str
    after: str
    sender: User
    configures: bool = False

    @property
    def accounts(self) -> tuple[User, ...]:
        """Everybody who had a hand in it."""
        return (self.sender,)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoadmapPush:
    """What is known of a push when it is decided what it starts.

    ``diff`` is None when the roadmap before it cannot be read; ``role`` is that of who pushed, and
    ``bot`` says that it was a bot that nobody allowed.
    """

    trigger: Trigger
    diff: RoadmapDiff | None
    role: Role = "none"
    bot: bool = False


@dataclass(frozen=True, slots=True)
class PushStart:
    """The keys of the tasks a push starts, or why it starts none though it changes some."""

    tasks: tuple[str, ...] = ()
    refused: Literal["", "unreadable", "bot", "permission"] = ""


class _PushedCommit(BaseModel):
    added: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class _PushPayload(Envelope):
    ref: str
    before: str
    after: str
    deleted: bool
    commits: tuple[_PushedCommit, ...] = ()


def read_push(delivery: str, payload: dict[str, object]) -> BranchPushed | None:
    """Reduce a push; None for other branches, tags, deletions. Raises ``MalformedPayload``."""
    if payload.get("deleted") is True:
        return None
    found = validated("push", _PushPayload, payload)
    if found.deleted or found.ref != f"refs/heads/{found.repository.default_branch}":
        return None
    return BranchPushed(
        delivery=delivery,
        repository=found.installed,
        before="" if found.before == _NOTHING else found.before,
        after=found.after,
        sender=found.sender,
        configures=any(
            CONFIG_PATH in (*each.added, *each.modified, *each.removed) for each in found.commits
        ),
    )


def changes_tasks(diff: RoadmapDiff | None) -> bool:
    """Say whether a push says anything new: ticks and moves do not."""
    return diff is None or bool(diff.added or diff.removed or diff.changed or diff.unclear)


def started_by(push: RoadmapPush) -> PushStart:
    """Decide what a push starts: the tasks it adds or changes that a run would take unasked."""
    if push.trigger != "execute":
        return PushStart()
    if push.diff is None:
        return PushStart(refused="unreadable")
    tasks = fresh(push.diff)
    if not tasks:
        return PushStart()
    if push.bot:
        return PushStart(refused="bot")
    if not suffices(push.role, START.needs):
        return PushStart(refused="permission")
    return PushStart(tasks[:MOST_TASKS])


def fresh(diff: RoadmapDiff) -> tuple[str, ...]:
    """Return the keys of the new or changed tasks that are open, in no order that matters.

    A task that could be one of several old tasks does not count as new.
    """
    tasks = (*diff.added, *(new for _, new in diff.changed))
    return tuple(dict.fromkeys(t.key for t in tasks if t.runnable and not t.checked))


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationChanged:
    """Something happened to an installation: suspended, lifted, deleted, permissions accepted.

    ``repositories`` are the ids of those that were added to it or removed; () for all of them.
    ``added`` are those that came with it, by its creation or later.
    """

    delivery: str
    action: str
    installation_id: int
    repositories: tuple[int, ...] = ()
    added: tuple[InstalledRepository, ...] = ()


class _Named(BaseModel, frozen=True):
    id: int
    full_name: str
    private: bool


class _Payload(BaseModel):
    action: str
    installation: Installation
    repositories: tuple[_Named, ...] = ()
    repositories_added: tuple[_Named, ...] = ()
    repositories_removed: tuple[_Named, ...] = ()

    def installed(self, named: Iterable[_Named]) -> tuple[InstalledRepository, ...]:
        """These of the installation."""
        id = self.installation.id
        return tuple(InstalledRepository(**dict(each), installation_id=id) for each in named)


def read_installation(delivery: str, payload: dict[str, object]) -> InstallationChanged:
    """Reduce an event about an installation. Raises ``MalformedPayload``."""
    found = validated("installation", _Payload, payload)
    return InstallationChanged(
        delivery=delivery,
        action=found.action,
        installation_id=found.installation.id,
        added=found.installed(found.repositories if found.action == "created" else ()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryChanged:
    """A repository got another name, owner, or status (``action``): archived, private, ..."""

    delivery: str
    action: str
    repository: InstalledRepository

    @property
    def installation_id(self) -> int:
        """The installation that covers it."""
        return self.repository.installation_id


class _RepositoryPayload(Envelope):
    action: str


_CHANGES = ("renamed", "transferred", "archived", "unarchived", "privatized", "publicized")


def read_repository(delivery: str, payload: dict[str, object]) -> RepositoryChanged | None:
    """Reduce an event about a repository; None for what changes nothing for us."""
    if payload.get("action") not in _CHANGES:
        return None
    found = validated("repository", _RepositoryPayload, payload)
    return RepositoryChanged(
        delivery=delivery,
        action=found.action,
        repository=found.installed,
    )


def read_selection(delivery: str, payload: dict[str, object]) -> InstallationChanged:
    """Reduce an event about some repositories of an installation. Raises ``MalformedPayload``."""
    found = validated("installation_repositories", _Payload, payload)
    named = (*found.repositories_added, *found.repositories_removed)
    return InstallationChanged(
        delivery=delivery,
        action=found.action,
        installation_id=found.installation.id,
        repositories=tuple(each.id for each in named),
        added=found.installed(found.repositories_added),
    )
