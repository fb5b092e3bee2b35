"""An answer that changes nothing: is what the task asks for there already?

An earlier checkpoint may have done the work of the next task as well. It is there where earlier
tasks of the run made everything that the task names, and tests of it are green.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping

from runner.checks.asked import TaskWords, has_word
from runner.code.languages import is_among_tests, is_test_file
from runner.code.symbols import symbols_of
from runner.errors import TaskError
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import texts
from runner.nodes.assess import run_base_tests
from runner.nodes.context import added_names, made
from runner.nodes.preflight import configured
from runner.nodes.work import work_on
from runner.people.texts import recovery_texts
from runner.state.changes import Snapshot
from runner.state.run_state import RunState
from runner.verify.rows import path_of

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
    names, tests = await asyncio.to_thread(_made, asked, made(state), found)
    if not tests or not (await added_names(state, deps)).issuperset(names):
        return ()
    here = await work_on(state, deps, work.sandbox, base, configured(state))
    try:
        before = await run_base_tests(here, {tool.name for tool in here.tools_before})
    except TaskError as error:
        log.info("Cairn cannot tell whether the task is already done: %s", error.message)
        return ()
    # each of the tests ran and passed, as far as the tools name files; nothing failed to be read
    red = {path_of(failure) for level in before.tests for failure in level.failures}
    ran = [level for level in before.tests if level.passed]
    green = {path for level in ran for path in level.green} or set(tests)
    broken = any(level.result == "failed" and not level.failures for level in before.tests)
    shown = ran and not broken and green - red >= set(tests)
    return (recovery_texts.there_already(names, tests),) if shown else ()


def _made(
    asked: TaskWords, earlier: Collection[str], code: Mapping[str, bytes]
) -> tuple[list[str], list[str]]:
    """What the task names, and the tests of it; nothing if ``earlier`` tasks did not write it.

    ``earlier`` are the files that they wrote. The tests are those that the task names, or those
    that have all of the names.
    """
    names = sorted(asked.names)
    written = {path: code[path] for path in earlier if path in code and not is_among_tests(path)}
    there = {d.name for p, content in written.items() for d in symbols_of(p, content).definitions}
    if not names or not there.issuperset(names):
        return [], []
    tests = {p: text.decode("utf-8", "replace") for p, text in code.items() if is_test_file(p)}
    named = [path for path in tests if asked.names_file(path)]
    using = [path for path, text in tests.items() if all(has_word(text, name) for name in names)]
    return names, named or using
