"""What a test run says about a change, next to what the tests said without it. Pure.

Only the base's own result for the same test excuses a failure: it failed there as well, and with
the same error, or because a name is missing that another task will add (tests that were written
first). Where a test fails on the base with another error each time, it counts that nothing it uses
was changed. What the task says can only make it responsible for more failing tests.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from runner.code.languages import is_among_tests, is_test_file
from runner.state.findings import ADVISORY, Level, TestFailure, Verdict, Verification
from runner.text.patterns import lazy_pattern
from runner.verify.judging import counted

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
# what is not there before a test even starts: a plug-in's fixture, another package
_FOREIGN = lazy_pattern(r"fixture '(\w+)' not found|No module named '([\w.]+)'")
_MOST_KEPT = 100
"""Failing tests that are kept with an attempt."""

_SPAN = lazy_pattern(r"`([^`\n]+)`")
_NAME = lazy_pattern(r"[A-Za-z_]\w+")


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What the current task adds, and what is left to others.

    ``words`` is everything that the task says, ``files`` the files it names; ``others`` and
    ``other_files`` are the same of tasks that are still open. ``written`` are the files of the
    change set. ``users`` are the files that use one of them by way of imports (themselves among
    them), None if that is not known, and ``loading`` those that use each of the files with an
    import that cannot be resolved; ``sources`` are the sources of failing tests by id. ``kept`` are
    failing tests that the change did not touch in files of its own, ``proven`` the files with a new
    test that fails without the change and passes with it. ``unsteady`` are tests that fail
    on the base with another message each time.
    """

    words: str = ""
    files: frozenset[str] = frozenset()
    others: str = ""
    other_files: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    users: frozenset[str] | None = None
    loading: Mapping[str, frozenset[str]] | None = field(default_factory=dict)
    tests: frozenset[str] = frozenset()
    sources: Mapping[str, str] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    proven: frozenset[str] = frozenset()
    unsteady: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Assessment:
    """``green``: accepted, with its ``verdict``; ``red``: the change's own fault.

    ``unverifiable``: tests cannot show anything, for a reason (the verdict's) that was there
    before. The ``verification`` is ready to be shown, ``hints`` are imports that cannot be resolved
    although the tests pass. ``testers`` are pytest's files that use what changed; none where that
    is not known. ``doubtful`` are the failing tests where each of them may be unsteady.
    """

    outcome: Literal["green", "red", "unverifiable"]
    verification: Verification
    verdict: Verdict
    hints: tuple[str, ...] = ()
    testers: tuple[str, ...] = ()
    doubtful: tuple[TestFailure, ...] = ()


def red_tests(verification: Verification) -> tuple[TestFailure, ...]:
    """The failures of tests, without those of the checks before them."""
    return tuple(failure for level in verification.tests for failure in level.failures)


def needs_base(
    after: Verification,
    tools: Collection[str],
    written: Collection[str] = (),
    kept: Collection[str] = (),
) -> tuple[str, ...]:
    """Name the tools whose tests must be run on the base before a verification can be assessed.

    ``tools`` are those the base has tests for. Empty too where nothing the base says could help:
    a test fails that the change itself wrote (in a file of ``written``, and not among ``kept``).
    """
    if any(path_of(f) in written and f.test not in kept for f in red_tests(after)):
        return ()
    if any(
        level.result == "failed" and level.name in ("files", "syntax") for level in after.levels
    ):
        return ()
    red = [level for level in after.tests if level.result == "failed"]
    if any(not level.failures and not level.broken for level in red):
        return ()
    wanted = [*red, *(level for level in after.tests if level.result == "skipped")]
    return tuple(dict.fromkeys(level.tool for level in wanted if level.tool in tools))


def assess(after: Verification, before: Verification, promise: Promise) -> Assessment:
    """Decide about a verification; ``before`` has the base's levels of tests, as far as needed."""
    if trouble := _trouble(after, before, promise):
        return trouble
    failures, turned = red_tests(after), _turned(after, before)
    assessor = _Assessor(before.failures, after, turned, promise)
    checks = [
        v for v in after.levels if v.name not in ("tests", *ADVISORY) and v.result == "failed"
    ]
    if not all(map(assessor.does_no_harm, checks)):
        return Assessment("red", after, Verdict(False, "a check before the tests failed"))
    own = tuple(failure for failure in failures if not assessor.excused(failure))
    if own or any(_lost(level, before) or _silent(level) for level in after.tests):
        levels = tuple(_of_change(level, own, before) for level in after.levels)
        red = replace(after, levels=levels)
        doubtful = own if not checks and all(map(assessor.doubtful, own)) else ()
        return Assessment("red", red, Verdict(False, "tests fail", turned), doubtful=doubtful)
    unchanged = tuple(failure.test for failure in failures)
    if _nothing_ran(after) and not all(map(assessor.awaited, failures)):
        first = failures[0]
        why = f"no test runs, with or without this change: {first.test}: {_error_line(first)}"
        return Assessment("unverifiable", after, Verdict(False, why, turned, unchanged))
    accepted = replace(after, levels=tuple(map(_as_before, after.levels)))
    hints = tuple(_hint(failure) for check in checks for failure in check.failures)
    hints += tuple(_UNSTEADY.format(test=test) for test in unchanged if test in promise.unsteady)
    return Assessment("green", accepted, _verdict(accepted, turned, unchanged, assessor), hints)


def not_run(after: Verification) -> Verdict:
    """The verdict where no test was to be run (verify mode ``off`` or ``syntax``) or none is."""
    reasons = [level.reason for level in after.tests if level.reason]
    return Verdict(False, reasons[0] if reasons else "no test ran")


def _trouble(after: Verification, before: Verification, promise: Promise) -> Assessment | None:
    """What a runner that could not do its work means; None where each one could.

    If it lacks what the task should add, another answer may add it.
    """
    broken = [level for level in after.tests if level.broken]
    for level in broken:
        was = {_plain(b.broken) for b in before.tests if b.tool == level.tool}
        promised = any(
            has_word(promise.words, last_name(name)) for name in missing_names(level.broken)
        )
        if promised or _plain(level.broken) not in was:
            return Assessment("red", after, Verdict(False, level.broken))
    if not broken:
        return None
    why = f"{broken[0].broken}. The same happens without this change"
    return Assessment("unverifiable", after, Verdict(False, why))


def _turned(after: Verification, before: Verification) -> tuple[str, ...]:
    """Tests that failed on the base and no longer do; or the file, if it could not be loaded.

    If reports name the files with passing tests, theirs must be among them.
    """
    red = {failure.test for failure in red_tests(after)}
    green = _green(after)
    gone = (failure for failure in before.failures if failure.test not in red)
    return tuple(f.test for f in gone if green is None or path_of(f) in green)


def _green(after: Verification) -> frozenset[str] | None:
    """The files in which a test passed; None where a tool does not name them."""
    passed = [level for level in after.tests if level.passed]
    if not all(level.green for level in passed):
        return None
    return frozenset(path for level in passed for path in level.green)


def _silent(level: Level) -> bool:
    """Whether it failed without naming a test: nothing can be compared."""
    return level.result == "failed" and not level.failures


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
    left = tuple(failure for failure in level.failures if failure in own)
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
    others = _as_they_did(len(level.failures))
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


def _is_sample(path: str, users: frozenset[str]) -> bool:
    """Whether tests only read a file: it lies beside them, and nothing imports it."""
    return users == {path} and is_among_tests(path) and not is_test_file(path)


def _verdict(
    after: Verification, turned: tuple[str, ...], unchanged: tuple[str, ...], assessor: _Assessor
) -> Verdict:
    passed = [level for level in after.tests if level.result == "passed"]
    if not passed:
        return replace(not_run(after), turned=turned, unchanged=unchanged)
    if assessor.shown(passed):
        return Verdict(True, "", turned, unchanged)
    why = "no test uses what changed"
    if assessor.only_failing_use_it():
        why = "the only tests that use what changed fail as they did before"
    return Verdict(False, why, turned, unchanged)


class _Assessor:
    """Who is to blame for a failing test, and whether a passing one shows the change."""

    def __init__(
        self,
        before: Sequence[TestFailure],
        after: Verification,
        turned: Sequence[str],
        promise: Promise,
    ) -> None:
        self._before = {failure.test: failure for failure in before}
        self._after = red_tests(after)
        self._levels = after.tests
        self._green = _green(after)
        self._turned = turned
        self._promise = promise

    def excused(self, failure: TestFailure) -> bool:
        """Whether a failing test has nothing to do with the change."""
        was = self._before.get(failure.test) or self._before.get(path_of(failure))
        if was is None:
            return False
        if failure.test in self._promise.unsteady and self._apart(failure):
            return True
        if path_of(failure) in self._promise.written:
            return _error_line(was) == _error_line(failure) and self._outweighed(failure)
        if self.awaited(failure):
            return not self._uses_change(failure) or self._has_evidence(failure)
        if self._named(failure):
            return False
        if _error_line(was) != _error_line(failure):
            return self._left_to_another(failure)
        if not self._uses_change(failure):
            return True
        if self._turned_beside(failure):
            return bool(self._promise.others) and not self._is_about_promised(failure)
        if self._uses_promised(failure):  # the change's own tests do not outweigh it
            return self._is_anothers(failure) or self._others_show()
        return self._has_evidence(failure)

    def doubtful(self, failure: TestFailure) -> bool:
        """Whether it is worth the time to find out what a failing test says on the base each time.

        Nothing it uses was changed, or other tests were seen to be flaky beside it.
        """
        if not failure.is_case or self._named(failure):
            return False
        flaky = any(level.flaky for level in self._levels)
        foreign = path_of(failure) not in self._promise.written
        return self._apart(failure) or (flaky and foreign)

    def _apart(self, failure: TestFailure) -> bool:
        """Whether nothing that a failing test is about was changed: what it says does not count."""
        if path_of(failure) in self._promise.written:
            return self._outweighed(failure)
        return not self._named(failure) and not self._uses_change(failure)

    def _outweighed(self, failure: TestFailure) -> bool:
        """Whether a new test shows the change beside an old one that it did not touch.

        The old one must not be what the task is about, unless it lacks what the task does not add.
        """
        promise = self._promise
        if failure.test not in promise.kept or path_of(failure) not in promise.proven:
            return False
        lacking = [last_name(a or b) for a, b in _FOREIGN.findall(failure.message)]
        foreign = bool(lacking) and not any(has_word(promise.words, name) for name in lacking)
        return not self._is_named(failure) and (foreign or not self._is_about_promised(failure))

    def does_no_harm(self, check: Level) -> bool:
        """Whether only imports failed: in files that tests load and pass, or that nothing loads."""
        passed = [level for level in self._levels if level.passed or level.result == "passed"]
        loaded = self._promise.loading or {}
        users = {failure.file: loaded.get(failure.file, frozenset()) for failure in check.failures}
        harmless = (_is_sample(path, of) or self._passing(of) for path, of in users.items())
        return check.name == "imports" and bool(passed) and all(harmless)

    def awaited(self, failure: TestFailure) -> bool:
        """Whether it fails because a name is missing that another open task will add.

        The name must be in the test and missing there: what the code under test lacks is the code's
        fault.
        """
        promise, test = self._promise, self._source(failure)
        wanted = [last_name(name) for name in missing_names(failure.message)]
        if not wanted or not promise.others:
            return False
        there = failure.file in ("", path_of(failure))
        return there and all(has_word(test, n) and not has_word(promise.words, n) for n in wanted)

    def shown(self, passed: Sequence[Level]) -> bool:
        """Whether a test that passes uses the change; commands of unknown reach are believed."""
        users = self._promise.users
        if users is None or self._turned or any(not level.passed for level in passed):
            return True
        return bool(self._passing_files())

    def only_failing_use_it(self) -> bool:
        """Whether tests use the change, and all of them fail as they did before."""
        users = self._promise.users or frozenset()
        return any(path_of(failure) in users for failure in self._after)

    def _passing_files(self) -> set[str]:
        """Test files that use the change and in which a test passes, as far as is known."""
        return self._passing(self._promise.users or frozenset())

    def _passing(self, users: frozenset[str]) -> set[str]:
        if self._green is not None:
            return set(users & self._green)
        return set((users & self._promise.tests) - {path_of(failure) for failure in self._after})

    def _has_evidence(self, failure: TestFailure) -> bool:
        """Whether anything shows the change to work, or the missing name is another task's."""
        return self._is_anothers(failure) or bool(self._turned) or bool(self._passing_files())

    def _is_anothers(self, failure: TestFailure) -> bool:
        missing = [last_name(name) for name in missing_names(failure.message)]
        return bool(missing) and all(has_word(self._promise.others, name) for name in missing)

    def _others_show(self) -> bool:
        """Whether tests that the change did not write show it to work."""
        return bool(self._turned) or bool(self._passing_files() - self._promise.written)

    def _uses_change(self, failure: TestFailure) -> bool:
        users = self._promise.users
        return users is None or path_of(failure) in users or failure.file in users

    def _turned_beside(self, failure: TestFailure) -> bool:
        return any(test.split("::")[0] == path_of(failure) for test in self._turned)

    def _named(self, failure: TestFailure) -> bool:
        """Whether the task names the test or its file, and no other open task does."""
        path = path_of(failure)
        own = path in self._promise.files or self._is_named(failure)
        return own and path not in self._promise.other_files

    def _is_named(self, failure: TestFailure) -> bool:
        """Whether the task names the test itself."""
        name = failure.test.rpartition("::")[2].partition("[")[0]
        return "::" in failure.test and has_word(self._promise.words, name)

    def _left_to_another(self, failure: TestFailure) -> bool:
        """Whether another open task names the test's file, and this one does not."""
        path = path_of(failure)
        return path in self._promise.other_files and path not in self._promise.files

    def _is_about_promised(self, failure: TestFailure) -> bool:
        """Whether the test uses what this task promises; yes if it promises nothing by name."""
        return not self._promised() or self._uses_promised(failure)

    def _uses_promised(self, failure: TestFailure) -> bool:
        test = self._source(failure)
        return any(has_word(test, name) for name in self._promised())

    def _promised(self) -> set[str]:
        """The functions (else the classes, the files) that this task promises by name."""
        found = _SPAN.findall(self._promise.words)
        spans = [span for span in found if not span.startswith("-")]  # an option is no function
        files = {last_name(span) for span in spans if _is_path(span)}
        names = {name for span in spans if not _is_path(span) for name in _called(span)}
        return {name for name in names if not name[0].isupper()} or names or files

    def _source(self, failure: TestFailure) -> str:
        return self._promise.sources.get(failure.test, "")


def path_of(failure: TestFailure) -> str:
    """The test's file: ids of some tools begin with it, others only say where it failed."""
    first = failure.test.split("::")[0]
    return first if re.search(r"\.\w+$", first) else failure.file or first


def _error_line(failure: TestFailure) -> str:
    """Error type and message without what varies from run to run."""
    return _plain(failure.message.strip().split("\n", 1)[0])


def _plain(text: str) -> str:
    return _VARIES.sub("*", text)


def missing_names(text: str) -> list[str]:
    """The names a text says are not there."""
    return [name for found in _MISSING.findall(text) for name in found if name]


def _is_path(span: str) -> bool:
    return "/" in span or re.fullmatch(r"[\w-]+\.\w{1,4}", span) is not None


def _called(span: str) -> list[str]:
    """The names in a code span; of a call not its arguments, which are anybody's words."""
    return _NAME.findall(span.partition("(")[0])


def last_name(name: str) -> str:
    """The last word of a dotted name or path."""
    return re.split(r"[./\\:]+", re.sub(r"\.\w+$", "", name) if "/" in name else name)[-1]


def has_word(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def results_of(tests: Collection[str], runs: Sequence[Verification]) -> dict[str, frozenset[str]]:
    """What each test said when it was run several times: '' where it passed.

    A run in which not all of them ran says nothing.
    """
    seen: dict[str, set[str]] = {test: set() for test in tests}
    for run in runs:
        red = {f.test: _error_line(f) or "failed" for f in red_tests(run) if f.test in seen}
        if sum(level.passed for level in run.tests) + len(red) < len(seen):
            continue
        for test, results in seen.items():
            results.add(red.get(test, ""))
    return {test: frozenset(results) for test, results in seen.items()}
