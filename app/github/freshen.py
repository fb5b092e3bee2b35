"""Bring a pull request up to date with its base branch.

Three things make that necessary. A squash or rebase merge of what is below it puts the same change
into the base branch under other commits, so that git shows it once more, or as a conflict. What is
below it may be closed, or forced off the base branch: then the branch still has what nobody wants.
And git sees a conflict in two adjacent checkboxes as soon as one of them is merged, so the ticks of
a branch are made again on the newest roadmap, which is never merged as text.

The change of a branch is what it did since the commit it was made on (``owned.py``). It is put on
the newest base, each file by itself, in one of two forms. *Joined*: one more commit whose parents
are the head and the base, so nothing is rewritten and nobody's work is lost. *Rebuilt*: a single
commit on the base, in place of all others, where these must not stay in the history. That is done
only if no person pushed to the branch. In a native stack of GitHub there is only this form: GitHub
merges no stack with a merge commit in it.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.github.api import RepositoryApi
from app.github.commits import Commits
from app.github.conflicts import MOST
from app.github.owned import JOINED, REBUILT, TICKED, Line, Why, apart, line_of
from app.github.pulls import Pull
from app.github.three_way import Blobs, ThreeWay, Versions, differ, three_way
from runner.errors import Outage, TaskError
from runner.roadmap.replay import RoadmapEdits, only_ticks, replayed, ticked_again
from runner.state.changes import ChangeSet, Snapshot, TreeEntry, Write
from runner.state.publishing import Checkpoint, CheckpointText

log = logging.getLogger(__name__)

_LOOKS, _MOMENT = 4, 2.0
"""How often GitHub is asked whether it finds a conflict, and the seconds in between."""


Attempting = Literal[
    "none",
    "working",
    "failed",
    "limit",
    "off",
    "pushed",
    "opaque",
    "many",
    "busy",
    "paused",
    "cancelled",
    "skipped",
    "done",
]
"""How far a new attempt of a task is that is in conflict, or why there is none.

It is asked for (``working``), or ended and the conflict is still there (``failed``). As many as are
allowed were made (``limit``), or the repository wants none (``off``). A person ``pushed`` to the
branch, or what is in conflict is no text (``opaque``), or too ``many`` files. The run that it
belongs to is at work (``busy``) or was ``paused`` or ``cancelled``, or the task was ``skipped``,
or is ``done`` on the base branch.
"""


@dataclass(frozen=True, slots=True)
class Clash:
    """A conflict in code, on a branch that no person pushed to.

    ``head`` is the commit of the branch, ``start`` the one that its own change is on, ``theirs``
    names what the base has in the paths. ``why`` says why the branch must become a single commit,
    '' where the base may be merged into it.
    """

    head: str
    start: str
    theirs: str
    why: Why | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class _Unmerged:
    """Paths that are left to people; ``theirs`` as of ``ThreeWay``, '' if it is not about code.

    It is ``certain`` that git finds a conflict, too: it follows renamed files, and we do not.
    """

    paths: tuple[str, ...]
    theirs: str = ""
    certain: bool = False
    hinders: Literal["none", "opaque", "many"] = "none"


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
    """``snapshot`` and ``blobs`` read what commits hold.

    ``carry`` shows on a commit how far another one of the same files is verified, if that is known.
    """

    def __init__(
        self,
        api: RepositoryApi,
        *,
        commits: Commits,
        snapshot: Callable[[str], Awaitable[Snapshot]],
        blobs: Blobs,
        carry: Callable[[str, str], Awaitable[bool]],
    ) -> None:
        self._api, self._commits = api, commits
        self._snapshot, self._blobs, self._carry = snapshot, blobs, carry
        self._methods: frozenset[str] | None = None

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
        if why != "merged" or pull.native or await self._only_rebases():
            made = await self._rebuilt(pull, tip, line, why)
            if why != "merged" or pull.native or made.done != "pushed":
                return made
        return await self._joined(pull, tip, line)

    async def fork(self, one: str, other: str) -> str:
        """Return the commit at which two lines part, or ''. Raises ``Outage``."""
        return (await self._compared(one, other))[0]

    async def _line(self, pull: Pull, tip: str, own: Own) -> Line | None:
        """What a branch has that the base has not; None if nothing on it is ours.

        They have no commit in common when the history was rewritten from its first commit on.
        """
        doing = f"compare {tip[:10]} with {pull.sha[:10]}"
        found = await self._api.find(f"compare/{tip}...{pull.sha}", doing, refused=Outage)
        if found:
            return line_of(found, pull.sha, own.tasks, own.merged)
        newest = await self._api.find(f"commits?sha={pull.sha}&per_page=100", doing, refused=Outage)
        line = apart(newest or [], pull.sha, own.tasks, own.merged)
        return line if line.own and line.start else None

    async def _ticked(self, pull: Pull, tip: str, line: Line, *, ticks: bool) -> Fresh:
        """Replay the edits of the roadmap, where nothing else is in conflict with the base."""
        now = Fresh(line.form, sha=pull.sha, start=line.made_on, same=line.same, why=line.why)
        if not (ticks and line.behind):
            return now
        old, new = await self._snapshot(line.start), await self._snapshot(tip)
        mine, edited = await self._snapshot(pull.sha), differ(old, new, pull.roadmap)
        changes = await self._changes(pull, line, mine, new)
        if isinstance(changes, _Unmerged):
            if not (edited or changes.certain or await self._is_refused(pull)):
                return now
            clash, attempt = await self._clash(pull, line, changes, (mine, new))
            return replace(now, conflicts=changes.paths, clash=clash, attempt=attempt)
        if not edited:
            return now
        if pull.native:  # all above would have to be rebuilt, too: only where GitHub needs it
            alone = now
            if await self._is_refused(pull):
                alone = await self._rebuilt(pull, tip, line, "moved")
            return now if alone.done == "pushed" else alone
        if await self._only_rebases():  # GitHub would leave out a merge commit, and the ticks
            alone = await self._rebuilt(pull, tip, line, "merged")
            if alone.done == "rebuilt":
                return replace(alone, done="ticked", start="", same=False, why=None)
        made = self._checkpoint(pull, changes, new, tip, TICKED.format(base=pull.base))
        try:
            return await self._added(Fresh("ticked"), pull, made, new, onto=pull.sha)
        except TaskError:
            bare = await self._without_workflows(pull, tip, line)
            if bare is None or bare.refused:
                raise
            return replace(bare, done="ticked", start="", same=False, why=None)

    async def _joined(self, pull: Pull, tip: str, line: Line) -> Fresh:
        new, mine = await self._snapshot(tip), await self._snapshot(pull.sha)
        changes = await self._changes(pull, line, mine, new)
        if isinstance(changes, _Unmerged):
            return await self._stuck(pull, line, changes, (mine, new))
        made = self._checkpoint(pull, changes, new, tip, JOINED.format(base=pull.base))
        wanted = Fresh("joined", start=tip, same=made.tree == mine.tree)
        try:
            return await self._added(wanted, pull, made, new, onto=pull.sha)
        except TaskError:
            alone = await self._without_workflows(pull, tip, line)
            if alone is None:
                raise
            return alone

    async def _without_workflows(self, pull: Pull, tip: str, line: Line) -> Fresh | None:
        """Rebuild a branch that may not get workflow files by a merge; None if that is not why.

        One that a person pushed to is left to them.

        An App without the permission *Workflows* cannot write a commit that changes them, as a
        merge of a base does that has new ones. A single commit on that base changes none.
        """
        new, mine = await self._snapshot(tip), await self._snapshot(pull.sha)
        paths = _workflows(new, mine)
        if not any(differ(new, mine, path) for path in paths):
            return None
        alone = await self._rebuilt(pull, tip, line, "merged")
        if alone.done == "pushed":
            apart = sorted(path for path in paths if differ(new, mine, path))
            return replace(alone, done="stuck", paths=tuple(apart), refused=True)
        return alone if alone.done == "rebuilt" else None

    async def _rebuilt(self, pull: Pull, tip: str, line: Line, why: Why) -> Fresh:
        """Put the change of a branch on the base as one commit, unless people pushed to it."""
        if not await self._is_ours(pull, line):
            return Fresh("pushed", sha=pull.sha, start=line.start)
        new, mine = await self._snapshot(tip), await self._snapshot(pull.sha)
        changes = await self._changes(pull, line, mine, new)
        if isinstance(changes, _Unmerged):
            return await self._stuck(pull, line, changes, (mine, new), why)
        message = f"{pull.title}\n\n{REBUILT[why]}"
        made = self._checkpoint(pull, changes, new, tip, message)
        wanted = Fresh("rebuilt", start=tip, same=made.tree == mine.tree, why=why)
        return await self._added(wanted, pull, made, new)

    async def _stuck(
        self,
        pull: Pull,
        line: Line,
        found: _Unmerged,
        trees: tuple[Snapshot, Snapshot],
        why: Why | Literal[""] = "",
    ) -> Fresh:
        clash, attempt = await self._clash(pull, line, found, trees, why)
        left = Fresh("stuck", found.paths, sha=pull.sha, start=line.start)
        return replace(left, clash=clash, attempt=attempt)

    async def _is_refused(self, pull: Pull) -> bool:
        """Ask GitHub whether it finds a conflict, where it could follow a file that was renamed.

        It may need a moment to know.
        https://docs.github.com/en/rest/pulls/pulls#get-a-pull-request
        """
        doing = f"show #{pull.number}"
        for _ in range(_LOOKS):
            found = await self._api.find(f"pulls/{pull.number}", doing, refused=Outage)
            if found is None or found["mergeable"] is not None:
                return found is not None and not found["mergeable"]
            await self._api.sleep(_MOMENT)
        return False

    async def _clash(
        self,
        pull: Pull,
        line: Line,
        found: _Unmerged,
        trees: tuple[Snapshot, Snapshot],
        why: Why | Literal[""] = "",
    ) -> tuple[Clash | None, Attempting]:
        """What a new attempt of the task begins with; else why it would not help, or may not.

        ``trees`` are that of the branch, and the newer one.
        """
        if pull.kind != "checkpoint" or not (found.theirs or found.hinders != "none"):
            return None, "none"
        if not await self._is_ours(pull, line):
            return None, "pushed"
        if found.hinders != "none":
            return None, found.hinders
        alone = any(differ(*trees, path) for path in _workflows(*trees))
        alone = alone or pull.native is not None
        form = why or ("merged" if alone or await self._only_rebases() else "")
        return Clash(pull.sha, line.start, found.theirs, form), "none"

    async def _is_ours(self, pull: Pull, line: Line) -> bool:
        """Say whether no person added a commit to a branch."""
        for commit in line.own:
            if not (line.made_by_us(commit) and await self._commits.ours(commit, pull.head)):
                return False
        return True

    async def _only_rebases(self) -> bool:
        """Say whether a repository allows no other merges: GitHub cannot rebase a merge commit."""
        if self._methods is None:
            self._methods = await self._api.merge_methods()
        return self._methods == {"rebase"}

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
        self, pull: Pull, line: Line, mine: Snapshot, new: Snapshot
    ) -> ChangeSet | _Unmerged:
        """What a branch changes, for the newer tree; else the paths that are in conflict."""
        roadmap, old = pull.roadmap, await self._snapshot(line.start)
        found = await three_way(Versions(old, mine, new), self._blobs, apart=roadmap)
        if found.odd or found.conflicts:
            trees = (mine.entries, new.entries)
            certain = any(all(path in tree for tree in trees) for path in found.conflicts)
            paths = found.odd or found.conflicts
            return _Unmerged(paths, found.theirs, certain, _hinders(found))
        if not differ(old, mine, roadmap):
            return ChangeSet(found.files)
        versions = [tree.entries.get(roadmap) for tree in (old, mine, new)]
        edited = await self._replayed(pull, line, [each for each in versions if each])
        if edited is None:
            return _Unmerged((roadmap,))
        return ChangeSet({**found.files, roadmap: Write(edited)})

    async def _replayed(self, pull: Pull, line: Line, entries: Sequence[TreeEntry]) -> bytes | None:
        """Make the edits of a branch again on the newest roadmap.

        A checkpoint only ticks. It may have brought newer tasks of the base branch along, which
        people may have changed there since: unless a person pushed to it, these are not its edits.
        """
        if len(entries) < 3:
            return None
        known = await self._blobs([each.sha for each in entries])
        old, mine, new = (known[each.sha] for each in entries)
        edit = RoadmapEdits(old, mine)
        more = pull.kind == "checkpoint" and not only_ticks(pull.roadmap, edit)
        if more and await self._is_ours(pull, line):
            return ticked_again(pull.roadmap, edit, new)
        return replayed(pull.roadmap, edit, new)

    def _checkpoint(
        self, pull: Pull, changes: ChangeSet, new: Snapshot, tip: str, message: str
    ) -> Checkpoint:
        trailers = tuple(("Cairn-Task", key) for key in pull.tasks)
        return Checkpoint(
            run="",
            task=pull.task,
            branch=pull.head,
            below=pull.base,
            parent=tip,
            changes=changes.effective(new),
            tree=changes.tree(new),
            text=CheckpointText(message=message, trailers=trailers),
        )

    async def _added(
        self, wanted: Fresh, pull: Pull, made: Checkpoint, new: Snapshot, *, onto: str = ""
    ) -> Fresh:
        """Move the branch to the new commit; where it has moved since, it is left alone."""
        commit = await self._commits.create(made, new, onto=onto, known=wanted.same)
        carried = wanted.same and await self._carry(pull.sha, commit.sha)
        if not await self._commits.move(pull.head, old=pull.sha, new=commit.sha):
            return Fresh(sha=pull.sha)
        log.info("Brought %s up to date with %s", pull.head, pull.base)
        return replace(wanted, sha=commit.sha, new=True, carried=carried)


def _hinders(found: ThreeWay) -> Literal["none", "opaque", "many"]:
    """What keeps a model from resolving a conflict."""
    if found.odd or found.opaque:
        return "opaque"
    return "many" if len(found.both) > MOST else "none"


def _workflows(one: Snapshot, other: Snapshot) -> set[str]:
    """The workflow files of either tree."""
    return {p for p in {*one.entries, *other.entries} if p.startswith(".github/workflows/")}
