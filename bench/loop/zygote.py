"""A Python that has pytest loaded already and forks for each command; run as a script.

Reads one JSON object a line (id, argv as after ``python3``, folder, environment, out, err, seconds,
processor) and writes one a line (id, code, timed_out). Who uses up ``processor`` seconds timed out.
Starting Python and importing pytest is most of what a small test run takes; what runs in the child
is the command's own code.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import time
from typing import Any

_KILLED = 137
_LOOK = 0.05


def main() -> None:
    """Serve until the input ends."""
    import pytest  # noqa: F401 - loaded for the children
    from _pytest.config import default_plugins

    for name in default_plugins:
        __import__(f"_pytest.{name}")
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, lambda *_: None)
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    _serve(woken)


def _serve(woken: int) -> None:
    running: dict[int, tuple[str, float]] = {}
    lines = b""
    while True:
        ready, _, _ = select.select([0, woken], [], [], _LOOK if running else None)
        if woken in ready:
            os.read(woken, 4096)
        if 0 in ready:
            more = os.read(0, 1 << 16)
            if not more:
                return
            *whole, lines = (lines + more).split(b"\n")
            for line in whole:
                asked = json.loads(line)
                running[_started(asked)] = (asked["id"], time.monotonic() + asked["seconds"])
        _settle(running)


def _settle(running: dict[int, tuple[str, float]]) -> None:
    """Tell of the children that ended, and end those whose time is over."""
    for pid, (name, until) in list(running.items()):
        late = time.monotonic() > until
        if late:
            os.killpg(pid, signal.SIGKILL)
        ended, status = os.waitpid(pid, 0 if late else os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            late = late or code == -signal.SIGXCPU
            code = _KILLED if late else code if code >= 0 else 128 - code
            del running[pid]
            print(json.dumps({"id": name, "code": code, "timed_out": late}), flush=True)


def _started(asked: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        _become(asked)
        code = _ran(asked["argv"])
    finally:
        os._exit(code)
    return 0


def _become(asked: dict[str, Any]) -> None:
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (asked["processor"], asked["processor"] + 1))
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    for number, path in ((0, os.devnull), (1, asked["out"]), (2, asked["err"])):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)


def _ran(argv: list[str]) -> int:
    """Run ``-c CODE ARGUMENT ...`` as Python does; options before it are the zygote's own."""
    place = argv.index("-c")
    sys.argv = ["-c", *argv[place + 2 :]]
    sys.dont_write_bytecode = True
    code = 0
    try:
        exec(compile(argv[place + 1], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:  # noqa: BLE001 - as Python itself does with what nobody caught
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    main()
