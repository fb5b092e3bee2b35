"""The tasks: real changes of real projects, each between two releases that an index keeps.

``catalogue.toml`` names projects by version and hash, and of the change between the releases the
hunks that belong to one purpose; it holds no line of the projects themselves.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.oracle.hunks import applied, hunks
from bench.oracle.sources import NoSource, source

_CATALOGUE = Path(__file__).parent / "catalogue.toml"


@dataclass(frozen=True, slots=True)
class Project:
    """One project with both releases; ``needs`` are the packages its tests import.

    A JavaScript project gets what its ``package.json`` asks for; ``needs``, where there are any,
    take the place of that.
    """

    name: str
    old: str
    new: str
    old_sha256: str
    new_sha256: str
    kind: str = "pypi"
    what: str = ""
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One task: what a person asks for, the hunks that do it, and the test that turns green."""

    project: Project
    id: str
    title: str
    hunks: tuple[str, ...]
    turns: str
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
            each["hunks"] = tuple(each["hunks"])
            yield Task(project, f"{project.name}-{known[project.name]}", **each)


def change_of(task: Task) -> Change:
    """Fetch both releases and return the trees. Raises ``NoSource``."""
    project = task.project
    old = source(project.kind, project.name, project.old, project.old_sha256)
    new = source(project.kind, project.name, project.new, project.new_sha256)
    paths = tuple(sorted({each.rpartition("#")[0] for each in task.hunks}))
    known = {hunk.id: hunk for hunk in hunks(old, new, paths)}
    if missing := [each for each in task.hunks if each not in known]:
        raise NoSource(f"{task.id}: no hunk {', '.join(missing)}")
    return Change(old, applied(old, [known[each] for each in task.hunks]), paths)
