"""Make commits and branches through the Git Data API; never move what a person pushed.

We give neither author nor committer, so that GitHub signs as the App
(https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots).
"""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from app.github.api import RepositoryApi, ref_path
from runner.errors import BranchMoved, Outage, TaskError
from runner.people.sentences import commit_message
from runner.state.changes import FILE, ChangeSet, Snapshot, Write
from runner.state.publishing import Checkpoint

_log = logging.getLogger(__name__)

_PROBE = "How the commits of Cairn look here"
_NOTHING = "0" * 40
_MOST_INLINE = 500_000
"""Characters of text that one request for a tree carries; larger files have a request each
(https://docs.github.com/en/rest/git/trees#create-a-tree, ``content``)."""
_MOVE = """mutation($repository: ID!, $move: RefUpdate!) {
  updateRefs(input: {repositoryId: $repository, refUpdates: [$move]}) { clientMutationId }
}"""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as far as we compare it.

    ``people`` are names and addresses of author and committer, ``signed`` that GitHub vouches for
    it, ``message`` what it says, ``run`` the run its trailers name ('' for none), ``tasks`` the
    tasks that they name.
    """

    sha: str
    tree: str
    parents: tuple[str, ...]
    people: tuple[str, ...] = ()
    signed: bool = False
    message: str = ""
    run: str = ""
    tasks: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The first line of its message."""
        return self.message.partition("\n")[0]

    def holds(self, checkpoint: Checkpoint) -> bool:
        """Say whether it is exactly what a checkpoint would commit, on a person's push or not."""
        ours = (checkpoint.parent,)
        return self.tree == checkpoint.tree and self.parents in (ours, (checkpoint.onto, *ours))

    def looks_like(self, ours: Commit) -> bool:
        """Say whether it was made as a commit of ours was: nobody amended, rebased or imitated it.

        A name is easily borrowed. Where GitHub signs ours, its signature cannot be.
        """
        return self.people == ours.people and self.signed >= ours.signed


class Commits:
    """The commits and branches of one repository, as ``bot_login`` makes them.

    Without ``may_write`` no commit is made to see how ours look, and names alone are compared.
    ``rebased`` knows a commit of ours, of a branch, that GitHub rebased.
    """

    def __init__(self, api: RepositoryApi, *, bot_login: str = "") -> None:
        self._api = api
        self._bot_login = bot_login
        self._made: Commit | None = None
        self.may_write = True
        self.rebased: Callable[[Commit, str], Awaitable[bool]] | None = None

    async def head(self, branch: str) -> Commit | None:
        """Return the commit a branch points to, None when there is no such branch."""
        ref = await self._api.find(ref_path(branch), f"show branch {branch}")
        if ref is None:
            return None
        return await self.show(ref["object"]["sha"])

    async def show(self, sha: str) -> Commit:
        """Return an existing commit."""
        return read_commit(await self._api.get(f"git/commits/{sha}", f"show commit {sha}"))

    async def between(self, base: str, head: str) -> tuple[str, tuple[Commit, ...]]:
        """Return where a head left a base, and its commits since, the oldest first.

        GitHub shows at most 250 of them.

        https://docs.github.com/en/rest/commits/commits#compare-two-commits
        """
        doing = f"compare {base[:10]} with {head[:10]}"
        found = await self._api.get(f"compare/{base}...{head}", doing, refused=Outage)
        made = ({**each, **each["commit"], "sha": each["sha"]} for each in found["commits"])
        return str(found["merge_base_commit"]["sha"]), tuple(map(read_commit, made))

    async def ours(self, commit: Commit, branch: str = "") -> bool:
        """Say whether our App made a commit: it looks like those that it makes now.

        On a ``branch``, one of ours that was rebased is ours as well. The first time one is made to
        compare with, on no branch, where none was made before.
        """
        if self._bot_login not in commit.people[:1]:
            return False
        if self._made is None and self.may_write:
            data = {"message": _PROBE, "tree": commit.tree, "parents": [commit.sha]}
            made = await self._api.post("git/commits", data, "see how our commits look")
            self._made = read_commit(made)
        if self._made is None or commit.looks_like(self._made):
            return True
        same_author = commit.people[:2] == self._made.people[:2]
        return bool(branch and same_author and self.rebased and await self.rebased(commit, branch))

    async def blob(self, sha: str) -> bytes:
        """Return one content; the way around a mirror that lost it."""
        found = await self._api.get(f"git/blobs/{sha}", f"show blob {sha}")
        return base64.b64decode(found["content"])

    async def create(
        self, checkpoint: Checkpoint, base: Snapshot, *, onto: str = "", known: bool = False
    ) -> Commit:
        """Make the commit, on no branch yet; ``onto`` is one more parent that it builds on.

        GitHub has a ``known`` tree already. Raises ``TaskError`` for another tree than ours.
        """
        if not known:
            changes = checkpoint.changes.effective(base)
            tree = await self._tree(changes, base, inline=_MOST_INLINE)
            if tree != checkpoint.tree:  # JSON may not carry every text as it is; base64 does
                tree = await self._tree(changes, base, inline=0)
            if tree != checkpoint.tree:
                raise TaskError(
                    "github",
                    f"GitHub made the tree {tree} of task {checkpoint.task}, but {checkpoint.tree}"
                    " was verified; nothing was committed.",
                )
        data = {
            "message": commit_message(checkpoint.text),
            "tree": checkpoint.tree,
            "parents": [*filter(None, [onto]), checkpoint.parent],
        }
        made = await self._api.post("git/commits", data, f"commit task {checkpoint.task}")
        signed = made.get("verification") or {}
        if not signed.get("verified"):
            _log.warning(
                "GitHub did not sign commit %s of run %s, task %s: %s",
                *(made["sha"], checkpoint.run, checkpoint.task, signed.get("reason", "unknown")),
            )
        self._made = read_commit(made)
        return self._made

    async def point(self, branch: str, commit: str) -> bool:
        """Create a branch; False when somebody was faster. An existing one is never moved."""
        data = {"ref": f"refs/heads/{branch}", "sha": commit}
        return await self._api.create("git/refs", data, f"create branch {branch}") is not None

    async def move(self, branch: str, *, old: str, new: str | None) -> bool:
        """Move a branch from one commit to another, or delete it (None).

        False when it is not where it was expected: REST has no such compare-and-swap, GraphQL has
        (https://docs.github.com/en/graphql/reference/mutations#updaterefs).
        """
        ref = {"name": f"refs/heads/{branch}", "beforeOid": old, "afterOid": new or _NOTHING}
        doing = f"move branch {branch}" if new else f"delete branch {branch}"
        variables = {"repository": await self._api.node(), "move": ref | {"force": True}}
        try:
            await self._api.graphql(_MOVE, doing, **variables)
        except TaskError:
            now = await self.head(branch)
            if (now.sha if now else None) == old:
                raise  # it is where it was expected, so something else was wrong
            return (now.sha if now else None) == new
        return True

    async def _tree(self, changes: ChangeSet, base: Snapshot, *, inline: int) -> str:
        """Make the tree; up to ``inline`` characters of text go in the request itself."""
        if not changes:
            return base.tree
        entries = []
        for path, write in sorted(changes.files.items()):
            text = _text(write.content) if write else ""
            inline -= len(text)
            content = {"content": text} if text and inline >= 0 else await self._blob(path, write)
            entries.append(_entry(path, write, base) | content)
        data = {"base_tree": base.tree, "tree": entries}
        made = await self._api.post("git/trees", data, f"write {len(entries)} changed files")
        return str(made["sha"])

    async def _blob(self, path: str, write: Write | None) -> dict[str, Any]:
        """Store what a request for a tree cannot carry; ``sha`` None deletes a path."""
        if write is None:
            return {"sha": None}
        data = {"content": base64.b64encode(write.content).decode(), "encoding": "base64"}
        return {"sha": (await self._api.post("git/blobs", data, f"store {path}"))["sha"]}


def _entry(path: str, write: Write | None, base: Snapshot) -> dict[str, Any]:
    """Return one changed path without its content. JSON has no place for names off UTF-8."""
    if any("\ud800" <= letter <= "\udfff" for letter in path):
        shown = path.encode("utf-8", "backslashreplace").decode()
        raise TaskError("github", f"GitHub's API takes only UTF-8 paths, not {shown}")
    old = base.entries.get(path)
    mode = (write.mode if write else None) or (old.mode if old else FILE)
    return {"path": path, "mode": mode, "type": "blob"}


def _text(content: bytes) -> str:
    """Return what is UTF-8 text, so that a request for a tree can carry it; "" for the rest."""
    try:
        return "" if b"\0" in content else content.decode()
    except UnicodeDecodeError:
        return ""


def read_commit(found: Any) -> Commit:
    """Read GitHub's form of a commit."""
    parents = tuple(parent["sha"] for parent in found["parents"])
    people = tuple(str(found[r][f]) for r in ("author", "committer") for f in ("name", "email"))
    signed = bool((found.get("verification") or {}).get("verified"))
    message = str(found["message"])
    rest = message.partition("\n")[2]
    run = re.search(r"^Cairn-Run: ([0-9a-f]+)$", rest, re.MULTILINE)
    tasks = tuple(re.findall(r"^Cairn-Task: (.+)$", rest, re.MULTILINE))
    return Commit(
        found["sha"],
        found["tree"]["sha"],
        parents,
        people,
        signed,
        message,
        run[1] if run else "",
        tasks,
    )


class Branches:
    """``snapshot`` reads the tree of a commit."""

    def __init__(
        self,
        commits: Commits,
        *,
        snapshot: Callable[[str], Awaitable[Snapshot]],
    ) -> None:
        self._commits = commits
        self._snapshot = snapshot

    async def settled(self, checkpoint: Checkpoint) -> tuple[str, bool]:
        """Return the checkpoint's commit, on its branch, and whether the branch is new.

        An existing one must hold it. Raises ``TaskError`` if it holds anything else.
        """
        there = await self._commits.head(checkpoint.branch)
        if there is None:
            made = await self._made(checkpoint)
            if await self._commits.point(checkpoint.branch, made):
                return made, True
            there = await self._commits.head(checkpoint.branch)
        if there is None:
            raise _moved_meanwhile(checkpoint.branch)
        while len(there.parents) > 1 and not there.holds(
            checkpoint
        ):  # it may have been brought up to date since
            there = await self._commits.show(there.parents[0])
        if not there.holds(checkpoint):
            raise TaskError(
                "github",
                f"Branch {checkpoint.branch} already exists with other content, which Cairn does"
                " not overwrite. Delete or rename the branch, then run the task again.",
            )
        return there.sha, False

    async def rebuilt(self, checkpoint: Checkpoint) -> str | None:
        """Return the checkpoint's commit, on its branch; an older one of ours makes place for it.

        None when a person pushed to the branch: it stays as they left it. What is put on top of
        their push by name (``onto``) stays on top of it, so nothing of theirs is lost.
        """
        there = await self._commits.head(checkpoint.branch)
        if there is None or there.holds(checkpoint):
            return (await self.settled(checkpoint))[0]
        onto = checkpoint.onto if checkpoint.onto in (there.sha, *there.parents) else ""
        if not (onto or await self._commits.ours(there, checkpoint.branch)):
            return None
        return await self._put(checkpoint, there, onto)

    async def grown(self, checkpoint: Checkpoint, head: Commit | None) -> str:
        """Return the checkpoint's commit, added to its branch, whose ``head`` it builds on."""
        if head and head.holds(checkpoint):
            return head.sha
        return await self._put(checkpoint, head)

    async def revised(self, checkpoint: Checkpoint) -> str:
        """Return the commit of a revision, on its branch; doing it twice leaves one.

        It builds on the head of the branch. That of a new attempt on a newer base builds on both,
        or takes the place of the head. Raises ``BranchMoved`` if the branch has another one.
        """
        head, before = await self._commits.head(checkpoint.branch), checkpoint.onto
        if head and head.sha != (before or checkpoint.parent) and not head.holds(checkpoint):
            _, since = await self._commits.between(checkpoint.parent, head.sha)
            head = next((each for each in since if each.holds(checkpoint)), None)
            before = before or checkpoint.parent
        if head and head.holds(checkpoint):  # added before a crash, perhaps under what was pushed
            return head.sha
        if head is None and before:
            raise BranchMoved("conflict", f"somebody pushed to {checkpoint.branch}")
        return await self._put(checkpoint, head, "" if checkpoint.rebuild else checkpoint.onto)

    async def delete(self, branch: str) -> bool:
        """Delete a branch that nobody pushed to; False when somebody did."""
        there = await self._commits.head(branch)
        if there is None:
            return True
        ours = await self._commits.ours(there, branch)
        return ours and await self._commits.move(branch, old=there.sha, new=None)

    async def _made(self, checkpoint: Checkpoint, onto: str = "") -> str:
        base = await self._snapshot(checkpoint.parent)
        return (await self._commits.create(checkpoint, base, onto=onto)).sha

    async def _put(self, checkpoint: Checkpoint, head: Commit | None, onto: str = "") -> str:
        """Make the commit, and make or move its branch, whose ``head`` was that before."""
        made, branch = await self._made(checkpoint, onto), checkpoint.branch
        if head is None:
            there = await self._commits.point(branch, made)
        else:
            there = await self._commits.move(branch, old=head.sha, new=made)
        if not there:
            raise _moved_meanwhile(branch)
        return made


def _moved_meanwhile(branch: str) -> Outage:
    """If somebody moves it now, we see that when we look again."""
    return Outage("github", f"Branch {branch} was moved while it was published; try again.")
