"""An answer that changes nothing: is what the task asks for there already?

An earlier checkpoint may have done the work of the next task as well. It is there where everything
that the task names is defined, and the tests that it names are green.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence

from runner.checks.asked import TaskWords
from runner.code.languages import is_among_tests, is_test_file
from runner.code.symbols import symbols_of
from runner.errors import TaskError
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents, texts
from runner.nodes.assess import run_base_tests
from runner.people.recovery_sentences import there_already
from runner.state.changes import Snapshot
from runner.state.findings import Level, Verification
from runner.state.run_state import RunState
from runner.verify import Commands, configuration, tools_of
from runner.verify.assessment import path_of

log = logging.getLogger(__name__)


async def already_there(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, code: Collection[str]
) -> tuple[str, ...]:
    """Return what shows that the base has all that the task names; () where nothing does.

    ``code`` are the paths of its code. Its tests run, once for all answers. Raises ``Outage``.
    """
    options = state.request.options.verify
    if state.attempt.planned.human_commits is not None or options.verify_mode in ("syntax", "off"):
        return ()
    asked = TaskWords.of(state.task)
    found = await texts(deps, base, code)
    names, tests = await asyncio.to_thread(_promised, asked, found)
    if not tests:
        return ()
    own = Commands(options.verify_commands, options.verify_report) or None
    old = await contents(deps, base, configuration(base.entries))
    tools = {tool.name for tool in tools_of(sorted(base.entries), old.get)}
    try:
        before = await run_base_tests(state, deps, work, base, tools, own)
    except TaskError as error:
        log.info("Cairn cannot tell whether the task is already done: %s", error.message)
        return ()
    return (there_already(names, tests),) if _green(before, tests) else ()


def _promised(asked: TaskWords, code: Mapping[str, bytes]) -> tuple[list[str], list[str]]:
    """The code and the tests that the task names; nothing if a name is not defined."""
    made = {
        each.name
        for path, content in code.items()
        if not is_among_tests(path)
        for each in symbols_of(path, content).definitions
    }
    names = sorted(asked.names)
    if not names or not made.issuperset(names):
        return [], []
    return names, [path for path in code if is_test_file(path) and asked.names_file(path)]


def _green(before: Verification, tests: Sequence[str]) -> bool:
    """Whether each of the tests ran and passed, and nothing failed to be read or built."""
    red = {path_of(failure) for level in before.tests for failure in level.failures}
    ran = [level for level in before.tests if level.passed]
    broken = any(level.result == "failed" and not level.failures for level in before.tests)
    return bool(ran) and not broken and not red & set(tests) and all(_ran(ran, t) for t in tests)


def _ran(levels: Sequence[Level], test: str) -> bool:
    """Whether a test file passed, as far as the tools name files."""
    named = {path for level in levels for path in level.green}
    return not named or test in named
