"""Put a materialised tree through its levels: files, syntax, imports, tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Final, Literal

from runner.errors import TaskError
from runner.ports import SandboxSession
from runner.state.findings import Level, LevelName, TestFailure, Verification
from runner.verify.commands import (
    COMMAND,
    TOOLS,
    Commands,
    command_levels,
    known_programs,
    started_commands,
)
from runner.verify.judging import Read, Tool
from runner.verify.levels import files_level, imports_level, syntax_level, with_places
from runner.verify.projects import Inside, concerned, named_in, tools_of
from runner.verify.tools.python import Pytest

Check = Callable[..., Awaitable[Level]]
Mode = Literal["auto", "tests", "syntax", "agent", "off"]

OnlyFiles = Sequence[tuple[Tool, Sequence[str]]]
"""Tools, each with the test files that it is to run; with none it runs all its tests."""

MOST_AGAIN = 50
"""Failing tests that are run again by name; beyond that all are."""

_GONE = "the change deletes every test, so nothing shows whether it works"
_NO_TESTS = "the project has no tests that Cairn can run"


async def verify(
    session: SandboxSession,
    *,
    tree: str,
    paths: Collection[str],
    changed: Collection[str],
    read: Read,
    mode: Mode = "auto",
    timeout: float = 300.0,
    own: Commands | None = None,
    tested: bool = False,
    touched: Collection[str] | None = None,
    tools: Sequence[Tool] = TOOLS,
    only: OnlyFiles = (),
) -> Verification:
    """Return what the sandbox says about the workspace, which holds ``tree`` already.

    ``paths`` are all files of the tree, ``changed`` those that were written (not the deleted),
    ``read`` returns a file's content in the tree; ``timeout`` in seconds bounds each level; ``own``
    are the repository's own commands, which replace the tests that its files show; ``tested`` says
    that there were tests before, so that a tree without any has lost them; ``touched`` are all
    files of the change: the tests of the projects they concern run (None: those of all). ``only``
    are the test files to be run, by tool, in place of all tests.

    A level runs only if the one before did not fail, except the tests: they show whether an import
    that cannot be resolved does any harm. Raises ``TaskError`` (kind ``environment``) when the
    tests cannot run in this image, ``Outage`` when the engine is gone.
    """
    if mode == "off":
        return Verification(tree, (Level("tests", "skipped", reason="verification is off"),))
    written = sorted(set(changed) & set(paths))
    levels: list[Level] = []
    for name, check in _CHECKS:
        if levels and levels[-1].result == "failed":
            levels.append(Level(name, "skipped", reason="the level before it failed"))
        else:
            levels.append(with_places(await check(session, written, timeout=timeout), paths))
    if any(level.result == "failed" for level in levels if level.name != "imports"):
        tests = [Level("tests", "skipped", reason="the level before it failed")]
    elif mode == "syntax":
        why = "only syntax is verified (verify mode syntax)"
        tests = [Level("tests", "skipped", reason=why)]
    else:
        found = tools_of(paths, read, tools=tools)
        near = found if touched is None else concerned(found, touched)
        wanted = only or tuple((tool, ()) for tool in near)
        ran = await (
            command_levels(session, own, timeout=timeout, paths=paths, tools=found)
            if own
            else _all(session, wanted, timeout=timeout)
        )
        tests = [with_places(level, paths) for level in ran]
    no_tests = Level(
        "tests", "failed" if tested else "skipped", reason=_GONE if tested else _NO_TESTS
    )
    return Verification(tree, (*levels, *(tests or [no_tests])))


async def _all(session: SandboxSession, wanted: OnlyFiles, *, timeout: float) -> list[Level]:
    """Run every tool; one that is not in the image is skipped where another one has judged."""
    levels: list[Level] = []
    absent: list[TaskError] = []
    for tool, files in wanted:
        try:
            levels.append(await tool.run(session, timeout=timeout, only=files))
        except TaskError as error:
            if error.kind != "environment":
                raise
            absent.append(error)
            levels.append(Level("tests", "skipped", reason=error.message, tool=tool.name))
    if absent and all(level.result == "skipped" for level in levels):
        raise absent[0]
    return levels


async def run_tests(
    session: SandboxSession,
    *,
    tree: str,
    of: Collection[str],
    paths: Collection[str],
    read: Read,
    timeout: float = 300.0,
    own: Commands | None = None,
    tools: Sequence[Tool] = TOOLS,
    only: OnlyFiles = (),
) -> Verification:
    """Run all tests of the tools that ``of`` names, and nothing else; ``tree`` is in the session.

    With ``only`` just these test files are run, whatever ``of`` names. Raises as ``verify`` does.
    """
    known = tools_of(paths, read, tools=tools)
    if own:
        ran = await command_levels(session, own, timeout=timeout, paths=paths, tools=known)
        return Verification(tree, ran)
    found = [(tool, ()) for tool in known if tool.name in of]
    return Verification(tree, tuple(await _all(session, only or found, timeout=timeout)))


async def start_tests(
    session: SandboxSession,
    *,
    tree: str,
    paths: Collection[str],
    read: Read,
    timeout: float = 300.0,
    own: Commands | None = None,
    words: str = "",
    starts: bool = False,
    tools: Sequence[Tool] = TOOLS,
) -> Verification:
    """Say whether the tests of a tree can begin; ``tree`` is in the session.

    Of projects below the root, only those are checked whose folder the ``words`` of tasks name.
    pytest collects its tests and runs none; the tests of other tools are run, because they have no
    such mode. Of the repository's own commands the programs are looked for, and those of pytest
    collect; others are started if it is asked for (``starts``). Raises as ``verify`` does.
    """
    if own:
        if not starts:
            await known_programs(session, own)
        found = await started_commands(session, own, timeout=timeout, whole=starts, paths=paths)
        return Verification(tree, found)
    levels: list[Level] = []
    for tool in named_in(tools_of(paths, read, tools=tools), words):
        if isinstance(tool, Pytest | Inside):
            levels.append(await tool.start(session, timeout=timeout))
        else:
            levels.append(await tool.run(session, timeout=timeout))
    return Verification(tree, tuple(levels))


async def run_again(
    session: SandboxSession,
    *,
    tree: str,
    failures: Sequence[TestFailure],
    of: Sequence[Level],
    timeout: float = 300.0,
    own: Commands | None = None,
    tools: Sequence[Tool] = TOOLS,
    paths: Collection[str] = (),
) -> Verification:
    """Run only the tests that failed, each with the tool whose level of ``of`` it failed in.

    The workspace holds ``tree``, with all its ``paths``; commands of the repository's own are run
    as they are. Raises as ``verify`` does.
    """
    by_name = {tool.name: tool for tool in tools}
    levels: list[Level] = []
    if own and any(level.tool == COMMAND for level in of):
        levels += await command_levels(session, own, timeout=timeout, paths=paths, tools=tools)
    for level in of:
        names = [failure.test for failure in level.failures if failure in failures]
        if names and level.tool in by_name:
            only = names if len(names) <= MOST_AGAIN else ()
            levels.append(await by_name[level.tool].run(session, timeout=timeout, only=only))
    return Verification(tree, tuple(levels))


_CHECKS: Final[tuple[tuple[LevelName, Check], ...]] = (
    ("files", files_level),
    ("syntax", syntax_level),
    ("imports", imports_level),
)
