"""``cairn --help`` against Python alone, ``cairn serve`` and ``cairn run`` until they work."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import median

from bench.finding import Finding, Line, Peer
from bench.served import megabytes, processor_seconds, surroundings
from tests.app.checkout import Checkout, checkout
from tests.model_server import Held
from tests.scenarios.process import serving
from tests.scenarios.projects import note

_ROUNDS, _STARTS = 7, 3
_ARGUMENTS = (("--help",), ("run", "--help"), ("--version",))
# a small program in between: a child's memory counts from what its parent had when it was made
_WATCHED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
_PYTHON = (sys.executable, "-c", "pass")
_GOAL_SECONDS, _GOAL_MEGABYTES = 0.4, 60
_MOST_IMPORTS = 1.6
_SETTLING, _IDLE, _MOST_IDLE = 5.0, 60.0, 2.0
"""Seconds, and percent."""
ONE_TASK = {
    "ROADMAP.md": b"- [ ] 1.1 Write `one.md`\n",
    "tests/test_it.py": b"def test_it(): pass\n",
}


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """CPU seconds, which a busy machine does not change, and the largest resident memory."""
    commands = {
        " ".join(("cairn", *words)): (sys.executable, "-m", "app", *words) for words in _ARGUMENTS
    }
    runs = [{name: _run(command) for name, command in commands.items()} for _ in range(_ROUNDS)]
    empty = median(_run(_PYTHON)[0] for _ in range(_ROUNDS))
    for name in commands:
        seconds = median(run[name][0] for run in runs)
        most = max(run[name][1] for run in runs)
        yield Finding(
            what=name,
            value=seconds,
            unit="s",
            peer=Peer(what="python alone", value=empty),
            goal=f"< {_GOAL_SECONDS}",
            ok=seconds < _GOAL_SECONDS,
        )
        yield Finding(
            what=f"{name}, memory",
            value=most,
            unit="MB",
            goal=f"< {_GOAL_MEGABYTES}",
            ok=most < _GOAL_MEGABYTES,
        )


async def server(folder: Path) -> AsyncIterator[Line]:
    """CPU seconds and memory of a server that was asked nothing yet, and what it takes idle."""
    client = median(_run((sys.executable, "-c", "import openai"))[0] for _ in range(_STARTS))
    used: list[tuple[float, float]] = []
    for number in range(_STARTS):
        async with surroundings(folder / str(number)) as bot, serving(bot) as server:
            pid = server.process.pid
            used.append((processor_seconds(pid), megabytes(pid, peak=True)))
    yield Finding(
        what="cairn serve until it listens",
        value=median(seconds for seconds, _ in used),
        unit="s",
        peer=Peer(what="the model's client, which waits for a question", value=client),
    )
    size = max(held for _, held in used)
    yield Finding(what="cairn serve until it listens, memory", value=size, unit="MB")
    async with surroundings(folder / "idle") as bot, serving(bot) as server:
        await asyncio.sleep(_SETTLING)
        before = processor_seconds(server.process.pid)
        await asyncio.sleep(_IDLE)
        share = (processor_seconds(server.process.pid) - before) / _IDLE
    yield Finding(
        what="cairn serve while nothing happens, of a core",
        value=share * 100,
        unit="%",
        goal=f"<= {_MOST_IDLE} %",
        ok=share * 100 <= _MOST_IDLE,
    )


async def first_question(folder: Path) -> AsyncIterator[Line]:
    """CPU seconds of ``cairn run`` until it asks, with and without those of what it starts."""
    imports = (sys.executable, "-c", "import openai, typer, rich")
    used: list[tuple[float, float]] = []
    alone: list[float] = []
    for number in range(_ROUNDS):  # by turns, so that both meet the same machine
        alone.append(_run(imports)[0])
        async with checkout(folder / str(number), ONE_TASK) as here:
            used.append(await _until_asked(here))
    client = median(alone)
    own = median(seconds for seconds, _ in used)
    yield Finding(
        what="cairn run to its first question",
        value=own,
        unit="s",
        peer=Peer(what="import openai, typer, rich", value=client),
        goal=f"<= {_MOST_IMPORTS} times",
        ok=own <= _MOST_IMPORTS * client,
    )
    children = median(seconds for _, seconds in used)
    yield Finding(what="its children (git, whether the tests start)", value=children, unit="s")


async def _until_asked(here: Checkout) -> tuple[float, float]:
    """Return the seconds of the process and those of its children."""
    kept = Held(note("one.md"))
    here.model.says(kept)
    command = (sys.executable, "-m", "app", "run", "--max-tasks", "1")
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=here.folder,
        env=here.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    await kept.asked.wait()
    own = processor_seconds(process.pid), processor_seconds(process.pid, children=True)
    kept.go.set()
    await process.wait()
    return own


def _run(command: tuple[str, ...]) -> tuple[float, float]:
    """CPU seconds and megabytes of one process, which prints to nobody."""
    result = subprocess.run(
        [sys.executable, "-c", _WATCHED, *command], capture_output=True, text=True, check=True
    )
    seconds, kilobytes = map(float, result.stdout.split())
    return seconds, kilobytes / 1024
