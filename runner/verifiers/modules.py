"""Where a module is that an import did not find: the name of a file says more than its absence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from runner.findings import Level, TestFailure

_MISSING = re.compile(r"No module named '([\w.]+)'")
_MOST = 3


def with_places(level: Level, paths: Collection[str]) -> Level:
    """Return the level with the place of every module that the tree has under another name."""
    return replace(level, failures=tuple(_with_place(each, paths) for each in level.failures))


def _with_place(failure: TestFailure, paths: Collection[str]) -> TestFailure:
    missing = dict.fromkeys(_MISSING.findall(failure.message))
    hints = [hint for name in missing for hint in _hints(name, paths)]
    return replace(failure, message="\n".join([failure.message, *hints])) if hints else failure


def _hints(missing: str, paths: Collection[str]) -> Iterator[str]:
    last = missing.rpartition(".")[2]
    found = sorted(path for path in paths if _module(path).rpartition(".")[2] == last)
    for path in found[:_MOST]:
        if _module(path) != missing:
            yield f"{path} is there: from the repository's root it is {_module(path)}."


def _module(path: str) -> str:
    """The dotted name of a Python file, as seen from the root ('' for other files)."""
    if not path.endswith(".py"):
        return ""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
