"""Run the tests that a change is about before all others, where all of them take long.

A red one is repaired at once; only what passes here costs the time of the whole suite.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from runner.code.languages import is_test_file
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents, reader
from runner.nodes.assess import assessed, run_base_tests, run_levels, tests_of, timed_out
from runner.nodes.steadied import steadied
from runner.state.changes import Snapshot
from runner.state.events import verified
from runner.state.findings import Level, Verification
from runner.state.run_state import RunState
from runner.verify import Commands, concerned, configuration, running, tools_of
from runner.verify.assessment import Assessment, path_of, red_tests
from runner.verify.project import OnlyFiles

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
    state: RunState,
    deps: Deps,
    work: TaskWork,
    base: Snapshot,
    own: Commands | None,
    found: Verification,
    *,
    within: float,
    only: OnlyFiles = (),
) -> float:
    """Return how long tests may take that did not end ``within`` seconds.

    The tests of the base are run now, because a machine may be busier than it was a minute ago.
    Where they do not end in that time either, all the time there is; never less than ``within``.
    """
    longest = state.request.options.sandbox.test_timeout
    tools = timed_out(found)
    before = await run_base_tests(
        state, deps, work, base, tools, own, within=within, only=only, now=True
    )
    if timed_out(before) or not before.tests:
        return longest
    return min(longest, max(within, _PACE * whole_seconds(before)))


@dataclass(frozen=True, slots=True)
class _FirstTests:
    """Test files by tool; ``whole`` if all that use what changes are among them."""

    only: OnlyFiles
    whole: bool


async def first_tests(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, own: Commands | None
) -> Assessment | None:
    """Return why a change is red that its own tests refuse; None where all tests must tell.

    A failure counts if the whole suite could not excuse it.
    """
    longest = state.request.options.sandbox.test_timeout
    seconds = suite_seconds(state)
    if own or seconds <= longest / _LONG:
        return None
    chosen = await _chosen(state, deps, base)
    if chosen is None:
        return None
    within = min(longest, max(_LEAST_SECONDS, min(seconds, _MOST_SECONDS)))
    after = await run_levels(state, deps, work, base, None, seconds=within, only=chosen.only)
    await deps.events.emit(verified(state, after, "change"))
    if all(level.result != "failed" for level in after.tests):
        return None
    if timed_out(after):
        needed = await time_needed(
            state, deps, work, base, None, after, within=within, only=chosen.only
        )
        if needed > within:
            return None
    after = await steadied(state, deps, work, base, after, own=None)
    found, _ = await assessed(state, deps, work, base, after, own=None, only=chosen.only)
    if found.outcome != "red" or found.doubtful or not _certain(state, found, base, chosen):
        return None
    levels = tuple(map(_shortened, found.verification.levels))
    return replace(found, verification=replace(found.verification, levels=levels))


async def _chosen(state: RunState, deps: Deps, base: Snapshot) -> _FirstTests | None:
    """The tests to run first: those that failed, that change, that are named, that use the change.

    None where no tool can run them alone, or where they are most of the tests.
    """
    changes = state.attempt.answered.changes
    entries = changes.entries(base)
    tests = [path for path in entries if is_test_file(path)]
    old = await contents(deps, base, configuration(base.entries))
    read, paths = reader(old, changes), sorted(entries)
    tools = concerned(tools_of(paths, read), changes.files)
    users = await tests_of(deps, base, changes)
    newest = state.attempt.tested.verification
    red = [path for f in (red_tests(newest) if newest else ()) for path in (path_of(f), f.file)]
    near = [*red, *sorted(changes.files), *state.task.files]
    for wanted, whole in (([*near, *sorted(users or ())], users is not None), (near, False)):
        files = [path for path in dict.fromkeys(wanted) if path in entries and is_test_file(path)]
        only = running(tools, files, paths, read)
        if only and 2 * sum(len(own) for _, own in only) <= len(tests):
            return _FirstTests(only, whole)
    return None


def _certain(state: RunState, found: Assessment, base: Snapshot, chosen: _FirstTests) -> bool:
    """Whether no test that did not run could excuse a failure."""
    if timed_out(found.verification):
        return True
    red = red_tests(found.verification)
    written = state.attempt.answered.changes.files
    return bool(red) and (chosen.whole or any(path_of(f) in written for f in red))


def _shortened(level: Level) -> Level:
    """The level with a word about the tests that did not run."""
    if level.name != "tests" or level.result == "skipped":
        return level
    return replace(level, reason="; ".join(filter(None, (level.reason, _OTHERS))))
