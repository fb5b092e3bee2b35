"""Snapshots, contents and commits from git objects: exact bytes, no checkout, no filter.

``git archive`` and checkouts leave out, substitute and convert
(https://git-scm.com/docs/gitattributes); the objects are the tree.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cachetools import LRUCache

from runner.errors import Outage, TaskError
from runner.git.command import Git, GitFailed, hermetic
from runner.people.sentences import commit_message
from runner.state.changes import FILE, ChangeSet, Snapshot, TreeEntry, Write
from runner.state.publishing import Checkpoint

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
        raise TaskError("git", f"{sha!r} is not a full SHA-1 object name (40 hexadecimal digits).")
    return sha


def parse_tree(listed: bytes) -> Iterator[tuple[str, TreeEntry]]:
    """Read ``ls-tree -r -z -l``: ``mode type sha size<TAB>path<NUL>``; a submodule has size -."""
    for record in filter(None, listed.split(b"\0")):
        about, _, path = record.partition(b"\t")
        mode, _, sha, size = about.decode().split()
        entry = TreeEntry(mode, sha, 0 if size == "-" else int(size))
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


_NOBODY = ("Cairn", "cairn@localhost")


async def write_commit(git: Git, user: Git, *, checkpoint: Checkpoint, base: Snapshot) -> str:
    """Write blobs, tree and commit; return the commit. It is on no branch yet.

    ``user`` is git with the user's configuration: the commit has their name. Raises ``TaskError``
    when the tree is not the one that was verified.
    """
    tree = await write_tree(git, checkpoint.changes.effective(base), base)
    if tree != checkpoint.tree:
        raise TaskError(
            "git",
            f"git made the tree {tree} of task {checkpoint.task}, but {checkpoint.tree} was"
            " verified; nothing was committed.",
        )
    made = await git.output(
        *("commit-tree", tree, "-p", checkpoint.parent, "-F", "-"),
        stdin=commit_message(checkpoint.text).encode("utf-8", "replace"),
        environment=await identity(user),
    )
    return made.decode().strip()


async def write_tree(git: Git, changes: ChangeSet, base: Snapshot) -> str:
    """Write the tree after ``changes`` through a separate index (the user's is untouched)."""
    lines = [await _index_line(git, p, w, base) for p, w in changes.files.items()]
    with tempfile.TemporaryDirectory(prefix="cairn-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        await git.output("read-tree", base.tree, environment=index)
        await git.output(
            "update-index", "-z", "--index-info", stdin=b"".join(lines), environment=index
        )
        return (await git.output("write-tree", environment=index)).decode().strip()


async def _index_line(git: Git, path: str, write: Write | None, base: Snapshot) -> bytes:
    """One line of https://git-scm.com/docs/git-update-index#_using_index_info; mode 0 deletes."""
    if write is None:
        return b"0 %s\t%s\0" % (b"0" * 40, os.fsencode(path))
    old = base.entries.get(path)
    mode = write.mode or (old.mode if old else FILE)
    # without --path no filter and no line-end conversion is applied
    sha = await git.output("hash-object", "-w", "--stdin", stdin=write.content)
    return b"%s %s\t%s\0" % (mode.encode(), sha.strip(), os.fsencode(path))


async def identity(user: Git) -> Mapping[str, str]:
    """Return the environment that gives a commit the user's name, else Cairn's.

    git would invent a name from the machine's; ``user.useConfigOnly`` forbids that.
    """
    honest = replace(user, settings=(*user.settings, "user.useConfigOnly=true"))
    done = await honest.call("var", "GIT_COMMITTER_IDENT")
    name, email = _NOBODY if done.exit_code else _person(done.stdout)
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
    }


def _person(ident: bytes) -> tuple[str, str]:
    """Split ``Name <email> seconds zone``."""
    name, _, rest = os.fsdecode(ident).partition(" <")
    return name, rest.partition(">")[0]


_LARGEST_MERGED = 4 << 20


async def merged(ours: bytes, base: bytes, theirs: bytes) -> bytes | None:
    """Return ``ours`` with what ``theirs`` changed since ``base``; None where both differ.

    None as well for binary and very large files, and where git is not installed
    (https://git-scm.com/docs/git-merge-file).
    """
    versions = (ours, base, theirs)
    if any(b"\0" in each or len(each) > _LARGEST_MERGED for each in versions):
        return None
    with tempfile.TemporaryDirectory(prefix="cairn-") as folder:
        paths = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for path, content in zip(paths, versions, strict=True):
            await asyncio.to_thread(path.write_bytes, content)
        try:
            done = await hermetic("-C", folder).call("merge-file", "-p", "-q", *map(str, paths))
        except Outage:
            return None
    return done.stdout if done.exit_code == 0 else None
