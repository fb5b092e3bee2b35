"""What a test run says about a change, next to what the tests said without it. Pure.

Reports become rows of the table in ``evidence``, which decides; what is left here is about runs
that name no test: a tool that breaks, a suite that is lost, imports that lead nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from runner.checks.asked import has_word
from runner.code.languages import is_among_tests, is_test_file
from runner.state.findings import (
    ADVISORY,
    Level,
    TestFailure,
    Verdict,
    Verification,
)
from runner.text.counting import counted
from runner.verify.commands import as_one_test
from runner.verify.evidence import Evidence, Row, evidence
from runner.verify.rows import (
    JudgedChange,
    Rows,
    green_files,
    last_name,
    missing_names,
    path_of,
    plain_text,
    red_tests,
    told_in_one_line,
)

_ASKS_LESS = (
    "tests that passed before pass with the change only because it edits them or what they load"
)
_OWN_FAILS = "tests of this change fail"
_UNWRITTEN = re.compile(
    r"\s*(?:assert |AssertionError\s*$|.*not ?(?:yet )?implemented)", re.IGNORECASE
)
"""What tests say of code that is not written yet, each of them the same."""
_MOST_NAMED = 3
_MOST_KEPT = 100
"""Failing tests that are kept with an attempt."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """``green``: accepted, with its ``verdict``; ``red``: the change's own fault.

    ``unverifiable``: tests cannot show anything, for a reason (the verdict's) that was there
    before. The ``verification`` is ready to be shown, ``hints`` are imports that cannot be resolved
    although the tests pass. ``rows`` are the tests. ``testers`` are pytest's files that use what
    changed; none where that is not known. ``in_the_way`` are old failures of code that seems to be
    touched; ``stays`` those that stayed so after a repair, if nothing else is red. ``otherwise`` is
    what a green one comes to if nothing shows the change to work, also not its own tests, and what
    a red one comes to, of which only old failures are red, if something shows it.
    """

    outcome: Literal["green", "red", "unverifiable"]
    verification: Verification
    verdict: Verdict
    hints: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    testers: tuple[str, ...] = ()
    in_the_way: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    otherwise: Assessment | None = None


def needs_base(
    after: Verification, tools: Collection[str], change: JudgedChange
) -> tuple[str, ...]:
    """Name the tools whose tests must be run on the base before a verification can be assessed.

    ``tools`` are those the base has tests for. None where nothing the base says could help: all
    tests that fail are those that the change itself wrote.
    """
    red = red_tests(after)
    if red and all(path_of(f) in change.written and f.test not in change.same for f in red):
        return ()
    if any(
        level.result == "failed" and level.name in ("files", "syntax") for level in after.levels
    ):
        return ()
    if any(_silent(level) and not level.broken for level in after.tests):
        return ()
    return tuple(dict.fromkeys(level.tool for level in after.tests if level.tool in tools))


def assess(after: Verification, before: Verification, change: JudgedChange) -> Assessment:
    """Decide about a verification; ``before`` has the base's levels of tests."""
    if trouble := _trouble(after, before, change):
        return trouble
    rows = tuple(Rows(after, before, change))
    found = evidence(rows, only_tests=change.only_tests)
    checks = [
        v for v in after.levels if v.name not in ("tests", *ADVISORY) and v.result == "failed"
    ]
    waiting = {test.partition("::")[0] for test in found.tests.get("waits", ())}
    if not all(_does_no_harm(check, after, change, waiting) for check in checks):
        return Assessment("red", after, Verdict(reason="a check before the tests failed"))
    as_before = set(found.tests.get("as before", ()))
    lost = any(_lost(v, before) or _silent(v) for v in after.tests)
    red = _red(after, before, change, rows, found) if found.red or lost else None
    if red and (lost or not set(found.red) <= as_before):
        old = frozenset(red.in_the_way)
        if lost or not set(found.red) <= old | as_before:
            return red
        return replace(
            red,
            otherwise=assess(after, before, replace(change, repaired=change.repaired | old)),
        )
    unchanged = tuple(failure.test for failure in red_tests(after))
    waits = found.tests.get("waits", ())
    # whether each of those that failed could not even be loaded or compiled
    ran = any(level.passed or level.result == "passed" for level in after.tests)
    loaded = ran or any(failure.is_case for failure in red_tests(after))
    if not loaded and not set(unchanged) <= set(waits):
        first = red_tests(after)[0]
        why = f"no test runs, with or without this change: {first.test}: {told_in_one_line(first)}"
        return Assessment("unverifiable", after, Verdict(reason=why, unchanged=unchanged))
    accepted = replace(after, levels=tuple(map(_as_before, after.levels)))
    hints = tuple(_hint(failure) for check in checks for failure in check.failures)
    hints += tuple(_UNSTEADY.format(test=test) for test in unchanged if test in change.unsteady)
    otherwise = replace(red, stays=tuple(sorted(as_before))) if red else None
    green = Assessment("green", accepted, Verdict(), hints, rows, otherwise=otherwise)
    return concluded(green, rows, change)


def concluded(found: Assessment, rows: Sequence[Row], change: JudgedChange) -> Assessment:
    """Return an accepted assessment with the verdict that these rows come to."""
    table = evidence(rows, only_tests=change.only_tests)
    turned = tuple(row.test for row in rows if row.test in table.shown and not row.edited)
    unchanged = table.listed
    verdict = Verdict("shown", _shown_by(len(turned), len(table.shown)), turned, unchanged)
    if not table.shown:
        passed = any(level.result == "passed" for level in found.verification.tests)
        reasons = (level.reason for level in found.verification.tests if level.reason)
        why = _why_not_shown(found.verification, change) if passed else next(reasons, "no test ran")
        verdict = Verdict("unbroken" if passed else "untested", why, (), unchanged)
    doubts = [
        _ASKS_LESS if row.asks_less else _OWN_FAILS
        for row in rows
        if row.asks_less or (row.after == "failed" and (row.edited or row.before == "new"))
    ]
    if change.unmade and change.edits_tests and not turned:
        doubts.append(f"the task names {', '.join(change.unmade)}, and it is not there")
    doubts += [f"{path} makes tests pass that would not" for path in change.deceiving]
    if verdict.verified and doubts:
        verdict = Verdict("unbroken", doubts[0], (), unchanged)
    if change.unbuilt and (change.interpreted or not table.shown):
        why = f"the compiled part was not built ({', '.join(sorted(change.unbuilt)[:_MOST_NAMED])})"
        verdict = Verdict("unbroken" if table.shown else "untested", why, (), unchanged)
    return replace(
        found, rows=tuple(rows), verdict=replace(verdict, untested=found.verdict.untested)
    )


def _shown_by(old: int, all_of_them: int) -> str:
    stood = f"by {counted(old, 'test')} that stood there" if old else ""
    return " and ".join(filter(None, (stood, "by tests of this change" * (old < all_of_them))))


def _why_not_shown(after: Verification, change: JudgedChange) -> str:
    users, green = change.users, green_files(after)
    if users is not None and green is not None and not users & green:
        return "no test uses what changed"
    measures = (("coverage", "changed line", "run"), ("mutants", "fault", "noticed"))
    facts: list[str] = []
    for name, what, done in measures:
        for level in (each for each in after.levels if each.name == name):
            most = level.passed + len(level.found)
            facts.append(f"{level.passed} of {most} {what}{'s' * (most != 1)} {done}")
    return "; ".join(
        filter(None, ("nothing broke", ", ".join(facts), "nothing shows that the task is done"))
    )


def _trouble(after: Verification, before: Verification, change: JudgedChange) -> Assessment | None:
    """What a runner that could not do its work means; None where each one could.

    If it lacks what the task should add, another answer may add it. Neither could it where no test
    passes and all say the same.
    """
    broken = [level for level in after.tests if level.broken]
    for level in broken:
        was = {plain_text(b.broken) for b in before.tests if b.tool == level.tool}
        promised = any(
            has_word(change.words, last_name(name)) for name in missing_names(level.broken)
        )
        if promised or plain_text(level.broken) not in was:
            return Assessment("red", after, Verdict(reason=level.broken))
    if not broken:
        why = _nothing_passes(after, before, change)
        return Assessment("unverifiable", after, Verdict(reason=why)) if why else None
    why = f"{broken[0].broken}. The same happens without this change"
    return Assessment("unverifiable", after, Verdict(reason=why))


def _nothing_passes(after: Verification, before: Verification, change: JudgedChange) -> str:
    """What all tests say, with and without the change, if none passes; '' where others may."""
    red = [*red_tests(before), *red_tests(after)]
    passed = any(
        level.passed or level.result == "passed" for level in (*after.tests, *before.tests)
    )
    if passed or len(red_tests(before)) < 2 or len(set(map(told_in_one_line, red))) > 1:
        return ""
    said, words = red[0].message, f"{change.words}\n{change.others}"
    if _UNWRITTEN.match(said) or any(has_word(words, last_name(n)) for n in missing_names(said)):
        return ""
    return f"no test passes, with or without this change: {red[0].test}: {told_in_one_line(red[0])}"


def _red(
    after: Verification,
    before: Verification,
    change: JudgedChange,
    rows: tuple[Row, ...],
    found: Evidence,
) -> Assessment:
    """The change's own failures, and which of them may be nothing of its own."""
    by_test = {row.test: row for row in rows}
    late = {test for each in ("in the way", "as before") for test in found.tests.get(each, ())}
    own = tuple(
        sorted(
            (failure for failure in red_tests(after) if failure.test in found.red),
            key=lambda f: (f.test in late, by_test[f.test].declared != "this task"),
        )
    )
    gone = tuple(
        TestFailure(test, _NOT_RUN, test.partition("::")[0]) for test in found.tests.get("gone", ())
    )
    levels = [_of_change(level, own, before) for level in after.levels]
    if gone:
        at = next(i for i, level in enumerate(levels) if level.name == "tests")
        reason = "; ".join(filter(None, (levels[at].reason, f"{counted(len(gone), 'test')} gone")))
        failures = (*levels[at].failures, *gone)
        levels[at] = replace(levels[at], result="failed", failures=failures, reason=reason)
    return Assessment(
        "red",
        replace(after, levels=tuple(levels)),
        Verdict(reason="tests fail", turned=found.shown),
        rows=rows,
        in_the_way=found.tests.get("in the way", ()),
    )


_NOT_RUN = "It passed before this change, and does not run with it: it was skipped or removed."


def _silent(level: Level) -> bool:
    """Whether it failed and names no test, and is none itself: nothing can be compared."""
    return level.result == "failed" and not as_one_test(level).failures


def _lost(level: Level, before: Verification) -> bool:
    """Whether a tool that ran tests on the base runs none with the change."""
    ran = any(b.tool == level.tool and b.passed for b in before.tests)
    return level.result == "skipped" and bool(level.tool) and ran


def _of_change(level: Level, own: Sequence[TestFailure], before: Verification) -> Level:
    """A level with the failures that are the change's own, and why it is red."""
    if level.name != "tests":
        return level
    if _lost(level, before):
        passed = sum(b.passed for b in before.tests if b.tool == level.tool)
        before_it = f"without it {counted(passed, 'test')} passed"
        why = f"no test runs with this change ({level.reason}); {before_it}"
        return replace(level, result="failed", reason=why)
    if level.result != "failed" or not level.failures:
        return level
    left = tuple(failure for failure in own if failure in level.failures)  # the task's own first
    others = len(level.failures) - len(left)
    if not others:
        return replace(level, failures=left[:_MOST_KEPT])
    why = f"{counted(len(left), 'test')} failed, {level.passed} passed; {_as_they_did(others)}"
    return replace(
        level, result="failed" if left else "passed", failures=left[:_MOST_KEPT], reason=why
    )


def _as_before(level: Level) -> Level:
    """A level whose every failure is excused, or does no harm."""
    if level.name == "imports" and level.result == "failed":
        why = f"{level.reason}, but the tests pass"
        return replace(level, result="passed", failures=(), reason=why)
    if level.name != "tests" or level.result != "failed":
        return level
    others = _as_they_did(len(level.failures) or 1)
    why = f"{level.passed} passed; {others}" if level.passed else f"no test passes; {others}"
    why = "; ".join(filter(None, (why, flaky_words(level.flaky))))
    result: Literal["passed", "skipped"] = "passed" if level.passed else "skipped"
    return replace(level, result=result, failures=(), reason=why)


_UNSTEADY = "{test} fails with another message each time, also without this change."


def _hint(failure: TestFailure) -> str:
    at = f"{failure.file}, line {failure.line}" if failure.line else failure.file
    line = failure.message.split("\n", 1)[0]
    return f"{at}: {line}. The tests that use it still pass."


def flaky_words(tests: Sequence[str]) -> str:
    """Name tests that failed once only; '' for none."""
    return f"flaky, failed once and passed when run again: {', '.join(tests)}" if tests else ""


def _as_they_did(count: int) -> str:
    return f"{count} {'fails' if count == 1 else 'fail'} as before this change"


def _does_no_harm(
    check: Level, after: Verification, change: JudgedChange, waiting: Collection[str]
) -> bool:
    """Whether only imports failed: in files that tests load and pass, or that nothing loads.

    Those of tests that wait for another task are theirs.
    """
    if check.name != "imports":
        return False
    at = {failure.file for failure in check.failures} - set(waiting)
    if at and not any(v.passed or v.result == "passed" for v in after.tests):
        return False
    green = green_files(after)
    if green is None:
        green = change.tests - {path_of(failure) for failure in red_tests(after)}
    for path in at:
        users = (change.loading or {}).get(path, frozenset())
        # only its own package loads it, if anything does
        alone = {user.rpartition("/")[0] for user in users} == {path.rpartition("/")[0]}
        sample = alone and is_among_tests(path) and not is_test_file(path)
        if not sample and not users & green:
            return False
    return True


def results_of(tests: Collection[str], runs: Sequence[Verification]) -> dict[str, frozenset[str]]:
    """What each test said when it was run several times: '' where it passed.

    A run in which not all of them ran says nothing.
    """
    seen: dict[str, set[str]] = {test: set() for test in tests}
    for run in runs:
        red = {f.test: told_in_one_line(f) or "failed" for f in red_tests(run) if f.test in seen}
        if sum(level.passed for level in run.tests) + len(red) < len(seen):
            continue
        for test, results in seen.items():
            results.add(red.get(test, ""))
    return {test: frozenset(results) for test, results in seen.items()}
