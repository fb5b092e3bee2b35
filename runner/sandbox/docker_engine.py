"""Reach a Docker Engine: its address, a client, one locked container per task, errors in our words.

The container's first process only keeps it alive. It runs as another user than the commands, so
that no command can end the container. Podman serves the same API, with differences that matter
(no owner of a ``tmpfs``, processes numbered from inside): it is refused.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
from aiodocker import Docker, DockerError

from runner.errors import Outage
from runner.ports import SandboxSpec
from runner.sandbox.system_calls import FILTERED, system_call_filter

# An answer that takes longer (seconds) is none; streams of commands are not bound by it.
_ANSWER = aiohttp.ClientTimeout(total=120, connect=10)
_UNREACHABLE = 900  # aiodocker's own status for "no connection"
_HOW = (
    "Start the Docker Engine (https://docs.docker.com/engine/install/), and set DOCKER_HOST if its "
    "socket is in an unusual place."
)


def engine_address(environ: Mapping[str, str]) -> str:
    """Find the engine: DOCKER_HOST (``unix:///path`` or ``tcp://host:port``), else a known socket.

    Raises ``Outage`` if none is found.
    """
    if named := environ.get("DOCKER_HOST"):
        return named
    for socket in _sockets(environ):
        if socket.is_socket():
            return f"unix://{socket}"
    raise Outage(
        "sandbox",
        "No Docker Engine was found: install and start Docker "
        "(https://docs.docker.com/engine/install/), or set DOCKER_HOST if its socket is in an "
        "unusual place.",
    )


@asynccontextmanager
async def engine(address: str = "") -> AsyncIterator[tuple[Docker, str]]:
    """Yield a client for the engine and the address used; inside, failures raise ``Outage``."""
    address = address or engine_address(os.environ)
    with engine_errors(address):
        try:
            docker = Docker(url=address, timeout=_ANSWER)
        except ValueError as error:
            raise Outage("sandbox", f"{address} is not the address of an engine. {_HOW}") from error
        async with docker:
            yield docker, address


@contextmanager
def engine_errors(address: str) -> Iterator[None]:
    """Turn what the client raises into ``Outage``: nobody's task is to blame for the engine."""
    try:
        yield
    except DockerError as error:
        if error.status == _UNREACHABLE:
            raise Outage("sandbox", f"No Docker Engine answers at {address}. {_HOW}") from error
        message = f"The Docker Engine at {address} refused ({error.status}): {error.message}"
        raise Outage("sandbox", message) from error
    except (aiohttp.ClientError, OSError) as error:  # OSError includes TimeoutError
        message = f"The Docker Engine at {address} stopped answering ({error!r}). {_HOW}"
        raise Outage("sandbox", message) from error


def _sockets(environ: Mapping[str, str]) -> list[Path]:
    system = [Path("/run/docker.sock"), Path("/var/run/docker.sock")]
    home = environ.get("HOME")
    own = [Path(home, ".docker/run/docker.sock")] if home else []
    session = environ.get("XDG_RUNTIME_DIR")
    rootless = [Path(session, "docker.sock")] if session else []
    return [*system, *own, *rootless]


WORKSPACE = "/workspace"
USER = "1000:1000"
KILLED = 137  # what a shell says of a command ended by SIGKILL: 128 + 9
OWNER, RUN, TASK = "cairn.owner", "cairn.run", "cairn.task"

_KEEPER = "65534:65534"
# PATH is the image's own; the engine fills in the usual one where the image has none
_ENVIRONMENT = ("HOME=/tmp", "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1")

# Arguments: bytes of stdin, seconds, the filter of system calls, what sets it, the command. stdin
# is counted, not half-closed, for not every way to an engine can do that, and read to its end, for
# an engine may wait long with what nobody reads. The image's own Python sets the filter, and no
# command can replace it; where an image has none, only the engine's filter holds. `kill -- -1` ends
# whatever the command left behind, in one system call and without a fork (the process limit may be
# used up); Linux spares the caller: https://man7.org/linux/man-pages/man2/kill.2.html
_COMMAND = f"""\
cd {WORKSPACE} 2>/dev/null || {{ chmod 755 {WORKSPACE} && cd {WORKSPACE}; }} || exit 126
size=$1 limit=$2 filter=$3 filtered=$4
shift 4
set -- timeout -s KILL "$limit" "$@"
for python in /usr/bin/python3 /usr/local/bin/python3; do
    [ ! -x "$python" ] || {{ set -- "$python" -I -S -c "$filtered" "$filter" "$@"; break; }}
done
head -c "$size" | {{
    "$@"
    code=$?
    cat >/dev/null
    exit $code
}}
code=$?
kill -s KILL -- -1 2>/dev/null
exit $code
"""
# The container's own system is read-only, so what commands can leave behind lies in what is mounted
# on it and is theirs. System V's queues, semaphores and memory have no file to be deleted: where
# there are some, or nobody can tell, this fails.
RENEW = (
    "sh",
    "-c",
    f"""\
while read -r _ place kind _; do
    case "$kind" in tmpfs | mqueue) [ "$place" != {WORKSPACE} ] || continue ;; *) continue ;; esac
    own="$place -xdev -mindepth 1 -user $(id -u)"
    find $own -type d ! -perm -700 -exec chmod 700 {{}} \\; && find $own -delete || exit
done </proc/self/mounts
[ "$(cat /proc/sysvipc/msg /proc/sysvipc/sem /proc/sysvipc/shm | wc -l)" -eq 3 ]
""",
)
KILL_ALL = ("sh", "-c", "kill -s KILL -- -1")


def command_line(argv: Sequence[str], *, size: int, limit: float) -> list[str]:
    """Wrap a command: it reads ``size`` bytes, ends after ``limit`` seconds, leaves nothing."""
    filtering = (system_call_filter().hex(), FILTERED)
    return ["sh", "-c", _COMMAND, "sh", str(size), f"{max(limit, 0.001):.3f}", *filtering, *argv]


def container_config(
    spec: SandboxSpec, *, image: str, owner: str, writable: bool = False, network: str = "none"
) -> dict[str, Any]:
    """Describe the container (https://docs.docker.com/reference/api/engine/, ContainerCreate).

    ``writable`` lets setup commands leave something in the container's own layer. ``network`` is
    the engine's word.
    """
    return {
        "Image": image,
        "Entrypoint": ["sleep", "infinity"],
        "Cmd": [],
        "User": _KEEPER,
        "WorkingDir": "/",
        "Env": list(_ENVIRONMENT),
        "Labels": {OWNER: owner, RUN: spec.run, TASK: spec.task},
        "Healthcheck": {"Test": ["NONE"]},
        "HostConfig": _limits(spec)
        | {
            "Init": True,
            "NetworkMode": network,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "LogConfig": {"Type": "none"},
            "ReadonlyRootfs": not writable,
        },
    }


def _limits(spec: SandboxSpec) -> dict[str, Any]:
    # the workspace is memory, too; swap would make the limit a wish
    memory = spec.memory + spec.disk
    return {
        "Memory": memory,
        "MemorySwap": memory,
        "NanoCpus": int(spec.cpus * 1e9),
        "PidsLimit": spec.pids,
        "Ulimits": [
            {"Name": "core", "Soft": 0, "Hard": 0},
            # never reached in the workspace, which is full before
            {"Name": "fsize", "Soft": 2 * spec.disk, "Hard": 2 * spec.disk},
        ],
        "Tmpfs": {
            WORKSPACE: f"rw,exec,nosuid,nodev,size={spec.disk},mode=0755,uid=1000,gid=1000",
            "/tmp": f"rw,exec,nosuid,nodev,size={spec.disk // 2},mode=1777",  # noqa: S108
        },
    }
