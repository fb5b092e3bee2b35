"""Bring independent pull requests up to date where a merge left their roadmap behind.

Two boxes that stand one below the other are a conflict to git as soon as one of them is merged. So
the ticks of the others are made anew on the merged roadmap (DESIGN §7: never merged as text).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence

from app.github.commits import Commits
from app.github.pull import Pull
from app.github.pulls import Pulls
from app.github.repository_api import RepositoryApi
from runner.changes import ChangeSet, Write
from runner.errors import Outage, TaskError
from runner.ports import Checkpoint
from runner.roadmap.replay import replayed_ticks
from runner.snapshot import EXECUTABLE, FILE, Entry, Snapshot

log = logging.getLogger(__name__)

_MESSAGE = (
    "Tick the roadmap of {base} anew\n\nIt was changed there since. The tests were not run again."
)


class Freshen:
    """``snapshot`` and ``blobs`` read what commits hold."""

    def __init__(
        self,
        api: RepositoryApi,
        *,
        pulls: Pulls,
        commits: Commits,
        snapshot: Callable[[str], Awaitable[Snapshot]],
        blobs: Callable[[Sequence[str]], Awaitable[dict[str, bytes]]],
    ) -> None:
        self._api, self._pulls, self._commits = api, pulls, commits
        self._snapshot, self._blobs = snapshot, blobs

    async def all(self, base: str, tip: str) -> None:
        """Bring every open checkpoint made against ``base`` up to its head ``tip``.

        Doing it twice changes nothing. One that cannot be is left as it is. Raises ``Outage``.
        """
        for pull in await self._pulls.all():
            if pull.open and pull.kind == "checkpoint" and pull.base == base:
                try:
                    await self._one(pull, tip)
                except TaskError as error:
                    log.warning("%s is not brought up to date: %s", pull.head, error.message)

    async def _one(self, pull: Pull, tip: str) -> None:
        path = f"compare/{tip}...{pull.sha}"
        found = await self._api.find(path, f"compare {pull.head}", refused=Outage)
        if found is None or not found["behind_by"]:
            return
        old = await self._snapshot(found["merge_base_commit"]["sha"])
        mine, new = await self._snapshot(pull.sha), await self._snapshot(tip)
        if old.entries.get(pull.roadmap) == new.entries.get(pull.roadmap):
            return
        changes = await self._changes(pull, old, mine, new)
        if changes is not None:
            await self._add(pull, changes, new, tip)

    async def _changes(
        self, pull: Pull, old: Snapshot, mine: Snapshot, new: Snapshot
    ) -> ChangeSet | None:
        """What the branch changes on the newer tree; None where people must say what is right."""
        paths = {
            p for p in (*old.entries, *mine.entries) if old.entries.get(p) != mine.entries.get(p)
        }
        theirs = {p for p in paths - {pull.roadmap} if mine.entries.get(p) != new.entries.get(p)}
        if any(old.entries.get(p) != new.entries.get(p) for p in theirs):
            return None
        entries = {path: mine.entries.get(path) for path in theirs}
        if not all(each is None or each.mode in (FILE, EXECUTABLE) for each in entries.values()):
            return None
        roadmaps = [tree.entries.get(pull.roadmap) for tree in (old, mine, new)]
        ticked = await self._ticked(pull.roadmap, [each for each in roadmaps if each])
        if ticked is None:
            return None
        known = await self._blobs([each.sha for each in entries.values() if each])
        files = {p: Write(known[e.sha], e.mode) if e else None for p, e in entries.items()}
        return ChangeSet({**files, pull.roadmap: Write(ticked)})

    async def _ticked(self, path: str, entries: Sequence[Entry]) -> bytes | None:
        known = await self._blobs([each.sha for each in entries])
        contents = [known[each.sha] for each in entries]
        return replayed_ticks(path, *contents) if len(contents) == 3 else None

    async def _add(self, pull: Pull, changes: ChangeSet, new: Snapshot, tip: str) -> None:
        """Commit it on top of both; a branch that moved meanwhile stays as it is."""
        effective = changes.effective(new)
        made = Checkpoint(
            run="",
            task=pull.task,
            branch=pull.head,
            below=pull.base,
            parent=tip,
            changes=effective,
            tree=changes.tree(new),
            title="",
            message=_MESSAGE.format(base=pull.base),
            body="",
            trailers=tuple(("Cairn-Task", key) for key in pull.tasks),
        )
        commit = await self._commits.create(made, new, onto=pull.sha)
        if await self._commits.move(pull.head, old=pull.sha, new=commit.sha):
            log.info("Brought %s up to date with %s", pull.head, pull.base)
