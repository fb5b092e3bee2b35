"""A repository in memory: commits are trees; what is published is kept and can be looked at."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from runner.errors import PortError, TaskError
from runner.state.changes import FILE, Snapshot, blob_sha
from runner.state.publishing import Checkpoint, HumanCommits, Proposed, Published, Stack
from tests.runner.trees import snapshot

Tree = dict[str, tuple[str, bytes]]
START = "0" * 40


class MemoryRepository:
    """Starts with one commit; ``trouble`` raises what it holds for a method's name, in turn."""

    def __init__(
        self,
        files: Mapping[str, str | bytes | tuple[str, bytes]],
        *,
        in_review: frozenset[str] = frozenset(),
        declined: frozenset[str] = frozenset(),
    ) -> None:
        self.commits: dict[str, Tree] = {START: {p: _entry(c) for p, c in files.items()}}
        self.branches: dict[str, str] = {"main": START}
        self.checkpoints: dict[str, Checkpoint] = {}
        self.proposals: dict[str, Proposed] = {}
        self.ended: dict[str, tuple[bool, str]] = {}
        self.pushed: dict[str, HumanCommits] = {}
        self.trouble: dict[str, list[PortError]] = {}
        at = {"base": START, "base_branch": "main"}
        self._stack = Stack(START, "main", in_review, declined, **at)

    async def stack(self) -> Stack:
        self._may_fail("stack")
        return self._stack

    async def snapshot(self, commit: str) -> Snapshot:
        self._may_fail("snapshot")
        made = snapshot(self.commits[commit])
        return Snapshot(commit, made.tree, made.entries)

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        self._may_fail("blobs")
        known = {blob_sha(c): c for tree in self.commits.values() for _, c in tree.values()}
        return {sha: known[sha] for sha in shas}

    async def tags(self, commit: str) -> tuple[str, ...]:
        return ()

    async def publish_checkpoint(self, checkpoint: Checkpoint) -> Published:
        """Commit on a branch of its own; the same once more is the same."""
        self._may_fail("publish_checkpoint")
        tree = self._applied(checkpoint)
        assert snapshot(tree).tree == checkpoint.tree, "the commit would have another tree"
        commit = hashlib.sha1(
            f"{checkpoint.branch} {checkpoint.tree}".encode(), usedforsecurity=False
        ).hexdigest()
        if self.branches.setdefault(checkpoint.branch, commit) != commit:
            raise TaskError("git", f"the branch {checkpoint.branch} holds something else")
        self.commits[commit] = tree
        self.checkpoints[checkpoint.branch] = checkpoint
        number = list(self.checkpoints).index(checkpoint.branch) + 1
        return Published(commit, checkpoint.branch, number, f"https://forge.test/pull/{number}")

    async def publish_proposal(self, proposed: Proposed) -> Published:
        """Keep the newest proposal about a task."""
        self._may_fail("publish_proposal")
        shown = proposed.shown
        assert snapshot(self._applied(shown)).tree == shown.tree
        self.proposals[shown.task] = proposed
        number = 100 + list(self.proposals).index(shown.task)
        return Published("", shown.branch, number, f"https://forge.test/pull/{number}")

    async def end_proposal(self, task: str, *, ready: bool, why: str) -> None:
        """Note how it ended."""
        self._may_fail("end_proposal")
        self.ended[task] = (ready, why)

    async def human_commits(self, task: str, tip: str) -> HumanCommits | None:
        """What the test says people pushed."""
        self._may_fail("handed")
        return self.pushed.get(task)

    def text(self, commit: str, path: str) -> str:
        """A file of a commit."""
        return self.commits[commit][path][1].decode()

    def _applied(self, checkpoint: Checkpoint) -> Tree:
        tree = dict(self.commits[checkpoint.parent])
        for path, write in checkpoint.changes.files.items():
            if write is None:
                del tree[path]
            else:
                mode = write.mode or tree.get(path, (FILE, b""))[0]
                tree[path] = (mode, write.content)
        return tree

    def _may_fail(self, method: str) -> None:
        if waiting := self.trouble.get(method):
            raise waiting.pop(0)


def _entry(content: str | bytes | tuple[str, bytes]) -> tuple[str, bytes]:
    if isinstance(content, tuple):
        return content
    return FILE, content.encode() if isinstance(content, str) else content
