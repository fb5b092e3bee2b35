"""The command lines of the bubblewrap sandbox: who holds a box open, and how a command enters it.

A box is a mount namespace that one small process, the holder, keeps alive: it has the sized tmpfs
of workspace and /tmp mounted on the box's folder, which is empty for everybody else. Each command
joins that namespace and starts a bwrap of its own there, so that its process namespace, and with
it everything it started, ends with it (https://github.com/containers/bubblewrap).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from runner.ports import BoxSpec

WORKSPACE, PREPARED = "/workspace", "/prepared"
TOOLS = ("bwrap", "unshare", "nsenter", "prlimit", "setpriv", "taskset", "mount", "sh", "cat")
HOLDS = b"ready\n"

# Root's processes are not bound by limits (https://man7.org/linux/man-pages/man2/getrlimit.2.html,
# RLIMIT_NPROC), and a box must not own root's files. No account has this id, and it lies outside
# of the ranges systemd lists (https://systemd.io/UIDS-GIDS/).
STRANGER = 1_900_000_000
_AS_STRANGER = (
    *("setpriv", "--reuid", str(STRANGER), "--regid", str(STRANGER), "--clear-groups"),
    *("--inh-caps=-all", "--"),
)
_OWN_USERS = ("unshare", "--user", "--map-root-user", "--mount", "--")
_BIND = """\
while [ "$1" != -- ]; do mount --rbind "$1" "$2" || exit; shift 2; done
shift
exec "$@"
"""
# The holder ends when its input does: when it is told to, or its worker is killed. An inode takes
# memory too, so their number is limited.
_HOLD = """\
options="nosuid,nodev,nr_inodes=$2"
mount -t tmpfs -o "$options,mode=755,size=$3" cairn "$1/workspace" || exit
mount -t tmpfs -o "$options,mode=1777,size=$4" cairn "$1/tmp" || exit
echo ready
exec cat
"""
_INODES = 500_000
# As process 1 of its namespace: when it ends, the kernel ends all others before anybody hears of
# it. The command before may have locked itself out of the workspace.
_COMMAND = f"""\
cd {WORKSPACE} 2>/dev/null || {{ chmod 755 {WORKSPACE} && cd {WORKSPACE}; }} || exit 126
"$@"
exit $?
"""
# A process may reserve this much more than it may use, for some tools reserve generously.
_RESERVE = 1 << 30
_SHM = 64 << 20


def is_root() -> bool:
    """Say whether the worker runs as root; then boxes run as a stranger to this machine."""
    return os.geteuid() == 0


def holder_line(folder: Path, binds: Mapping[Path, str], spec: BoxSpec) -> list[str]:
    """Hold a box open: ``binds`` are host folders by where in the box's folder they appear."""
    pairs = [word for path, name in binds.items() for word in (str(path), str(folder / name))]
    bind = ("sh", "-c", _BIND, "sh", *pairs, "--")
    sizes = (str(_INODES), str(spec.disk), str(spec.disk // 2))
    hold = ("sh", "-c", _HOLD, "sh", str(folder), *sizes)
    if is_root():
        # bound before root is given up: a stranger could not reach what lies in root's folders
        return ["unshare", "--mount", "--", *bind, *_AS_STRANGER, *_OWN_USERS, *hold]
    return [*_OWN_USERS, *bind, *hold]


def command_line(
    argv: Sequence[str],
    *,
    holder: int,
    view: Iterable[str],
    environment: Mapping[str, str],
    spec: BoxSpec,
    seccomp: int | None = None,
) -> list[str]:
    """Run a command in the box of ``holder``; ``view`` are the bwrap options of what it sees.

    ``seccomp`` is the open file with the filter of system calls.
    """
    variables = [word for pair in environment.items() for word in ("--setenv", *pair)]
    return [
        *(_AS_STRANGER if is_root() else ()),
        *("nsenter", "--preserve-credentials", "--target", str(holder), "--user", "--mount", "--"),
        *("taskset", "--cpu-list", _processors(spec.cpus, holder)),
        *("prlimit", f"--nproc={spec.pids}", f"--data={spec.memory + _RESERVE}"),
        *(f"--fsize={2 * spec.disk}", "--core=0", "--"),
        *("bwrap", "--unshare-all", "--unshare-user", "--disable-userns"),
        *(("--share-net",) if spec.network else ()),
        *("--uid", "1000", "--gid", "1000", "--hostname", "cairn", "--cap-drop", "ALL"),
        *("--as-pid-1", "--new-session", "--die-with-parent", "--clearenv", *variables),
        *(() if seccomp is None else ("--seccomp", str(seccomp))),
        *view,
        *("--proc", "/proc", "--dev", "/dev", "--size", str(_SHM), "--tmpfs", "/dev/shm"),  # noqa: S108
        *("--remount-ro", "/dev", "--remount-ro", "/", "--"),
        *("sh", "-c", _COMMAND, "sh", *argv),
    ]


def _processors(cpus: float, seed: int) -> str:
    """Choose whole processors, not always the same ones."""
    allowed = sorted(os.sched_getaffinity(0))
    count = min(len(allowed), math.ceil(cpus))
    return ",".join(str(allowed[(seed + place) % len(allowed)]) for place in range(count))
