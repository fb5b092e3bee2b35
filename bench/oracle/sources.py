"""Source distributions from a package index: fetched by hash, unpacked, and their tools installed.

Nothing of them is kept in this repository: ``catalogue.toml`` has names, versions and hashes.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from bench.oracle.debian import fetched
from bench.oracle.fetching import CACHE, NoSource

_NOT_OF_THE_REPOSITORY = ("PKG-INFO", ".egg-info/")


def source(kind: str, name: str, version: str, sha256: str) -> dict[str, bytes]:
    """Return the files of a source distribution, as they are in the project's repository.

    ``kind`` is ``pypi``, ``npm`` or ``debian``. Raises ``NoSource`` where the index does not have
    it, or it has another hash.
    """
    files, found = source_and_hash(kind, name, version)
    if found != sha256:
        raise NoSource(f"{name} {version} has another hash than the catalogue says")
    return files


def source_and_hash(kind: str, name: str, version: str) -> tuple[dict[str, bytes], str]:
    """Return the files, and the hash of the archive as hexadecimal SHA-256."""
    if kind == "debian":
        archives = [*fetched(name, version, only="orig").glob("*.orig.tar.*")]
    else:
        folder = CACHE / "archives" / kind / f"{name.replace('/', '-')}-{version}"
        if not folder.is_dir():
            _fetch(kind, name, version, folder)
        archives = [p for p in folder.iterdir() if p.name.endswith((".tar.gz", ".tgz"))]
    archive = next((p for p in archives if p.suffix != ".asc"), None)
    if archive is None:
        raise NoSource(f"{name} {version} is not there as a .tar.gz")
    return _unpacked(archive), hashlib.sha256(archive.read_bytes()).hexdigest()


def _fetch(kind: str, name: str, version: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    if kind == "npm":
        command = ["npm", "pack", "--silent", "--pack-destination", ".", f"{name}@{version}"]
    else:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"]
        command += [":all:", f"{name}=={version}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode and not any(folder.iterdir()):
        folder.rmdir()
        raise NoSource(f"{name} {version}: {done.stderr.strip()[-300:]}")


def _unpacked(archive: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            content = tar.extractfile(member) if member.isfile() else None
            path = "/".join(PurePosixPath(member.name).parts[1:])
            if content is not None and path and not _generated(path):
                files[path] = content.read()
    return files


def _generated(path: str) -> bool:
    """Whether the build put the file there, so that the repository does not have it."""
    return any(path == mark or mark in f"{path}/" for mark in _NOT_OF_THE_REPOSITORY)


def environment(name: str, needs: Sequence[str]) -> Path:
    """Return the folder with the programs of a virtual environment that has these packages."""
    key = hashlib.sha256(json.dumps(sorted(needs)).encode()).hexdigest()[:10]
    folder = CACHE / "venvs" / f"{name.replace('/', '-')}-{key}"
    done = folder / ".done"
    if not done.exists():
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *needs]
        subprocess.run(pip, check=True, capture_output=True)
        done.touch()
    return folder / "bin"


def node_modules(name: str, manifests: Mapping[str, bytes], needs: Sequence[str] = ()) -> Path:
    """Return a ``node_modules`` folder that has what each ``package.json`` asks for.

    With ``needs`` these take the place of what the root's asks for. Raises ``NoSource`` where npm
    cannot install it.
    """
    if needs:
        root = json.loads(manifests["package.json"])
        kept = {"private": True, "workspaces": root.get("workspaces", [])}
        manifests = {**manifests, "package.json": json.dumps(kept).encode()}
    content = b"".join(manifests[path] for path in sorted(manifests))
    key = hashlib.sha256(content + json.dumps(sorted(needs)).encode()).hexdigest()[:10]
    folder = CACHE / "node" / f"{name.replace('/', '-')}-{key}"
    if not (folder / ".done").exists():
        for path, manifest in manifests.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(manifest)
        npm = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *needs]
        done = subprocess.run(npm, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoSource(f"{name}: npm install: {done.stderr.strip()[-300:]}")
        (folder / ".done").touch()
    return folder / "node_modules"
