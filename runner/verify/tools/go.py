"""Run a Go project's tests: ``go test -json`` (https://pkg.go.dev/cmd/test2json).

Ids are ``file::Test/subtest``: the events name packages only, so the workspace is asked in which
file each test function stands.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from runner.ports import CommandResult, SandboxSession
from runner.state.findings import Level, TestFailure
from runner.text.patterns import lazy_pattern
from runner.verify.judging import Read, judged, must_be_there, not_there, ran
from runner.verify.junit import SuiteReport, UnreadableReport, report_of

_COMMAND = 'exec go test -json "$@" 2>&1'
_WHERE = (
    "pwd -P; head -c 65536 go.mod; echo; "
    "find . -name '*_test.go' -exec grep -HoE '^func (Test|Example|Fuzz)[A-Za-z0-9_]*' {} +"
)
_FUNCTION = lazy_pattern(r"^\./(?P<file>[^:\n]+):func (?P<name>\w+)$", re.MULTILINE)
_MODULE = lazy_pattern(r'^module\s+"?([^\s"]+)', re.MULTILINE)
_OWN_LINE = lazy_pattern(r"^(?:=== |--- |    --- |\s*--- (?:PASS|FAIL|SKIP)|FAIL\b|ok\b|PASS\b)")
_PLACE = lazy_pattern(r"^\s*(?P<file>[\w./-]{1,300}\.go):(?P<line>\d+)(?::\d+)?: ?(?P<text>.*)$")
_FRAME = lazy_pattern(r"^\t(?P<file>\S{1,300}\.go):(?P<line>\d+)\b")
_OFFLINE = lazy_pattern(rb"dial tcp|module lookup disabled|no required module provides package")
_MOST = 200
_NOWHERE: Mapping[tuple[str, str], str] = {}


class Go:
    """The ``Tool`` for Go modules."""

    name = "go"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether the root is a module and any package has tests."""
        return "go.mod" in paths and any(path.endswith("_test.go") for path in paths)

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run all tests, or ``only`` the top ones of these names, or these files' packages."""
        names = sorted({name.split("::")[-1].split("/")[0] for name in only if "::" in name})
        chosen = ["-run", f"^({'|'.join(names)})$"] if names else []
        files = {name.partition("::")[0] for name in only}
        folders = {posixpath.dirname(file) for file in files if file.endswith("_test.go")}
        packages = [f"./{folder}" for folder in sorted(folders)] or ["./..."]
        command = ["sh", "-c", _COMMAND, "sh", *chosen, *packages]
        typed = " ".join(["go test", *chosen, *packages])
        result, level = await ran(session, command, tool=self.name, timeout=timeout, shown_as=typed)
        _must_work(result)
        where = await session.run(["sh", "-c", _WHERE], timeout=60)
        folder, _, manifest = where.stdout.decode("utf-8", "replace").partition("\n")
        text = result.stdout.decode("utf-8", "replace").replace(f"{folder}/", "")
        module = found[1] if (found := _MODULE.search(manifest)) else ""
        places = {
            (posixpath.dirname(each["file"]) or ".", each["name"]): each["file"]
            for each in _FUNCTION.finditer(manifest)
        }
        return judged(
            level, result, lambda: read_go(text, module=module, places=places), timeout=timeout
        )


def _must_work(result: CommandResult) -> None:
    must_be_there(result, "go", how="Go")
    if result.exit_code and _OFFLINE.search(result.stdout):
        raise not_there(result, "A module the project needs", how="go mod download")


def read_go(
    text: str, *, module: str, places: Mapping[tuple[str, str], str] = _NOWHERE
) -> SuiteReport:
    """Read the events of a run, and what the compiler said: between them, or since Go 1.24 in them
    (https://go.dev/doc/go1.24#go-command).

    ``module`` is the prefix of the project's packages, ``places`` are the files of test functions
    by package folder and name. Raises ``UnreadableReport`` if there is neither.
    """
    events, others = [], []
    for line in text.split("\n"):
        event = _event(line)
        if event is None:
            others.append(line)
        elif event["Action"] == "build-output":
            others += str(event.get("Output") or "").split("\n")
        else:
            events.append(event)
    unbuilt = list(_not_built(others))
    told = [event for event in events if not (unbuilt and event.get("FailedBuild"))]
    cases = [*_cases(told, module, places), *(("failed", failure) for failure in unbuilt)]
    if not events and not cases:
        raise UnreadableReport("there is no test report")
    return report_of(cases)


def _event(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("Action"), str) else None


def _cases(
    events: Sequence[dict[str, Any]], module: str, places: Mapping[tuple[str, str], str]
) -> Iterator[tuple[str, TestFailure | None]]:
    """Results of tests; a test with failing subtests is reported by them."""
    output: dict[tuple[str, str], list[str]] = {}
    results: dict[tuple[str, str], str] = {}
    for event in events:
        key = (str(event.get("Package") or ""), str(event.get("Test") or ""))
        if event["Action"] == "output":
            lines = output.setdefault(key, [])
            if len(lines) < _MOST:
                lines.append(str(event.get("Output") or "")[:2000].rstrip("\n"))
        elif event["Action"] in ("pass", "fail", "skip"):
            results[key] = event["Action"]
    red = {key for key, result in results.items() if result == "fail"}
    above = {(package, test.rsplit("/", 1)[0]) for package, test in red if "/" in test}
    for (package, test), result in results.items():
        if test and (package, test) not in above:
            folder = _folder(package, module)
            where = places.get((folder, test.partition("/")[0]), folder)
            failure = _failure(folder, where, test, output.get((package, test), []))
            yield {"pass": "passed", "skip": "skipped"}.get(result, "failed"), failure
    for package in sorted({package for package, test in red if not test}):
        if not any(name for where, name in red if where == package and name):
            words = output.get((package, ""), [])
            yield "failed", TestFailure(_folder(package, module), "\n".join(words).strip())


def _folder(package: str, module: str) -> str:
    return package.removeprefix(module).strip("/") or "."


def _failure(folder: str, where: str, test: str, output: Sequence[str]) -> TestFailure:
    own = [line for line in output if not _OWN_LINE.match(line)]
    file, line, words = folder, None, own
    for index, text in enumerate(own):
        if place := _PLACE.match(text):
            name = place["file"].removeprefix(f"{folder}/")
            file, line = posixpath.normpath(f"{folder}/{name}"), int(place["line"])
            words = [place["text"], *own[index + 1 :]]
            break
    else:
        frames = (f for text in own if (f := _FRAME.match(text)))
        inside = next((f for f in frames if not f["file"].startswith("/")), None)
        if inside:
            file, line = inside["file"], int(inside["line"])
        words = [text for text in own if text.startswith("panic: ")] or own
    message = "\n".join(words).strip() or "the test failed"
    return TestFailure(f"{where}::{test}", message, file, line)


def _not_built(others: Sequence[str]) -> Iterator[TestFailure]:
    """What the compiler refused: one failure a place."""
    for line in others:
        place = _PLACE.match(line[:1000])
        if place and place["text"] and not line.startswith((" ", "\t")):
            file = posixpath.normpath(place["file"])  # at the root it is ./file.go
            yield TestFailure(file, place["text"], file, int(place["line"]))
