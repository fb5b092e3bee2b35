"""Run a few failing tests again, alone: is the change at fault, or are they unsteady?

An old test that passes then is flaky, and named so; the same failure is known in later answers of
the task. Where nothing but old tests keeps failing, they are run on the base as well, once for all
answers. One that passes there only sometimes is run a few more times with the change; where it
fails with another message each time, messages are not compared. One that failed on the base and
passes now without using what changed is run there once more. A configured command that names no
test counts as one.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace

from runner.nodes.work import NodeWork
from runner.state.changes import ChangeSet
from runner.state.findings import ADVISORY, Level, TestFailure, Verification
from runner.text.counting import counted
from runner.text.sanitize import as_typed
from runner.verify import COMMAND, run_again
from runner.verify.assessment import Assessment, flaky_words, results_of
from runner.verify.evidence import Row
from runner.verify.rows import path_of, red_tests, told_in_one_line

log = logging.getLogger(__name__)

MOST = 10
"""So many failing tests are run again; more than that are not flaky."""

_LEAST_SECONDS = 30.0


async def steadied(
    work: NodeWork, after: Verification, *, among: Collection[str] = (), times: int | None = None
) -> Verification:
    """Return the verification with tests that pass when they are run again taken as passed.

    Never so for a test, or an error in code, that the task itself wrote or changed. ``among`` are
    the only ones in question, if not all are; ``times`` is how often at most (None: as configured).
    """
    # an import that seems to lead nowhere may do no harm
    harmless = ("imports", *ADVISORY)
    most = work.state.request.options.verify.verify_reruns if times is None else times
    if work.own and not among:
        for _ in range(most):
            after = await _commands_again(work, after)
    red = [v for v in after.levels if v.result == "failed" and v.name not in harmless]
    left, flaky = _may_be_flaky(red, work.changes, among), set[TestFailure]()
    task, seen = work.state.current, work.sandbox.flaky
    for each in left:
        if (task, each.test, told_in_one_line(each)) in seen:
            log.info("Not run again, flaky with an earlier answer: %s", each.test)
            flaky.add(each)
    left = [failure for failure in left if failure not in flaky]
    for _ in range(most):
        if not left:
            break
        again = await _again(work, red, left)
        flaky |= _passing(left, again)
        left = [failure for failure in left if failure not in flaky]
    seen.update((task, each.test, told_in_one_line(each)) for each in flaky)
    return replace(after, levels=tuple(_named(level, flaky) for level in after.levels))


async def _commands_again(work: NodeWork, after: Verification) -> Verification:
    """Take commands that name no test and pass when they are run again as passed, and unsteady."""
    red = [
        v for v in after.tests if v.tool == COMMAND and v.cause == "exit_code" and not v.failures
    ]
    if not red:
        return after
    again = await _again(work, red, ())
    passing = {level.command for level in again.levels if level.result == "passed"}

    def steady(level: Level) -> Level:
        if level not in red or level.command not in passing:
            return level
        names = (as_typed(level.command),)
        return replace(level, result="passed", cause="", reason=flaky_words(names), flaky=names)

    return replace(after, levels=tuple(map(steady, after.levels)))


async def _again(
    work: NodeWork,
    red: Sequence[Level],
    failures: Sequence[TestFailure],
    *,
    on_base: bool = False,
) -> Verification:
    """Run what failed in these levels once more, with the change or without it, and tell of it."""
    session = await work.session(ChangeSet() if on_base else None)
    again = await run_again(
        session,
        tree=work.base.tree if on_base else work.tree,
        failures=failures,
        of=red,
        timeout=min(work.seconds, max(_LEAST_SECONDS, 3 * sum(level.seconds for level in red))),
        own=work.own,
        tools=work.tools_before if on_base else work.tools,
        paths=work.base.entries if on_base else work.entries,
    )
    await work.tell(again, "before" if on_base else "again")
    return again


def _may_be_flaky(
    red: Sequence[Level], changes: ChangeSet, among: Collection[str]
) -> list[TestFailure]:
    """The failing tests that are worth another run, beside files that could not be loaded."""
    if any(level.name != "tests" or not level.failures for level in red):
        return []
    failures = [f for level in red for f in level.failures if not among or f.test in among]
    cases = [
        f
        for f in failures
        if f.is_case and changes.files.keys().isdisjoint((f.test.split("::")[0], f.file))
    ]
    return cases if len(cases) <= MOST else []


def _passing(failures: Sequence[TestFailure], again: Verification) -> set[TestFailure]:
    """Those that pass now; none where the tools do not tell of each."""
    if any(level.result != "passed" and not level.failures for level in again.levels):
        return set()
    red = {failure.test for failure in red_tests(again)}
    found = {failure for failure in failures if failure.test not in red}
    return found if sum(level.passed for level in again.levels) >= len(found) else set()


def _named(level: Level, flaky: Collection[TestFailure]) -> Level:
    """The level with its flaky tests among those that passed."""
    found = [failure for failure in level.failures if failure in flaky]
    if not found:
        return level
    names = tuple(failure.test for failure in found)
    # a tool that names no files must not seem to know all of them
    files = {path_of(failure) for failure in found} if level.green or not level.passed else ()
    level = replace(
        level,
        failures=tuple(failure for failure in level.failures if failure not in flaky),
        passed=level.passed + len(found),
        green=tuple(dict.fromkeys((*level.green, *sorted(files)))),
        flaky=names,
        found=(*level.found, *(() if len(level.found) < level.passed else names)),
    )
    if level.failures:
        reason = f"{counted(len(level.failures), 'test')} failed, {level.passed} passed"
        return replace(level, reason=reason)
    return replace(level, result="passed", reason=flaky_words(names))


TIMES = 3
"""How often tests that may be unsteady are run on the base, and those that are with the change."""


async def unsteady_on_base(
    work: NodeWork, found: Assessment
) -> tuple[frozenset[str], frozenset[str]]:
    """Run the failing tests alone on the base, each time in a fresh workspace.

    Only where all of them stood there, and no answer of the task had them run there yet. Returns
    those that fail there with another message each time, and those that fail sometimes.
    """
    rows, failures = {row.test: row for row in found.rows}, red_tests(found.verification)
    if work.own or not work.state.request.options.verify.verify_reruns or len(failures) > MOST:
        return frozenset(), frozenset()
    if not all(f.is_case and _stood(rows.get(f.test)) for f in failures):
        return frozenset(), frozenset()
    known, tree = work.sandbox.alone, work.base.tree
    left = [failure for failure in failures if (tree, failure.test) not in known]
    red = [level for level in found.verification.tests if level.result == "failed"]
    runs: list[Verification] = []
    for _ in range(TIMES if left else 0):
        runs.append(await _again(work, red, left, on_base=True))
        results = results_of({failure.test for failure in left}, runs)
        known.update(((tree, test), each) for test, each in results.items())
        if all(len(each) > 1 for each in results.values()):
            break
    passed = {test for test, row in rows.items() if row.before == "passed"}
    seen = {f.test: known[tree, f.test] | ({""} if f.test in passed else set()) for f in failures}
    varying = {test: each for test, each in seen.items() if len(each) > 1}
    red_ones = frozenset(test for test, each in varying.items() if "" not in each)
    return red_ones, frozenset(varying) - red_ones


def _stood(row: Row | None) -> bool:
    """Whether a failing test may be unsteady: it was there, and the task does not name it."""
    if row is None or row.after != "failed" or row.before == "new":
        return False
    return not row.edited and row.declared != "this task"


async def turned_by_chance(
    work: NodeWork, after: Verification, found: Assessment, users: Collection[str]
) -> Verification:
    """Return the verification with old tests that turn without the change named flaky.

    That is, they failed on the base, are none of the ``users`` of what changed, and pass on the
    base when they are run there alone. More than a few do not all turn by chance.
    """
    turned = {t for t in found.verdict.turned if t.partition("::")[0] not in users}
    of = [
        replace(level, failures=tuple(TestFailure(t, "") for t in level.found if t in turned))
        for level in after.tests
        if turned & set(level.found)
    ]
    failures = [failure for level in of for failure in level.failures]
    if not 0 < len(failures) <= MOST or (found.outcome == "red" and not found.otherwise):
        return after
    again = await _again(work, of, failures, on_base=True)
    passing = {failure.test for failure in _passing(failures, again)}
    levels: list[Level] = []
    for level in after.levels:
        names = tuple(test for test in level.found if test in passing)
        levels.append(
            replace(
                level,
                flaky=(*level.flaky, *names),
                reason="; ".join(filter(None, (level.reason, flaky_words(names)))),
            )
        )
    return replace(after, levels=tuple(levels))
