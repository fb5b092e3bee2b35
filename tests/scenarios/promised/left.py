"""What a run left behind, read alike from a checkout and from a server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.runner.git.scratch_git import ENVIRONMENT


@dataclass(frozen=True)
class Left:
    """``git`` is the repository's git folder, ``folder`` where reports lie, ``said`` the comments
    or the printed report, ``seen`` copies of workspaces in which Python was started. ``timed`` is
    False where the clock stood still.
    """

    git: Path
    folder: Path
    prompts: tuple[str, ...]
    log: tuple[str, ...]
    said: str
    seen: Path
    timed: bool = True

    @cached_property
    def report(self) -> Any:
        """``report.json``."""
        return json.loads((self.folder / "report.json").read_text())

    @cached_property
    def text(self) -> str:
        """``report.md``."""
        return (self.folder / "report.md").read_text()

    @cached_property
    def todos(self) -> list[dict[str, Any]]:
        """The items of ``todos.json``."""
        items: list[dict[str, Any]] = json.loads((self.folder / "todos.json").read_text())["todos"]
        return items

    @property
    def statuses(self) -> dict[str, str]:
        """Written id (or key) → status."""
        return {todo["id"] or todo["key"]: todo["status"] for todo in self.todos}

    def files(self, kind: str) -> list[dict[str, Any]]:
        """The numbered files of a kind (agent, verification, iteration) of all runs, in order."""
        found = self.folder.glob(f"runs/*/{kind}-*.json")
        order = sorted(found, key=lambda path: (path.stat().st_mtime_ns, len(path.name), path.name))
        return [json.loads(path.read_text()) for path in order]

    def of(self, name: str) -> dict[str, Any]:
        """The last iteration of a task by its written id."""
        key = next(todo["key"] for todo in self.todos if todo["id"] == name)
        return [each for each in self.files("iteration") if each["task"] == key][-1]

    def asked(self, words: str) -> list[str]:
        """Prompts with these words."""
        return [prompt for prompt in self.prompts if words in prompt]

    def raw(self, *arguments: str) -> bytes:
        """What git says about the repository."""
        command = ["git", "--git-dir", str(self.git), *arguments]
        return subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT).stdout

    @cached_property
    def commits(self) -> list[str]:
        """Every commit of every branch, the first one first."""
        return self.raw("rev-list", "--all", "--reverse", "--topo-order").decode().split()

    @cached_property
    def tip(self) -> str:
        """The newest commit of the runs' line, the first commit when they made none."""
        made = [line["commit"] for line in self.report["timeline"] if line["commit"]]
        return max(made, key=self.commits.index, default=self.commits[0])

    @cached_property
    def tree(self) -> dict[str, bytes]:
        """Path → content at the tip."""
        return self.at(self.tip)

    @property
    def changed(self) -> dict[str, bytes | None]:
        """What the tip has other than the first commit, without the roadmap."""
        before, after = self.at(self.commits[0]), self.tree
        paths = sorted(p for p in before | after if before.get(p) != after.get(p))
        return {path: after.get(path) for path in paths if path != "ROADMAP.md"}

    def at(self, commit: str) -> dict[str, bytes]:
        """Path → content of a commit."""
        names = self.raw("ls-tree", "-r", "-z", "--name-only", commit).decode().split("\0")[:-1]
        return {name: self.raw("show", f"{commit}:{name}") for name in names}

    def written(self, commit: str) -> dict[str, bytes]:
        """Path → content of the files a commit adds or changes."""
        asked = ("--diff-filter=AM", "--no-commit-id", "--name-only", "--root", "-r", "-z")
        names = self.raw("diff-tree", *asked, commit).decode().split("\0")[:-1]
        return {name: self.raw("show", f"{commit}:{name}") for name in names}

    def proves(self, code: str) -> None:
        """Run Python code on the tree of the tip; it must not fail."""
        self._python("-c", code)

    def check_tests_pass(self) -> None:
        """The repository's own tests pass on the tree of the tip."""
        self._python("-m", "pytest", "-q", "-p", "no:cacheprovider")

    def _python(self, *arguments: str) -> None:
        folder = self.folder / "proof"
        _write(folder, self.tree)
        plain = {**ENVIRONMENT, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(folder)}
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={**plain, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
