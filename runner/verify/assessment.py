"""What a test run says about a change, next to what the tests said without it. Pure.

Reports become rows of the table in ``evidence``, which decides; what is left here is about runs
that name no test: a tool that breaks, a suite that is lost, imports that lead nowhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from runner.code.languages import is_among_tests, is_test_file, language_of
from runner.state.findings import (
    ADVISORY,
    Level,
    TestFailure,
    Verdict,
    VerdictKind,
    Verification,
)
from runner.text.patterns import lazy_pattern
from runner.verify.commands import as_one_test
from runner.verify.evidence import Before, Evidence, Owner, Row, evidence
from runner.verify.judging import NOT_STARTED, counted

# an address, a time, a temporary folder: what differs between two runs of the same failure
_VARIES = lazy_pattern(r"0x[0-9a-fA-F]+|\b\d+\.\d+s\b| at \d+ %|/tmp/\S+|/workspace\S*")
# what languages say of a name that is not there (yet)
_MISSING = lazy_pattern(
    r"No module named '([\w.]+)'|cannot import name '(\w+)'|has no attribute '(\w+)'"
    r"|name '(\w+)' is not defined|Cannot find (?:module|package) '([^']+)'"
    r"|does not provide an export named '(\w+)'|\b(\w+) is not (?:a function|defined|a constructor)"
    r"|undefined: (?:\w+\.)?(\w+)|cannot find (?:function|type|value|struct|macro|module) `(\w+)`"
    r"|no (?:function|method|associated item)[^`\n]{0,60}named `(\w+)`|unresolved import `([\w:]+)`"
    r"|undefined method [`'](\w+[?!]?)'|uninitialized constant ([\w:]+)"
    r"|cannot load such file -- (\S+)|Call to undefined (?:function|method) ([\w\\:]+)"
    r"|Class \"([\w\\]+)\" not found"
)
# what makes a path that of a test, in any language
_TESTS = lazy_pattern(r"(?i)(?<![a-z])(?:tests?|specs?)(?![a-z])")
FIXTURE = lazy_pattern(r"fixture '(\w+)' not found")
_MOST_NAMED = 3
_MOST_KEPT = 100
"""Failing tests that are kept with an attempt."""


@dataclass(frozen=True, kw_only=True)
class JudgedChange:
    """What the table needs to know about a change.

    ``words`` is everything that the task says, ``others`` everything of tasks that are still open.
    ``written`` are the files of the change set. ``users`` are the files that use one of them by way
    of imports (themselves among them), None if that is not known, ``loading`` those that use each
    of the files with an import that cannot be resolved, ``tests`` all test files. ``same`` are the
    tests in written files whose own code is as it was; with ``shared`` the change also writes what
    several tests load (fixtures, helpers, settings), so that none is as it was. ``standing`` says
    where the code of an old test stands now, under its name or another. ``unsteady`` are tests that
    fail on the base with another message each time, ``apart`` failing ones that were seen to run no
    changed line, ``repaired`` failures that the author has seen, ``rewritten`` tests that stood
    there and assert something else now. ``selected``: not all tests were run. ``unbuilt`` are
    written sources of extension modules, of which nobody built any.
    """

    words: str = ""
    others: str = ""
    written: frozenset[str] = frozenset()
    unbuilt: frozenset[str] = frozenset()
    users: frozenset[str] | None = None
    loading: Mapping[str, frozenset[str]] | None = field(default_factory=dict)
    tests: frozenset[str] = frozenset()
    same: frozenset[str] = frozenset()
    standing: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shared: bool = False
    unsteady: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    repaired: frozenset[str] = frozenset()
    rewritten: frozenset[str] = frozenset()
    selected: bool = False

    @property
    def edits_tests(self) -> bool:
        """Whether it writes a test, or what tests load."""
        return any(map(is_test_side, self.written))

    @property
    def only_tests(self) -> bool:
        """Whether nothing but tests is written, and the task names tests, or one of the files."""
        tests = all(is_test_file(path) or is_among_tests(path) for path in self.written)
        named = _TESTS.search(self.words) or any(path in self.words for path in self.written)
        return bool(self.written and tests and named)


@dataclass(frozen=True, slots=True)
class Assessment:
    """``green``: accepted, with its ``verdict``; ``red``: the change's own fault.

    ``unverifiable``: tests cannot show anything, for a reason (the verdict's) that was there
    before. The ``verification`` is ready to be shown, ``hints`` are imports that cannot be resolved
    although the tests pass. ``rows`` are the tests. ``testers`` are pytest's files that use what
    changed; none where that is not known. ``doubtful`` are the failing tests where each of them may
    be unsteady, ``in_the_way`` old failures of code that seems to be touched; ``stays``
    those that stayed so after a repair, if nothing else is red. ``otherwise`` is what a green one
    comes to if nothing shows the change to work, also not its own tests, and what a red one comes
    to, of which only old failures are red, if something shows it.
    """

    outcome: Literal["green", "red", "unverifiable"]
    verification: Verification
    verdict: Verdict
    hints: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    testers: tuple[str, ...] = ()
    doubtful: tuple[TestFailure, ...] = ()
    in_the_way: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    otherwise: Assessment | None = None


def red_tests(verification: Verification) -> tuple[TestFailure, ...]:
    """The failures of tests, without those of the checks before them."""
    return tuple(failure for level in verification.tests for failure in level.failures)


def needs_base(
    after: Verification, tools: Collection[str], change: JudgedChange
) -> tuple[str, ...]:
    """Name the tools whose tests must be run on the base before a verification can be assessed.

    ``tools`` are those the base has tests for. None where nothing the base says could help: a test
    fails that the change itself wrote.
    """
    red = red_tests(after)
    if any(path_of(f) in change.written and f.test not in change.same for f in red):
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
    rows = tuple(_Rows(after, before, change))
    found = evidence(rows, only_tests=change.only_tests)
    checks = [
        v for v in after.levels if v.name not in ("tests", *ADVISORY) and v.result == "failed"
    ]
    waiting = {test.partition("::")[0] for test in found.tests.get("waits", ())}
    if not all(_does_no_harm(check, after, change, waiting) for check in checks):
        return Assessment("red", after, Verdict(reason="a check before the tests failed"))
    as_before = set(found.tests.get("as before", ()))
    lost = any(_lost(v, before) or _silent(v) for v in after.tests)
    red = _red(after, before, change, rows, found, doubts=not checks) if found.red or lost else None
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
    if _nothing_ran(after) and not set(unchanged) <= set(waits):
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
        why = _why_not_shown(found.verification, change) if passed else _why_not_run(found)
        verdict = Verdict("unbroken" if passed else "untested", why, (), unchanged)
    interpreted = {p for p in change.written - change.unbuilt if _is_code(p)}
    if change.unbuilt and (interpreted or not table.shown):
        why = f"the compiled part was not built ({', '.join(sorted(change.unbuilt)[:_MOST_NAMED])})"
        kind: VerdictKind = "unbroken" if table.shown else "untested"
        verdict = Verdict(kind, why, (), unchanged)
    untested = found.verdict.untested
    return replace(found, rows=tuple(rows), verdict=replace(verdict, untested=untested))


def _is_code(path: str) -> bool:
    """Whether it is code under test, in a language that Cairn parses."""
    return language_of(path) not in ("", "css", "html") and not is_test_side(path)


def _shown_by(old: int, all_of_them: int) -> str:
    stood = f"by {counted(old)} that stood there" if old else ""
    return " and ".join(filter(None, (stood, "by tests of this change" * (old < all_of_them))))


def _why_not_run(found: Assessment) -> str:
    reasons = [level.reason for level in found.verification.tests if level.reason]
    return reasons[0] if reasons else "no test ran"


def _why_not_shown(after: Verification, change: JudgedChange) -> str:
    users, green = change.users, _green(after)
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

    If it lacks what the task should add, another answer may add it.
    """
    broken = [level for level in after.tests if level.broken]
    for level in broken:
        was = {_plain(b.broken) for b in before.tests if b.tool == level.tool}
        promised = any(
            has_word(change.words, last_name(name)) for name in missing_names(level.broken)
        )
        if promised or _plain(level.broken) not in was:
            return Assessment("red", after, Verdict(reason=level.broken))
    if not broken:
        return None
    why = f"{broken[0].broken}. The same happens without this change"
    return Assessment("unverifiable", after, Verdict(reason=why))


class _Rows:
    """Each test of two runs as a row of the table."""

    def __init__(self, after: Verification, before: Verification, change: JudgedChange) -> None:
        self._after = replace(after, levels=tuple(map(as_one_test, after.levels)))
        self._before = replace(before, levels=tuple(map(as_one_test, before.levels)))
        self._change = change
        self._lines = {
            test
            for run, whole in ((after, self._after), (before, self._before))
            for was, level in zip(run.tests, whole.tests, strict=True)
            if was is not level  # a run that names no tests
            for test in (*level.found, *(failure.test for failure in level.failures))
        }
        self._was = {failure.test: failure for failure in self._before.failures}
        self._passed = {plain_id(name) for level in self._before.tests for name in level.found}
        self._named = all(map(_names_all, self._before.tests))
        self._nothing_ran = {v.tool for v in before.tests if v.broken and not _stopped(v)}
        self._red = {failure.test for failure in red_tests(self._after)}
        self._flaky = {test for level in after.tests for test in level.flaky}

    def __iter__(self) -> Iterator[Row]:
        for level in self._after.tests:
            yield from map(self._failing, level.failures)
            yield from (self._passing(level.tool, test) for test in level.found)
        yield from self._not_red_any_more()
        yield from self._gone()

    def _failing(self, failure: TestFailure) -> Row:
        was = self._was.get(failure.test) or self._was.get(path_of(failure))
        written, line = path_of(failure) in self._change.written, failure.test in self._lines
        edited = written and failure.test not in self._change.same
        same_error = was is not None and self._same_error(was, failure)
        if line:
            edited = self._change.edits_tests and not same_error
        before: Before = "failed" if was else self._without_name(failure)
        return Row(
            test=failure.test,
            before="new" if edited and (line or before != "passed") else before,
            after="failed",
            edited=edited,
            same_error=same_error,
            declared=self._declared(failure),
            lacks=self._lacks(failure, edited=edited),
            reaches=self._reaches(failure),
            repaired=failure.test in self._change.repaired,
        )

    def _without_name(self, failure: TestFailure) -> Before:
        """How a test ended that did not fail on the base."""
        if not self._before.tests:
            return "new"
        if not failure.is_case and failure.test not in self._lines:
            inside = any(name.startswith(f"{failure.test}::") for name in self._passed)
            return "passed" if inside or not self._named else "new"
        known = plain_id(failure.test) in self._passed
        return "passed" if known or not self._named else "new"

    def _same_error(self, was: TestFailure, failure: TestFailure) -> bool:
        return failure.test in self._change.unsteady or told_in_one_line(was) == told_in_one_line(
            failure
        )

    def _passing(self, tool: str, test: str) -> Row:
        if test in self._flaky:  # it failed and passed on one tree: it shows nothing of another
            return Row(test=test, before="not run", after="not run")
        path, passed = test.partition("::")[0], plain_id(test) in self._passed
        not_loaded = (path in self._was or tool in self._nothing_ran) and not passed
        failed = test in self._was or not_loaded
        if self._is_edited(test, path) and (
            failed or path in self._change.written or test in self._lines
        ):
            rewritten = plain_id(test) in self._change.rewritten
            return Row(
                test=test, before="not run", after="passed", edited=True, rewritten=rewritten
            )
        known = passed or not self._named
        return Row(
            test=test, before="failed" if failed else "passed" if known else "new", after="passed"
        )

    def _not_red_any_more(self) -> Iterator[Row]:
        """Tests that failed on the base and are not named now, if theirs is a file that passed."""
        green = _green(self._after)
        named = {name for level in self._after.tests for name in level.found}
        files = {name.partition("::")[0] for name in named}
        for test, failure in self._was.items():
            if test in self._red or test in named or (not failure.is_case and test in files):
                continue
            unnamed = green is None and not self._lines  # where no report is, nothing is known
            if unnamed or (path_of(failure) in (green or ()) and not _all_named(self._after)):
                edited = self._is_edited(test, path_of(failure))
                yield Row(
                    test=test,
                    before="not run" if edited else "failed",
                    after="passed",
                    edited=edited,
                )
            else:
                yield Row(test=test, before="failed", after="gone")

    def _gone(self) -> Iterator[Row]:
        """Tests that passed on the base and are not there now."""
        if not self._after.tests or self._change.selected or not _all_named(self._after):
            return
        tools = {level.tool for level in self._after.tests if level.result != "skipped"}
        here = {plain_id(name) for level in self._after.tests for name in level.found}
        here |= {plain_id(test) for test in self._red}
        not_loaded = {test for test in self._red if "::" not in test}
        before = self._passed | set(map(plain_id, self._was))
        renamed = Counter(test.partition("::")[0] for test in here - self._red - before)
        for level in self._before.tests:
            for test in dict.fromkeys(map(plain_id, level.found)):
                path = test.partition("::")[0]
                if level.tool not in tools or test in here | self._lines or path in not_loaded:
                    continue
                stands = self._change.standing.get(test, frozenset())
                taken = path in self._change.written and not stands
                if stands & here:
                    continue
                # a name with a time or a folder in it; only of Python the code is compared
                written = path in self._change.written
                if renamed[path] > 0 and not (written and path.endswith(".py")):
                    renamed[path] -= 1
                    continue
                yield Row(test=test, before="passed", after="gone", taken=taken)

    def _is_edited(self, test: str, path: str) -> bool:
        if test in self._lines:
            return self._change.edits_tests
        beside = is_test_file(path) or is_among_tests(path)  # not in a file of code, as in Rust
        own = path in self._change.written and test not in self._change.same
        return (own and beside) or self._change.shared

    def _declared(self, failure: TestFailure) -> Owner:
        """Whose test it is: a task names its file, or the test itself."""
        path = path_of(failure)
        if owner := self._owner(lambda text: _names_path(text, path)):
            return owner
        name = plain_id(failure.test).rpartition("::")[2]
        if not failure.is_case or (name.isalpha() and name.islower()):  # anybody's word
            return ""
        return self._owner(lambda text: _names_path(text, name))

    def _lacks(self, failure: TestFailure, *, edited: bool) -> Owner:
        """Who adds the names that it misses; what code under test lacks is that code's fault."""
        texts = (self._change.words, self._change.others)
        wanted = [last_name(name) for name in missing_names(failure.message)]
        fixtures = FIXTURE.findall(failure.message)
        if fixtures and not any(has_word(self._change.words, name) for name in fixtures):
            return "nobody"
        if not wanted:
            return ""
        if self._owner(lambda text: any(has_word(text, name) for name in wanted)) == "this task":
            return "this task"
        if (
            edited
            and self._change.only_tests
            and any(has_word(text, name) for text in texts for name in wanted)
        ):
            return "another task"  # tests first: also where this task names what they await
        there = failure.file in ("", path_of(failure))
        owner = self._owner(lambda text: all(has_word(text, name) for name in wanted))
        return owner if there and owner == "another task" else ""

    def _owner(self, stands_in: Callable[[str], bool]) -> Owner:
        own, others = stands_in(self._change.words), stands_in(self._change.others)
        if own == others:
            return ""
        return "this task" if own else "another task"

    def _reaches(self, failure: TestFailure) -> bool:
        users = self._change.users
        if failure.test in self._change.apart:
            return False
        return (
            users is None
            or failure.test in self._lines
            or path_of(failure) in users
            or failure.file in users
        )


def _red(
    after: Verification,
    before: Verification,
    change: JudgedChange,
    rows: tuple[Row, ...],
    found: Evidence,
    *,
    doubts: bool,
) -> Assessment:
    """The change's own failures, and which of them may be unsteady or nothing of its own."""
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
        reason = "; ".join(filter(None, (levels[at].reason, f"{counted(len(gone))} gone")))
        failures = (*levels[at].failures, *gone)
        levels[at] = replace(levels[at], result="failed", failures=failures, reason=reason)
    flaky = any(level.flaky for level in after.tests)
    doubtful = own if doubts and not gone else ()
    if not all(_is_doubtful(f, by_test[f.test], change, flaky=flaky) for f in own):
        doubtful = ()
    return Assessment(
        "red",
        replace(after, levels=tuple(levels)),
        Verdict(reason="tests fail", turned=found.shown),
        rows=rows,
        doubtful=doubtful,
        in_the_way=found.tests.get("in the way", ()),
    )


_NOT_RUN = "It passed before this change, and does not run with it: it was skipped or removed."


def _is_doubtful(failure: TestFailure, row: Row, change: JudgedChange, *, flaky: bool) -> bool:
    """Whether it is worth the time to find out what a failing test says on the base each time."""
    if not failure.is_case or row.declared == "this task" or row.edited:
        return False
    if row.before == "failed":
        return not row.same_error
    return not row.reaches or (flaky and path_of(failure) not in change.written)


def _names_all(level: Level) -> bool:
    """Whether each test that passed is known by its name."""
    return len(level.found) >= level.passed and (level.passed > 0 or level.result != "passed")


def _all_named(run: Verification) -> bool:
    return all(map(_names_all, run.tests))


def _green(after: Verification) -> frozenset[str] | None:
    """The files in which a test passed; None where a tool does not name them."""
    passed = [level for level in after.tests if level.passed or level.result == "passed"]
    if not all(level.green for level in passed):
        return None
    return frozenset(path for level in passed for path in level.green)


def _stopped(level: Level) -> bool:
    """Whether its tests were stopped, or never began: that says nothing about any of them."""
    code = level.exit_code or 0
    return level.cause == "timeout" or code < 0 or code >= NOT_STARTED


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
        why = f"no test runs with this change ({level.reason}); without it {counted(passed)} passed"
        return replace(level, result="failed", reason=why)
    if level.result != "failed" or not level.failures:
        return level
    left = tuple(failure for failure in own if failure in level.failures)  # the task's own first
    others = len(level.failures) - len(left)
    if not others:
        return replace(level, failures=left[:_MOST_KEPT])
    why = f"{counted(len(left))} failed, {level.passed} passed; {_as_they_did(others)}"
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


def _nothing_ran(after: Verification) -> bool:
    """Whether tests failed, and each of them by not even being loaded or compiled."""
    ran = any(level.passed or level.result == "passed" for level in after.tests)
    failures = red_tests(after)
    return bool(failures) and not ran and not any(failure.is_case for failure in failures)


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
    green = _green(after)
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


def is_test_side(path: str) -> bool:
    """Whether a file is a test, or what tests load: fixtures, helpers, data."""
    return is_test_file(path) or is_among_tests(path) or path.rpartition("/")[2] == "conftest.py"


def path_of(failure: TestFailure) -> str:
    """The test's file: ids of some tools begin with it, others only say where it failed."""
    first = failure.test.split("::")[0]
    return first if re.search(r"\.\w+$", first) else failure.file or first


def plain_id(test: str) -> str:
    """The id of a test without its parameters."""
    return test.partition("[")[0] if test.endswith("]") else test


def told_in_one_line(failure: TestFailure) -> str:
    """Error type and message without what varies from run to run."""
    return _plain(failure.message.strip().split("\n", 1)[0])


def _plain(text: str) -> str:
    return _VARIES.sub("*", text)


def missing_names(text: str) -> list[str]:
    """The names a text says are not there."""
    return [name for found in _MISSING.findall(text) for name in found if name]


def last_name(name: str) -> str:
    """The last word of a dotted name or path."""
    return re.split(r"[./\\:]+", re.sub(r"\.\w+$", "", name) if "/" in name else name)[-1]


def has_word(text: str, name: str) -> bool:
    """Whether a name or path stands in a text, letter by letter and whole."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _names_path(text: str, path: str) -> bool:
    """Whether a path stands in a text as a whole, and not as the place of one test."""
    found = rf"(?:(?<![\w./-])|(?<=\./)){re.escape(path)}(?![\w/-]|\.\w|::)"
    return re.search(found, text) is not None


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
