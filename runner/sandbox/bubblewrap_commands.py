"""The command lines of the bubblewrap sandbox: what holds a session open, how commands enter it.

A session is a mount namespace that one small process, the holder, keeps alive: it has the sized
tmpfs of workspace and /tmp mounted on the session's folder, which is empty for everybody else. Each
command joins that namespace and starts its own bwrap there, so that its process namespace, and with
it everything it started, ends with it (https://github.com/containers/bubblewrap).

A command in it sees only programs and libraries of the machine, read-only.

Either the folders of a prepared root (scripts/sandbox-root), or the machine's own /usr and the few
files of /etc that programs need, for a checkout with what ``machine`` finds. Never a home folder,
/run, /var or the data folder.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from runner.ports import SandboxSpec
from runner.sandbox.prepared import MODULES
from runner.sandbox.tunnel import program

WORKSPACE, PREPARED = "/workspace", "/prepared"
TOOLS = ("bwrap", "unshare", "nsenter", "prlimit", "setpriv", "taskset", "mount", "sh", "cat")
HOLDS = b"ready\n"

# Root's processes are not bound by limits (https://man7.org/linux/man-pages/man2/getrlimit.2.html,
# RLIMIT_NPROC), and a session must not own root's files. No account has this id, and it lies
# outside the ranges systemd lists (https://systemd.io/UIDS-GIDS/).
STRANGER = 1_900_000_000
_AS_STRANGER = (
    *("setpriv", "--reuid", str(STRANGER), "--regid", str(STRANGER), "--clear-groups"),
    *("--inh-caps=-all", "--"),
)
_OWN_USERS = ("unshare", "--user", "--map-root-user", "--mount")
_BIND = """\
while [ "$1" != -- ]; do mount --rbind "$1" "$2" || exit; shift 2; done
shift
exec "$@"
"""
# The holder ends when its input does: when it is told to, or its worker is killed. An inode takes
# memory too, so their number is limited.
_TMPFS = "nosuid,nodev,nr_inodes=500000"
_HOLD = """\
mount -t tmpfs -o "$2" cairn "$1/workspace" || exit
mount -t tmpfs -o "$3" cairn "$1/tmp" || exit
echo ready
exec cat
"""
_RENEW = 'umount "$1/tmp" && exec mount -t tmpfs -o "$2" cairn "$1/tmp"'
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
    """Say whether the worker runs as root; then sessions run as an unknown user."""
    return os.geteuid() == 0


def holder_line(folder: Path, binds: Sequence[tuple[Path, str]], spec: SandboxSpec) -> list[str]:
    """Hold a session open: ``binds`` are host folders and their places in the session's folder."""
    pairs = [word for path, name in binds for word in (str(path), str(folder / name))]
    bind = ("sh", "-c", _BIND, "sh", *pairs, "--")
    workspace = f"{_TMPFS},mode=755,size={spec.disk}"
    hold = ("sh", "-c", _HOLD, "sh", str(folder), workspace, _scratch(spec))
    own = (*_OWN_USERS, *(("--net",) if spec.network else ()), "--")
    if is_root():
        # bound before root is given up: a stranger could not reach what lies in root's folders
        return ["unshare", "--mount", "--", *bind, *_AS_STRANGER, *own, *hold]
    return [*own, *bind, *hold]


def way_out_line(holder: int) -> list[str]:
    """Run the inner end of a tunnel with our own Python in nothing of a session but its network."""
    if is_root():  # who reads our Python, and is a stranger after that
        return [
            "nsenter",
            "--target",
            str(holder),
            "--net",
            sys.executable,
            *program(str(STRANGER)),
        ]
    enter = ("nsenter", "--preserve-credentials", "--target", str(holder), "--user", "--net")
    return [*enter, sys.executable, *program()]


def renewal_line(folder: Path, holder: int, spec: SandboxSpec) -> list[str]:
    """Replace /tmp: besides the workspace, only it keeps what commands wrote."""
    return [*_inside(holder, spec), "sh", "-c", _RENEW, "sh", str(folder), _scratch(spec)]


def _scratch(spec: SandboxSpec) -> str:
    return f"{_TMPFS},mode=1777,size={spec.disk // 2}"


def _inside(holder: int, spec: SandboxSpec) -> list[str]:
    enter = ("nsenter", "--preserve-credentials", "--target", str(holder), "--user", "--mount")
    network = ("--net",) if spec.network else ()
    return [*(_AS_STRANGER if is_root() else ()), *enter, *network, "--"]


def command_line(
    argv: Sequence[str],
    *,
    holder: int,
    view: Iterable[str],
    environment: Mapping[str, str],
    spec: SandboxSpec,
    seccomp: int | None = None,
) -> list[str]:
    """Run a command in the session of ``holder``; ``view`` are the bwrap options of what it sees.

    ``seccomp`` is the open file with the filter of system calls.
    """
    variables = [word for pair in environment.items() for word in ("--setenv", *pair)]
    return [
        *_inside(holder, spec),
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
    """Choose complete processors, not always the same ones."""
    allowed = sorted(os.sched_getaffinity(0))
    count = min(len(allowed), math.ceil(cpus))
    return ",".join(str(allowed[(seed + place) % len(allowed)]) for place in range(count))


PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ROOT, KEPT, SHOWN = "root", "prepared", "shown"
"""Names in a session's folder for a prepared root, results of setup and what is shown of here."""

_OWN_FOLDERS = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
_OWN_FILES = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types"),
    *("nsswitch.conf", "protocols", "services", "ssl/certs", "ssl/openssl.cnf", "pki/tls"),
    *("pki/ca-trust/extracted", "ca-certificates", "crypto-policies"),
)
_NETWORK_FILES = ("resolv.conf", "hosts")
_ACCOUNTS = {
    "passwd": "root:x:0:0:root:/:/bin/sh\ncairn:x:1000:1000:cairn:/tmp:/bin/sh\n"
    "nobody:x:65534:65534:nobody:/:/bin/false\n",
    "group": "root:x:0:\ncairn:x:1000:\nnogroup:x:65534:\n",
}
# without a network there is still this machine, by this name
_HOSTS = "127.0.0.1 localhost\n::1 localhost\n"
# these are the session's own, or none of its business
_HIDDEN = frozenset(
    ("boot", "dev", "home", "lost+found", "media", "mnt", "proc", "root", "run", "sys", "tmp")
) | {WORKSPACE[1:], PREPARED[1:], "node_modules"}


def fill_folder(folder: Path) -> None:
    """Make what the view and the holder need in a new session's folder."""
    for name in ("workspace", "tmp", ROOT, KEPT, SHOWN):
        (folder / name).mkdir()
    for name, text in (*_ACCOUNTS.items(), ("hosts", _HOSTS)):
        (folder / name).write_text(text)


def show_in(
    folder: Path, places: Mapping[str, Path], modules: Mapping[str, Path]
) -> list[tuple[str, Path, str]]:
    """Make room for what is shown of this machine: its name inside, what it is, its place here.

    The ``modules`` (folders of Node's packages by their paths in the workspace) are listed and lie
    where those that setup installed would. A session without any of it is as before.
    """
    found = {**places, **{f"{PREPARED}/{name}": real for name, real in modules.items()}}
    if modules:
        listed = "".join(f"./{name}\n" for name in modules)
        (folder / KEPT / MODULES).write_text(listed)
    for name in modules:
        (folder / KEPT / name).mkdir(parents=True)
    shown = []
    for number, (name, real) in enumerate(sorted(found.items())):
        at = f"{SHOWN}/{number}"
        if real.is_dir():
            (folder / at).mkdir()
        else:
            (folder / at).touch()
        shown.append((name, real, at))
    return shown


def view_options(folder: Path, root: Path | None, *, writable: bool) -> list[str]:
    """Return bwrap's options for a session; ``writable`` is for what setup commands make."""
    kept = "--bind" if writable else "--ro-bind"
    return [
        *(_own(folder) if root is None else _prepared(folder / ROOT, root)),
        *("--ro-bind", str(folder / "hosts"), "/etc/hosts"),
        *("--bind", str(folder / "workspace"), WORKSPACE, "--bind", str(folder / "tmp"), "/tmp"),  # noqa: S108
        *(kept, str(folder / KEPT), PREPARED),
        # Node looks for packages in the folders above a file
        *("--symlink", f"{PREPARED[1:]}/node_modules", "/node_modules"),
    ]


def _own(folder: Path) -> Iterator[str]:
    yield from _folders(Path("/"), Path("/"), _OWN_FOLDERS)
    yield from _files(_OWN_FILES)
    for name in _ACCOUNTS:
        yield from ("--ro-bind", str(folder / name), f"/etc/{name}")
    yield from ("--dir", "/var/tmp")  # noqa: S108


def _prepared(bound: Path, root: Path) -> Iterator[str]:
    names = sorted(path.name for path in root.iterdir() if path.name not in _HIDDEN)
    yield from _folders(bound, root, [name for name in names if name != "etc"])
    # one by one, so that the session's own hosts find a place beside them
    below = sorted(path.name for path in root.glob("etc/*") if path.name not in _NETWORK_FILES)
    yield from _folders(bound, root, [f"etc/{name}" for name in below])


def _folders(bound: Path, root: Path, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        path = root / name
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), f"/{name}")
        elif path.exists():
            yield from ("--ro-bind", str(bound / name), f"/{name}")


def _files(names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
