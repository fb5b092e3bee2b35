"""A bare mirror of one GitHub repository: single commits are fetched, nothing is checked out.

The token reaches git through its environment only (GIT_CONFIG_COUNT,
https://git-scm.com/docs/git-config#ENVIRONMENT), never through a URL, an argument or a file.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import re
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from app.github.client import RETRY_AFTER
from runner.errors import Outage, PortError, TaskError
from runner.git.command import Finished, Git, GitFailed, hermetic
from runner.git.objects import GitObjects, parse_tree, write_commit
from runner.ports import Clock, SystemClock
from runner.state.changes import Snapshot
from runner.state.publishing import Checkpoint


class _Sign(NamedTuple):
    words: tuple[str, ...]
    kind: str
    advice: str
    passes: bool = False


_GONE = ("not our ref", "couldn't find remote ref", "unadvertised object")
_BROKEN_OFF = ("rpc failed", "hung up", "early eof", "remote error", "disconnect", "protocol error")
_SIGNS = (
    _Sign(
        ("authentication failed", "could not read username", "error: 401", "error: 403"),
        "credential",
        "GitHub refused the App's token: check that the installation is active and has Contents.",
    ),
    _Sign(
        ("' not found", "error: 404", "does not appear to be a git repository"),
        "permission",
        "The App does not see the repository: check that it is installed there.",
    ),
    _Sign(
        ("unable to access", "could not resolve", "failed to connect", "timed out", *_BROKEN_OFF),
        "git",
        "The git server cannot be reached or closed the connection; Cairn tries again later.",
        passes=True,
    ),
)


def remote_trouble(want: str, url: str, stderr: str, *, retry_at: datetime) -> PortError | None:
    """Name what is wrong on the other side; None when the fault must be on ours.

    ``retry_at`` is when a server that is away is asked again.
    """
    lower = stderr.lower()
    if any(words in lower for words in _GONE):
        return TaskError(
            "git", f"{url} no longer has {want}: was it force-pushed or deleted? Start a new run."
        )
    for sign in _SIGNS:
        if any(words in lower for words in sign.words):
            message = f"Cannot fetch from {url}: {stderr.strip()}. {sign.advice}"
            return Outage(sign.kind, message, until=retry_at if sign.passes else None)
    return None


log = logging.getLogger(__name__)

_REF = re.compile(r"refs/[^\s:*?\[\\^~]+\Z|[0-9a-f]{40}\Z")
_SHA = re.compile(r"[0-9a-f]{40}\Z")
_INCOMING = "refs/cairn/incoming"
Token = Callable[[], Awaitable[str]]

_SYSTEM = SystemClock()
_FETCH = 600.0  # seconds; one commit of a very large repository takes minutes
_LISTING, _MOST_TAGS = 60.0, 20_000


_NAMES = ("--name-only", "-z")
_NOBODY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (
        ("NAME", "Cairn"),
        ("EMAIL", "cairn@localhost"),
        ("DATE", "2000-01-01T00:00:00Z"),
    )
}
"""Who makes the commits that git merges; with a fixed date, the same trees give the same ones."""
_OLD_GIT = (
    "The git on Cairn's server cannot merge trees. Install git 2.38 or newer there; Cairn then "
    "continues automatically."
)


class Mirror:
    """One bare repository, named by GitHub's repository id so that renames do not matter.

    ``environment`` is more for git, such as ``HTTPS_PROXY`` or ``GIT_SSL_CAINFO``. One mirror
    object a directory: its fetches wait for each other.
    """

    def __init__(
        self,
        directory: Path,
        *,
        clock: Clock = _SYSTEM,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._directory = directory.absolute()
        self._clock = clock
        self._environment = dict(environment or {})
        self._lock = asyncio.Lock()
        self._git = hermetic("--git-dir", str(self._directory))
        self.objects = GitObjects(self._git)
        self._objects = self._directory / "objects"
        self._held: set[str] = set()
        self._checked = False

    async def fetch(self, want: str, *, url: str, token: Token) -> str:
        """Have one commit here, by its sha or a full ref name; return its sha.

        ``token`` is asked for a fresh installation token when something has to be fetched. Raises
        ``TaskError`` if the other side does not have it, ``Outage`` if it cannot be asked. A broken
        mirror is made again once.
        """
        if not _REF.match(want):
            raise ValueError(f"{want!r} is neither a commit nor a full ref name")
        async with self._lock:
            if await self._holds(want):
                return want
            await self._make_if_missing()
            secret = await token()
            # with its own ref, git neither drops nor downloads the commit again
            kept = f"refs/cairn/{want}" if _SHA.match(want) else _INCOMING
            done = await self._try(want, kept, url, secret)
            if done.exit_code and self._trouble(want, url, done) is None:
                await self._make()
                done = await self._try(want, kept, url, secret)
            if done.exit_code:
                failed = GitFailed("fetch", done.exit_code, done.stderr)
                raise self._trouble(want, url, done) or failed
            commit = want
            if kept == _INCOMING:
                commit = await self._git.line("rev-parse", "--verify", f"{_INCOMING}^{{commit}}")
                await self._git.output("update-ref", f"refs/cairn/{commit}", commit)
            self._held.add(commit)
            return commit

    async def tags(self, *, url: str, token: Token) -> tuple[str, ...]:
        """Return the names of the tags on the other side; none if it does not say.

        Nothing is fetched: the names are enough for the version that a build is told.
        """
        async with self._lock:
            await self._make_if_missing()
        shown = ("ls-remote", "--quiet", "--tags", "--refs", "--", url)
        done = await self._reaching(url, await token()).call(*shown, timeout=_LISTING)
        if done.exit_code:
            log.warning("The tags of %s cannot be listed", url)
            return ()
        lines = done.stdout.decode("utf-8", "replace").splitlines()
        return tuple(line.partition("\trefs/tags/")[2] for line in lines[:_MOST_TAGS])

    async def commit(self, checkpoint: Checkpoint, base: Snapshot) -> str:
        """Write a checkpoint as a commit that only this mirror has, and keep it."""
        async with self._lock:
            made = await write_commit(self._git, self._git, checkpoint=checkpoint, base=base)
            await self._git.output("update-ref", f"refs/cairn/{made}", made)
            return made

    async def merge(
        self, old: Snapshot, mine: Snapshot, new: Snapshot
    ) -> tuple[Snapshot, frozenset[str]]:
        """Put what changed from ``old`` to ``mine`` on ``new``: the tree, and what is in conflict.

        git follows files that were renamed. Commits are made of the trees, because those that were
        fetched have no history here. Raises ``Outage``.
        """
        git = replace(self._git, settings=(*self._git.settings, "merge.directoryRenames=false"))

        async def commit(tree: str, *below: str) -> str:
            made = await git.output("commit-tree", tree, "-m", "tree", *below, environment=_NOBODY)
            return made.decode().strip()

        base = await commit(old.tree)
        sides = [await commit(each.tree, "-p", base) for each in (mine, new)]
        done = await git.call("merge-tree", "--write-tree", "--no-messages", *_NAMES, *sides)
        if done.exit_code > 1:
            message = _OLD_GIT if "usage: " in done.stderr else f"git failed: {done.stderr.strip()}"
            raise Outage("git", message)
        tree, *paths = done.stdout.decode("utf-8", "surrogateescape").rstrip("\0").split("\0")
        listed = await git.output("ls-tree", "-r", "-z", "-l", "--full-tree", tree)
        return Snapshot("", tree, dict(parse_tree(listed))), frozenset(filter(None, paths))

    async def _holds(self, commit: str) -> bool:
        """Ask git once for each commit; later only whether the mirror is still there."""
        there = await asyncio.to_thread(self._objects.exists)
        if not there or not _SHA.match(commit):
            return False
        if commit in self._held:
            return True
        kept = f"refs/cairn/{commit}^{{tree}}"
        if (await self._git.call("rev-parse", "--verify", "--quiet", kept)).exit_code:
            return False
        self._held.add(commit)
        return True

    async def _make_if_missing(self) -> None:
        """Ask git once; a mirror that breaks later is made again when it cannot be fetched into."""
        if self._checked and await asyncio.to_thread(self._objects.exists):
            return
        answer = await self._git.call("rev-parse", "--is-bare-repository")
        if answer.stdout != b"true\n":
            await self._make()
        self._checked = True

    async def _make(self) -> None:
        """Make an empty mirror beside its place and move it there, so that none is half made."""
        parent = self._directory.parent
        await asyncio.to_thread(parent.mkdir, parents=True, exist_ok=True)
        fresh = await asyncio.to_thread(tempfile.mkdtemp, prefix=".new-", dir=parent)
        await hermetic().output("init", "--bare", "--quiet", "--template=", fresh)
        await asyncio.to_thread(shutil.rmtree, self._directory, ignore_errors=True)
        await asyncio.to_thread(Path(fresh).rename, self._directory)
        self._held.clear()

    def _trouble(self, want: str, url: str, done: Finished) -> PortError | None:
        retry_at = self._clock.now() + RETRY_AFTER
        return remote_trouble(want, url, done.stderr, retry_at=retry_at)

    async def _try(self, want: str, ref: str, url: str, token: str) -> Finished:
        done = await self._reaching(url, token).call(
            *("fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head"),
            *("--no-recurse-submodules", "--", url, f"+{want}:{ref}"),
            timeout=_FETCH,
        )
        return replace(done, stderr=done.stderr.replace(token, "***")) if token else done

    def _reaching(self, url: str, token: str) -> Git:
        """git that may talk to ``url``'s server, and shows the token there and nowhere else."""
        parts = urlsplit(url)
        basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        secret = {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{parts.scheme}://{parts.netloc}/.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {basic}",
        }
        extra = {**self._environment, **secret}
        return hermetic(*self._git.place, protocols=parts.scheme, extra=extra)
