"""Run the tests of .NET projects (xUnit, NUnit, MSTest): ``dotnet test``, with a TRX report each.

https://learn.microsoft.com/dotnet/core/tools/dotnet-test-vstest. TRX names classes and no files; a
class stands in the file of its name, which the ids begin with (``file::Class.method``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from runner.ports import SandboxSession
from runner.state.findings import Level, TestFailure
from runner.text.patterns import lazy_pattern
from runner.verify.judging import (
    Read,
    gathered,
    judged,
    must_be_there,
    new_report,
    not_there,
    ran,
)
from runner.verify.junit import SuiteReport, UnreadableReport, report_of, xml_tree

_BUILDS = lazy_pattern(r"^[^/]+\.(?:sln|slnx|csproj|fsproj|vbproj)$")
_TESTS = lazy_pattern(r"(^|/)(?:[^/]*Tests?[^/]*/(?:.*/)?[^/]+|[^/]*Tests?)\.(?:cs|fs|vb)$")
_START = """\
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_CLI_HOME="$(dirname "$1")"
pwd -P; into=$1; shift
exec dotnet test --logger trx --results-directory "$into" "$@" 2>&1
"""
_WHERE = "find . -name '*.cs' -o -name '*.fs' -o -name '*.vb'"
_OFFLINE = lazy_pattern(rb"\bNU1(?:101|102|301)\b|Unable to load the service index")
_COMPILER = lazy_pattern(
    r"^\s*(?P<file>\S{1,300}\.(?:cs|fs|vb))\((?P<line>\d+),\d+\): error (?P<text>.+?)(?: \[.+\])?$"
)
_FRAME = lazy_pattern(r" in (?P<file>[^\s:]{1,300}\.\w{2}):line (?P<line>\d{1,9})")
_OF_TRX = "{http://microsoft.com/schemas/VisualStudio/TeamTest/2010}"
_RESULTS = {"Passed": "passed", "NotExecuted": "skipped", "Inconclusive": "skipped"}


class Dotnet:
    """The ``Tool`` for .NET."""

    name = "dotnet"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether a solution or project is at the root, and there are tests by usual names."""
        return any(map(_BUILDS.search, paths)) and any(map(_TESTS.search, paths))

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Build and run all tests, or those whose names have the classes of ``only``."""
        into, classes = new_report("trx"), sorted({_stem(name.split("::")[0]) for name in only})
        chosen = "|".join(f"FullyQualifiedName~{name}" for name in classes)
        options = ["--filter", chosen] if chosen else []
        command = ["sh", "-c", _START, "sh", into, *options]
        typed = " ".join(["dotnet test", *options])
        result, level = await ran(session, command, tool=self.name, timeout=timeout, shown_as=typed)
        must_be_there(result, "dotnet", how="the .NET SDK")
        if result.exit_code and _OFFLINE.search(result.stdout):
            how = "dotnet restore, with sandbox.network: setup"
            raise not_there(result, "A package the project needs", how=how)
        reports = await gathered(session, [f"{into}/*.trx"])
        where = await session.run(["sh", "-c", _WHERE], timeout=60)
        sources = where.stdout.decode("utf-8", "replace").splitlines()
        folder, _, text = result.stdout.decode("utf-8", "replace").partition("\n")
        text = text.replace(f"{folder}/", "")
        return judged(level, result, lambda: read_trx(reports, text, sources), timeout=timeout)


def read_trx(reports: Sequence[bytes], text: str, sources: Sequence[str]) -> SuiteReport:
    """Read the reports of one run, or what the compiler says where nothing was built.

    ``sources`` are the project's files, among which a class is found. Raises ``UnreadableReport``.
    """
    if not reports:
        errors = {each: ("failed", each) for each in _compiler(text)}
        if not errors:
            raise UnreadableReport("there is no test report")
        return report_of(errors.values())
    files: dict[str, str] = {}
    for path in (source.removeprefix("./") for source in sources):
        files[_stem(path)] = "" if _stem(path) in files else path
    return report_of(case for report in reports for case in _cases(xml_tree(report), files))


def _cases(run: Any, files: dict[str, str]) -> Iterator[tuple[str, TestFailure | None]]:
    """Each result with its test; ``run`` is the root of a report, which names no types."""
    classes = {
        test.get("id"): method.get("className", "").partition(",")[0]
        for test in run.iter(f"{_OF_TRX}UnitTest")
        for method in test.iter(f"{_OF_TRX}TestMethod")
    }
    for case in run.iter(f"{_OF_TRX}UnitTestResult"):
        whole = classes.get(case.get("testId"), "")
        kind = whole.rpartition(".")[2].partition("+")[0]
        file = files.get(kind) or whole
        name = case.get("testName", "").removeprefix(f"{whole}.")
        message = "".join(each.text or "" for each in case.iter(f"{_OF_TRX}Message")).strip()
        trace = "".join(each.text or "" for each in case.iter(f"{_OF_TRX}StackTrace"))
        inside = (f for f in _FRAME.finditer(trace) if not f["file"].startswith("/"))
        place = next(((f["file"], int(f["line"])) for f in inside), (file, None))
        result = _RESULTS.get(case.get("outcome", ""), "failed")
        yield result, TestFailure(f"{file}::{kind}.{name}", message or "the test failed", *place)
    for each in run.iter(f"{_OF_TRX}RunInfo"):
        if each.get("outcome") == "Error":  # the host of the tests ended before them
            yield "broken", TestFailure("dotnet", "".join(each.itertext()).strip())


def _stem(path: str) -> str:
    """A file's name as far as it names a class (``Calc.Part.cs`` is one more file of ``Calc``)."""
    return path.rpartition("/")[2].partition(".")[0]


def _compiler(text: str) -> Iterator[TestFailure]:
    for line in text.split("\n"):
        if found := _COMPILER.match(line[:1000]):
            yield TestFailure(found["file"], found["text"], found["file"], int(found["line"]))
