"""Bring a pull request up to date with its base branch.

Two things make that necessary. A squash or rebase merge of what is below it puts the same change
into the base branch under other commits, so that git shows it once more, or as a conflict. And git
sees a conflict in two adjacent checkboxes as soon as one of them is merged, so the ticks of a
branch are made again on the newest roadmap, which is never merged as text.

The branch gets one commit whose parents are its head and the newest base, so nothing is rewritten
and nobody's work is lost. It can be merged in any way, and its diff has only its own change.


"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.github.api import RepositoryApi
from app.github.commits import Commits
from app.github.pulls import Pull
from runner.errors import Outage
from runner.roadmap.replay import RoadmapEdits, replayed
from runner.state.changes import EXECUTABLE, FILE, ChangeSet, Snapshot, TreeEntry, Write
from runner.state.publishing import Checkpoint, CheckpointText

log = logging.getLogger(__name__)

_TICKED = (
    "Tick the roadmap of {base} again\n\nIt has changed there since. The tests were not run again."
)
_JOINED = (
    "Merge {base}, which has what this builds on\n\n"
    "It was merged there as other commits (squash or rebase). The tests were not run again."
)


@dataclass(frozen=True, slots=True)
class Fresh:
    """What was done: the roadmap ``ticked`` again, or the base branch ``joined`` after a squash.

    It is also ``joined`` as long as that commit is the head, so that people can still be told after
    an outage. ``stuck`` says that people must join them, because both sides changed ``paths``.
    """

    done: Literal["nothing", "ticked", "joined", "stuck"] = "nothing"
    paths: tuple[str, ...] = ()


class Freshen:
    """``snapshot`` and ``blobs`` read what commits hold."""

    def __init__(
        self,
        api: RepositoryApi,
        *,
        commits: Commits,
        snapshot: Callable[[str], Awaitable[Snapshot]],
        blobs: Callable[[Sequence[str]], Awaitable[dict[str, bytes]]],
    ) -> None:
        self._api, self._commits = api, commits
        self._snapshot, self._blobs = snapshot, blobs

    async def one(self, pull: Pull, tip: str, *, below: str = "", ticks: bool = True) -> Fresh:
        """Bring a pull request made against the branch with the head ``tip`` up to date with it.

        ``below`` is the last commit of what it was built on and that was merged there since ('' for
        none). Without ``ticks``, a changed roadmap is not a reason. Doing it twice changes nothing.
        Raises ``Outage`` and ``TaskError``.
        """
        fork, behind = await self._compared(tip, pull.sha)
        if not fork or not behind:
            return await self._as_it_is(pull, below)
        start = await self._start(pull, fork, below)
        old, new = await self._snapshot(start), await self._snapshot(tip)
        if start == fork and not (ticks and _differ(old, new, pull.roadmap)):
            return await self._as_it_is(pull, below)
        mine = await self._snapshot(pull.sha)
        both = _both(old, mine, new, apart=pull.roadmap)
        changes = None if both else await self._changes(pull.roadmap, old, mine, new)
        if changes is None:
            # without a squash GitHub shows the conflict itself, and its button resolves it
            stuck = Fresh("stuck", both or (pull.roadmap,))
            return Fresh() if start == fork else stuck
        message = (_TICKED if start == fork else _JOINED).format(base=pull.base)
        if not await self._added(pull, changes, new, tip, message):
            return Fresh()
        return Fresh("ticked" if start == fork else "joined")

    async def fork(self, one: str, other: str) -> str:
        """Return the commit at which two lines part, or ''. Raises ``Outage``."""
        return (await self._compared(one, other))[0]

    async def _as_it_is(self, pull: Pull, below: str) -> Fresh:
        if not below:
            return Fresh()
        head = await self._commits.show(pull.sha)
        joined = head.title == _JOINED.format(base=pull.base).partition("\n")[0]
        return Fresh("joined") if joined and len(head.parents) > 1 else Fresh()

    async def _start(self, pull: Pull, fork: str, below: str) -> str:
        """Return the commit from which on the changes of a branch are its own.

        Where the base branch has the last commit of what was below, that is where they part.
        """
        if not below:
            return fork
        left, _ = await self._compared(below, pull.sha)
        if not left or left == fork:
            return fork
        _, behind = await self._compared(fork, left)
        return fork if behind else left

    async def _compared(self, base: str, head: str) -> tuple[str, int]:
        """The commit at which a head left a base, and how many commits of the base it lacks.

        https://docs.github.com/en/rest/commits/commits#compare-two-commits
        """
        if base == head:
            return base, 0
        doing = f"compare {base[:10]} with {head[:10]}"
        found = await self._api.find(f"compare/{base}...{head}", doing, refused=Outage)
        if found is None:
            return "", 0
        return str(found["merge_base_commit"]["sha"]), int(found["behind_by"])

    async def _changes(
        self, roadmap: str, old: Snapshot, mine: Snapshot, new: Snapshot
    ) -> ChangeSet | None:
        """What a branch changes, for the newer tree; None where people must say what is right."""
        entries = {path: mine.entries.get(path) for path in _theirs(old, mine, new) - {roadmap}}
        if not all(each is None or each.mode in (FILE, EXECUTABLE) for each in entries.values()):
            return None
        known = await self._blobs([each.sha for each in entries.values() if each])
        files = {p: Write(known[e.sha], e.mode) if e else None for p, e in entries.items()}
        if not _differ(old, mine, roadmap):
            return ChangeSet(files)
        versions = [tree.entries.get(roadmap) for tree in (old, mine, new)]
        edited = await self._replayed(roadmap, [each for each in versions if each])
        return None if edited is None else ChangeSet({**files, roadmap: Write(edited)})

    async def _replayed(self, path: str, entries: Sequence[TreeEntry]) -> bytes | None:
        if len(entries) < 3:
            return None
        known = await self._blobs([each.sha for each in entries])
        old, mine, new = (known[each.sha] for each in entries)
        return replayed(path, RoadmapEdits(old, mine), new)

    async def _added(
        self, pull: Pull, changes: ChangeSet, new: Snapshot, tip: str, message: str
    ) -> bool:
        """Commit it on top of both; leave alone a branch that has moved since."""
        made = Checkpoint(
            run="",
            task=pull.task,
            branch=pull.head,
            below=pull.base,
            parent=tip,
            changes=changes.effective(new),
            tree=changes.tree(new),
            text=CheckpointText(
                message=message, trailers=tuple(("Cairn-Task", key) for key in pull.tasks)
            ),
        )
        commit = await self._commits.create(made, new, onto=pull.sha)
        if not await self._commits.move(pull.head, old=pull.sha, new=commit.sha):
            return False
        log.info("Brought %s up to date with %s", pull.head, pull.base)
        return True


def _differ(one: Snapshot, other: Snapshot, path: str) -> bool:
    return one.entries.get(path) != other.entries.get(path)


def _theirs(old: Snapshot, mine: Snapshot, new: Snapshot) -> set[str]:
    """The paths a branch changed that are not the same in the newer tree already."""
    paths = (path for path in {*old.entries, *mine.entries} if _differ(old, mine, path))
    return {path for path in paths if _differ(mine, new, path)}


def _both(old: Snapshot, mine: Snapshot, new: Snapshot, *, apart: str) -> tuple[str, ...]:
    """The paths that both sides changed, each in its way."""
    theirs = _theirs(old, mine, new) - {apart}
    return tuple(sorted(path for path in theirs if _differ(old, new, path)))
