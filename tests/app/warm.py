"""``cairn`` in a process of its own that need not import it first: forked from one that has.

One such Python serves all commands of a test process. Cold starts are ``terminals``' and
``test_cli_programs``'.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO, cast

from tests.runner.git.scratch_git import ENVIRONMENT

PROJECT = Path(__file__).parents[2]


@dataclass
class WarmProcess:
    """A command that runs; used as asyncio's own processes are."""

    pid: int
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    told: asyncio.StreamReader
    pipes: tuple[asyncio.BaseTransport, ...]
    returncode: int | None = None

    async def communicate(self) -> tuple[bytes, bytes]:
        """Read both streams to their ends, and wait."""
        out, err = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        return out, err

    async def wait(self) -> int:
        """Wait for the end; the exit code, or the negative number of the signal."""
        if self.returncode is None:
            self.returncode = int(await self.told.readline())
            for pipe in self.pipes:
                pipe.close()
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it is over."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it without a word."""
        self.send_signal(signal.SIGKILL)


async def start(
    words: tuple[str, ...], folder: Path, environment: Mapping[str, str]
) -> WarmProcess:
    """Start ``cairn`` with these words there."""
    ours, theirs = zip(*(os.pipe() for _ in range(3)), strict=True)
    asked = {"words": words, "folder": str(folder), "environment": dict(environment)}
    socket.send_fds(_warm(), [json.dumps(asked).encode()], theirs)
    for number in theirs:
        os.close(number)
    (out, err, told), pipes = zip(*[await _read(number) for number in ours], strict=True)
    return WarmProcess(int(await told.readline()), out, err, told, pipes)


async def _read(number: int) -> tuple[asyncio.StreamReader, asyncio.BaseTransport]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    pipe = cast(BinaryIO, os.fdopen(number, "rb", buffering=0))
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader, transport


@cache
def _warm() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    script = str(Path(__file__).with_name("warm_fork.py"))
    process = subprocess.Popen(
        [sys.executable, "-P", script, str(theirs.fileno())],
        env={**ENVIRONMENT, "PYTHONPATH": str(PROJECT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,  # as its children's are: what is open on it is told at start
        stderr=subprocess.STDOUT,
        pass_fds=[theirs.fileno()],
    )
    theirs.close()
    atexit.register(_end, ours, process)
    return ours


def _end(channel: socket.socket, process: subprocess.Popen[bytes]) -> None:
    channel.close()
    process.communicate()
