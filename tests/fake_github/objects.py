"""The objects of a bare repository, read through one git process that stays.

A conversation reads hundreds of them, and to start git costs more than to read ten.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import uuid
import weakref
import zlib
from dataclasses import dataclass
from pathlib import Path


class GitError(Exception):
    """Git said no; the text is what it said, ``code`` how it ended (1 where that is an answer)."""

    def __init__(self, why: str, *, code: int = 128) -> None:
        super().__init__(why)
        self.code = code


def environment() -> dict[str, str]:
    """An environment in which no configuration of this machine counts."""
    names = ("PATH", "TMPDIR", "SYSTEMROOT")
    kept = {k: os.environ[k] for k in names if k in os.environ}
    fixed = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "HOME": os.devnull}
    return {**kept, **fixed, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


@dataclass(frozen=True)
class Info:
    """What git knows of an object; ``size`` in bytes."""

    sha: str
    type: str
    size: int


class Objects:
    """``git cat-file --batch-command`` in one repository; it ends with this value."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._process = subprocess.Popen(
            ["git", "cat-file", "--batch-command"],
            cwd=path,
            env=environment() | {"GIT_DIR": str(path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        weakref.finalize(self, _end, self._process)

    def info(self, name: str) -> Info | None:
        """What stands under a name as git understands names; None when nothing does."""
        return self._ask("info", name)

    def content(self, name: str, kind: str) -> bytes:
        """The bytes of an object. Raises ``GitError`` when none of this kind stands there."""
        found = self.info(name)
        if found is None or found.type != kind:
            raise GitError(f"{name} is no {kind}")
        self._ask("contents", found.sha)
        assert self._process.stdout is not None
        return self._process.stdout.read(found.size + 1)[:-1]

    def write(self, kind: str, content: bytes) -> str:
        """Store a loose object (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects)."""
        raw = b"%s %d\0%s" % (kind.encode(), len(content), content)
        sha = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
        file = self.path / "objects" / sha[:2] / sha[2:]
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            fresh = file.with_suffix(f".{uuid.uuid4().hex}")
            fresh.write_bytes(zlib.compress(raw, 1))
            fresh.rename(file)
        return sha

    def _ask(self, command: str, name: str) -> Info | None:
        if not name or set(name) & {"\n", "\0"}:  # git would read another name
            return None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{command} {name}\n".encode(errors="surrogateescape"))
        self._process.stdin.flush()
        line = self._process.stdout.readline().decode(errors="surrogateescape").rstrip("\n")
        if not line:
            raise GitError(f"git cat-file ended in {self.path}")
        words = line.rsplit(" ", 2)
        return None if line == f"{name} {words[-1]}" else Info(words[0], words[1], int(words[2]))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()
