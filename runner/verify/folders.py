"""Run tests in a folder of the workspace, and name them as the whole repository does."""

from __future__ import annotations

import posixpath
from collections.abc import Collection
from dataclasses import replace

from runner.ports import SandboxSession
from runner.state.findings import Level, TestFailure
from runner.verify.judging import Read
from runner.verify.python_layout import PythonLayout
from runner.verify.set_up import PrefixedSession, set_up, set_up_session

_IN_FOLDER = 'cd -- "$0" && exec "$@"'


def below(folder: str, paths: Collection[str]) -> frozenset[str]:
    """The paths in a folder, as they are written there."""
    start = f"{folder}/"
    return frozenset(path[len(start) :] for path in paths if path.startswith(start))


def reader(folder: str, read: Read) -> Read:
    """Read files by their paths in a folder."""
    return lambda path: read(f"{folder}/{path}")


async def opened(
    session: SandboxSession, folder: str, layout: PythonLayout | None
) -> SandboxSession:
    """Return a session in a folder, whose commands can import the Python project laid out there."""
    inner = PrefixedSession(session, "sh", "-c", _IN_FOLDER, folder)
    if not layout:
        return inner
    await set_up(inner, layout)
    return set_up_session(inner, layout)


def placed(level: Level, folder: str, paths: Collection[str]) -> Level:
    """The level of a run in a folder that has these ``paths``, with names from the repository's."""

    def whole(name: str) -> str:
        own = name.partition("::")[0] in paths
        if not own and name.startswith((f"{folder}/", "/")):
            return name  # pytest names files from where its settings are
        path = f"{folder}/{name}"
        return posixpath.normpath(path) if name.startswith("../") else path

    def failure(each: TestFailure) -> TestFailure:
        return replace(each, test=whole(each.test), file=whole(each.file) if each.file else "")

    return replace(
        level,
        failures=tuple(map(failure, level.failures)),
        green=tuple(map(whole, level.green)),
        found=tuple(map(whole, level.found)),
    )
