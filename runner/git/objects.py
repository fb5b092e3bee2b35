"""Snapshots, contents and commits from git objects: exact bytes, no checkout, no filter.

``git archive`` and checkouts leave out, substitute and convert
(https://git-scm.com/docs/gitattributes); the objects are the tree.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO

from cachetools import LRUCache

from runner.errors import Outage, TaskError
from runner.git.command import Git, GitFailed, hermetic
from runner.people.sentences import commit_message
from runner.state.changes import FILE, ChangeSet, Snapshot, TreeEntry, Write
from runner.state.publishing import Checkpoint

_SHA = re.compile(r"[0-9a-f]{40}\Z")
_CACHED = 400_000  # entries of all cached snapshots together, about 100 MB
_IDLE, _LONGEST = 10.0, 60.0
"""Seconds that a process waits for the next question, and may take for its answers."""
_AT_ONCE = 90
"""Names of 41 bytes: less than 4096 of them fit into the smallest pipe that Linux makes."""


class MissingBlobs(TaskError):
    """The repository does not hold these blobs."""

    def __init__(self, shas: Sequence[str]) -> None:
        super().__init__("git", f"The repository does not hold the blobs {', '.join(shas)}.")
        self.shas = tuple(shas)


class GitObjects:
    """The objects of one repository; a commit's snapshot is read once and kept."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._batch = _Batch(git)
        self._idle: asyncio.TimerHandle | None = None
        self._snapshots: LRUCache[str, Snapshot] = LRUCache(_CACHED, getsizeof=_weight)

    async def tree(self, commit: str) -> str:
        """Return the tree sha of a commit. Raises ``TaskError`` when there is no such commit."""
        name = f"{named(commit)}^{{commit}}"
        raw = (await self._found([name])).get(name)
        if raw is None:
            raise TaskError("git", f"The repository has no commit {commit}.")
        return raw.removeprefix(b"tree ")[:40].decode()

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
        """Return contents by blob sha, from the process that a run reads from.

        Raises ``MissingBlobs``.
        """
        wanted = list(dict.fromkeys(named(sha) for sha in shas))
        if not wanted:
            return {}
        found = await self._found(wanted)
        if missing := [sha for sha in wanted if sha not in found]:
            raise MissingBlobs(missing)
        return found

    async def _found(self, names: Sequence[str]) -> dict[str, bytes]:
        """Read those objects that there are."""
        found = await self._read(names)
        if missing := [name for name in names if name not in found]:
            # the folder may be another one since the process was started: ask a new one
            await asyncio.to_thread(self._batch.end)
            found |= await self._read(missing)
        return found

    async def _read(self, names: Sequence[str]) -> dict[str, bytes]:
        """Read objects; the process ends when nobody has asked for a while."""
        if self._idle:
            self._idle.cancel()
        try:
            return await asyncio.to_thread(self._batch.read, names)
        finally:
            self._idle = asyncio.get_running_loop().call_later(
                _IDLE, partial(self._batch.end, wait=False)
            )

    async def commit(self, sha: str) -> bytes:
        """Return a commit as git stores it. Raises ``MissingBlobs``."""
        return (await self.blobs([sha]))[sha]


class _Batch:
    """One ``git cat-file --batch``, started when first needed.

    It is used from threads, one at a time, so it belongs to no event loop and ends with its owner.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ended: Callable[[], str | None] | None = None

    def read(self, names: Sequence[str]) -> dict[str, bytes]:
        """Return those objects that there are. Raises ``Outage`` and ``GitFailed``."""
        with self._turn:
            process = self._process = self._process or self._started()
            late = threading.Timer(_LONGEST, process.kill)
            late.start()
            found: dict[str, bytes] | None = None
            try:
                found = dict(self._answers(process, names))
            except (OSError, EOFError) as error:
                said = self._end()
                if late.finished.is_set():
                    message = f"git cat-file took longer than {_LONGEST:.0f} s and was ended"
                    raise Outage("git", message) from error
                raise GitFailed("cat-file", process.returncode, said) from error
            finally:
                late.cancel()
                if found is None:
                    self._end()  # what it has not said yet would answer the next question
            return found

    def end(self, *, wait: bool = True) -> None:
        """End the process, if there is one; the next ``read`` starts another.

        Without ``wait`` one that is being read from stays.
        """
        if self._turn.acquire(blocking=wait):
            try:
                self._end()
            finally:
                self._turn.release()

    def _end(self) -> str:
        """Return what git printed about errors."""
        self._process, ended = None, self._ended
        return (ended and ended()) or ""

    def _started(self) -> subprocess.Popen[bytes]:
        errors = tempfile.TemporaryFile()  # noqa: SIM115 # lives as long as the process
        try:
            process = subprocess.Popen(
                self._git.line_of("cat-file", "--batch"),
                env=dict(self._git.environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except FileNotFoundError:
            errors.close()
            raise Outage("git", "git is not installed or not on PATH: install git") from None
        # not __del__, which may find the process and its files taken apart before it
        self._ended = weakref.finalize(self, _end, process, errors)
        return process

    def _answers(
        self, process: subprocess.Popen[bytes], names: Sequence[str]
    ) -> Iterator[tuple[str, bytes]]:
        """Ask for a few at a time: what is asked must fit into a pipe while git is not read."""
        asked, answers = process.stdin, process.stdout
        if asked is None or answers is None:
            raise RuntimeError("the process was not started with pipes")
        for at in range(0, len(names), _AT_ONCE):
            some = names[at : at + _AT_ONCE]
            asked.write("".join(f"{name}\n" for name in some).encode())
            asked.flush()
            for name in some:
                line = answers.readline()
                if not line.endswith(b"\n"):
                    raise EOFError
                words = line.split()
                if words[1] != b"missing":
                    size = int(words[2])
                    content = answers.read(size + 1)
                    if len(content) != size + 1:
                        raise EOFError
                    yield name, content[:-1]


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> str:
    """End a process and return what it printed about errors."""
    process.kill()
    with suppress(BrokenPipeError), process:  # waits for it; what it was not told is lost
        pass
    with errors:
        errors.seek(0)
        return errors.read().decode("utf-8", "replace")


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


def _weight(snapshot: Snapshot) -> int:
    return len(snapshot.entries) + 1


_NOBODY = ("Cairn", "cairn@localhost")


async def write_commit(
    git: Git, user: Git, *, checkpoint: Checkpoint, base: Snapshot, signing: Sequence[str] = ()
) -> str:
    """Write blobs, tree and commit; return the commit. It is on no branch yet.

    ``user`` is git with the user's configuration: the commit has their name, and is signed where
    ``signing`` are settings for that. Raises ``TaskError`` when the tree is not the one that was
    verified, ``Outage`` when it cannot be signed.
    """
    tree = await write_tree(git, checkpoint.changes.effective(base), base)
    if tree != checkpoint.tree:
        raise TaskError(
            "git",
            f"git made the tree {tree} of task {checkpoint.task}, but {checkpoint.tree} was"
            " verified; nothing was committed.",
        )
    made = await (replace(user, settings=(*user.settings, *signing)) if signing else git).call(
        *("commit-tree", *["-S"][: len(signing)], tree, "-p", checkpoint.parent, "-F", "-"),
        stdin=commit_message(checkpoint.text).encode("utf-8", "replace"),
        environment=await identity(user),
        timeout=_SIGNING if signing else 60.0,
    )
    if made.exit_code and signing:
        why = made.stderr.strip()
        raise Outage("git", _NOT_SIGNED.format(task=checkpoint.task, why=why), advised=True)
    if made.exit_code:
        raise GitFailed("commit-tree", made.exit_code, made.stderr)
    return made.stdout.decode().strip()


_SIGNING = 300.0
"""Seconds: somebody may have to type a password."""
_NOT_SIGNED = (
    "The commit of task {task} could not be signed, so nothing was committed; git said: {why}\n"
    "`git commit-tree -S -m test HEAD^{{tree}}` shows whether signing works."
    " `git config commit.gpgsign false` turns it off here. Then type `cairn resume`."
)


async def write_tree(git: Git, changes: ChangeSet, base: Snapshot) -> str:
    """Write the tree after ``changes`` through a separate index (the user's is untouched)."""
    with tempfile.TemporaryDirectory(prefix="cairn-") as folder:
        contents = [write.content for write in changes.files.values() if write]
        shas = iter(await _written_blobs(git, Path(folder), contents))
        lines = [
            _index_line(path, write, next(shas) if write else b"", base)
            for path, write in changes.files.items()
        ]
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        await git.output("read-tree", base.tree, environment=index)
        await git.output(
            "update-index", "-z", "--index-info", stdin=b"".join(lines), environment=index
        )
        return (await git.output("write-tree", environment=index)).decode().strip()


async def _written_blobs(git: Git, folder: Path, contents: Sequence[bytes]) -> list[bytes]:
    """Write blobs, all with one process, and return their names. git reads them from files."""

    def kept() -> bytes:
        paths = [folder / str(number) for number, _ in enumerate(contents)]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        return b"".join(os.fsencode(path) + b"\n" for path in paths)

    if not contents:
        return []
    paths = await asyncio.to_thread(kept)
    # no filter and no line-end conversion is applied
    return (
        await git.output("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=paths)
    ).split()


def _index_line(path: str, write: Write | None, sha: bytes, base: Snapshot) -> bytes:
    """One line of https://git-scm.com/docs/git-update-index#_using_index_info; mode 0 deletes."""
    if write is None:
        return b"0 %s\t%s\0" % (b"0" * 40, os.fsencode(path))
    old = base.entries.get(path)
    mode = write.mode or (old.mode if old else FILE)
    return b"%s %s\t%s\0" % (mode.encode(), sha, os.fsencode(path))


async def identity(user: Git) -> Mapping[str, str]:
    """Return the environment that gives a commit the user's name, else Cairn's.

    git would invent a name from the machine's; ``user.useConfigOnly`` forbids that.
    """
    honest = replace(user, settings=(*user.settings, "user.useConfigOnly=true"))
    done = await honest.call("var", "GIT_COMMITTER_IDENT")
    name, email = _NOBODY
    if not done.exit_code:  # Name <email> seconds zone
        name, _, rest = os.fsdecode(done.stdout).partition(" <")
        email = rest.partition(">")[0]
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
    }


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
