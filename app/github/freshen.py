"""Bring a pull request up to date with its base branch.

Three things make that necessary. A squash or rebase merge of what is below it puts the same change
into the base branch under other commits, so that git shows it once more, or as a conflict. What is
below it may be closed, or forced off the base branch: then the branch still has what nobody wants.
And git sees a conflict in two adjacent checkboxes as soon as one of them is merged, so the ticks of
a branch are made again on the newest roadmap, which is never merged as text.

The change of a branch is what it did since the commit it was made on (``owned.py``). It is put on
the newest base, as git merges it, in one of two forms. *Joined*: one more commit whose parents
are the head and the base, so nothing is rewritten and nobody's work is lost. *Rebuilt*: a single
commit on the base, in place of all others, where these must not stay in the history. That is done
only if no person pushed to the branch. In a native stack of GitHub there is only this form: GitHub
merges no stack with a merge commit in it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import Literal

from app.github.conflicts import Merge, Versions, differ, hinders, merge, name_of, written
from app.github.owned import JOINED, REBUILT, TICKED, Line, Why, apart, line_of
from app.github.place import Place
from app.github.pulls import Attempting, Clash, Pull
from app.github.shown_checks import TrustChecks
from runner.errors import Outage, TaskError
from runner.roadmap.replay import RoadmapEdits, only_ticks, replayed, ticked_again
from runner.state.changes import ChangeSet, Write
from runner.state.publishing import Checkpoint, CheckpointText

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Put:
    """The change of a branch for the newer tree; None where ``paths`` are left to people."""

    trees: Versions
    found: Merge
    changes: ChangeSet | None = None
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fresh:
    """What was done: the roadmap ``ticked`` again, the base branch ``joined``, or all ``rebuilt``.

    It is also ``joined`` or ``rebuilt`` as long as the branch is so, so that people can still be
    told after an outage; ``why`` says why it was rebuilt, ``same`` that its files are what they
    were before. ``stuck`` says that people must bring it up to date, because both sides changed
    ``paths``, or (``refused``) because these are workflow files, which we may not write, and a
    person pushed to the branch; ``pushed`` only that one pushed to the branch; ``waiting`` that
    GitHub is expected to rebase it. ``sha`` is the
    head of the branch, ``start`` the commit on which its own change is. A ``new`` head was made
    just now; what was verified before it is shown on it if it was ``carried`` over. ``again`` says
    that it is verified again where it was not. ``conflicts`` are paths that the base and the branch
    both changed, so that a merge of the base is left to people. Where it is code that is in
    conflict, and nobody pushed to the branch, ``clash`` says what a new attempt begins with, else
    ``attempt`` why there is none.
    """

    done: Literal["nothing", "ticked", "joined", "rebuilt", "stuck", "pushed", "waiting"] = (
        "nothing"
    )
    paths: tuple[str, ...] = ()
    sha: str = ""
    start: str = ""
    same: bool = False
    why: Why | None = None
    new: bool = False
    carried: bool = False
    again: bool = False
    refused: bool = False
    conflicts: tuple[str, ...] = ()
    clash: Clash | None = None
    attempt: Attempting = "none"


@dataclass(frozen=True, slots=True)
class Own:
    """What is known of where the change of a branch begins.

    ``tasks`` are those of its change, ``merged`` the last commit of what was below it and was
    merged into its base ('' for none).
    """

    tasks: frozenset[str]
    merged: str = ""


class Freshen:
    """``trust`` shows how far commits are verified."""

    def __init__(self, at: Place, trust: TrustChecks) -> None:
        self._at, self._trust = at, trust

    async def one(
        self,
        pull: Pull,
        tip: str,
        *,
        why: Why,
        own: Own,
        ticks: bool = True,
        wait: bool = False,
    ) -> Fresh:
        """Bring a pull request made against the branch with the head ``tip`` up to date with it.

        ``own`` says where its own change begins; ``why`` is what became of what it was made on, if
        the base does not have that. Without ``ticks``, a changed roadmap is not a reason. What is
        to ``wait`` is left alone. Doing it twice changes nothing. Raises ``Outage``, ``TaskError``.
        """
        line = await self._line(pull, tip, own)
        if line is None:
            return Fresh(sha=pull.sha)
        if wait and (line.start != line.fork or line.behind):
            return Fresh("waiting", sha=pull.sha)
        if line.start == line.fork:
            return await self._ticked(pull, tip, line, ticks=ticks)
        if not line.fork and why == "merged":  # git merges no history that has nothing in common
            why = "rewritten"
        put = await self._put(pull, tip, line)
        if why != "merged" or pull.native or await self._only_rebases():
            made = await self._rebuilt(pull, tip, put, line, why)
            if why != "merged" or pull.native or made.done != "pushed":
                return made
        return await self._joined(pull, tip, put, line)

    async def _line(self, pull: Pull, tip: str, own: Own) -> Line | None:
        """What a branch has that the base has not; None if nothing on it is ours.

        They have no commit in common when the history was rewritten from its first commit on.
        """
        api, doing = self._at.api, f"compare {tip[:10]} with {pull.sha[:10]}"
        found = await api.find(f"compare/{tip}...{pull.sha}", doing, refused=Outage)
        if found:
            return line_of(found, pull.sha, own.tasks, own.merged)
        newest = await api.find(f"commits?sha={pull.sha}&per_page=100", doing, refused=Outage)
        line = apart(newest or [], pull.sha, own.tasks, own.merged)
        return line if line.own and line.start else None

    async def _ticked(self, pull: Pull, tip: str, line: Line, *, ticks: bool) -> Fresh:
        """Replay the edits of the roadmap, where nothing else is in conflict with the base."""
        now = Fresh(line.form, sha=pull.sha, start=line.made_on, same=line.same, why=line.why)
        if not (ticks and line.behind):
            return now
        put = await self._put(pull, tip, line)
        edited = differ(put.trees.old, put.trees.new, pull.roadmap)
        if put.changes is None:
            if not (edited or put.found.conflicts):
                return now
            clash, attempt = await self._clash(pull, line, put)
            return replace(now, conflicts=put.paths, clash=clash, attempt=attempt)
        if not edited:
            return now
        if pull.native:  # all above would have to be rebuilt, too: only where GitHub needs it
            alone = await self._rebuilt(pull, tip, put, line, "moved") if put.found.clashes else now
            return now if alone.done == "pushed" else alone
        if await self._only_rebases():  # GitHub would leave out a merge commit, and the ticks
            alone = await self._rebuilt(pull, tip, put, line, "merged")
            if alone.done == "rebuilt":
                return replace(alone, done="ticked", start="", same=False, why=None)
        message = TICKED.format(base=pull.base)
        try:
            return await self._added(Fresh("ticked"), pull, put, tip, message, onto=pull.sha)
        except TaskError:
            bare = await self._without_workflows(pull, tip, put, line)
            if bare is None or bare.refused:
                raise
            return replace(bare, done="ticked", start="", same=False, why=None)

    async def _joined(self, pull: Pull, tip: str, put: _Put, line: Line) -> Fresh:
        if put.changes is None:
            return await self._stuck(pull, line, put)
        message = JOINED.format(base=pull.base)
        try:
            wanted = Fresh("joined", start=tip)
            return await self._added(wanted, pull, put, tip, message, onto=pull.sha)
        except TaskError:
            alone = await self._without_workflows(pull, tip, put, line)
            if alone is None:
                raise
            return alone

    async def _without_workflows(self, pull: Pull, tip: str, put: _Put, line: Line) -> Fresh | None:
        """Rebuild a branch that may not get workflow files by a merge; None if that is not why.

        One that a person pushed to is left to them.

        An App without the permission *Workflows* cannot write a commit that changes them, as a
        merge of a base does that has new ones. A single commit on that base changes none.
        """
        apart = _workflows_apart(put.trees)
        if not apart:
            return None
        alone = await self._rebuilt(pull, tip, put, line, "merged")
        if alone.done == "pushed":
            return replace(alone, done="stuck", paths=apart, refused=True)
        return alone if alone.done == "rebuilt" else None

    async def _rebuilt(self, pull: Pull, tip: str, put: _Put, line: Line, why: Why) -> Fresh:
        """Put the change of a branch on the base as one commit, unless people pushed to it."""
        if not await self._is_ours(pull, line):
            return Fresh("pushed", sha=pull.sha, start=line.start)
        if put.changes is None:
            return await self._stuck(pull, line, put, why)
        message = f"{pull.title}\n\n{REBUILT[why]}"
        return await self._added(Fresh("rebuilt", start=tip, why=why), pull, put, tip, message)

    async def _stuck(self, pull: Pull, line: Line, put: _Put, why: Why | Literal[""] = "") -> Fresh:
        left = Fresh("stuck", put.paths, sha=pull.sha, start=line.start)
        clash, attempt = await self._clash(pull, line, put, why)
        return replace(left, clash=clash, attempt=attempt)

    async def _clash(
        self, pull: Pull, line: Line, put: _Put, why: Why | Literal[""] = ""
    ) -> tuple[Clash | None, Attempting]:
        """What a new attempt of the task begins with; else why it would not help, or may not."""
        hindered = await hinders(self._at, put.trees, put.found)
        if pull.kind != "checkpoint" or not (put.found.conflicts or hindered != "none"):
            return None, "none"
        if not await self._is_ours(pull, line):
            return None, "pushed"
        if hindered != "none":
            return None, hindered
        alone = bool(_workflows_apart(put.trees)) or pull.native is not None
        form = why or ("merged" if alone or await self._only_rebases() else "")
        theirs = name_of(put.found.conflicts, put.trees.new)
        return Clash(pull.sha, line.start, theirs, form), "none"

    async def _is_ours(self, pull: Pull, line: Line) -> bool:
        """Say whether no person added a commit to a branch."""
        for commit in line.own:
            ours = line.made_by_us(commit) and await self._at.commits.ours(commit, pull.head)
            if not ours:
                return False
        return True

    async def _only_rebases(self) -> bool:
        """Say whether a repository allows no other merges: GitHub cannot rebase a merge commit."""
        return await self._at.api.merge_methods() == {"rebase"}

    async def _put(self, pull: Pull, tip: str, line: Line) -> _Put:
        """What a branch changes, for the newer tree; else the paths that are in conflict.

        The edits of the roadmap are made again on the newest one. A checkpoint only ticks. It may
        have brought newer tasks of the base branch along, which people may have changed there
        since: unless a person pushed to it, these are not its edits.
        """
        commits, roadmap = (line.start, pull.sha, tip), pull.roadmap
        trees = Versions(*[await self._at.snapshot(commit) for commit in commits])
        found = await merge(self._at, trees, apart=roadmap)
        if paths := found.odd or found.conflicts:
            return _Put(trees, found, paths=paths)
        files = await written(self._at, found)
        if not differ(trees.old, trees.mine, roadmap):
            return _Put(trees, found, ChangeSet(files))
        old, mine, new = [await self._at.file(commit, roadmap) for commit in commits]
        edited = None
        if old is not None and mine is not None and new is not None:
            edit = RoadmapEdits(old, mine)
            more = pull.kind == "checkpoint" and not only_ticks(roadmap, edit)
            again = ticked_again if more and await self._is_ours(pull, line) else replayed
            edited = await asyncio.to_thread(again, roadmap, edit, new)
        if edited is None:
            return _Put(trees, found, paths=(roadmap,))
        return _Put(trees, found, ChangeSet({**files, roadmap: Write(edited)}))

    async def _added(
        self, wanted: Fresh, pull: Pull, put: _Put, tip: str, message: str, *, onto: str = ""
    ) -> Fresh:
        """Move the branch to the new commit; where it has moved since, it is left alone."""
        new, changes = put.trees.new, (put.changes or ChangeSet()).effective(put.trees.new)
        made = Checkpoint(
            run="",
            task=pull.task,
            branch=pull.head,
            below=pull.base,
            parent=tip,
            changes=changes,
            tree=changes.tree(new),
            text=CheckpointText(
                message=message, trailers=tuple(("Cairn-Task", key) for key in pull.tasks)
            ),
        )
        same = wanted.done != "ticked" and made.tree == put.trees.mine.tree
        commit = await self._at.commits.create(made, new, onto=onto, known=same)
        carried = same and await self._trust.carry(pull.sha, commit.sha)
        if not await self._at.commits.move(pull.head, old=pull.sha, new=commit.sha):
            return Fresh(sha=pull.sha)
        log.info("Brought %s up to date with %s", pull.head, pull.base)
        return replace(wanted, sha=commit.sha, same=same, new=True, carried=carried)


def _workflows_apart(trees: Versions) -> tuple[str, ...]:
    """The workflow files that the newer tree has in another form than the branch."""
    paths = (p for p in {*trees.mine.entries, *trees.new.entries} if p.startswith(_WORKFLOWS))
    return tuple(sorted(path for path in paths if differ(trees.new, trees.mine, path)))


_WORKFLOWS = ".github/workflows/"
