"""Repositories on GitHub: the tree of a commit, fetched once, without the rest of its history."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

from bench.oracle.fetching import CACHE, NoSource


def commit(name: str, id: str) -> dict[str, bytes]:
    """Return the files of a commit of the repository ``owner/name``. Raises ``NoSource``.

    A clone that is in the cache already is used as it is.
    """
    folder = CACHE / "repositories" / name.replace("/", "+")
    if not folder.is_dir():
        _git(folder, "init", "--quiet", "--bare", str(folder))
    try:
        listed = _git(folder, "ls-tree", "-r", "-z", id)
    except NoSource:
        _git(folder, "fetch", "--quiet", "--depth", "1", f"https://github.com/{name}", id)
        listed = _git(folder, "ls-tree", "-r", "-z", id)
    rows = [row.split(None, 2) for row in listed.decode().split("\0") if row]
    blobs = [(*rest.split("\t", 1),) for mode, _, rest in rows if mode.startswith("100")]
    names = "".join(f"{blob}\n" for blob, _ in blobs)
    stream = io.BytesIO(_git(folder, "cat-file", "--batch", stdin=names.encode()))
    files: dict[str, bytes] = {}
    for _, path in blobs:
        size = int(stream.readline().split()[2])
        files[path] = stream.read(size)
        stream.readline()
    return files


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", *(("-C", str(folder)) if folder.is_dir() else ()), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    if done.returncode:
        raise NoSource(f"git: {' '.join(done.stderr.decode().split())[-200:]}")
    return done.stdout
