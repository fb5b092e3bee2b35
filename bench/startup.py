"""``cairn --help`` against Python alone, and ``cairn serve`` until it listens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import median

from bench.finding import Finding, Line, Peer
from bench.served import peak_megabytes, processor_seconds, surroundings
from tests.scenarios.process import serving

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


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """CPU seconds, which a busy machine does not change, and the largest resident memory."""
    commands = {
        " ".join(("cairn", *words)): (sys.executable, "-m", "app", *words) for words in _ARGUMENTS
    }
    runs = [{name: _run(command) for name, command in commands.items()} for _ in range(_ROUNDS)]
    empty = median(_run(_PYTHON)[0] for _ in range(_ROUNDS))
    for name in commands:
        seconds = median(run[name][0] for run in runs)
        megabytes = max(run[name][1] for run in runs)
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
            value=megabytes,
            unit="MB",
            goal=f"< {_GOAL_MEGABYTES}",
            ok=megabytes < _GOAL_MEGABYTES,
        )


async def server(folder: Path) -> AsyncIterator[Line]:
    """CPU seconds and memory of a server that was asked nothing yet."""
    client = median(_run((sys.executable, "-c", "import openai"))[0] for _ in range(_STARTS))
    used: list[tuple[float, float]] = []
    for number in range(_STARTS):
        async with surroundings(folder / str(number)) as bot, serving(bot) as server:
            pid = server.process.pid
            used.append((processor_seconds(pid), peak_megabytes(pid)))
    yield Finding(
        what="cairn serve until it listens",
        value=median(seconds for seconds, _ in used),
        unit="s",
        peer=Peer(what="the model's client, which waits for a question", value=client),
    )
    megabytes = max(megabytes for _, megabytes in used)
    yield Finding(what="cairn serve until it listens, memory", value=megabytes, unit="MB")


def _run(command: tuple[str, ...]) -> tuple[float, float]:
    """CPU seconds and megabytes of one process, which prints to nobody."""
    said = subprocess.run(
        [sys.executable, "-c", _WATCHED, *command], capture_output=True, text=True, check=True
    )
    seconds, kilobytes = map(float, said.stdout.split())
    return seconds, kilobytes / 1024
