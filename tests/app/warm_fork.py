"""A Python that has imported Cairn already and forks for each command; run as a script.

Reads one JSON object a packet (words, folder, environment) with three descriptors: the command's
output, its errors, and where its process id and then its exit code are written, a line each.
Importing Cairn is most of what a short command takes; what a command does stays its own.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import socket
import sys
from importlib import import_module
from typing import Any

_HEAVY = ("app.local.command", "app.roadmap.commands", "runner.model.endpoint")
_PACKET = 1 << 17


def main() -> None:
    """Serve until the other end is closed."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    for name in _HEAVY:
        import_module(name)
    gc.collect()
    gc.freeze()
    _fork_for_each(channel)
    runpy.run_module("app", run_name="__main__", alter_sys=True)


def _fork_for_each(channel: socket.socket) -> None:
    """Serve requests; returns in the processes of the commands only."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        packet, streams, _, _ = socket.recv_fds(channel, _PACKET, 3)
        if not packet:
            os._exit(0)
        if os.fork() == 0:
            channel.close()
            return _watch(json.loads(packet), *streams)
        for stream in streams:
            os.close(stream)


def _watch(asked: dict[str, Any], out: int, err: int, told: int) -> None:
    """Fork once more and tell of the command's beginning and end; returns in the command."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        os.close(told)
        return _become(asked, out, err)
    for stream in (out, err):
        os.close(stream)
    os.write(told, b"%d\n" % pid)
    _, status = os.waitpid(pid, 0)
    os.write(told, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(asked: dict[str, Any], out: int, err: int) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream, number in ((out, 1), (err, 2)):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv[1:] = asked["words"]


if __name__ == "__main__":
    main()
