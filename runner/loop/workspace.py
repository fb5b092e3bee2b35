"""Make the workspace of a sandbox equal to a tree, and read it back to confirm it.

Into a sandbox everything goes as one tar over ``run``: the host never opens a path of its
workspace. The sandbox needs sh, tar, find, xargs, sort and sha256sum (GNU). Without isolation the
workspace is written as any folder is, and only what is not yet as it should be.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import re
import tarfile
from collections.abc import Collection, Mapping

from runner.errors import Outage, PortError, TaskError
from runner.ports import TOO_SMALL, CommandResult, HostSession, SandboxSession
from runner.state.changes import (
    EXECUTABLE,
    FILE,
    SUBMODULE,
    SYMLINK,
    ChangeSet,
    Snapshot,
    folders_of,
)

# git mode and content; a symlink's content is its target, a submodule's is not looked at
File = tuple[str, bytes]


def tree_files(
    base: Snapshot, blobs: Mapping[str, bytes], changes: ChangeSet | None = None
) -> dict[str, File]:
    """Return base tree + change set with contents; ``blobs`` holds those of ``base`` by sha.

    Raises ``KeyError`` when a content of the base is not among the blobs.
    """
    changes = changes or ChangeSet()
    written = {path: write.content for path, write in changes.files.items() if write is not None}
    files: dict[str, File] = {}
    for path, entry in changes.entries(base).items():
        if entry.mode == SUBMODULE:
            files[path] = (SUBMODULE, b"")
        else:
            files[path] = (entry.mode, written[path] if path in written else blobs[entry.sha])
    return files


def build_tar(files: Mapping[str, File]) -> bytes:
    """Pack a tree; the same tree gives the same bytes. Submodules become empty folders."""
    buffer = io.BytesIO()
    # the GNU format writes names as they are, the POSIX one re-codes those that are not UTF-8
    with tarfile.open(
        fileobj=buffer,
        mode="w",
        format=tarfile.GNU_FORMAT,
        encoding="utf-8",
        errors="surrogateescape",
    ) as tar:
        for path, (mode, content) in sorted(files.items()):
            member = tarfile.TarInfo(path)
            member.mode = _permissions(mode)
            if mode == SYMLINK:
                member.type = tarfile.SYMTYPE
                member.linkname = content.decode("utf-8", "surrogateescape")
            elif mode == SUBMODULE:
                member.type = tarfile.DIRTYPE
            else:
                member.size = len(content)
            tar.addfile(member, io.BytesIO(content) if member.isreg() else None)
    return buffer.getvalue()


def manifest(files: Mapping[str, File]) -> list[bytes]:
    """List what the workspace must hold, as ``find`` and ``sha256sum`` would print it.

    Records end in NUL: first ``d PATH``, ``f MODE NAMES PATH`` and ``l PATH -> TARGET`` in byte
    order, then ``SHA256  PATH`` of every file in order of its path. A file has one name (NAMES):
    with a second one it would change when that does.
    """
    entries = [b"d " + _found(path) for path in _folders(files)]
    sums: list[tuple[bytes, bytes]] = []
    for path, (mode, content) in files.items():
        if mode == SYMLINK:
            entries.append(b"l " + _found(path) + b" -> " + content)
        elif mode != SUBMODULE:
            entries.append(b"f %o 1 " % _permissions(mode) + _found(path))
            sums.append((_found(path), hashlib.sha256(content).hexdigest().encode()))
    records = sorted(entries) + [digest + b"  " + path for path, digest in sorted(sums)]
    return [record + b"\0" for record in records]


def _permissions(mode: str) -> int:
    return 0o755 if mode in (EXECUTABLE, SUBMODULE) else 0o644


def _folders(files: Mapping[str, File]) -> set[str]:
    return folders_of({path: mode for path, (mode, _) in files.items()})


def _found(path: str) -> bytes:
    return b"./" + path.encode("utf-8", "surrogateescape")


# Modes of folders are left to the umask: git has none.
_MANIFEST = r"""{
find . -mindepth 1 -type d -printf 'd %p\0' -o -type f -printf 'f %m %n %p\0' \
    -o -printf '%y %p -> %l\0' | sort -z
find . -type f -print0 | sort -z | xargs -0 -r sha256sum -z
}"""
# A test may have locked its folders.
_EMPTY = r"""{
chmod 755 . && find . -type d ! -perm -700 -exec chmod u+rwx {} \; && find . -mindepth 1 -delete
}"""
# -m: times are those of now, for caches go by them; -o: files belong to whoever unpacks them
_WRITE = f"""
export LC_ALL=C
{_EMPTY} && tar -xmpof - || exit
{_MANIFEST} | sha256sum
"""
# Reads the paths that stay ($1 bytes), then the archive. What has another content, kind or mode
# than it should is noticed at the end. Times become those of now, as if all had been written.
_UPDATE = f"""
export LC_ALL=C
chmod 755 . && find . -type d ! -perm 755 -exec chmod 755 {{}} \\; || exit
kept=$(mktemp) && head -c "$1" >"$kept" || exit
find . -mindepth 1 -print0 | sort -z | comm -z -23 - "$kept" | xargs -0 -r rm -rf -- || exit
rm "$kept" && tar -xmpof - && find . -exec touch -h {{}} + || exit
{_MANIFEST} | sha256sum
"""
_READ_MANIFEST = f"export LC_ALL=C\n{_MANIFEST}"
_NO_SUCH_TOOL = (126, 127)
_FULL = ("No space left", "Wrote only", "File size limit")  # as tar and the shell say it
_NAMED = 5  # paths of a difference that are named


async def materialise(
    session: SandboxSession, files: Mapping[str, File], left: Mapping[str, File] | None = None
) -> None:
    """Make the workspace equal to ``files`` (path → git mode and content): all of it or nothing.

    ``left`` is what it was made equal to before: only what differs is sent, or everything if a
    command changed one of these files. Raises ``TaskError`` when the workspace cannot hold the tree
    (it is left empty) and ``Outage`` when the sandbox lacks the tools for it.
    """
    if isinstance(session, HostSession):
        await session.fill(files)
        return
    expected = await asyncio.to_thread(manifest, files)
    digest = hashlib.sha256(b"".join(expected)).hexdigest().encode()
    if left:
        new = {path: file for path, file in files.items() if left.get(path) != file}
        stay = (_folders(files) & _folders(left)) | (files.keys() - new.keys())
        kept = b"".join(path + b"\0" for path in sorted(map(_found, stay)))
        archive = await asyncio.to_thread(build_tar, new)
        update = ["sh", "-c", _UPDATE, "sh", str(len(kept))]
        result = await session.run(update, stdin=kept + archive)
        if result.exit_code == 0 and result.stdout.split()[:1] == [digest]:
            return
    archive = await asyncio.to_thread(build_tar, files)
    result = await session.run(["sh", "-c", _WRITE], stdin=archive)
    if result.exit_code != 0:
        await session.run(["sh", "-c", _EMPTY])
        raise _refusal(result)
    if result.stdout.split()[:1] != [digest]:
        # some of the entries that exist and should not, or are missing
        result = await session.run(["sh", "-c", _READ_MANIFEST])
        found = {record + b"\0" for record in result.stdout.split(b"\0")[:-1]}
        odd = sorted(found.symmetric_difference(expected))
        names = ", ".join(repr(record[:-1])[2:-1] for record in odd[:_NAMED])
        raise TaskError(
            "sandbox",
            "The workspace does not hold the files that were written to it: "
            f"{names or 'it changed meanwhile'}",
        )


_TAKE = "export LC_ALL=C; xargs -0 -r tar -cf - --no-recursion -- | base64"
"""Reads paths. Its output is text, for a sandbox masks secrets in what it returns."""


async def listing(session: SandboxSession) -> dict[str, tuple[bytes, ...]]:
    """Say of each file and link of the workspace what it is: mode and digest, or its target.

    What ran in the session may have replaced the programs that say it. Raises ``TaskError`` where
    there are too many files to list.
    """
    result = await session.run(["sh", "-c", _READ_MANIFEST])
    if result.exit_code or result.truncated:
        raise TaskError("sandbox", "The files that are in the workspace now cannot be listed.")
    found: dict[str, tuple[bytes, ...]] = {}
    for record in result.stdout.split(b"\0"):
        if entry := _LISTED.fullmatch(record):
            said = (entry["mode"],) if entry["file"] else (b"link", entry["target"])
            found[_path(entry["file"] or entry["link"])] = said
        elif (summed := _SUMMED.fullmatch(record)) and (path := _path(summed["path"])) in found:
            found[path] = (found[path][0], summed["digest"])
    return found


_TOO_MUCH = "The changed files cannot be read out of the workspace: they are too large together."
_LISTED = re.compile(
    rb"f (?P<mode>\d+) \d+ (?P<file>\./.+)|l (?P<link>\./.+?) -> (?P<target>.*)", re.DOTALL
)
_SUMMED = re.compile(rb"(?P<digest>[0-9a-f]{64})  (?P<path>\./.+)", re.DOTALL)


async def take(session: SandboxSession, paths: Collection[str]) -> dict[str, File]:
    """Return those of these paths that are files of the workspace.

    Raises ``TaskError`` where they are too large together.
    """
    if not paths:
        return {}
    wanted = b"".join(_found(path) + b"\0" for path in sorted(paths))
    result = await session.run(["sh", "-c", _TAKE], stdin=wanted)
    if result.truncated:
        raise TaskError("sandbox", _TOO_MUCH)
    found: dict[str, File] = {}
    try:
        packed = base64.b64decode(result.stdout)
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:", errors="surrogateescape") as tar:
            for member in tar:
                path = member.name.removeprefix("./")
                if path in paths and member.isreg() and member.size <= len(packed):
                    content = tar.extractfile(member)
                    mode = EXECUTABLE if member.mode & 0o100 else FILE
                    found[path] = (mode, content.read() if content else b"")
    except (ValueError, EOFError, tarfile.TarError) as error:
        raise TaskError("sandbox", _TOO_MUCH) from error
    return found


def _path(found: bytes) -> str:
    return found.removeprefix(b"./").decode("utf-8", "surrogateescape")


def _refusal(result: CommandResult) -> PortError:
    output = result.stderr.decode(errors="replace").strip()[-500:]
    if result.exit_code in _NO_SUCH_TOOL:
        return Outage("sandbox", f"The sandbox lacks sh, tar, find, xargs or sha256sum: {output}")
    if result.timed_out:
        return TaskError("sandbox", "Writing the files into the workspace took too long.")
    if any(words in output for words in _FULL):
        return TaskError("sandbox", TOO_SMALL)
    return TaskError("sandbox", f"The files cannot be written into the workspace: {output}")


# Packages are links: what is kept is never written to. Links that lead into the workspace (to its
# own packages) stay as they are, and so does what a tree itself has in such a folder. Folders that
# a tree turned into links are left out: they may lead anywhere. So are the caches that tools keep
# between two runs, which must be writable.
_RESTORE = """\
kept=$CAIRN_PREPARED
[ -n "$kept" ] || exit 0
if [ -d "$kept/home" ]; then cp -R "$kept/home/." "$HOME/" || exit; fi
here=$(pwd -P)
if [ -f "$kept/extensions.list" ]; then
    while IFS= read -r found; do
        if [ -e "$found" ] || [ -L "$found" ]; then continue; fi
        case "$(cd "${found%/*}" 2>/dev/null && pwd -P)/" in "$here"/*) ;; *) continue ;; esac
        cp -P "$kept/extensions/$found" "$found" || exit
    done <"$kept/extensions.list"
fi
[ -f "$kept/node_modules.list" ] || exit 0
linked() {
    mkdir -p "$2" &&
    find "$1" -mindepth 1 -maxdepth 1 -type d ! -name '@*' ! -name .bin \\
        ! -name .cache ! -name '.vite*' \\
        -exec ln -s -t "$2" {} + &&
    find "$1" -mindepth 1 -maxdepth 1 ! -type d -exec cp -P -t "$2" {} +
}
while IFS= read -r found; do
    if [ -e "$found" ] || [ -L "$found" ]; then continue; fi
    case "$(cd "${found%/*}" 2>/dev/null && pwd -P)/" in "$here"/*) ;; *) continue ;; esac
    linked "$kept/$found" "$found" || exit
    for inner in "$kept/$found"/@* "$kept/$found/.bin"; do
        if [ -d "$inner" ]; then linked "$inner" "$found/${inner##*/}" || exit; fi
    done
done <"$kept/node_modules.list"
"""


async def restore(session: SandboxSession) -> None:
    """Give a session that holds a tree, and in which nothing ran, what is prepared for it.

    What setup commands left in HOME is copied, and so are the extension modules that they built;
    packages of Node are linked where they were. Raises
    ``TaskError`` (kind ``environment``) when it does not fit.
    """
    if isinstance(session, HostSession) and not session.prepared:
        return
    result = await session.run(["sh", "-c", _RESTORE])
    if result.exit_code:
        output = result.stderr.decode(errors="replace").strip()[-500:]
        raise TaskError(
            "environment",
            f"Cairn cannot put what sandbox.setup made where the tests look for it ({output}). "
            "Raise the sandbox's disk limit, or let setup write below $CAIRN_PREPARED.",
        )
