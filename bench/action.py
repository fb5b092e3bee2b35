"""What a workflow spends before Cairn works: packages, start, GitHub, the sandbox.

Against GitHub and model of this machine; the wheels are there already, as the cache of Actions
brings them (its own download is GitHub's). Once more with an empty folder, for comparison.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

from bench.finding import Finding, Line, Peer
from tests.action.job_kit import Workflows, workflows
from tests.action.runner_kit import published
from tests.scenarios.projects import NOTES

GOAL = 20.0


async def measure(folder: Path) -> AsyncIterator[Line | str]:
    """Time place, install and a dry run: all a workflow does before the first task."""
    root = published(_made(folder / "action"))
    tools = {"SANDBOX": "process"}
    cold = await _install(root, tools)
    warm = await _install(root, tools)
    for sandbox in ("process", "bubblewrap"):
        async with workflows(folder / sandbox, NOTES) as ci:
            took = await _dry_run(ci, root, tools, sandbox)
        yield Finding(
            what=f"set-up of the Action, wheels there, {sandbox}",
            value=warm + took,
            unit="s",
            peer=Peer(what="installing the packages anew", value=cold),
            goal=f"< {GOAL:.0f} s",
            ok=warm + took < GOAL,
        )


async def _install(root: Path, tools: dict[str, str]) -> float:
    began = time.perf_counter()
    place = await _step(root, "place", tools)
    tools |= {"WITH_PYTHON": place["python"]}
    tools |= {name.upper(): place[name] for name in ("folder", "wheels")}
    await _step(root, "install", tools)
    return time.perf_counter() - began


async def _dry_run(ci: Workflows, root: Path, tools: dict[str, str], sandbox: str) -> float:
    environment = ci.environment("workflow_dispatch", ci.dispatch(), WITH_DRY_RUN="true")
    began = time.perf_counter()
    await _step(root, "work", tools | environment | {"CAIRN_SANDBOX": sandbox})
    return time.perf_counter() - began


async def _step(root: Path, name: str, environment: dict[str, str]) -> dict[str, str]:
    """Run one step of action.yml; what it printed as ``name=value``."""
    process = await asyncio.create_subprocess_exec(
        *(str(root / "scripts/action-setup"), name),
        env={**os.environ, "RUNNER_TEMP": str(root)} | environment,
        stdout=asyncio.subprocess.PIPE,
    )
    printed, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"{name} ended with {process.returncode}: {printed.decode()}")
    lines = (line.partition("=") for line in printed.decode().splitlines())
    return {key: value for key, _, value in lines}


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder
