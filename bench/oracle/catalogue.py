"""The tasks: real changes of real projects that an index keeps as source.

``catalogue.toml`` names projects by version and hash, and the change: hunks of the difference
between two releases that belong to one purpose, a patch that Debian added to a release, or a commit
of a repository. It holds no line of the projects themselves.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.oracle.debian import patched
from bench.oracle.fetching import NoSource
from bench.oracle.history import commit
from bench.oracle.hunks import applied, hunks
from bench.oracle.sources import source

_CATALOGUE = Path(__file__).parent / "catalogue.toml"


@dataclass(frozen=True, slots=True)
class Project:
    """One project; the change came with the release ``new``, or with a Debian package's patches.

    ``kind`` is the index that has the releases, ``patches`` the package as ``name=version``,
    ``needs`` are the packages the tests import. With the kind ``git``, ``name`` is a repository and
    ``new`` the commit that makes the change, after the commit ``old``.

    A JavaScript project gets what its ``package.json`` asks for; ``needs``, where there are any,
    take the place of that. ``set_up`` are commands that a developer calls once in a checkout.
    """

    name: str
    old: str
    old_sha256: str = ""
    new: str = ""
    new_sha256: str = ""
    patches: str = ""
    patches_sha256: str = ""
    kind: str = "pypi"
    what: str = ""
    needs: tuple[str, ...] = ()
    set_up: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One task: what a person asks for, what does it, and the test that turns green.

    That is ``hunks`` of the difference between two releases, a ``patch`` of a Debian package, or,
    with neither, all that a commit changes.
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
        lists = {name: tuple(row.get(name, ())) for name in ("needs", "set_up")}
        project = Project(**{**row, **lists})
        for each in rows:
            short = project.name.rpartition("/")[2]
            known[short] += 1
            each["hunks"] = tuple(each.get("hunks", ()))
            yield Task(project, f"{short}-{known[short]}", **each)


def change_of(task: Task) -> Change:
    """Fetch what the task is made of and return the trees. Raises ``NoSource``."""
    project = task.project
    if project.kind == "git":
        base, after = (commit(project.name, each) for each in (project.old, project.new))
        return _difference(base, after)
    old = source(project.kind, project.name, project.old, project.old_sha256)
    if task.patch:
        return _difference(*patched(old, project.patches, project.patches_sha256, task.patch))
    new = source(project.kind, project.name, project.new, project.new_sha256)
    paths = tuple(sorted({each.rpartition("#")[0] for each in task.hunks}))
    known = {hunk.id: hunk for hunk in hunks(old, new, paths)}
    if missing := [each for each in task.hunks if each not in known]:
        raise NoSource(f"{task.id}: no hunk {', '.join(missing)}")
    return Change(old, applied(old, [known[each] for each in task.hunks]), paths)


def _difference(base: dict[str, bytes], after: dict[str, bytes]) -> Change:
    """All that differs between two trees as one change."""
    names = sorted({*base, *after})
    return Change(base, after, tuple(p for p in names if base.get(p) != after.get(p)))
