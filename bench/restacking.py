"""Bring a pull request up to date in a repository of 20,000 files, without a network."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from app.github.api import Refused, RepositoryApi
from app.github.checks import CheckRuns
from app.github.commits import Commit, Commits
from app.github.freshen import Freshen, Own
from app.github.mirror import Mirror
from app.github.place import Place
from app.github.pulls import Pull
from app.github.shown_checks import TrustChecks
from bench.finding import Finding, Line, Peer
from runner.errors import TaskError
from runner.roadmap.parse import parse_roadmap
from runner.state.changes import Snapshot
from runner.state.publishing import Checkpoint

_FILES, _ROUNDS = 20_000, 5
_ROADMAP = b"- [ ] add it\n- [ ] test it\n"
_TASK = parse_roadmap("ROADMAP.md", _ROADMAP).tasks[1].key
_CHANGED = "pkg007/module_00107.py"
"""A file that both sides change, in different lines."""


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Join a squash-merged base into the branch above; git reads the three trees anew each time."""
    place = folder / "repository"
    commits = _repository(place)
    seconds, listing = [], []
    for _ in range(_ROUNDS):
        seconds.append(await _joined(place, commits))
        listing.append(_listed(place, commits))
    took = median(seconds)
    yield Finding(
        what=f"restack in a repository of {_FILES:,} files, CPU time",
        value=took,
        unit="s",
        peer=Peer(what="git lists the three trees", value=median(listing)),
        goal="< 1 s",
        ok=took < 1,
    )


class _Compared(RepositoryApi):
    """Answers the one question that is asked of GitHub: how two lines compare."""

    def __init__(self, commits: tuple[str, str, str, str]) -> None:
        self.full_name, self._commits = "octo/large", commits

    async def find(self, path: str, doing: str, *, refused: Refused = TaskError) -> Any:
        start, below, mine, _ = self._commits
        own = {"message": f"2\n\nCairn-Task: {_TASK}\n"}
        listed = [_listed_commit(below, start, "1"), _listed_commit(mine, below, own["message"])]
        return {"merge_base_commit": {"sha": start}, "behind_by": 1, "commits": listed}

    async def merge_methods(self) -> frozenset[str]:
        return frozenset({"squash"})


def _listed_commit(sha: str, parent: str, message: str) -> dict[str, Any]:
    who = {"name": "cairn[bot]", "email": "cairn@example.com"}
    shape = {"message": message, "author": who, "committer": who, "tree": {"sha": ""}}
    return {"sha": sha, "parents": [{"sha": parent}], "commit": shape}


class _Made(Commits):
    """Takes a commit and moves a branch without asking anybody."""

    def __init__(self) -> None:
        self.trees: list[str] = []

    async def create(
        self, checkpoint: Checkpoint, base: Snapshot, *, onto: str = "", known: bool = False
    ) -> Commit:
        self.trees.append(checkpoint.tree)
        return Commit("f" * 40, checkpoint.tree, (onto, checkpoint.parent))

    async def move(self, branch: str, *, old: str, new: str | None) -> bool:
        return True


class _Here(Place):
    """A repository of which everything is here."""

    def __init__(self, place: Path, commits: tuple[str, str, str, str]) -> None:
        self.mirror, self.api = Mirror(place / ".git"), _Compared(commits)
        self.checks = CheckRuns(self.api, bot_login="", made=False)

    async def snapshot(self, commit: str) -> Snapshot:
        return await self.mirror.objects.snapshot(commit)


async def _joined(place: Path, commits: tuple[str, str, str, str]) -> float:
    here, made, (_, below, mine, tip) = _Here(place, commits), _Made(), commits
    here.commits = made
    fresh = Freshen(here, TrustChecks(here))
    own = Own(frozenset({_TASK}), below)
    began = _spent()
    done = await fresh.one(_pull(mine), tip, why="merged", own=own)
    took = _spent() - began
    if (done.done, len(made.trees)) != ("joined", 1):
        raise AssertionError(f"nothing was joined: {done}")
    return took


def _spent() -> float:
    """Seconds of processor time, of git's processes too; the machine may be busy."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _pull(head: str) -> Pull:
    return Pull(
        number=2,
        url="",
        state="open",
        head="cairn/r1/two",
        sha=head,
        base="main",
        tasks=(_TASK,),
        roadmap="ROADMAP.md",
        title="2",
    )


def _listed(place: Path, commits: tuple[str, str, str, str]) -> float:
    began = _spent()
    for commit in commits[1:]:
        _git(place, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
    return _spent() - began


def _repository(place: Path) -> tuple[str, str, str, str]:
    """Return the commits: the start, the one below, the one above it, and the squashed base."""
    place.mkdir()
    _git(place, "init", "--quiet")
    _git(place, "fast-import", "--quiet", stdin=b"".join(_stream()))
    names = ("start", "below", "mine", "main")
    start, below, mine, tip = (
        _git(place, "rev-parse", f"refs/heads/{name}").decode().strip() for name in names
    )
    return start, below, mine, tip


def _stream() -> Iterator[bytes]:
    """The history as ``git fast-import`` takes it."""
    content = b"".join(b"line_%d = %d\n" % (n, n) for n in range(30))
    files = {f"pkg{n % 100:03}/module_{n:05}.py": content for n in range(_FILES - 1)}
    ticked = _ROADMAP.replace(b"[ ] add", b"[x] add")
    both = ticked.replace(b"[ ] test", b"[x] test")
    one = {"one.py": b"ONE = 1\n", "ROADMAP.md": ticked}
    two = {"two.py": b"TWO = 2\n", "ROADMAP.md": both, _CHANGED: content + b"more = 1\n"}
    yield from _commit("start", b"start", {**files, "ROADMAP.md": _ROADMAP})
    yield from _commit("below", b"1", one, parent="start")
    yield from _commit("mine", b"2", two, parent="below")
    squashed = {**one, _CHANGED: b"first = 0\n" + content}
    yield from _commit("main", b"1 (#1)", squashed, parent="start")


def _commit(
    branch: str, message: bytes, files: dict[str, bytes], *, parent: str = ""
) -> Iterator[bytes]:
    yield f"commit refs/heads/{branch}\ncommitter bench <bench@example.com> 0 +0000\n".encode()
    yield b"data %d\n%s\n" % (len(message), message)
    if parent:
        yield f"from refs/heads/{parent}\n".encode()
    for path, content in files.items():
        yield f"M 100644 inline {path}\n".encode() + b"data %d\n%s\n" % (len(content), content)
    yield b"\n"


def _git(place: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ("git", "-C", str(place), *arguments)
    return subprocess.run(command, input=stdin, capture_output=True, check=True).stdout
