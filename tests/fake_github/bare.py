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
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from cachetools import LRUCache

from tests.fake_github import trees
from tests.fake_github.objects import GitError, Objects, environment
from tests.fake_github.trees import Line

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
_PLAIN = re.compile(r"refs(?:/\w(?:[\w-]|\.(?=\w))*)+", re.ASCII)
_PARENTS: LRUCache[str, tuple[str, ...]] = LRUCache(20_000)
_SIZES: LRUCache[str, int] = LRUCache(100_000)
_KNOWN: LRUCache[tuple[str, ...], bytes | GitError] = LRUCache(20_000)
"""What git said about objects that are named by their sha, in any repository."""
MODES = {"040000": "tree", "160000": "commit"}


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
        whole = _SHA.fullmatch(name) or name.startswith("refs/")
        candidates = (name,) if whole else (f"refs/heads/{name}", f"refs/tags/{name}", name)
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
        top = self.objects.info(f"{tree}^{{tree}}")
        if top is None:
            raise GitError(f"{tree} has no tree")
        return list(self._entries(top.sha, "", recursive=recursive))

    def _entries(self, tree: str, above: str, *, recursive: bool) -> Iterator[Entry]:
        for name, (mode, sha) in trees.read(self.objects, tree).items():
            kind = MODES.get(mode.zfill(6), "blob")
            size = self._size(sha) if kind == "blob" else None
            yield Entry(mode.zfill(6), kind, sha, size, above + name)
            if recursive and kind == "tree":
                yield from self._entries(sha, f"{above}{name}/", recursive=True)

    def _size(self, sha: str) -> int | None:
        if sha not in _SIZES and (found := self.objects.info(sha)):
            _SIZES[sha] = found.size
        return _SIZES.get(sha)

    def tree(self, base: str | None, lines: Iterable[Line]) -> str:
        """Write the tree ``base`` (or that of a commit) with lines laid over it."""
        known = self.objects.info(f"{base}^{{tree}}") if base else None
        if base and known is None:
            raise GitError(f"{base} has no tree")
        return trees.lay(self.objects, known.sha if known else None, lines)

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
        if not self._moved(ref, sha):
            self.git("update-ref", "-d", ref) if sha is None else self.git("update-ref", ref, sha)

    def _moved(self, ref: str, sha: str | None) -> bool:
        """Write the file that a ref is; False where git has to do it, or to say why it cannot."""
        is_plain = _PLAIN.fullmatch(ref) and ".lock" not in ref
        if not is_plain or (self.path / "packed-refs").exists():
            return False
        file = self.path / ref
        fresh = file.with_name(f"{uuid.uuid4().hex}.lock")
        try:
            if sha is None:
                file.unlink()
            elif self.kind(sha) == "commit":
                file.parent.mkdir(parents=True, exist_ok=True)
                fresh.write_text(f"{sha}\n")
                fresh.rename(file)
            else:
                return False
        except OSError:  # something stands in its way
            with suppress(OSError):
                fresh.unlink()
            return False
        return True

    def parents(self, sha: str) -> tuple[str, ...]:
        """The parents of a commit. Raises ``GitError`` when there is none."""
        if sha not in _PARENTS:
            head = self.objects.content(sha, "commit").partition(b"\n\n")[0].decode("latin-1")
            lines = [line for line in head.split("\n") if line.startswith("parent ")]
            _PARENTS[sha] = tuple(line.removeprefix("parent ") for line in lines)
        return _PARENTS[sha]

    def ancestors(self, *names: str) -> dict[str, tuple[str, ...]]:
        """Commits with all that they contain, the nearest first, and the parents of each."""
        shallow = self.path / "shallow"
        cut = set(shallow.read_text().split()) if shallow.exists() else set()
        found: dict[str, tuple[str, ...]] = {}
        due = deque(
            sha for name in names if (sha := name if name in _PARENTS else self.resolve(name))
        )
        while due:
            if (sha := due.popleft()) not in found:
                found[sha] = () if sha in cut else self.parents(sha)
                due += found[sha]
        return found

    def is_ancestor(self, old: str, new: str) -> bool:
        """True when ``new`` contains ``old``."""
        return self.resolve(old) in self.ancestors(new)

    def merge_base(self, one: str, two: str) -> str | None:
        """The best common ancestor; None for unrelated histories."""
        lines = self.ancestors(one), self.ancestors(two)
        for line, other in (lines, lines[::-1]):
            if all(len(parents) < 2 for parents in line.values()):
                return next((sha for sha in line if sha in other), None)
        try:
            return self.fixed("merge-base", one, two).decode().strip()
        except GitError:
            return None

    def between(self, base: str, head: str) -> list[str]:
        """Commits of ``head`` that ``base`` has not, oldest first."""
        known, line = self.ancestors(base), self.ancestors(head)
        new = [sha for sha in line if sha not in known]
        if all(len(line[sha]) < 2 for sha in new):
            return new[::-1]
        said = self.fixed("rev-list", "--reverse", "--topo-order", head, f"^{base}")
        return said.decode().split()

    def merged_tree(self, base: str, head: str) -> str | None:
        """The tree of a merge; None on a conflict."""
        for old, new in ((base, head), (head, base)):
            if self.is_ancestor(old, new):
                return self.resolve(new, "tree")
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


@cache
def _empty_repository() -> Path:
    """An empty bare repository to copy: git takes longer to make one."""
    folder = tempfile.mkdtemp(prefix="fake-github-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    bare = Bare(Path(folder))
    bare.git("init", "--bare", "-q", "--template=", ".")
    bare.configure()
    return bare.path


def write_files(bare: Bare, base: str | None, files: Mapping[str, object]) -> str:
    """Lay files over a tree: bytes or text, (mode, bytes), ("120000", target) or None (delete)."""
    lines: list[Line] = []
    for path, given in files.items():
        mode, data = given if isinstance(given, tuple) else ("100644", given)
        raw = data.encode() if isinstance(data, str) else data
        lines.append((mode, None if raw is None else bare.blob(raw), path))
    return bare.tree(base, lines)
