"""Run a Java or Kotlin project's tests with Maven or Gradle, which leave JUnit reports.

https://maven.apache.org/surefire/maven-surefire-plugin/ ·
https://docs.gradle.org/current/userguide/java_testing.html#test_reporting
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from runner.findings import Level, TestFailure
from runner.ports import Box
from runner.verifiers.judging import judged, must_be_there, not_there, ran
from runner.verifiers.junit import Report, read_reports, report_of
from runner.verifiers.junit_dialects import surefire
from runner.verifiers.reports import gathered
from runner.verifiers.tool import Read

_TESTS = re.compile(r"(^|/)src/test/.*\.(java|kt|groovy|scala)$")
_OFFLINE = re.compile(rb"in offline mode|No cached version of|offline mode\.|UnknownHostException")
_COMPILER = re.compile(
    r"^(?:\[ERROR\] |e: (?:file://)?)?(?P<file>\S{1,300}\.(?:java|kt)):"
    r"(?:\[(?P<maven>\d+),\d+\]|(?P<gradle>\d+)(?::\d+)?:?) (?:error: )?(?P<said>.+)$"
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

    async def run(self, box: Box, *, timeout: float, only: Sequence[str] = ()) -> Level:
        """Run all tests, or the classes of ``only``."""
        classes = sorted({_class_of(name) for name in only if "::" in name})
        chosen = self._chosen(classes)
        old = " ".join(self.reports)
        start = f'pwd -P; rm -rf {old}; exec {self.program} {self.arguments} "$@" 2>&1'
        typed = " ".join([self.program, self.arguments, *chosen])
        command = ["sh", "-c", start, "sh", *chosen]
        result, level = await ran(box, command, tool=self.name, timeout=timeout, shown_as=typed)
        must_be_there(result, self.program, how="Java and the build tool")
        if result.exit_code and _OFFLINE.search(result.stdout):
            raise not_there("What the build needs", how=self.fetch)
        files = await gathered(box, self.reports)
        folder, _, said = result.stdout.decode("utf-8", "replace").partition("\n")
        text = said.replace(f"{folder}/", "")
        return judged(level, result, lambda: _read(files, text), timeout=timeout)

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
    return name.split("::")[0].rpartition(".")[0].replace("/", ".")


def _read(files: Sequence[bytes], text: str) -> Report:
    errors = list(_compiler(text))
    if files or not errors:
        return read_reports(files, surefire)
    return report_of(("failed", error) for error in errors)


def _compiler(text: str) -> Iterator[TestFailure]:
    """One failure a line that the compiler refuses."""
    for line in text.split("\n"):
        if found := _COMPILER.match(line[:1000]):
            number = int(found["maven"] or found["gradle"])
            yield TestFailure(found["file"], found["said"], found["file"], number)
