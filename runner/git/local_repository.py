"""The ``Repository`` port on a git checkout, for ``cairn run``.

Everything is read and written as git objects. Only two calls see the user's own configuration:
the name under a commit, and the fast-forward that moves his branch and his files.

"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from cachetools import LRUCache

from runner.errors import Outage, TaskError
from runner.git.command import Finished, Git, GitFailed, as_user, hermetic
from runner.git.objects import GitObjects, identity, write_commit
from runner.git.own_settings import OwnSettings, own_settings
from runner.people.sentences import commit_message
from runner.state.changes import Snapshot
from runner.state.publishing import Checkpoint, HumanCommits, Proposed, Published, Stack
from runner.state.task_commits import TaskCommit, in_review, unshown

_HEADS = "refs/heads/"
_WHERE = (
    *("rev-parse", "--is-inside-work-tree", "--show-object-format"),
    *("HEAD^{commit}", "--symbolic-full-name", "HEAD"),
)
"""Prints four lines: whether this is a work tree, the kind of its objects, commit and branch."""

_OUR_WAY = ("--basic-regexp", "--no-show-signature")
"""Whatever the repository's configuration says: grep.patternType, log.showSignature."""

_KEPT = 64_000_000
"""Bytes of contents that are not read again: the context shows of the files that are tested."""


_IN_THE_MIDDLE = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}
"""What git is in the middle of where there is such a file or folder in its own."""


class LocalRepository:
    """A checkout: each checkpoint is a commit on the current branch, the files move with it.

    ``branch`` is created or switched to by ``prepare``; ``environment`` is the user's (his name and
    configuration are found through it).
    """

    _moved = (
        "Branch {branch} moved to {head} while the run built on {parent}."
        " Type `cairn resume` to continue from the new commit."
    )
    _in_the_way = (
        "Task {task} was verified, but its commit would overwrite what you changed in {files}."
    )
    _roadmap_in_the_way = "Commit or stash that, then type `cairn resume`."
    _file_in_the_way = "Commit or move these files, then run the task again."

    def __init__(
        self,
        root: Path,
        *,
        branch: str | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._root = root
        self._branch = branch
        self._git = hermetic("-C", str(root))
        self._user = as_user("-C", str(root), environment=environment)
        self._objects = GitObjects(self._git)
        self._proposed: frozenset[str] = frozenset()
        self._roadmap = ""
        self._known: tuple[str, Sequence[TaskCommit]] = ("", ())
        self._settings: OwnSettings | None = None
        self._blobs: LRUCache[str, bytes] = LRUCache(_KEPT, getsizeof=len)

    def ticks(self, roadmap: str) -> None:
        """Name the file every checkpoint changes: an edit of it stops the run, not one task."""
        self._roadmap = roadmap

    def leave(self, tasks: Collection[str]) -> None:
        """Leave tasks (keys) to the people who are asked about them: an older run's proposals."""
        self._proposed = frozenset(tasks)

    async def own_settings(self) -> OwnSettings:
        """Return what the configuration says of signing and of programs, read once.

        From then on the user's git runs no program that the repository's configuration names.
        """
        if self._settings is None:
            self._settings = await own_settings(self._user)
            settings = (*self._user.settings, *self._settings.disarmed)
            self._user = replace(self._user, settings=settings)
        return self._settings

    async def _own(self) -> Git:
        """git with the user's configuration, for what may look at or write the work tree."""
        await self.own_settings()
        return self._user

    async def person(self) -> str:
        """Return the user's name as in their commits."""
        return (await identity(self._user))["GIT_AUTHOR_NAME"]

    async def since(self, commit: str, run: str) -> Literal["same", "own", "ahead", "apart"]:
        """Compare HEAD with the commit at which a run left the branch.

        ``own`` is one commit of the run itself ahead, which a crash kept it from noting.
        """
        head = await self._head()
        if head == commit:
            return "same"
        span = f"{commit}..{head}"
        known = await self._git.call("merge-base", "--is-ancestor", commit, head)
        if known.exit_code:
            return "apart"
        form = "--format=%(trailers:key=Cairn-Run,valueonly)"
        found = await self._git.output("log", "-z", *_OUR_WAY, "--max-count=2", form, span)
        marks = [mark.strip() for mark in found.removesuffix(b"\0").split(b"\0")]
        return "own" if marks == [run.encode()] else "ahead"

    async def is_there(self) -> bool:
        """Say whether this folder is git's at all; where git is not installed it is not.

        Raises ``Outage`` with git's own words when it refuses a checkout of another user.
        """
        try:
            done = await self._git.call("rev-parse", "--git-dir")
        except Outage:
            return False
        if done.exit_code and _is_of_others(self._root):
            raise GitFailed("rev-parse", done.exit_code, done.stderr)
        return done.exit_code == 0

    async def check_clean(self, *paths: str) -> None:
        """Raise ``Outage`` that lists those tracked files of ``paths`` that have changes.

        None of all may have some where no path is given. Every checkpoint is made of git objects
        and moves only files that are as they were committed, which git refuses while it is in the
        middle of something else.
        """
        folder = Path(await self._git.line("rev-parse", "--absolute-git-dir"))
        for name, doing in _IN_THE_MIDDLE.items():
            if (folder / name).exists():
                raise Outage(
                    "git",
                    f"{self._root} is in the middle of a {doing}. Finish it, or take it back (git "
                    f"{doing} --abort), then run again.",
                )
        options = ("--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=all")
        only = ("--", *(f":(top,literal){path}" for path in paths)) if paths else ()
        files = _changed(
            await (await self._own()).output("status", "--no-renames", *options, *only)
        )
        if not files:
            return
        more = "" if paths else " or start anyway (--allow-dirty),"
        what = ", and every finished task ticks a checkbox there" if paths else ""
        raise Outage(
            "git",
            f"{self._root} has uncommitted changes in {', '.join(files)}{what}."
            f" Commit or stash them (git stash),{more} then run again.",
        )

    async def uncommitted(self, *paths: str) -> list[str]:
        """Return which of these files have uncommitted changes."""
        only = ("--", *(f":(top,literal){path}" for path in paths))
        options = ("--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all")
        return _changed(await (await self._own()).output("status", "--no-renames", *options, *only))

    async def task_commits(self) -> Sequence[TaskCommit]:
        """Return the commits of HEAD that are about tasks, the newest first."""
        return await self._made(await self._head())

    async def _made(self, head: str) -> Sequence[TaskCommit]:
        known, old = self._known
        if known != head:
            parents = known and await self._git.line("rev-list", "--parents", "--max-count=1", head)
            next_one = known and parents.split()[1:] == [known]
            named = ("--grep=^Cairn-Task: ", "--grep=^This reverts commit ", "--format=%H %P%n%B")
            span = f"{known}..{head}" if next_one else head
            listed = await self._git.output("log", "-z", *_OUR_WAY, *named, span)
            found = [text.partition("\n") for text in listed.decode("utf-8", "replace").split("\0")]
            ids = [(about.split(), message) for about, _, message in found if about]
            made = [TaskCommit(id, "".join(more[:1]), message) for (id, *more), message in ids]
            self._known = (head, [*made, *(old if next_one else ())])
        return self._known[1]

    async def holds(self, commit: str, branch: str) -> bool:
        """Say whether what is checked out is this branch, or has this commit in its history."""
        head, here = await self._look()
        if here == branch:
            return True
        known = await self._git.call("merge-base", "--is-ancestor", commit, head)
        return known.exit_code == 0

    async def prepare(self) -> None:
        """Create or switch to the wanted branch; uncommitted changes stay as they are.

        Raises ``Outage`` when git refuses (a change would be lost, no valid name), and where a
        commit brings the folder of what runs leave behind: its links would lead anywhere.
        """
        if self._branch is not None:
            await self._switch(self._branch)
        if await self._git.output("ls-files", "-z", "--", ".executor"):
            raise Outage(
                "git",
                ".executor is in the commits of this repository, and Cairn keeps its own files "
                "there. Look at what it holds, then type git rm -r .executor and commit.",
            )

    async def _switch(self, wanted: str) -> None:
        await self._check_checkout()
        if await self._current() == wanted:
            return
        valid = await self._git.call("check-ref-format", "--branch", wanted)
        if valid.stdout != os.fsencode(f"{wanted}\n"):
            raise Outage("git", f"git does not accept {wanted!r} as the name of a branch.")
        there = await self._git.call("show-ref", "--verify", "--quiet", _HEADS + wanted)
        how = "--create" if there.exit_code else "--no-guess"
        done = await (await self._own()).call("switch", "--quiet", how, wanted)
        if done.exit_code:
            raise Outage("git", f"Cannot switch to branch {wanted}: {done.stderr.strip()}")

    async def stack(self) -> Stack:
        """Start at HEAD. Raises ``Outage`` when there is no commit or no branch."""
        head, branch = await self._look()
        if branch is None:
            raise Outage(
                "git",
                f"{self._root} is on no branch (detached HEAD). Switch to one (`git switch NAME`),"
                " or let `cairn run --branch NAME` make one.",
            )
        made = await self._made(head)
        reviewing, doubted = frozenset(in_review(made)), unshown(made)
        return Stack(head, branch, reviewing, proposed=self._proposed, unshown=doubted)

    async def snapshot(self, commit: str) -> Snapshot:
        """Return the exact tree of a commit. Raises ``TaskError`` when there is no such commit."""
        return await self._objects.snapshot(commit)

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        """Return contents by blob sha. Raises ``TaskError`` when one is missing."""
        found = {sha: self._blobs[sha] for sha in shas if sha in self._blobs}
        new = await self._objects.blobs([sha for sha in shas if sha not in found])
        self._blobs.update({sha: blob for sha, blob in new.items() if len(blob) <= _KEPT})
        return found | new

    async def tags(self, commit: str) -> tuple[str, ...]:
        """Return the names of the tags in the history of a commit."""
        listed = await self._git.call(
            "for-each-ref", f"--merged={commit}", "--format=%(refname:strip=2)", "refs/tags"
        )
        return tuple(listed.stdout.decode("utf-8", "replace").split("\n")[:-1])

    async def publish_checkpoint(self, checkpoint: Checkpoint) -> Published:
        """Commit, then move branch and files there; ``checkpoint.branch`` is not used here.

        Raises ``TaskError`` if a change that the user has made since would be overwritten,
        ``Outage`` if they moved or left the branch.
        """
        head, branch = await self._look()
        if branch != checkpoint.below:
            raise Outage(
                "git",
                f"The run works on branch {checkpoint.below}, but {self._root} is on"
                f" {branch or 'no branch'} now. Type: git switch {checkpoint.below}",
            )
        about, _, message = (await self._objects.commit(head)).partition(b"\n\n")
        lines = about.decode("utf-8", "replace").split("\n")
        parents = [line.removeprefix("parent ") for line in lines if line.startswith("parent ")]
        made = (lines[0], parents, message)
        wanted = commit_message(checkpoint.text).encode("utf-8", "replace")
        if made == (f"tree {checkpoint.tree}", [checkpoint.parent], wanted):
            return Published(head, branch)  # a repeat after a crash
        return Published(await self._advance(head, checkpoint), branch)

    async def publish_proposal(self, proposed: Proposed) -> Published:
        """Show nothing here: on a checkout the report and the command line do."""
        return Published("", "")

    async def end_proposal(self, task: str, *, ready: bool, why: str) -> None:
        """Nothing was shown, so nothing is to be ended."""

    async def human_commits(self, task: str, tip: str) -> HumanCommits | None:
        """Nothing was shown, so nobody pushed to it."""
        return None

    async def _advance(self, head: str, checkpoint: Checkpoint) -> str:
        if head != checkpoint.parent:
            message = self._moved.format(
                branch=checkpoint.below, head=head[:12], parent=checkpoint.parent[:12]
            )
            raise Outage("git", message, advised=True)
        base = await self.snapshot(checkpoint.parent)
        signing = (await self.own_settings()).signing
        commit = await write_commit(
            self._git, self._user, checkpoint=checkpoint, base=base, signing=signing
        )
        done = await self._fast_forward(commit)
        if not done.exit_code:
            return commit
        # git lists the files behind a tab
        files = [line.strip() for line in done.stderr.split("\n") if line.startswith("\t")]
        if not files:
            raise Outage("git", f"The branch could not be moved: {done.stderr.strip()}")
        begin = self._in_the_way.format(task=checkpoint.task, files=", ".join(files))
        if self._roadmap in files:
            raise Outage("git", f"{begin} {self._roadmap_in_the_way}", advised=True)
        raise TaskError("git", f"{begin} {self._file_in_the_way}")

    async def _fast_forward(self, commit: str) -> Finished:
        """Move branch and files, or nothing: git itself refuses if an edit would be lost."""
        careful = ("--no-overwrite-ignore", "--no-autostash", "--no-verify-signatures")
        user = await self._own()
        return await user.call("merge", "--ff-only", "--quiet", *careful, commit)

    async def _look(self) -> tuple[str, str | None]:
        """Return the commit and the branch (None: detached), with one process where all is well."""
        done = await self._git.call(*_WHERE)
        found = os.fsdecode(done.stdout).split("\n")[:-1]
        if done.exit_code or len(found) != 4 or found[:2] != ["true", "sha1"]:
            await self._check_checkout()
            return await self._head(), await self._current()
        branch = found[3].removeprefix(_HEADS)
        return found[2], branch if branch != found[3] else None

    async def _check_checkout(self) -> None:
        done = await self._git.call("rev-parse", "--is-inside-work-tree", "--show-object-format")
        if done.stdout.split() == [b"true", b"sha1"]:
            return
        why = done.stderr.strip() or "it is bare, inside .git, or has SHA-256 objects"
        raise Outage(
            "git",
            f"Cairn cannot use {self._root} as a git checkout: {why}."
            " Go to another one, or make one: git init && git add . && git commit",
        )

    async def _current(self) -> str | None:
        done = await self._git.call("symbolic-ref", "--quiet", "HEAD")
        name = os.fsdecode(done.stdout).strip()
        return name.removeprefix(_HEADS) if name.startswith(_HEADS) else None

    async def _head(self) -> str:
        done = await self._git.call("rev-parse", "--verify", "HEAD^{commit}")
        if not done.exit_code:
            return done.stdout.decode().strip()
        branch = await self._current()
        if branch is None or await self._git.line("for-each-ref", _HEADS + branch):
            raise GitFailed("rev-parse", done.exit_code, done.stderr)
        allow = f"git config --global --add safe.directory {self._root} && "
        to_type = f"{allow if _is_of_others(self._root) else ''}git add . && git commit"
        raise Outage("git", f"{self._root} has no commit yet. Commit first: {to_type}")


def _is_of_others(root: Path) -> bool:
    """Whether the nearest ``.git`` belongs to another user."""
    near = (folder / ".git" for folder in (root.resolve(), *root.resolve().parents))
    found = next((each for each in near if each.exists()), None)
    return found is not None and found.stat().st_uid != os.geteuid()


def _changed(status: bytes) -> list[str]:
    """Paths of ``status --porcelain=v1 -z --no-renames``: two letters, a space, the path."""
    return [os.fsdecode(record[3:]) for record in status.split(b"\0") if record]
