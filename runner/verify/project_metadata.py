"""What an installation would leave of a Python project: a program for the sandbox.

Nothing is installed and nothing is built. In the folder that is named it writes the metadata that
``importlib.metadata`` reads, and the project's programs; in the workspace the version file that a
build would write. Where only git knows the version, that of an installed copy is taken.
"""

from __future__ import annotations

import json
import re
import stat
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

VERSION = re.compile(
    r"^(?:__)?version(?:__)?(?:\s*:\s*\w+)?\s*=\s*['\"](\d[\w.+!-]*)['\"]", re.MULTILINE | re.I
)
UNKNOWN = "0.0.0"


def written_version(paths: list[str]) -> str:
    """The version that one of the files says; '' where none does."""
    for path in map(Path, paths):
        text = path.read_text("utf-8", "replace") if path.is_file() else ""
        found = VERSION.search(text)
        if found:
            return found.group(1)
    return ""


def installed_version(name: str) -> str:
    """The version of an installed copy, or ''."""
    try:
        return metadata.version(name) or ""
    except (metadata.PackageNotFoundError, ValueError):
        return ""


def write(path: Path, text: str) -> None:
    """Write a file and the folders above it; keep an existing file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() and not path.is_symlink():
        path.write_text(text, "utf-8")


def write_version(path: Path, version: str) -> None:
    """Write a version file as setuptools-scm and hatch-vcs do."""
    parts = tuple(int(part) if part.isdigit() else part for part in version.split("."))
    lines = (
        f"__version__ = version = {version!r}",
        f"__version_tuple__ = version_tuple = {parts!r}",
        "__commit_id__ = commit_id = None",
    )
    write(path, "\n".join((*lines, "")))


def write_metadata(folder: Path, name: str, version: str, groups: dict[str, Any]) -> None:
    """Write the folder that makes a project known by its name."""
    stem = re.sub(r"[-_.]+", "_", name)
    folder = folder / f"{stem}-{version}.dist-info"
    write(folder / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    points: list[str] = []
    for group, named in sorted(groups.items()):
        points += [f"[{group}]", *(f"{key} = {named[key]}" for key in sorted(named)), ""]
    if points:
        write(folder / "entry_points.txt", "\n".join(points))


def write_programs(folder: Path, programs: dict[str, str]) -> None:
    """Write what a person would type to start the project."""
    for name, target in programs.items():
        module, _, called = target.partition(":")
        called = called.partition("[")[0].strip()
        path = folder / "bin" / Path(name).name
        lines = (
            "#!/usr/bin/env python3",
            "import sys",
            f"from {module.strip()} import {called.partition('.')[0]}",
            f"sys.exit({called}())",
        )
        write(path, "\n".join((*lines, "")))
        path.chmod(path.stat().st_mode | stat.S_IEXEC)


def main(folder: Path, data: dict[str, Any]) -> None:
    """Write what ``said`` (a ``PythonLayout`` as JSON) asks for."""
    name, groups = data["name"], data["entry_points"]
    installed = installed_version(name) if name else ""
    known = data["version"] or written_version(data["version_from"])
    version = known or installed or UNKNOWN
    for path in data["version_files"]:
        write_version(Path(path), version)
    if name and (known or not installed):
        write_metadata(folder, name, version, groups)
    write_programs(folder, groups.get("console_scripts", {}))


main(Path(sys.argv[1]), json.loads(sys.argv[2]))
