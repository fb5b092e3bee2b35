"""Run the tests that a change is about before all others, where all of them take long.

A red one is repaired at once; only what passes here costs the time of the whole suite.
"""

from __future__ import annotations

from dataclasses import replace

from runner.code.languages import is_test_file
from runner.nodes.assess import assessed, run_base_tests, run_levels, tests_of, timed_out
from runner.nodes.steadied import steadied, unsteady_on_base
from runner.nodes.work import NodeWork
from runner.state.findings import Verification
from runner.state.run_state import RunState
from runner.verify import concerned, running
from runner.verify.assessment import Assessment
from runner.verify.project import OnlyFiles
from runner.verify.rows import path_of, red_tests

_LONG = 30
"""All tests take long where they need more than this part of the time they may take (10 s)."""

_LEAST_SECONDS, _MOST_SECONDS = 20.0, 45.0
"""What never ends is stopped in time; tests that need longer on the base run with all others."""

_OTHERS = "the other tests did not run"

_PACE = 5
"""Tests may take so many times as long as those of the base take in the same minutes."""


def suite_seconds(state: RunState) -> float:
    """How long all tests took in this run, as far as they came to their end; 0 if unknown."""
    return max((attempt.tested.suite_seconds for attempt in state.attempts.values()), default=0.0)


def whole_seconds(verification: Verification) -> float:
    """How long the tests of a verification took; 0 where they did not come to their end."""
    if timed_out(verification):
        return 0.0
    return sum(level.seconds for level in verification.tests)


async def time_needed(
    work: NodeWork, found: Verification, *, within: float, only: OnlyFiles = ()
) -> float:
    """Return how long tests may take that did not end ``within`` seconds.

    The tests of the base are run now, because a machine may be busier than it was a minute ago.
    Where they do not end in that time either, all the time there is; never less than ``within``.
    """
    before = await run_base_tests(work, timed_out(found), only=only, now=True)
    if timed_out(before) or not before.tests:
        return work.seconds
    return min(work.seconds, max(within, _PACE * whole_seconds(before)))


async def first_tests(work: NodeWork) -> Assessment | None:
    """Return why a change is red that its own tests refuse; None where all tests must tell.

    A failure counts if the whole suite could not excuse it.
    """
    seconds = suite_seconds(work.state)
    if work.own or seconds <= work.seconds / _LONG:
        return None
    only, whole = await _chosen(work)
    if not only:
        return None
    within = min(work.seconds, max(_LEAST_SECONDS, min(seconds, _MOST_SECONDS)))
    after = await run_levels(work, seconds=within, only=only)
    await work.tell(after, "change")
    if all(level.result != "failed" for level in after.tests):
        return None
    if timed_out(after) and await time_needed(work, after, within=within, only=only) > within:
        return None
    after = await steadied(work, after)
    found, _ = await assessed(work, after, only=only)
    red = red_tests(found.verification)
    # otherwise a test that did not run could excuse a failure
    certain = timed_out(found.verification) or (
        red and (whole or any(path_of(failure) in work.changes.files for failure in red))
    )
    if found.outcome != "red" or not certain or any(await unsteady_on_base(work, found)):
        return None
    levels = tuple(
        replace(level, reason="; ".join(filter(None, (level.reason, _OTHERS))))
        if level.name == "tests" and level.result != "skipped"
        else level
        for level in found.verification.levels
    )
    return replace(found, verification=replace(found.verification, levels=levels))


async def _chosen(work: NodeWork) -> tuple[OnlyFiles, bool]:
    """The tests to run first: those that failed, that change, that are named, that use the change.

    By tool, and whether all that use what changes are among them. None where no tool can run them
    alone, or where they are most of the tests.
    """
    entries, changed = work.entries, sorted(work.changes.files)
    tools = concerned(work.tools, changed)
    users = await tests_of(work)
    newest = work.state.attempt.tested.verification
    red = [path for f in (red_tests(newest) if newest else ()) for path in (path_of(f), f.file)]
    near = [*red, *changed, *work.state.task.files]
    for wanted, whole in (([*near, *sorted(users or ())], users is not None), (near, False)):
        files = [path for path in dict.fromkeys(wanted) if path in entries and is_test_file(path)]
        only = running(tools, files, work.paths, work.read)
        if only and 2 * sum(len(own) for _, own in only) <= sum(map(is_test_file, entries)):
            return only, whole
    return (), False
