"""A real git repository in a temporary folder, made with the git command itself."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.com",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.com",
}


class ScratchGit:
    """One repository with a work tree and one branch, ``main``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self("init", "--quiet", "--initial-branch=main")

    def __call__(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git here and return what it printed; a failure fails the test."""
        return os.fsdecode(self.raw(*arguments, stdin=stdin)).strip()

    def raw(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run git here and return its bytes."""
        return subprocess.run(
            ["git", "-C", str(self.root), *arguments],
            input=stdin,
            env=ENVIRONMENT,
            check=True,
            capture_output=True,
        ).stdout

    def write(self, files: Mapping[str, bytes]) -> None:
        """Put files into the work tree."""
        for path, content in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)

    def commit(self, files: Mapping[str, bytes], message: str = "a commit") -> str:
        """Write files, commit everything there is and return the commit."""
        self.write(files)
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message", message)
        return self("rev-parse", "HEAD")

    def tree(self, commit: str = "HEAD") -> str:
        """Name the tree of a commit, as git says it."""
        return self("rev-parse", f"{commit}^{{tree}}")
