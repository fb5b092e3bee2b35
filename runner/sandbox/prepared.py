"""Run a project's setup commands in a session, and keep what they install.

In every sandbox, the same is true for them: they run in the workspace, which holds the tree;
``CAIRN_PREPARED`` is the folder that is kept, and ``bin`` in it is on PATH. Where the tree holds
Python, a Python environment in that folder is active (pip, uv and poetry install into it). Every
``node_modules`` that they leave in the workspace is moved into it, and each verification gets links
to its packages in the same place. Extension modules of Python that they build in the workspace, or
install by building the project that is there, are copied to their place in each verification. So
is what they leave in HOME, except caches, up to 64 MiB, to its own HOME. Everything else is removed
with the session.

Folders that hold what setup commands made, by project and key, and are removed when old.

A folder's time of change says when it was used last, a file in it that it is complete, and a lock
on another that a session uses it. What measures and deletes one follows no link in it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from runner.errors import Outage, TaskError
from runner.ports import CommandResult, Ran, SandboxSession, Setup
from runner.state.options import PREPARED_ROOM
from runner.text.sanitize import as_typed

KEEP = 5
"""So many results each project keeps, those used last."""
KEEP_DAYS = 14
"""A result that nobody used for so long is removed, whatever the project."""

_JUST = 300
"""What was used within so many seconds is about to be used again, and stays."""

HOME_KIB = 64 << 10
"""What setup leaves in HOME is kept up to this size: it is copied for every verification."""

MODULES = "node_modules.list"
"""The file that names what is kept of ``node_modules``: folders of the workspace, one a line."""

EXTENSIONS = "extensions.list"
"""The file that names the extension modules that setup built of the project, one a line.

What is kept of them is in the folder ``extensions``.
"""

_TAIL = 2000
# "System" are the packages of the Python that an active virtual environment was made with; those of
# the environment itself are found by a line like this in a .pth file. As one of the PREFIXES its
# folder is the system's for pip too, which keeps those out of the builds that it isolates: the
# setuptools that somebody has is not the one that a project's build asks for.
_ACTIVE = """\
import sys, sysconfig
if sys.prefix != sys.base_prefix:
    found = sys.prefix, sysconfig.get_path("purelib")
    print("import site; site.PREFIXES.append(%r); site.addsitedir(%r)" % found)
"""
# A project is built in place, or installed: then its metadata says from which folder (PEP 610), and
# the workspace's own package, which hides the installed one, gets the modules as well.
_BUILT = f"""\
import glob, json, os, shutil, sys
from importlib.machinery import EXTENSION_SUFFIXES
kept, here, found = sys.argv[1], os.getcwd(), {{}}
for top, folders, names in os.walk("."):
    folders[:] = [n for n in folders if n[0] != "." and n not in ("build", "node_modules")]
    paths = [top + "/" + name for name in names if name.endswith(tuple(EXTENSION_SUFFIXES))]
    found.update((path, path) for path in paths if os.path.isfile(path) and "\\n" not in path)
for origin in glob.glob(kept + "/venv/lib/python3*/site-packages/*.dist-info/direct_url.json"):
    record = os.path.join(os.path.dirname(origin), "RECORD")
    if not os.path.exists(record) or json.load(open(origin)).get("url") != "file://" + here:
        continue
    for path in [line.split(",")[0] for line in open(record)]:
        if path.endswith(tuple(EXTENSION_SUFFIXES)) and not path.startswith(("/", "..")):
            places = ["./" + root + path for root in ("", "src/", "python/", "lib/")]
            there = [p for p in places if os.path.isdir(os.path.dirname(p))] or places
            found.setdefault(there[0], os.path.join(os.path.dirname(origin), "..", path))
for place, path in found.items():
    to = os.path.join(kept, "extensions", place)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    shutil.copy(path, to)
if found:
    open(kept + "/{EXTENSIONS}", "w").write("".join(sorted(each + "\\n" for each in found)))
"""
# What the commands made must not depend on who made it: every user in the session may read it.
# The pip that is there works in the environment too: one of its own takes seconds to install. A
# shell finds its Python, because a first line may not be long (as in pip's own scripts).
_BEGIN = f"""\
mkdir -p "$CAIRN_PREPARED/bin" "$CAIRN_PREPARED/tmp" "$CAIRN_PREPARED/home"
python=$(find . -maxdepth 3 -name '*.py' -o -name 'requirements*.txt' -o -name pyproject.toml)
if [ -n "$python" ] && command -v python3 >/dev/null; then
    active=$(python3 -I -c '{_ACTIVE}') || exit
    pip=$(python3 -I -c 'import pip; print("--without-pip")' 2>/dev/null)
    python3 -m venv --system-site-packages $pip "$CAIRN_PREPARED/venv" >&2 || exit
    [ -z "$pip" ] || tee "$CAIRN_PREPARED/venv/bin/pip3" >"$CAIRN_PREPARED/venv/bin/pip" <<'END'
#!/bin/sh
'''exec' "$VIRTUAL_ENV/bin/python3" "$0" "$@"
' '''
import sys
from pip._internal.cli.main import main
sys.exit(main())
END
    chmod +x "$CAIRN_PREPARED"/venv/bin/pip* || :
    for packages in "$CAIRN_PREPARED"/venv/lib/python3*/site-packages; do
        [ -z "$active" ] || echo "$active" >"$packages/active.pth"
    done
fi
"""
# Packages in a home may be read-only, as those of Go's module cache are.
_END = f"""\
size=$(du -sk "$HOME") || size=0
if [ "${{size%%[!0-9]*}}" -gt {HOME_KIB} ]; then chmod -R u+w "$HOME"; rm -rf "$HOME"; fi
rm -rf "$CAIRN_PREPARED/tmp"
if [ -d "$CAIRN_PREPARED/venv" ]; then
    python3 -I -c '{_BUILT}' "$CAIRN_PREPARED" || exit
fi
find . -type d -name node_modules -prune >"$CAIRN_PREPARED/{MODULES}" || exit
while IFS= read -r found; do
    kept="$CAIRN_PREPARED/$found"
    mkdir -p "${{kept%/*}}" && rm -rf "$kept" && mv "$found" "$kept" || exit
done <"$CAIRN_PREPARED/{MODULES}"
find "$CAIRN_PREPARED" -mindepth 1 ! -type l -exec chmod a+rX {{}} +
"""


def environment_of(prepared: str, path: str) -> dict[str, str]:
    """Return the variables by which tools find what is kept in the folder ``prepared``."""
    bins = (f"{prepared}/bin", f"{prepared}/venv/bin", f"{prepared}/node_modules/.bin")
    return {
        "PATH": ":".join((*bins, path)),
        "CAIRN_PREPARED": prepared,
        "VIRTUAL_ENV": f"{prepared}/venv",
        "UV_PROJECT_ENVIRONMENT": f"{prepared}/venv",
    }


def setup_environment(prepared: str) -> dict[str, str]:
    """Return what the commands need on top: room for what they build and then throw away."""
    scratch = f"{prepared}/tmp"  # noqa: S108 # a folder of its own
    return {
        "HOME": f"{prepared}/home",
        "TMPDIR": scratch,
        "XDG_CACHE_HOME": scratch,
        "npm_config_cache": f"{scratch}/npm",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def setup_key(image: str, setup: Setup) -> str:
    """Name a result; ``image`` is what identifies the image's content.

    Projects share nothing: commands may read more of their tree than ``inputs`` covers.
    """
    parts = [image, setup.project, setup.commands, setup.inputs, setup.network]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def project_key(project: str) -> str:
    """Name a project in labels and folders."""
    return hashlib.sha256(project.encode()).hexdigest()[:12]


async def run_setup(session: SandboxSession, setup: Setup, ran: Ran) -> None:
    """Run the commands one after another; ``ran`` is told of each that ended.

    Raises ``TaskError`` (kind ``environment``) with the end of the output when one fails.
    """
    began = await session.run(["sh", "-c", _BEGIN], timeout=setup.timeout)
    variables = [f"{name}={value}" for name, value in setup.variables]
    # a small root may have no env
    prefix = ("env", *variables) if variables else ()
    for command in setup.commands:
        start = time.monotonic()
        result = await session.run((*prefix, *command), timeout=setup.timeout)
        await ran(command, result, time.monotonic() - start)
        _must_work(result, command, began)
    _must_work(await session.run(["sh", "-c", _END], timeout=setup.timeout), ("keep",), began)


def _must_work(result: CommandResult, command: Sequence[str], began: CommandResult) -> None:
    if result.exit_code == 0 and not result.timed_out:
        return
    how = "did not end in time" if result.timed_out else f"ended with exit code {result.exit_code}"
    output = (began.stderr if began.exit_code else b"") + result.stdout + result.stderr
    text = output.decode("utf-8", "replace").strip()
    tail = text if len(text) <= _TAIL else text[-_TAIL:].partition("\n")[2] or text[-_TAIL:]
    raise TaskError(
        "environment",
        f"The command `{as_typed(command)}` of sandbox.setup {how}. Its last output:\n{tail}",
    )


@dataclass(frozen=True, slots=True)
class Kept:
    """A result: whose it is, when it was used last (as by ``time.time``), its bytes."""

    name: str
    project: str
    used: float
    size: int


def superfluous(found: Iterable[Kept], room: int) -> list[str]:
    """Name what is to go: what nobody used for long, and of too many or too much the oldest."""
    of, together, gone = Counter[str](), 0, []
    for each in sorted(found, key=lambda each: each.used, reverse=True):
        of[each.project] += 1
        together += each.size
        idle = time.time() - each.used
        too_much = together > room and idle > _JUST
        if too_much or of[each.project] > KEEP or idle > KEEP_DAYS * _DAY:
            gone.append(each.name)
    return gone


_COMPLETE, _MADE, _SIZE, _USED = "complete", "prepared", "size", "used"
_DAY = 86_400


class PreparedFolders:
    """What is kept below ``folder``, by this process or others."""

    def __init__(self, folder: Path, room: int = PREPARED_ROOM) -> None:
        self._folder = folder
        self._room = room

    def find(self, project: str, key: str) -> Path | None:
        """Return what was kept, and note that it is used; None when there is nothing."""
        kept = self._path(project, key)
        with suppress(OSError), in_use(kept):
            if self.holds(kept):
                return kept
        return None

    def holds(self, path: Path) -> bool:
        """Say whether a path is one of those that were kept."""
        return path.parent == self._folder and (path / _COMPLETE).is_file()

    @contextmanager
    def making(self, project: str, key: str, about: str = "") -> Iterator[Path]:
        """Yield a new folder to fill below ``made``; unless all goes well it is removed again.

        ``about`` is kept with it. Raises ``Outage`` when the disk refuses.
        """
        kept = self._path(project, key)
        with ExitStack() as undo:
            undo.callback(remove_tree, kept)
            try:
                remove_tree(kept)
                made(kept).mkdir(parents=True)
                with in_use(kept):
                    yield kept
                    (kept / _COMPLETE).write_text(about)
            except OSError as error:
                message = f"What sandbox.setup makes cannot be kept in {self._folder}: {error}"
                raise Outage("sandbox", message) from error
            undo.pop_all()

    def about(self, kept: Path) -> str:
        """Return what was noted when it was made."""
        return (kept / _COMPLETE).read_text()

    def tidy(self) -> None:
        """Remove what was not finished, and make room; call it at the start."""
        for path in self._folder.glob("*"):
            if not self.holds(path):
                _remove_unused(path)
        self.make_room()

    def make_room(self) -> None:
        """Remove what is superfluous; it may take a while."""
        for name in superfluous(self._all(), self._room):
            _remove_unused(self._folder / name)

    def used(self) -> int:
        """Return the bytes of all that is kept."""
        return sum(each.size for each in self._all())

    def _path(self, project: str, key: str) -> Path:
        return self._folder / f"{project_key(project)}-{key}"

    def _all(self) -> Iterator[Kept]:
        for path in self._folder.glob("*"):
            with suppress(OSError):  # another process may have removed it
                if self.holds(path):
                    yield Kept(
                        path.name, path.name.partition("-")[0], path.stat().st_mtime, _size(path)
                    )


def made(kept: Path) -> Path:
    """Return the folder inside that the setup commands fill."""
    return kept / _MADE


def in_use(kept: Path) -> BinaryIO:
    """Keep a folder from being removed, by this process or another, until this is closed.

    Notes that it is used. Raises ``OSError`` when it is gone.
    """
    lock = (kept / _USED).open("wb")
    fcntl.flock(lock, fcntl.LOCK_SH)
    os.utime(kept)
    return lock


def _remove_unused(kept: Path) -> None:
    """Remove a folder unless it is used; at no moment is half of it taken for the whole."""
    gone = kept.with_name(f"removed-{uuid.uuid4()}")
    with suppress(OSError), (kept / _USED).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (kept / _COMPLETE).unlink(missing_ok=True)
        kept.rename(gone)
    remove_tree(gone)


def _size(kept: Path) -> int:
    """Return the bytes that it takes on the disk, counted once."""
    noted = kept / _SIZE
    if not noted.exists():
        used = kept.stat().st_mtime
        _told("chmod", "-R", "u+rX", kept)
        found = _told("du", "-sk", kept).split()
        noted.write_text(str(int(found[0]) << 10 if found else 0))
        os.utime(kept, (used, used))
    return int(noted.read_text())


def remove_tree(folder: Path) -> None:
    """Remove a folder, also where its owner has taken away their own permissions."""
    _told("rm", "-rf", folder)
    if os.path.lexists(folder) and not folder.is_symlink():
        _told("chmod", "-R", "u+rwx", folder)
        _told("rm", "-rf", folder)


def _told(*command: str | Path) -> bytes:
    """What one of the system's programs prints: none ends at a path that is too deep for Python."""
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout
