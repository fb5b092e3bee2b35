"""The ``Repository`` port on a plain folder without git, for ``cairn run``.

The folder is hashed into the shape of a git tree; each checkpoint writes its files and keeps what
was there, in its own store below ``.executor``.


"""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal

from runner.errors import Outage, TaskError
from runner.files.durable import translating_errors
from runner.git.folder_tree import (
    NONE,
    FolderCommit,
    FolderCommits,
    FolderFiles,
    FolderTree,
    commit_of,
)
from runner.git.own_settings import OwnSettings
from runner.people.sentences import commit_message
from runner.state.changes import Snapshot, blob_sha, tree_sha
from runner.state.publishing import Checkpoint, HumanCommits, Proposed, Published, Stack
from runner.state.task_commits import TaskCommit, in_review, unshown

BRANCH = "folder"


class FolderRepository:
    """A folder: checkpoints are written into it, never over what the user has changed since.

    ``store`` is where states and contents are kept; with ``keep`` False nothing is written at all.
    """

    def __init__(self, root: Path, *, store: Path, branch: str = "", keep: bool = True) -> None:
        self._root = root
        self._tree = FolderTree(root)
        self._commits = FolderCommits(store)
        self._files = FolderFiles(root, self._tree, self._commits.contents)
        self._branch = branch
        self._keep = keep
        self._seen: dict[str, FolderCommit] = {}
        self._places: dict[str, str] = {}
        self._proposed: frozenset[str] = frozenset()
        self._roadmap = ""

    def ticks(self, roadmap: str) -> None:
        """Name the file every checkpoint changes: an edit of it stops the run, not one task."""
        self._roadmap = roadmap

    def leave(self, tasks: Collection[str]) -> None:
        """Leave tasks (keys) to the people who are asked about them: an older run's proposals."""
        self._proposed = frozenset(tasks)

    async def person(self) -> str:
        """Return the name of the user of this machine."""
        try:
            return getpass.getuser()
        except (OSError, KeyError):
            return "somebody"

    async def prepare(self) -> None:
        """Raise ``Outage`` if a branch was asked for: there are none."""
        if self._branch:
            raise Outage("git", f"{self._root} has no branches; leave out --branch, or use git.")

    async def check_clean(self, *paths: str, dirty: bool = False) -> None:
        """Whatever is in the folder is what a run begins with."""

    async def own_settings(self) -> OwnSettings:
        """Return nothing: no git is here."""
        return OwnSettings()

    async def uncommitted(self, *paths: str) -> list[str]:
        """Return nothing: what is in the folder is its newest state."""
        return []

    async def task_commits(self) -> Sequence[TaskCommit]:
        """Return the states that are about tasks, the newest first."""
        made = await asyncio.to_thread(self._commits.back_to, NONE)
        return [TaskCommit(each.id, each.parent, each.message) for each in made or ()]

    async def holds(self, commit: str, branch: str) -> bool:
        """A folder has no other branch."""
        return True

    async def stack(self) -> Stack:
        """Start at the folder as it is now. Raises ``Outage`` when it cannot be read."""
        tip = await asyncio.to_thread(self._taken_down)
        made = await self.task_commits()
        reviewing, doubted = frozenset(in_review(made)), unshown(made)
        return Stack(tip, BRANCH, reviewing, proposed=self._proposed, unshown=doubted)

    async def since(self, commit: str, run: str) -> Literal["same", "own", "ahead", "apart"]:
        """Compare the folder with a state that a run left it in; see ``LocalRepository``."""
        made = await asyncio.to_thread(self._commits.back_to, commit)
        if made is None:
            return "apart"
        runs = [each.run for each in made]
        if not runs:
            return "same"
        return "own" if runs == [run] else "ahead"

    async def snapshot(self, commit: str) -> Snapshot:
        """Return the tree of a state. Raises ``TaskError`` when there is no such state."""
        found = await asyncio.to_thread(self._commit, commit)
        return Snapshot(found.id, found.tree, found.entries)

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        """Return contents by blob sha. Raises ``Outage`` when one is missing."""
        return await asyncio.to_thread(lambda: {sha: self._content(sha) for sha in set(shas)})

    async def tags(self, commit: str) -> tuple[str, ...]:
        """A folder without git has no tags."""
        return ()

    async def publish_checkpoint(self, checkpoint: Checkpoint) -> Published:
        """Write the change set into the folder; doing it twice writes it once.

        Raises ``TaskError`` if a change that the user has made since would be overwritten.
        """
        with translating_errors(f"write into {self._root}"):
            return Published(await asyncio.to_thread(self._publish, checkpoint), BRANCH)

    async def publish_proposal(self, proposed: Proposed) -> Published:
        """Show nothing here: on a checkout the report and the command line do."""
        return Published("", "")

    async def end_proposal(self, task: str, *, ready: bool, why: str) -> None:
        """Nothing was shown, so nothing is to be ended."""

    async def human_commits(self, task: str, tip: str) -> HumanCommits | None:
        """Nothing was shown, so nobody pushed to it."""
        return None

    def _taken_down(self) -> str:
        """Keep the folder as it is now, on what was kept last; what a crash cut off comes first."""
        with translating_errors(f"read {self._root}"):
            if self._keep and (cut_off := self._commits.pending):
                self._finished(self._commits.get(cut_off))
            entries = self._tree.entries(self._found)
        self._places = {entry.sha: path for path, entry in entries.items()}
        tree, head = tree_sha(entries), self._commits.head
        if head != NONE and self._commits.get(head).tree == tree:
            return head
        commit = commit_of(entries, tree, parent=head)
        self._seen[commit.id] = commit
        if self._keep:
            self._commits.put(commit)
            self._commits.head = commit.id
        return commit.id

    def _found(self, sha: str, content: bytes) -> None:
        if self._keep:
            self._commits.contents.keep(sha, content)

    def _commit(self, id: str) -> FolderCommit:
        if id not in self._seen:
            self._seen[id] = self._commits.get(id)
        return self._seen[id]

    def _content(self, sha: str) -> bytes:
        if self._keep:
            return self._commits.contents.get(sha)
        content = self._tree.read(self._places[sha])
        if blob_sha(content) != sha:
            raise Outage("file", f"{self._places[sha]} has just changed. Run the command again.")
        return content

    def _publish(self, checkpoint: Checkpoint) -> str:
        parent = self._commit(checkpoint.parent)
        base = Snapshot(parent.id, parent.tree, parent.entries)
        changes = checkpoint.changes.effective(base)
        entries, tree = changes.entries(base), changes.tree(base)
        if tree != checkpoint.tree:
            raise TaskError("file", f"The tree of task {checkpoint.task} is not the verified one.")
        about = {"run": checkpoint.run, "message": commit_message(checkpoint.text)}
        made = commit_of(entries, tree, parent=parent.id, **about)
        if self._commits.head == made.id:
            return made.id
        self._check(checkpoint, parent, made)
        for write in filter(None, changes.files.values()):
            self._commits.contents.put(blob_sha(write.content), write.content)
        self._commits.put(made)
        self._commits.pending = made.id
        self._finished(made)
        return made.id

    def _check(self, checkpoint: Checkpoint, parent: FolderCommit, made: FolderCommit) -> None:
        """Raise when the folder is not the one the checkpoint was made for, before any write."""
        if self._commits.head != parent.id:
            raise Outage(
                "file",
                f"{self._root} was recorded again while the run built on {parent.id[:12]}."
                " Type `cairn resume` to continue from there.",
                advised=True,
            )
        in_way = self._files.in_the_way(parent.entries, made.entries)
        if not in_way:
            return
        begin = (
            f"Task {checkpoint.task} was verified, but it would overwrite what you changed in"
            f" {', '.join(in_way)}."
        )
        if self._roadmap in in_way:
            message = f"{begin} Type `cairn resume` to continue from the file as it is."
            raise Outage("file", message, advised=True)
        raise TaskError("file", f"{begin} Move these files, then run the task again.")

    def _finished(self, made: FolderCommit) -> None:
        """Write the files of a commit and make it the newest; again, where that was cut off."""
        before = self._commits.get(made.parent).entries if made.parent != NONE else {}
        self._files.write(before, made.entries)
        self._commits.head = made.id
        self._commits.pending = ""
