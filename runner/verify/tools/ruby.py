"""Run a Ruby project's tests (RSpec, Minitest, test-unit), and ``make test`` for other projects.

https://rspec.info/features/3-13/rspec-core/formatters/json-formatter/ ·
https://github.com/minitest/minitest
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from runner.ports import SandboxSession
from runner.state.findings import Level, TestFailure
from runner.text.patterns import lazy_pattern
from runner.verify.judging import (
    Read,
    by_exit_code,
    fetched_here,
    judged,
    must_be_there,
    new_report,
    ran,
)
from runner.verify.junit import SuiteReport, UnreadableReport, frames, inside, report_of

_SPEC = lazy_pattern(r"(^|/)spec/.*_spec\.rb$")
_TEST = lazy_pattern(r"(^|/)test/(.*/)?(test_[^/]*|[^/]*_test)\.rb$")
_BUNDLED = '$([ -f Gemfile.lock ] && command -v bundle >/dev/null && echo "bundle exec")'
_RSPEC = f'exec {_BUNDLED} rspec --format progress --format json --out "$@"'
# each test is told with its file, which the summary names only of those that fail, if of any
_EACH = (
    "ARGV.each { |file| require File.expand_path(file) }; "
    "defined?(Minitest::Result) && Minitest::CompositeReporter.prepend(Module.new { def record(t); "
    'super; puts "", "#{t.result_code} #{t.source_location[0]}::#{t.klass}##{t.name}"; end })'
)
_NAMED = lazy_pattern(
    r"^(?P<code>[.FES]) (?P<file>[^\s:]{1,300}\.rb)::(?P<test>.{1,300})$", re.MULTILINE
)
_MINITEST = f"""\
pwd -P
[ $# -gt 0 ] || set -- $(find test -name '*_test.rb' -o -name 'test_*.rb' | sort)
exec {_BUNDLED} ruby -Ilib -Itest -e '{_EACH}' "$@" 2>&1
"""
_SUMMARY = lazy_pattern(
    r"^(?P<runs>\d{1,9}) (?:runs|tests), \d+ assertions, (?P<failed>\d{1,9}) failures, "
    r"(?P<errors>\d{1,9}) errors, (?:(?P<skips>\d{1,9}) skips|(?P<pendings>\d{1,9}) pendings)",
    re.MULTILINE,
)
_BEGIN = lazy_pattern(r"^ {1,4}\d{1,6}\) (?:Failure|Error):$", re.MULTILINE)
_HEAD = lazy_pattern(
    r"^(?P<test>\S[^#\n]{0,300}#[^\[:\n]{1,300}?)(?: \[(?P<place>[^\]]{1,400})\])?:?$"
)
_HOW = {"how": "bundle install"}


class Rspec:
    """The ``Tool`` for RSpec."""

    name = "rspec"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether there are spec files."""
        return any(map(_SPEC.search, paths))

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run all examples, or the files of ``only``."""
        report, files = new_report("json"), sorted({name.split("::")[0] for name in only})
        command = ["sh", "-c", _RSPEC, "sh", report, *files]
        typed = " ".join(["rspec", *files])
        result, level = await ran(session, command, tool=self.name, timeout=timeout, shown_as=typed)
        must_be_there(result, "rspec", **_HOW)
        content = await fetched_here(session, report)
        return judged(level, result, lambda: read_rspec(content), timeout=timeout)


class Minitest:
    """The ``Tool`` for Minitest and test-unit."""

    name = "minitest"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether there are test files by the names both use."""
        return any(map(_TEST.search, paths))

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run all tests, or the files of ``only`` where all of them are known."""
        files = sorted({name.split("::")[0] for name in only})
        files = files if all(file.endswith(".rb") for file in files) else []
        command = ["sh", "-c", _MINITEST, "sh", *files]
        typed = " ".join(["ruby -Ilib -Itest", *(files or ["test/*"])])
        result, level = await ran(session, command, tool=self.name, timeout=timeout, shown_as=typed)
        must_be_there(result, "ruby", **_HOW)
        folder, _, text = result.stdout.decode("utf-8", "replace").partition("\n")
        here = text.replace(f"{folder}/", "")
        return judged(level, result, lambda: read_minitest(here), timeout=timeout)


def read_rspec(content: bytes) -> SuiteReport:
    """Read RSpec's JSON. Raises ``UnreadableReport``."""
    if not content.strip():
        raise UnreadableReport("there is no test report")
    try:
        data = json.loads(content)
        examples, outside = data["examples"], data["summary"]["errors_outside_of_examples_count"]
        cases = [_example(each) for each in examples]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise UnreadableReport("the test report is not readable") from error
    return report_of([*cases, *(_loading(data.get("messages")) if outside else ())])


def _example(data: dict[str, Any]) -> tuple[str, TestFailure | None]:
    status = {"passed": "passed", "failed": "failed"}.get(data["status"], "skipped")
    path = str(data["file_path"]).removeprefix("./")
    error = data.get("exception") or {}
    trace = "\n".join(map(str, error.get("backtrace") or []))
    file, line = next(inside(frames(trace)), (path, int(data["line_number"])))
    message = str(error.get("message") or "the example failed").strip()
    words = message if message.startswith("expected") else f"{error.get('class')}: {message}"
    return status, TestFailure(f"{path}::{data['full_description']}", words, file, line)


def _loading(messages: object) -> Iterator[tuple[str, TestFailure | None]]:
    """Errors outside of examples: files that could not be loaded."""
    for message in messages if isinstance(messages, list) else []:
        text = str(message).strip()
        file, line = next(inside(frames(text)), ("", None))
        yield "failed", TestFailure(file or "spec", text, file, line)


def read_minitest(text: str) -> SuiteReport:
    """Read the summary and the failures before it. Raises ``UnreadableReport`` without one."""
    summaries = list(_SUMMARY.finditer(text))
    if not summaries:
        raise UnreadableReport("there is no summary of tests")
    last = summaries[-1]
    skipped = int(last["skips"] or last["pendings"] or 0)
    bad = int(last["failed"]) + int(last["errors"])
    failures = [_block(block) for block in _BEGIN.split(text[: last.start()])[1:]][:bad]
    failures += [TestFailure("test", "a test failed")] if bad and not failures else []
    passed = max(0, int(last["runs"]) - bad - skipped)
    told = {each["test"]: each for each in _NAMED.finditer(text)}
    ids = {test: f"{each['file']}::{test}" for test, each in told.items()}
    red = (("failed", replace(each, test=ids.get(each.test, each.test))) for each in failures)
    green = (
        ("passed", TestFailure(ids[test], "", each["file"]))
        for test, each in told.items()
        if each["code"] == "."
    )
    return replace(report_of([*red, *green]), passed=passed, skipped=skipped)


def _block(block: str) -> TestFailure:
    lines = [line for line in block.strip("\n").split("\n\n", 1)[0].split("\n") if line.strip()]
    head = _HEAD.match(lines[0]) if lines else None
    rest = "\n".join(lines[1:])
    places = frames(head["place"] or "") if head else iter(())
    file, line = next(inside(places), None) or next(inside(frames(rest)), ("", None))
    message = "\n".join(line for line in lines[1:] if not line.startswith("    ")).strip()
    return TestFailure(head["test"] if head else "test", message or rest, file, line)


MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
# what make says where a recipe's program is missing, and the shell (or make itself) before it
_STOPPED = lazy_pattern(rb"^g?make(?:\[\d+\])?: \*\*\* \[.{0,300}\] Error 127\s*$", re.MULTILINE)
_ABSENT = lazy_pattern(
    r"^(.{1,200}: (?:not found|command not found|No such file.*))$", re.MULTILINE
)
_TARGET = lazy_pattern(rb"^test[ \t]*:(?!=)", re.MULTILINE)


_RUNNERS = ("runtests.py", "run_tests.py")
_PLAIN = ("test.py", "tests.py")
PROGRAMS = (*_RUNNERS, *_PLAIN)
"""What ``Script`` runs: the first of these that is there."""
_ASSERTS = lazy_pattern(rb"^\s*assert\b", re.MULTILINE)


class Script:
    """The ``Tool`` for ``python3 runtests.py``; only asked where no other tool finds tests."""

    name = "script"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether there is such a program: by its name, or because it asserts something."""
        plain = (read(path) or b"" for path in _PLAIN if path in paths)
        return any(path in paths for path in _RUNNERS) or any(map(_ASSERTS.search, plain))

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run the program; it knows no single tests."""
        start = f'for one in {" ".join(PROGRAMS)}; do [ -f "$one" ] && exec python3 "$one"; done'
        result, level = await ran(session, ["sh", "-c", start], tool=self.name, timeout=timeout)
        must_be_there(result, "python3")
        return by_exit_code(level, result, timeout=timeout)


class Make:
    """The ``Tool`` for makefiles; only asked where no other tool finds tests."""

    name = "make"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether the makefile that make would take has a target ``test``."""
        own = next((name for name in MAKEFILES if name in paths), None)
        return own is not None and bool(_TARGET.search(read(own) or b""))

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run the target; it knows no single tests."""
        result, level = await ran(session, ["make", "test"], tool=self.name, timeout=timeout)
        must_be_there(result, "make")
        judged = by_exit_code(level, result, timeout=timeout)
        if not _STOPPED.search(result.stderr):
            return judged
        absent = _ABSENT.findall(result.stderr.decode("utf-8", "replace"))
        program = absent[-1] if absent else "exit 127"
        why = f"`make test` starts a program that is not there: {program}"
        return replace(judged, broken=why, reason=why, cause="")
