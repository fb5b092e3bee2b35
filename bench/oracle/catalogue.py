"""The tasks: real changes of real projects that an index keeps as source.

``catalogue.toml`` names projects by version and hash, and the change: hunks of the difference
between two releases that belong to one purpose, or a patch that Debian added to a release. It
holds no line of the projects themselves.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.oracle.debian import patched
from bench.oracle.fetching import NoSource
from bench.oracle.hunks import applied, hunks
from bench.oracle.sources import source

_CATALOGUE = Path(__file__).parent / "catalogue.toml"


@dataclass(frozen=True, slots=True)
class Project:
    """One project; the change came with the release ``new``, or with a Debian package's patches.

    ``kind`` is the index that has the releases, ``patches`` the package as ``name=version``,
    ``needs`` are the packages the tests import.

    A JavaScript project gets what its ``package.json`` asks for; ``needs``, where there are any,
    take the place of that.
    """

    name: str
    old: str
    old_sha256: str
    new: str = ""
    new_sha256: str = ""
    patches: str = ""
    patches_sha256: str = ""
    kind: str = "pypi"
    what: str = ""
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One task: what a person asks for, what does it, and the test that turns green.

    That is ``hunks`` of the difference between two releases, or a ``patch`` of a Debian package.
    """

    project: Project
    id: str
    title: str
    turns: str
    hunks: tuple[str, ...] = ()
    patch: str = ""
    details: str = ""


@dataclass(frozen=True)
class Change:
    """A task's trees: ``base`` before, ``after`` once it is done, ``paths`` what differs."""

    base: dict[str, bytes] = field(repr=False)
    after: dict[str, bytes] = field(repr=False)
    paths: tuple[str, ...]


def tasks() -> Iterator[Task]:
    """Read the catalogue."""
    known: Counter[str] = Counter()
    for row in tomllib.loads(_CATALOGUE.read_text(encoding="utf-8"))["project"]:
        rows = row.pop("task")
        project = Project(**{**row, "needs": tuple(row.get("needs", ()))})
        for each in rows:
            known[project.name] += 1
            each["hunks"] = tuple(each.get("hunks", ()))
            yield Task(project, f"{project.name}-{known[project.name]}", **each)


def change_of(task: Task) -> Change:
    """Fetch what the task is made of and return the trees. Raises ``NoSource``."""
    project = task.project
    old = source(project.kind, project.name, project.old, project.old_sha256)
    if task.patch:
        base, after = patched(old, project.patches, project.patches_sha256, task.patch)
        names = sorted({*base, *after})
        return Change(base, after, tuple(p for p in names if base.get(p) != after.get(p)))
    new = source(project.kind, project.name, project.new, project.new_sha256)
    paths = tuple(sorted({each.rpartition("#")[0] for each in task.hunks}))
    known = {hunk.id: hunk for hunk in hunks(old, new, paths)}
    if missing := [each for each in task.hunks if each not in known]:
        raise NoSource(f"{task.id}: no hunk {', '.join(missing)}")
    return Change(old, applied(old, [known[each] for each in task.hunks]), paths)
