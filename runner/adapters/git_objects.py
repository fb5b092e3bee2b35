"""Snapshots and contents from git objects: exact bytes, no checkout, no filter.

``git archive`` and checkouts leave out, substitute and convert
(https://git-scm.com/docs/gitattributes); the objects are the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cachetools import LRUCache

from runner.adapters.git import Git, GitFailed
from runner.errors import TaskError
from runner.snapshot import Entry, Snapshot

_SHA = re.compile(r"[0-9a-f]{40}\Z")
_CACHED = 400_000  # entries of all cached snapshots together, about 100 MB


class MissingBlobs(TaskError):
    """The repository does not hold these blobs."""

    def __init__(self, shas: Sequence[str]) -> None:
        super().__init__("git", f"The repository does not hold the blobs {', '.join(shas)}.")
        self.shas = tuple(shas)


class GitObjects:
    """The objects of one repository; a commit's snapshot is read once and kept."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._snapshots: LRUCache[str, Snapshot] = LRUCache(_CACHED, getsizeof=_weight)

    async def tree(self, commit: str) -> str:
        """Return the tree sha of a commit. Raises ``TaskError`` when there is no such commit."""
        peeled = f"{named(commit)}^{{commit}}^{{tree}}"
        done = await self._git.call("rev-parse", "--verify", "--quiet", peeled)
        if done.exit_code == 1 and not done.stderr:
            raise TaskError("git", f"The repository has no commit {commit}.")
        if done.exit_code:
            raise GitFailed("rev-parse", done.exit_code, done.stderr)
        return done.stdout.decode().strip()

    async def snapshot(self, commit: str) -> Snapshot:
        """Return the exact tree of a commit. Raises ``TaskError`` when there is no such commit."""
        kept: Snapshot | None = self._snapshots.get(commit)
        if kept is not None:
            return kept
        tree = await self.tree(commit)
        listed = await self._git.output("ls-tree", "-r", "-z", "-l", "--full-tree", tree)
        snapshot = Snapshot(commit, tree, dict(parse_tree(listed)))
        if _weight(snapshot) <= _CACHED:
            self._snapshots[commit] = snapshot
        return snapshot

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        """Return contents by blob sha, all from one process. Raises ``MissingBlobs``."""
        wanted = list(dict.fromkeys(named(sha) for sha in shas))
        if not wanted:
            return {}
        asked = "".join(f"{sha}\n" for sha in wanted).encode()
        found = dict(parse_batch(await self._git.output("cat-file", "--batch", stdin=asked)))
        missing = [sha for sha in wanted if sha not in found]
        if missing:
            raise MissingBlobs(missing)
        return found


def named(sha: str) -> str:
    """Return ``sha`` if it is a full SHA-1 name. Raises ``TaskError`` for anything else."""
    if not _SHA.match(sha):
        raise TaskError("git", f"{sha!r} is no full SHA-1 object name (40 hexadecimal digits).")
    return sha


def parse_tree(listed: bytes) -> Iterator[tuple[str, Entry]]:
    """Read ``ls-tree -r -z -l``: ``mode type sha size<TAB>path<NUL>``; a submodule has size -."""
    for record in filter(None, listed.split(b"\0")):
        about, _, path = record.partition(b"\t")
        mode, _, sha, size = about.decode().split()
        entry = Entry(mode, sha, 0 if size == "-" else int(size))
        yield path.decode("utf-8", "surrogateescape"), entry


def parse_batch(answer: bytes) -> Iterator[tuple[str, bytes]]:
    """Read ``cat-file --batch``: ``sha type size<LF>content<LF>``, or ``sha missing<LF>``."""
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        words = answer[at:end].decode().split()
        at = end + 1
        if words[1] == "missing":
            continue
        size = int(words[2])
        yield words[0], answer[at : at + size]
        at += size + 1


def _weight(snapshot: Snapshot) -> int:
    return len(snapshot.entries) + 1
