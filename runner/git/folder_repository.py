"""The ``Repository`` port on a plain folder without git, for ``cairn run``.

What the folder holds is committed to a repository of Cairn's own below ``.executor``, so that a
checkpoint is what it is on a checkout. Nothing else sees that repository: no ``.git`` is made.
"""

from __future__ import annotations

import asyncio
import getpass
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from runner.errors import Outage
from runner.files.durable import make_folder, translating_errors, write_file
from runner.git.command import Finished, hermetic
from runner.git.local_repository import LocalRepository
from runner.git.objects import GitObjects, identity
from runner.state.publishing import Stack
from runner.state.task_commits import TaskCommit

BRANCH = "folder"
MOST_FILES, MOST_BYTES = 20_000, 500 << 20

_NEVER = (".executor", ".git", "__pycache__", "node_modules", ".venv", ".tox")
"""Folders that tools make. Where no git is, there is seldom a ``.gitignore`` that says so."""
_LEFT_OUT = ("*/pyvenv.cfg", "*/*/pyvenv.cfg", "*/.git", "*/*/.git")
"""In what is left out: virtual environments, and checkouts with a git of their own."""
_AS_IT_IS = b"* -text -eol -filter -ident -working-tree-encoding\n"
"""Bytes are neither converted nor filtered (https://git-scm.com/docs/gitattributes)."""
_PENDING = "refs/cairn/pending"
"""The commit whose files are being written: a kill in between is made good."""


class FolderRepository(LocalRepository):
    """A folder: checkpoints are written into it, never over what the user has changed since.

    ``store`` is the repository of its states; with ``keep`` False nothing is written there.
    """

    _moved = (
        "The folder was recorded again while the run built on {parent}."
        " Type `cairn resume` to continue from there."
    )
    _in_the_way = "Task {task} was verified, but it would overwrite what you changed in {files}."
    _roadmap_in_the_way = "Type `cairn resume` to continue from the file as it is."
    _file_in_the_way = "Move these files, then run the task again."

    def __init__(self, root: Path, *, store: Path, branch: str = "", keep: bool = True) -> None:
        super().__init__(root, branch=branch or None)
        self._keep = keep
        self._use(store)

    def _use(self, store: Path) -> None:
        self._store = store.resolve()
        root = str(self._root.resolve())
        self._git = self._user = hermetic(
            *("-C", root, f"--git-dir={self._store}", f"--work-tree={root}"),
            extra={"GIT_LITERAL_PATHSPECS": "1"},
        )
        self._objects = GitObjects(self._git)

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

    async def check_clean(self, *paths: str) -> None:
        """Whatever is in the folder is what a run begins with."""

    async def task_commits(self) -> Sequence[TaskCommit]:
        """Return the states that are about tasks, the newest first."""
        return await super().task_commits() if await self._newest("HEAD") else []

    async def holds(self, commit: str, branch: str) -> bool:
        """A folder has no other branch."""
        return True

    async def since(self, commit: str, run: str) -> Literal["same", "own", "ahead", "apart"]:
        """Compare the newest state with one that a run left; see ``LocalRepository``."""
        return await super().since(commit, run) if await self._newest("HEAD") else "apart"

    async def stack(self) -> Stack:
        """Start at the folder as it is now. Raises ``Outage`` when it cannot be read."""
        if not self._keep:
            await self._look_only()
        elif not (self._store / "HEAD").exists():
            await self._make()
        with translating_errors(f"read {self._root}"):
            await asyncio.to_thread(self._leave_out)
        if pending := await self._newest(_PENDING):
            await self._finish(pending)
        await self._record()
        return await super().stack()

    async def _newest(self, name: str) -> str:
        """Return the commit of a name, '' if there is none."""
        done = await self._git.call("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return done.stdout.decode().strip()

    async def _make(self) -> None:
        make_folder(self._store)
        await self._git.output("init", "--quiet", "--template=", f"--initial-branch={BRANCH}")

    async def _look_only(self) -> None:
        """Go on in a repository that ends with this process, and builds on what is kept."""
        newest, kept = await self._newest("HEAD"), self._store
        self._use(Path(tempfile.mkdtemp(prefix="cairn-")))
        weakref.finalize(self, shutil.rmtree, self._store, ignore_errors=True)
        self._keep = True
        await self._make()
        if newest:
            write_file(self._store / "objects/info/alternates", f"{kept}/objects\n".encode())
            await self._git.output("update-ref", "HEAD", newest)

    def _leave_out(self) -> None:
        """Say what is never looked at; a process that was killed may have left a lock."""
        found = [each.parent for form in _LEFT_OUT for each in self._root.glob(form)]
        names = [*_NEVER, *(f"/{each.relative_to(self._root)}" for each in found)]
        write_file(self._store / "info/exclude", "".join(f"{each}/\n" for each in names).encode())
        write_file(self._store / "info/attributes", _AS_IT_IS)
        (self._store / "index.lock").unlink(missing_ok=True)

    async def _record(self) -> None:
        """Keep the folder as it is now, on what was kept last."""
        listed = await self._git.output(
            "ls-files", "--cached", "--others", "--exclude-standard", "-z"
        )
        await asyncio.to_thread(self._check_size, listed.decode(errors="surrogateescape"))
        await self._git.output("add", "--all", ".")
        tree, head = await self._git.line("write-tree"), await self._newest("HEAD")
        if not head or await self._objects.tree(head) != tree:
            await self._git.output("update-ref", "HEAD", await self._commit(tree, head))

    async def _commit(self, tree: str, parent: str) -> str:
        parents = ("-p", parent) if parent else ()
        name = await identity(self._git)
        done = await self._git.output("commit-tree", tree, *parents, environment=name)
        return done.decode().strip()

    def _check_size(self, listed: str) -> None:
        paths = listed.split("\0")[:-1]
        sizes = (each.lstat().st_size for each in map(self._root.joinpath, paths) if each.exists())
        if len(paths) > MOST_FILES or sum(sizes) > MOST_BYTES:
            raise Outage(
                "file",
                f"{self._root} has more than {MOST_FILES:,} files or {MOST_BYTES >> 20} MB."
                " List generated files in a .gitignore, or make it a git repository:"
                " git init && git add . && git commit",
            )

    async def _fast_forward(self, commit: str) -> Finished:
        await self._git.output("update-ref", _PENDING, commit)
        done = await super()._fast_forward(commit)
        await self._git.output("update-ref", "-d", _PENDING)
        return done

    async def _finish(self, made: str) -> None:
        """Write the files that a kill left unwritten; what the user has changed since stays."""
        head = await self._newest("HEAD")
        await self._git.output("add", "--all", ".")
        here = await self._commit(await self._git.line("write-tree"), head)
        old, now, new = [(await self.snapshot(each)).entries for each in (head, here, made)]
        changed = {path for path in {**old, **new} if old.get(path) != new.get(path)}
        unwritten = {path for path in changed if now.get(path) == old.get(path)}
        if unwritten and unwritten != changed:
            await self._git.output(
                *("restore", f"--source={made}", "--worktree", "--staged"),
                *("--pathspec-from-file=-", "--pathspec-file-nul"),
                stdin="\0".join(unwritten).encode(errors="surrogateescape"),
            )
        if unwritten != changed:
            await self._git.output("update-ref", "HEAD", made)
        await self._git.output("update-ref", "-d", _PENDING)
