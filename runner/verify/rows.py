"""Reports of two runs as rows of the table, and what it has to know about a change. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from runner.checks.asked import has_word
from runner.checks.tests_scripts import SCRIPTS
from runner.code.inline_tests import has_inline_tests
from runner.code.languages import is_among_tests, is_test_file, language_of
from runner.state.findings import (
    Level,
    TestFailure,
    Verification,
)
from runner.text.patterns import lazy_pattern
from runner.verify.commands import as_one_test
from runner.verify.evidence import Before, Owner, Row
from runner.verify.judging import NOT_STARTED
from runner.verify.tools.ruby import MAKEFILES, PROGRAMS, Make, Script

# an address, a time, a temporary folder: what differs between two runs of the same failure
_VARIES = lazy_pattern(r"0x[0-9a-fA-F]+|\b\d+\.\d+s\b| at \d+ %|/tmp/\S+|/workspace\S*")
# what languages say of a name that is not there (yet)
_MISSING = lazy_pattern(
    r"No module named '([\w.]+)'|cannot import name '(\w+)'|has no attribute '(\w+)'"
    r"|name '(\w+)' is not defined|Cannot find (?:module|package) '([^']+)'"
    r"|does not provide an export named '(\w+)'|\b(\w+) is not (?:a function|defined|a constructor)"
    r"|undefined: (?:\w+\.)?(\w+)|has no field or method (\w+)"
    r"|cannot find (?:function|type|value|struct|macro|module) `(\w+)`"
    r"|no (?:function|method|associated item)[^`\n]{0,60}named `(\w+)`|unresolved import `([\w:]+)`"
    r"|undefined method [`'](\w+[?!]?)'|uninitialized constant ([\w:]+)"
    r"|cannot load such file -- (\S+)|Call to undefined (?:function|method) ([\w\\:]+)"
    r"|Class \"([\w\\]+)\" not found"
)
# what makes a path that of a test, in any language
_TESTS = lazy_pattern(r"(?i)(?<![a-z])(?:tests?|specs?)(?![a-z])")
FIXTURE = lazy_pattern(r"fixture '(\w+)' not found")


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
    written sources of extension modules, of which nobody built any. ``unmade`` are test files that
    the task names and that are not there, ``deceiving`` files that make tests pass.
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
    unmade: tuple[str, ...] = ()
    deceiving: tuple[str, ...] = ()

    @property
    def edits_tests(self) -> bool:
        """Whether it writes a test, or what tests load."""
        return any(map(is_test_side, self.written))

    @property
    def interpreted(self) -> frozenset[str]:
        """The written code that runs as it stands, or was built."""
        return frozenset(
            path
            for path in self.written - self.unbuilt
            if language_of(path) not in ("", "css", "html") and not is_test_side(path)
        )

    @property
    def only_tests(self) -> bool:
        """Whether nothing but tests is written, and the task names tests, or one of the files."""
        tests = all(is_test_file(path) or is_among_tests(path) for path in self.written)
        named = _TESTS.search(self.words) or any(path in self.words for path in self.written)
        return bool(self.written and tests and named)


def red_tests(verification: Verification) -> tuple[TestFailure, ...]:
    """The failures of tests, without those of the checks before them."""
    return tuple(failure for level in verification.tests for failure in level.failures)


class Rows:
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
        # tests that were stopped, or never began, say nothing about any of them
        self._nothing_ran = {
            level.tool
            for level in before.tests
            if level.broken
            and level.cause != "timeout"
            and 0 <= (level.exit_code or 0) < NOT_STARTED
        }
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
            edited = self._is_edited(failure.test, "") and not same_error
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
            unbuilt=bool(self._change.unbuilt and not self._change.interpreted),
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
        known, written = passed or not self._named, path in self._change.written
        # a name that nothing had before is a new test, whatever its code looks like
        lays = any(is_test_side(each) and each != path for each in self._change.written)
        in_question = (written or lays) and is_test_side(path)
        new = in_question and self._before.tests and not (failed or known)
        edited = self._is_edited(test, path) and (failed or written or test in self._lines)
        # it may have failed for what it loads of the tests, and not for the code
        loads = failed and lays
        if new or edited or loads:
            # what an old test asks for is only read of these
            unread = passed and not path.endswith((".py", *SCRIPTS))
            unread &= test not in self._lines or self._change.edits_tests
            rewritten = unread or plain_id(test) in self._change.rewritten
            return Row(
                test=test,
                before="not run",
                after="passed",
                edited=True,
                rewritten=rewritten,
                stood=failed and (loads or test in self._lines),
                old=passed or test in self._was,
            )
        return Row(
            test=test, before="failed" if failed else "passed" if known else "new", after="passed"
        )

    def _not_red_any_more(self) -> Iterator[Row]:
        """Tests that failed on the base and are not named now, if theirs is a file that passed."""
        green = green_files(self._after)
        named = {name for level in self._after.tests for name in level.found}
        files = {name.partition("::")[0] for name in named}
        for test, failure in self._was.items():
            if test in self._red or test in named or (not failure.is_case and test in files):
                continue
            unnamed = green is None and not self._lines  # where no report is, nothing is known
            if unnamed or (path_of(failure) in (green or ()) and not all_named(self._after)):
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
        if not self._after.tests or self._change.selected or not all_named(self._after):
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
            return self._change.edits_tests or bool(run_by(test, self._change.written))
        holds_tests = is_test_file(path) or is_among_tests(path) or has_inline_tests(path)
        own = path in self._change.written and test not in self._change.same
        return (own and holds_tests) or self._change.shared

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
        return failure.test not in self._change.apart and (
            users is None
            or failure.test in self._lines
            or path_of(failure) in users
            or failure.file in users
        )


def _names_all(level: Level) -> bool:
    """Whether each test that passed is known by its name."""
    return len(level.found) >= level.passed and (level.passed > 0 or level.result != "passed")


def all_named(run: Verification) -> bool:
    return all(map(_names_all, run.tests))


def green_files(after: Verification) -> frozenset[str] | None:
    """The files in which a test passed; None where a tool does not name them."""
    passed = [level for level in after.tests if level.passed or level.result == "passed"]
    if not all(level.green for level in passed):
        return None
    return frozenset(path for level in passed for path in level.green)


def is_test_side(path: str) -> bool:
    """Whether a file is a test, or what tests load: fixtures, helpers, data."""
    return is_test_file(path) or is_among_tests(path) or path.rpartition("/")[2] == "conftest.py"


# the program of each simple command, or the script that a shell or an interpreter is given; not the
# file of a test's id
_STARTED = lazy_pattern(
    r"(?:^|[;&|\n(`])\s*(?:(?:[\w/]*/)?(?:(?:ba|da|z)?sh|python[\d.]*|node|ruby|perl|php)\s+"
    r"(?:-\w+\s+)*)?(?:\./)?([\w./-]+)(?![\w./:-])"
)


def run_by(command: str, paths: Collection[str]) -> frozenset[str]:
    """Those of some files that a command starts or ``make`` reads, which decide what it tests.

    https://www.gnu.org/software/make/manual/html_node/Makefile-Names.html
    """
    started = {found[1] for found in _STARTED.finditer(command)}
    started |= {*MAKEFILES} if Make.name in started else set()
    started |= {*PROGRAMS} if command == Script.name else set()
    return frozenset(started.intersection(paths))


def path_of(failure: TestFailure) -> str:
    """The test's file: ids of some tools begin with it, others only say where it failed."""
    first = failure.test.split("::")[0]
    return first if re.search(r"\.\w+$", first) else failure.file or first


def plain_id(test: str) -> str:
    """The id of a test without its parameters."""
    return test.partition("[")[0] if test.endswith("]") else test


def told_in_one_line(failure: TestFailure) -> str:
    """Error type and message without what varies from run to run."""
    return plain_text(failure.message.strip().split("\n", 1)[0])


def plain_text(text: str) -> str:
    return _VARIES.sub("*", text)


def missing_names(text: str) -> list[str]:
    """The names a text says are not there."""
    return [name for found in _MISSING.findall(text) for name in found if name]


def last_name(name: str) -> str:
    """The last word of a dotted name or path."""
    return re.split(r"[./\\:]+", re.sub(r"\.\w+$", "", name) if "/" in name else name)[-1]


def _names_path(text: str, path: str) -> bool:
    """Whether a path stands in a text as a whole, and not as the place of one test."""
    found = rf"(?:(?<![\w./-])|(?<=\./)){re.escape(path)}(?![\w/-]|\.\w|::)"
    return re.search(found, text) is not None
