"""Where a module is that an import did not find: the name of a file says more than its absence."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from runner.findings import Level, TestFailure

_PYTHON = re.compile(r"No module named '([\w.]{1,300})'")
_SCRIPT = re.compile(r"Cannot find module '([^'\n]{1,300})'")
_FROM = re.compile(r"(?: imported)? from '?([^\s']{1,300})|^- (\S{1,300})$", re.MULTILINE)
_SCRIPT_END = re.compile(r"(/index)?\.[cm]?[jt]sx?$")
_MOST = 3


def with_places(level: Level, paths: Collection[str]) -> Level:
    """Return the level with what the tree knows better than the tool.

    A module that stands elsewhere is named with its place, and a file that a tool names by its
    end only (a Java class) gets its whole path.
    """
    return replace(level, failures=tuple(_with_place(each, paths) for each in level.failures))


def _with_place(failure: TestFailure, paths: Collection[str]) -> TestFailure:
    hints = list(dict.fromkeys((*_of_python(failure, paths), *_of_script(failure, paths))))
    message = "\n".join([failure.message, *hints])
    return replace(failure, message=message, file=_whole(failure.file, paths))


def _whole(file: str, paths: Collection[str]) -> str:
    if not file or file in paths:
        return file
    found = [path for path in paths if path.endswith(f"/{file}")]
    return found[0] if len(found) == 1 else file


def _of_python(failure: TestFailure, paths: Collection[str]) -> Iterator[str]:
    for missing in dict.fromkeys(_PYTHON.findall(failure.message)):
        last = missing.rpartition(".")[2]
        found = sorted(path for path in paths if _module(path).rpartition(".")[2] == last)
        for path in found[:_MOST]:
            if _module(path) != missing:
                yield f"{path} is there: from the repository's root it is {_module(path)}."


def _of_script(failure: TestFailure, paths: Collection[str]) -> Iterator[str]:
    """JavaScript names what it looked for; from where is in the message, or is the file."""
    for missing in dict.fromkeys(_SCRIPT.findall(failure.message)):
        asked = _FROM.search(failure.message)
        asking = (asked[1] or asked[2]) if asked else failure.file
        last = posixpath.basename(_stem(missing))
        found = sorted(path for path in paths if _is_script(path, last) and path != asking)
        for path in found[:_MOST]:
            there = posixpath.relpath(path, posixpath.dirname(asking) or ".")
            there = there if there.startswith(".") else f"./{there}"
            yield f"{path} is there: from {asking} it is {there}."


def _is_script(path: str, name: str) -> bool:
    return _SCRIPT_END.search(path) is not None and posixpath.basename(_stem(path)) == name


def _stem(path: str) -> str:
    return _SCRIPT_END.sub("", path)


def _module(path: str) -> str:
    """The dotted name of a Python file, as seen from the root ('' for other files)."""
    if not path.endswith(".py"):
        return ""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
