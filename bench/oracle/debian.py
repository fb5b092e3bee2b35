"""Debian's source packages: the archive of a release, and patches that each have one purpose.

``apt-get`` fetches them through the archives that this machine is configured for, with lists of
its own in the cache, so that nothing of the machine changes.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.oracle.fetching import CACHE, NoSource

_CONFIGURED = Path("/etc/apt")

Files = dict[str, bytes]


def fetched(name: str, version: str, *, only: str) -> Path:
    """Return the folder with the ``orig`` or the ``debian`` archive of a package, as ``only`` says.

    Raises ``NoSource``.
    """
    folder = CACHE / "archives" / "debian" / f"{name}-{version.replace(':', '-')}"
    if not list(folder.glob(f"*.{only}.tar.*")):
        folder.mkdir(parents=True, exist_ok=True)
        part = {"orig": "--tar-only", "debian": "--diff-only"}[only]
        command = ["apt-get", *_lists(), "--quiet", "source", part, f"{name}={version}"]
        _run(command, folder)
    return folder


def patched(release: Files, package: str, sha256: str, patch: str) -> tuple[Files, Files]:
    """Return a release before and after a patch of a package, which is named as ``name=version``.

    The patches that stand before it in the series are applied in both, except those for files
    that the release does not have. Raises ``NoSource``.
    """
    series, found = patches(package)
    if found != sha256:
        raise NoSource(f"{package} has another hash than the catalogue says")
    if patch not in series:
        raise NoSource(f"{package} has no patch {patch}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for path, content in release.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        for each in list(series)[: list(series).index(patch)]:
            if _patch(folder, series[each], "--dry-run"):
                _patch(folder, series[each])
        before = _files(folder)
        if not _patch(folder, series[patch]):
            raise NoSource(f"{patch} does not fit the release")
        return before, _files(folder)


def patches(package: str) -> tuple[dict[str, bytes], str]:
    """Return a package's patches in the order in which they are applied, and the archive's hash.

    Raises ``NoSource``.
    """
    name, _, version = package.partition("=")
    (archive,) = fetched(name, version, only="debian").glob("*.debian.tar.*")
    place = "debian/patches/"
    with tarfile.open(archive) as tar:
        files = {m.name: m for m in tar.getmembers() if m.name.startswith(place) and m.isfile()}
        content = {name: file.read() for name in files if (file := tar.extractfile(files[name]))}
    lines = content.get(f"{place}series", b"").decode().splitlines()
    names = (line.partition("#")[0].strip() for line in lines)
    series = {name: content[f"{place}{name}"] for name in names if f"{place}{name}" in content}
    return series, hashlib.sha256(archive.read_bytes()).hexdigest()


def _patch(folder: Path, text: bytes, *options: str) -> bool:
    command = ["patch", "-p1", "--batch", "--forward", "--quiet", "--no-backup-if-mismatch"]
    done = subprocess.run(
        [*command, "--reject-file=-", *options],
        cwd=folder, input=text, capture_output=True, check=False,
    )  # fmt: skip
    return done.returncode == 0


def _files(folder: Path) -> Files:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _lists() -> list[str]:
    """Return the options that let apt see the sources of every archive it has packages of."""
    own = CACHE / "apt"
    for each in ("parts", "lists/partial", "cache/archives/partial"):
        (own / each).mkdir(parents=True, exist_ok=True)
    for path in (*_CONFIGURED.glob("sources.list"), *_CONFIGURED.glob("sources.list.d/*")):
        if path.suffix in (".list", ".sources"):
            text = path.read_text(encoding="utf-8")
            text = re.sub(r"^(Types:.*?)\bdeb\b(?!-src)", r"\1deb-src", text, flags=re.M)
            text = re.sub(r"^deb ", "deb-src ", text, flags=re.M)
            target = own / "parts" / path.name.replace("sources.list", "main.list")
            target.write_text(text, encoding="utf-8")
    settings = (
        "Dir::Etc::SourceList=/dev/null",
        f"Dir::Etc::SourceParts={own}/parts",
        f"Dir::State::Lists={own}/lists",
        f"Dir::Cache={own}/cache",
    )
    options = [part for each in settings for part in ("--option", each)]
    if not list((own / "lists").glob("*Sources*")):
        _run(["apt-get", *options, "--quiet", "update"], own)
    return options


def _run(command: Sequence[str], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as problem:
        raise NoSource(f"{command[0]} is not here") from problem
    if done.returncode:
        why = re.sub(r"\S+://\S+", "", done.stderr or done.stdout).strip()
        raise NoSource(f"{command[0]}: {' '.join(why.split())[-200:]}")
