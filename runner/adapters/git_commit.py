"""A checkpoint as a commit of a local repository, made from objects; no file is touched."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from runner.adapters.git import Git
from runner.changes import ChangeSet, Write
from runner.errors import TaskError
from runner.naming import commit_message
from runner.ports import Checkpoint
from runner.snapshot import FILE, Snapshot

_NOBODY = ("Cairn", "cairn@localhost")


async def write_commit(git: Git, user: Git, *, checkpoint: Checkpoint, base: Snapshot) -> str:
    """Write blobs, tree and commit; return the commit. It is on no branch yet.

    ``user`` is git with the user's configuration: the commit bears his name. Raises ``TaskError``
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
        stdin=commit_message(checkpoint).encode("utf-8", "replace"),
        environment=await identity(user),
    )
    return made.decode().strip()


async def write_tree(git: Git, changes: ChangeSet, base: Snapshot) -> str:
    """Write the tree after ``changes`` through an index of its own (the user's is untouched)."""
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
    """Return the environment that makes a commit bear the user's name, else Cairn's.

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
