"""Put a path as a model spells it into the tree's own spelling, where only one file can be meant.

What escapes the tree is refused here; whether the file may be written is the validators' question.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from dataclasses import dataclass

from runner.findings import Complaint

# names that live in many folders: a bare one is more likely a new file than a misspelt old one
_COMMON = (
    "__init__.py __main__.py conftest.py setup.py main.py index.js index.ts index.html"
    " package.json README.md Makefile Dockerfile .gitignore"
)
_EVERYWHERE = frozenset(_COMMON.split())
_WORKSPACES = ("workspace", "repo", "repository", "project")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A path of the tree; ``note`` says what was changed in its spelling ('' if nothing)."""

    path: str
    note: str = ""


def resolve(
    written: str, *, paths: Collection[str], expected: Collection[str]
) -> Resolved | Complaint:
    """Return the path that is meant, or a complaint ``UnsafePath`` when it leaves the tree."""
    path = _tidy(written)
    if _absolute(path):
        inside = _inside(path, paths, expected)
        if inside is None:
            return _unsafe(written, "is absolute")
        path = inside
    if not path or path == ".":
        return _unsafe(written, "names no file")
    if ".." in path.split("/"):
        return _unsafe(written, "leaves the repository ('..')")
    meant = path if path in expected or path in paths else _meant(path, paths, expected)
    note = "" if meant == written else f"{written}: taken as {meant}"
    return Resolved(meant, note)


def _tidy(written: str) -> str:
    path = written.strip().strip("`\"'").replace("\\", "/")
    if path.startswith("./"):
        path = path[2:]
    if ".." in path.split("/") or not path:
        return path
    leading = "/" if path.startswith("/") else ""
    return leading + posixpath.normpath(path).lstrip("/")


def _absolute(path: str) -> bool:
    return path.startswith(("/", "~")) or bool(re.match(r"[A-Za-z]:", path))


def _inside(path: str, paths: Collection[str], expected: Collection[str]) -> str | None:
    """Return the part of an absolute path that lies in the tree, when that is beyond doubt."""
    parts = re.sub(r"^[A-Za-z]:", "", path).lstrip("/~").split("/")
    if ".." in parts:
        return None
    for start in range(len(parts)):
        tail = "/".join(parts[start:])
        if tail in expected or ("/" in tail and tail in paths):
            return tail
    if parts[0] in _WORKSPACES and len(parts) > 1:
        return "/".join(parts[1:])
    top = parts[0] + "/"
    return "/".join(parts) if any(known.startswith(top) for known in paths) else None


def _meant(path: str, paths: Collection[str], expected: Collection[str]) -> str:
    """Return the one known file an unknown spelling can stand for, else the spelling itself."""
    wanted = [known for known in expected if _name(known) == _name(path)]
    if len(wanted) == 1:
        return wanted[0]
    folded = [known for known in paths if known.casefold() == path.casefold()]
    if len(folded) == 1:
        return folded[0]
    if "/" in path or path in _EVERYWHERE:
        return path
    same_name = [known for known in paths if _name(known) == path]
    return same_name[0] if len(same_name) == 1 else path


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _unsafe(written: str, why: str) -> Complaint:
    return Complaint(
        path=written,
        error="UnsafePath",
        message=f"The path {written!r} {why}. Give paths relative to the repository's root.",
    )
