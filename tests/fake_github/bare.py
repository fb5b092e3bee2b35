"""A bare repository, asked and changed with git plumbing only. Git is the only truth.

Every method raises ``GitError`` when git refuses.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import groupby
from pathlib import Path

from cachetools import LRUCache

from tests.fake_github.objects import GitError, Objects, environment

SETTINGS = """
[http]
    receivepack = true
[uploadpack]
    allowFilter = true
    allowAnySHA1InWant = true
[receive]
    shallowUpdate = true
[gc]
    auto = 0
"""
_SHA = re.compile(r"\^?[0-9a-f]{40}")
_KNOWN: LRUCache[tuple[str, ...], bytes | GitError] = LRUCache(20_000)
"""What git said about objects that are named by their sha, in any repository."""
MODES = {"040000": "tree", "160000": "commit"}

Line = tuple[str, str | None, str]
"""Mode, sha (None deletes) and path of an entry that is laid over a tree."""


@dataclass(frozen=True)
class Entry:
    """One line of ls-tree; ``size`` in bytes, None for trees and submodules."""

    mode: str
    type: str
    sha: str
    size: int | None
    path: str


@dataclass(frozen=True)
class Person:
    """Who made a commit, and when."""

    name: str
    email: str
    date: datetime

    def line(self) -> str:
        """As it stands in a commit object."""
        return f"{self.name} <{self.email}> {int(self.date.timestamp())} +0000"


class Bare:
    """One bare repository on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._objects: Objects | None = None
        self._written: dict[tuple[str, ...], bytes | GitError] = {}

    @classmethod
    def create(cls, path: Path, *, branch: str = "main") -> Bare:
        """Make an empty repository that accepts pushes over HTTP."""
        shutil.copytree(_empty_repository(), path)
        (path / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
        return cls(path)

    @classmethod
    def copy(cls, source: Path, path: Path) -> Bare:
        """Take over an existing bare repository (a copy: the original stays as it is)."""
        shutil.copytree(source, path, symlinks=True)
        bare = cls(path)
        bare.configure()
        return bare

    def configure(self) -> None:
        """Allow what GitHub allows: push, fetch of any commit, partial clones."""
        with (self.path / "config").open("a", encoding="utf-8") as config:
            config.write(SETTINGS)

    def close(self) -> None:
        """End what is kept open for reading; it opens again when something is read."""
        self._objects = None

    def git(self, *arguments: str, stdin: bytes = b"", index: str = "") -> bytes:
        """Run git here and return what it printed."""
        more = {"GIT_DIR": str(self.path), **({"GIT_INDEX_FILE": index} if index else {})}
        command = ["git", "-c", "core.quotePath=false", *arguments]
        done = subprocess.run(
            command,
            cwd=self.path,
            env=environment() | more,
            input=stdin,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            why = done.stderr.decode(errors="replace").strip() or f"git {arguments[0]}"
            raise GitError(why, code=done.returncode)
        return done.stdout

    def text(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git here and return one trimmed text."""
        return self.git(*arguments, stdin=stdin).decode(errors="surrogateescape").strip()

    @property
    def objects(self) -> Objects:
        """Its objects, as they are now."""
        if self._objects is None or self._objects.path != self.path:  # it may move
            self._objects = Objects(self.path)
        return self._objects

    def fixed(self, *arguments: str, paths: Iterable[str] = ()) -> bytes:
        """Run git, but once where all it is asked about is named by its sha: that never changes.

        Nor does it differ from one repository to another; a merge writes its tree into this one.
        """
        whole = (*arguments, "--", *paths) if paths else arguments
        named = [a for a in arguments[1:] if not a.startswith("-")]
        if not all(_SHA.fullmatch(name) for name in named):
            return self.git(*whole)
        known = self._written if arguments[0] == "merge-tree" else _KNOWN
        answer = known.get(whole)
        if answer is None:
            answer = known[whole] = self._answer(whole)
        if isinstance(answer, GitError):
            raise answer
        return answer

    def _answer(self, arguments: tuple[str, ...]) -> bytes | GitError:
        """What git says; a no (1) is an answer as well, unlike that an object is missing."""
        try:
            return self.git(*arguments)
        except GitError as error:
            if error.code != 1:
                raise
            return error

    def refs(self, prefix: str = "refs/heads/") -> dict[str, str]:
        """Full ref name → sha of everything below ``prefix``, read from the files git keeps."""
        packed = self.path / "packed-refs"
        lines = packed.read_text(errors="surrogateescape").splitlines() if packed.exists() else ()
        found = {line[41:]: line[:40] for line in lines if line[0] not in "#^"}
        for folder, _, names in os.walk(self.path / "refs"):
            for file in (Path(folder) / name for name in names if not name.endswith(".lock")):
                with suppress(FileNotFoundError):  # a push at work just deleted it
                    found[str(file.relative_to(self.path))] = file.read_text().strip()
        return {name: found[name] for name in sorted(found) if name.startswith(prefix)}

    def resolve(self, name: str, kind: str = "commit") -> str | None:
        """The sha of a branch, tag, full ref or sha; None when there is none of that kind."""
        candidates = (f"refs/heads/{name}", f"refs/tags/{name}", name)
        found = (self.objects.info(f"{candidate}^{{{kind}}}") for candidate in candidates)
        return next((one.sha for one in found if one), None)

    def at(self, ref: str, path: str, kind: str = "blob") -> str | None:
        """The sha of what stands at a path of a commit ("" is the whole tree)."""
        commit = self.resolve(ref)
        found = self.objects.info(f"{commit}:{path}") if commit else None
        return found.sha if found and found.type == kind else None

    def kind(self, sha: str) -> str | None:
        """blob, tree, commit or tag; None when there is no such object."""
        found = self.objects.info(sha)
        return found.type if found else None

    def blob(self, data: bytes) -> str:
        """Store a content and return its sha."""
        return self.objects.write("blob", data)

    def content(self, sha: str) -> bytes:
        """The bytes of a blob."""
        return self.objects.content(sha, "blob")

    def entries(self, tree: str, *, recursive: bool = False) -> list[Entry]:
        """The lines of a tree (or of a commit's tree); recursive also names the folders."""
        flags = ("-r", "-t") if recursive else ()
        lines = self.fixed("ls-tree", "-l", "-z", "--full-tree", *flags, tree).split(b"\0")
        return [_entry(line.decode(errors="surrogateescape")) for line in lines if line]

    def tree(self, base: str | None, lines: Iterable[Line]) -> str:
        """Write the tree ``base`` with lines laid over it."""
        with tempfile.TemporaryDirectory() as folder:
            index = str(Path(folder) / "index")
            self.git("read-tree", base or self.objects.write("tree", b""), index=index)
            for whole, placed in groupby(lines, key=_is_tree):
                place = self._place_trees if whole else self._place
                place(index, placed)
            return self.git("write-tree", index=index).decode().strip()

    def _place_trees(self, index: str, placed: Iterable[Line]) -> None:
        for _, sha, path in placed:
            self.git("rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", path, index=index)
            self.git("read-tree", f"--prefix={path}/", str(sha), index=index)

    def _place(self, index: str, placed: Iterable[Line]) -> None:
        lines = (f"{m} {sha}\t{p}" if sha else f"0 {'0' * 40}\t{p}" for m, sha, p in placed)
        raw = "".join(f"{line}\0" for line in lines).encode(errors="surrogateescape")
        self.git("update-index", "-z", "--index-info", stdin=raw, index=index)

    def commit(
        self,
        tree: str,
        parents: Iterable[str],
        message: str,
        *,
        author: Person,
        committer: Person | None = None,
        signature: str = "",
    ) -> str:
        """Write a commit object, byte for byte as asked."""
        lines = [f"tree {tree}", *(f"parent {p}" for p in parents), f"author {author.line()}"]
        lines.append(f"committer {(committer or author).line()}")
        if signature:
            lines.append("gpgsig " + signature.strip().replace("\n", "\n "))
        raw = ("\n".join(lines) + "\n\n" + message).encode()
        return self.objects.write("commit", raw)

    def update(self, ref: str, sha: str | None) -> None:
        """Point a full ref at a commit, or delete it."""
        self.git("update-ref", "-d", ref) if sha is None else self.git("update-ref", ref, sha)

    def is_ancestor(self, old: str, new: str) -> bool:
        """True when ``new`` contains ``old``."""
        try:
            self.fixed("merge-base", "--is-ancestor", old, new)
        except GitError:
            return False
        return True

    def merge_base(self, one: str, two: str) -> str | None:
        """The best common ancestor; None for unrelated histories."""
        try:
            return self.fixed("merge-base", one, two).decode().strip()
        except GitError:
            return None

    def between(self, base: str, head: str) -> list[str]:
        """Commits of ``head`` that ``base`` has not, oldest first."""
        said = self.fixed("rev-list", "--reverse", "--topo-order", head, f"^{base}")
        return said.decode().split()

    def merged_tree(self, base: str, head: str) -> str | None:
        """The tree of a merge; None on a conflict."""
        try:
            return self.fixed("merge-tree", "--write-tree", base, head).decode().split()[0]
        except GitError:
            return None

    def picked_tree(self, onto: str, commit: str) -> str | None:
        """The tree of a commit with one parent, put on another one; None on a conflict."""
        nobody = Person("x", "x@example.com", datetime.fromtimestamp(0, UTC))

        def bare(of: str, *parents: str) -> str:
            return self.commit(self.resolve(of, "tree") or "", parents, "", author=nobody)

        fork = bare(f"{commit}^")
        return self.merged_tree(bare(onto, fork), bare(commit, fork))


def _is_tree(line: Line) -> bool:
    mode, sha, _ = line
    return sha is not None and MODES.get(mode) == "tree"


@cache
def _empty_repository() -> Path:
    """An empty bare repository to copy: git takes longer to make one."""
    folder = tempfile.mkdtemp(prefix="fake-github-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    bare = Bare(Path(folder))
    bare.git("init", "--bare", "-q", "--template=", ".")
    bare.configure()
    return bare.path


def _entry(line: str) -> Entry:
    meta, path = line.split("\t", 1)
    mode, kind, sha, size = meta.split()
    return Entry(mode, kind, sha, None if size == "-" else int(size), path)


def write_files(bare: Bare, base: str | None, files: Mapping[str, object]) -> str:
    """Lay files over a tree: bytes or text, (mode, bytes), ("120000", target) or None (delete)."""
    lines: list[Line] = []
    for path, given in files.items():
        mode, data = given if isinstance(given, tuple) else ("100644", given)
        raw = data.encode() if isinstance(data, str) else data
        lines.append((mode, None if raw is None else bare.blob(raw), path))
    return bare.tree(base, lines)
