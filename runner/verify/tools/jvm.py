"""Run the tests of Java and Kotlin (Maven, Gradle) and PHP projects (PHPUnit).

https://maven.apache.org/surefire/maven-surefire-plugin/ ·
https://docs.gradle.org/current/userguide/java_testing.html#test_reporting ·
https://docs.phpunit.de/en/11.0/textui.html
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from runner.ports import SandboxSession
from runner.state.findings import Level, TestFailure
from runner.text.patterns import lazy_pattern
from runner.verify.judging import (
    Read,
    fetched_here,
    gathered,
    judged,
    must_be_there,
    new_report,
    not_there,
    ran,
)
from runner.verify.junit import SuiteReport, plain, read_report, read_reports, report_of, surefire

_TESTS = lazy_pattern(r"(^|/)src/test/.*\.(java|kt|groovy|scala)$")
_SOURCE = lazy_pattern(r"^(?:.*/)?src/test/(?:java|kotlin|groovy|scala)/")
_WHERE = "find . -path '*/src/test/*' -type f"
_OFFLINE = lazy_pattern(
    rb"in offline mode|No cached version of|offline mode\.|UnknownHostException"
)
_COMPILER = lazy_pattern(
    r"^(?:\[ERROR\] |e: (?:file://)?)?(?P<file>\S{1,300}\.(?:java|kt)):"
    r"(?:\[(?P<maven>\d+),\d+\]|(?P<gradle>\d+)(?::\d+)?:?) (?:error: )?(?P<text>.+)$"
)


@dataclass(frozen=True, slots=True)
class Jvm:
    """The ``Tool`` for one build system: ``command`` ends with the reports of older runs gone."""

    name: str
    marks: tuple[str, ...]
    program: str
    arguments: str
    reports: tuple[str, ...]
    only: str
    fetch: str

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether it builds the root, and there are tests where both systems look for them."""
        return any(mark in paths for mark in self.marks) and any(map(_TESTS.search, paths))

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run all tests, or the classes of ``only``."""
        classes = sorted({_class_of(name) for name in only if "::" in name})
        chosen = self._chosen(classes)
        old = " ".join(self.reports)
        start = f'pwd -P; rm -rf {old}; exec {self.program} {self.arguments} "$@" 2>&1'
        typed = " ".join([self.program, self.arguments, *chosen])
        command = ["sh", "-c", start, "sh", *chosen]
        result, level = await ran(session, command, tool=self.name, timeout=timeout, shown_as=typed)
        must_be_there(result, self.program, how="Java and the build tool")
        if result.exit_code and _OFFLINE.search(result.stdout):
            raise not_there(result, "What the build needs", how=self.fetch)
        files = await gathered(session, self.reports)
        where = await session.run(["sh", "-c", _WHERE], timeout=60)
        sources = where.stdout.decode("utf-8", "replace").splitlines()
        folder, _, output = result.stdout.decode("utf-8", "replace").partition("\n")
        text = output.replace(f"{folder}/", "")
        return judged(level, result, lambda: _read(files, text, sources), timeout=timeout)

    def _chosen(self, classes: Sequence[str]) -> list[str]:
        if not classes:
            return []
        if self.name == "maven":
            return [f"{self.only}{','.join(classes)}", "-Dsurefire.failIfNoSpecifiedTests=false"]
        return [f"{self.only}{name}" for name in classes]


MAVEN = Jvm(
    "maven",
    ("pom.xml",),
    "mvn",
    "-B -o -ntp --fail-at-end test",
    ("target/surefire-reports/TEST-*.xml", "*/target/surefire-reports/TEST-*.xml"),
    "-Dtest=",
    "mvn -B dependency:go-offline",
)
GRADLE = Jvm(
    "gradle",
    ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    "gradle",
    "--offline --console=plain --continue test",
    ("build/test-results/test/TEST-*.xml", "*/build/test-results/test/TEST-*.xml"),
    "--tests=",
    "gradle dependencies",
)


def _class_of(name: str) -> str:
    return _SOURCE.sub("", name.split("::")[0]).rpartition(".")[0].replace("/", ".")


def _read(files: Sequence[bytes], text: str, sources: Sequence[str]) -> SuiteReport:
    errors = list(_compiler(text))
    if files or not errors:
        return placed(read_reports(files, surefire), sources)
    return report_of(("failed", error) for error in errors)


def placed(report: SuiteReport, sources: Sequence[str]) -> SuiteReport:
    """Return a report, which names classes, with their files among the ``sources`` of tests.

    A class that several modules have keeps its name.
    """
    files: dict[str, str] = {}
    for path in sources:
        stem = _SOURCE.sub("", path).rpartition(".")[0]
        files[stem] = "" if stem in files else path.removeprefix("./")

    def whole(test: str) -> str:
        path, colons, name = test.partition("::")
        return f"{files.get(path.rpartition('.')[0]) or path}{colons}{name}"

    return replace(
        report,
        failures=tuple(replace(f, test=whole(f.test), file=whole(f.file)) for f in report.failures),
        green=tuple(sorted(map(whole, report.green))),
        names=tuple(map(whole, report.names)),
    )


def _compiler(text: str) -> Iterator[TestFailure]:
    """One failure a line that the compiler refuses."""
    for line in text.split("\n"):
        if found := _COMPILER.match(line[:1000]):
            number = int(found["maven"] or found["gradle"])
            yield TestFailure(found["file"], found["text"], found["file"], number)


_CONFIGURED = ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
_TEST = lazy_pattern(r"(^|/)tests?/.*Test\.php$")
_START = """\
PATH="$PWD/vendor/bin:$PATH"; report=$1; shift
exec phpunit --log-junit "$report" "$@"
"""


class Phpunit:
    """The ``Tool`` for PHPUnit."""

    name = "phpunit"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether there are test classes by PHPUnit's names."""
        return any(map(_TEST.search, paths))

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run all tests, or those in the classes of the files of ``only``."""
        report, files = new_report("xml"), sorted({name.split("::")[0] for name in only})
        known = await session.run(
            ["sh", "-c", f"ls {' '.join(_CONFIGURED)} 2>/dev/null"], timeout=60
        )
        chosen = files if len(files) == 1 else [] if known.stdout.strip() else ["tests"]
        if len(files) > 1:  # before version 11 it takes one path
            classes = "|".join(path.rpartition("/")[2].partition(".")[0] for path in files)
            chosen = [rf"--filter=/(^|\W)({classes})::/", *chosen]
        command = ["sh", "-c", _START, "sh", report, *chosen]
        typed = " ".join(["phpunit", *chosen])
        result, level = await ran(session, command, tool=self.name, timeout=timeout, shown_as=typed)
        must_be_there(result, "phpunit", how="composer install")
        xml = await fetched_here(session, report)
        return judged(level, result, lambda: read_report(xml, plain), timeout=timeout)
