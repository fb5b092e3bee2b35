"""Files a task names: those that are there, and what is to be said of the others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

from runner.context.choose import MAX_FILE
from runner.secret_files import is_secret_file
from runner.snapshot import Snapshot

_MOST, _OF_FOLDER = 40, 30


def not_shown(named: Iterable[str], base: Snapshot) -> list[str]:
    """Say which named files are not shown, for their size or for the secrets they may hold."""
    there = [path for path in named if path in base.entries]
    sizes = {path: base.entries[path].size for path in there if not is_secret_file(path)}
    secret = [f"`{path}` may hold secrets and is not shown." for path in there if path not in sizes]
    large = [f"`{p}` has {s:,} bytes and is not shown." for p, s in sizes.items() if s > MAX_FILE]
    return [*large, *secret]


def near_misses(named: Iterable[str], base: Snapshot) -> list[str]:
    """Say which named path does not exist though a very similar one does."""
    notes = []
    for path in named:
        if path not in base.entries and (meant := _namesake(path, base)):
            notes.append(f"`{path}` does not exist, but `{meant}` does; it is probably meant.")
    return notes


def existing(named: Iterable[str], base: Snapshot) -> list[str]:
    """Named files, the files of named folders, and what is probably meant by a misspelt path."""
    found: dict[str, None] = {}
    for name in dict.fromkeys(named):
        if name in base.entries:
            found[name] = None
        elif name.endswith("/"):
            inside = (path for path in base.entries if path.startswith(name))
            found |= dict.fromkeys(islice(inside, _OF_FOLDER))
        elif meant := _namesake(name, base):
            found[meant] = None
    return list(found)[:_MOST]


def _namesake(path: str, base: Snapshot) -> str | None:
    """The file of the same name in a folder of nearly the same name, if there is one."""
    name = path.rpartition("/")[2]
    same = [other for other in base.entries if other.rpartition("/")[2] == name]
    close = difflib.get_close_matches(path, same, n=1, cutoff=0.85)
    return close[0] if name and close else None
