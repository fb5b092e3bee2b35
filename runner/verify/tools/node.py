"""Run a JavaScript project's tests: with Node's own runner, jest, vitest or mocha, else its script.

No package manager is needed: what it would start is started directly, with ``node_modules/.bin`` on
the PATH (https://nodejs.org/api/test.html). Reports come from the sandbox and may be anything.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from typing import Any, ClassVar, Final, Literal
from urllib.parse import quote

from runner.ports import CommandResult, SandboxSession
from runner.state.findings import Level, TestFailure, what_happened
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import uncoloured
from runner.verify.judging import (
    Read,
    by_exit_code,
    fetched_here,
    judged,
    must_be_there,
    new_report,
    not_there,
    ran,
)
from runner.verify.junit import (
    SuiteReport,
    UnreadableReport,
    frames,
    inside,
    read_report,
    report_of,
    vitest,
)
from runner.verify.lint_output import dicts
from runner.verify.tools.node_scripts import build_before, lone_step
from runner.verify.tools.tap import read_tap

_CODE_FRAME = lazy_pattern(r"^ {0,20}>? {0,20}\d{0,6} \|")


_Case = tuple[str, TestFailure | None]


def read_node(content: bytes) -> SuiteReport:
    """Read the lines of ``node_reporter.js``. Raises ``UnreadableReport``."""
    lines = [_object(line) for line in content.split(b"\n") if line.strip()]
    if not lines or lines[-1].get("result") != "complete":
        raise UnreadableReport("there is no complete test report")
    return report_of(map(_node_case, lines[:-1]))


def read_jest(content: bytes) -> SuiteReport:
    """Read jest's JSON (https://jestjs.io/docs/cli#--json). Raises ``UnreadableReport``."""
    return report_of(_jest_cases(_whole(content, "testResults")))


def read_mocha(content: bytes) -> SuiteReport:
    """Read mocha's JSON (https://mochajs.org/#json). Raises ``UnreadableReport``."""
    report = _whole(content, "tests")
    failing = [_mocha_case(each) for each in dicts(report.get("failures"))]
    passing = [
        ("passed", TestFailure(_mocha_id(each), "") if each.get("file") else None)
        for each in dicts(report.get("passes"))
    ]
    skipped = [("skipped", None) for _ in dicts(report.get("pending"))]
    return report_of([*failing, *passing, *skipped])


def _node_case(line: dict[str, Any]) -> _Case:
    number = line.get("line")
    failure = TestFailure(
        str(line.get("test") or "?"),
        str(line.get("message") or ""),
        str(line.get("file") or ""),
        number if isinstance(number, int) and number > 0 else None,
    )
    return str(line.get("result")), failure


def _jest_cases(data: dict[str, Any]) -> Iterator[_Case]:
    for file in dicts(data.get("testResults")):
        path = str(file.get("name") or "?")
        tests = dicts(file.get("assertionResults"))
        for test in tests:
            yield _jest_case(path, test)
        if file.get("status") == "failed" and not any(t.get("status") == "failed" for t in tests):
            yield "failed", _of_stack(path, path, _suite_message(file))


def _suite_message(file: dict[str, Any]) -> str:
    text = uncoloured(str(file.get("message") or file.get("failureMessage") or ""))
    lines = text.replace("● Test suite failed to run", "").split("\n")
    return "\n".join(each.strip() for each in lines if each.strip() and not _CODE_FRAME.match(each))


def _jest_case(path: str, test: dict[str, Any]) -> _Case:
    status = {"passed": "passed", "failed": "failed"}.get(str(test.get("status")), "skipped")
    titles = test.get("ancestorTitles")
    names = [str(name) for name in titles] if isinstance(titles, list) else []
    name = f"{path}::{' > '.join([*names, str(test.get('title') or '?')])}"
    if status != "failed":
        return status, TestFailure(name, "")
    messages = test.get("failureMessages")
    text = "\n".join(map(str, messages)) if isinstance(messages, list) else ""
    return status, _of_stack(name, path, uncoloured(text))


def _mocha_id(test: dict[str, Any]) -> str:
    return f"{test.get('file') or '?'}::{test.get('fullTitle') or test.get('title') or '?'}"


def _mocha_case(test: dict[str, Any]) -> _Case:
    path, error = str(test.get("file") or "?"), test.get("err")
    error = error if isinstance(error, dict) else {}
    text = str(error.get("stack") or error.get("message"))
    return "failed", _of_stack(_mocha_id(test), path, text)


def _of_stack(name: str, path: str, text: str) -> TestFailure:
    """A failure from an error's text: what it says, and its first frame in the project."""
    file, line = next(inside(frames(text)), (path, None))
    message = re.split(r"^[ \t]{0,20}at ", text, maxsplit=1, flags=re.MULTILINE)[0].strip()
    return TestFailure(name, message or text.strip(), file, line)


def _whole(content: bytes, key: str) -> dict[str, Any]:
    if not content.strip():
        raise UnreadableReport("there is no test report")
    report = _object(content)
    if not isinstance(report.get(key), list):
        raise UnreadableReport("the test report is not readable")
    return report


def _object(content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UnreadableReport("the test report is not readable") from error
    if not isinstance(data, dict):
        raise UnreadableReport("the test report is not readable")
    return data


Runner = Literal["node", "jest", "vitest", "mocha", "tape", "script"]

_SIMPLE = lazy_pattern(
    r"(?:cross-env[ ]+)?(?P<before>(?:\w+=[\w./:@%+=-]*[ ]+)*)(?:npx[ ]+)?"
    r"(?P<program>node|jest|vitest|mocha|tape)(?P<rest>(?:[ ]+[^\n;&|<>`$()]*)?)"
)
_NO_TEST = lazy_pattern(r"\bno test specified\b")
_FILES: dict[Runner, re.Pattern[str]] = {
    # https://nodejs.org/api/test.html#running-tests-from-the-command-line
    "node": re.compile(
        r"(^|/)(test/.*|test-[^/]+|[^/]+[._-]test|test)\.[cm]?(js|ts)$", re.IGNORECASE
    ),
    "jest": re.compile(r"(^|/)(__tests__/.*|[^/]+[._-](test|spec)|test|spec)\.[cm]?[jt]sx?$"),
    "vitest": re.compile(r"(^|/)(__tests__/.*|[^/]+\.(test|spec))\.[cm]?[jt]sx?$"),
    "mocha": re.compile(r"(^|/)(tests?/.*|specs?/.*|[^/]+\.(test|spec))\.[cm]?[jt]sx?$"),
    "tape": re.compile(r"(^|/)(tests?/.*|[^/]+[._-]test|test)\.[cm]?[jt]s$"),
    "script": re.compile(r""),
}
_BARE = lazy_pattern(r"(^|/)[^/]+\.test\.[cm]?js$")
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Suite:
    """What runs a package's tests: ``rest`` are its own options, ``before`` its assignments.

    If a ``script`` is more than one plain command, ``rest`` is all of it after what it first
    ``build``s.
    """

    runner: Runner
    rest: str = ""
    before: str = ""
    build: str = ""


def suite_of(package: bytes | None) -> Suite:
    """Return what runs the tests of a package; Node itself if nothing is configured."""
    data = _read(package)
    scripts, script = data.get("scripts"), _test_script(data)
    pretest = _text(scripts, "pretest") if isinstance(scripts, dict) else ""
    if not script:
        return Suite(_by_dependency(data))
    whole = f"{pretest} && {script}" if pretest else script
    named = scripts if isinstance(scripts, dict) else {}
    if found := suite_of_line(whole) or suite_of_line(lone_step(whole, named)):
        return found
    build, rest = build_before(whole)
    return Suite("script", rest, build=build)


def has_node_tests(paths: Collection[str], package: bytes | None) -> bool:
    """Whether a tree has tests that its package, or Node by its own rules, would run."""
    own = [path for path in paths if "node_modules/" not in path]
    if package is None:
        return any(_BARE.search(path) for path in own)
    pattern = _FILES[suite_of(package).runner]
    return any(pattern.search(path) for path in own)


def files_for(package: bytes | None, files: Iterable[str]) -> tuple[str, ...]:
    """Those of ``files`` that the package's runner can run by themselves; none of a script's."""
    suite = suite_of(package)
    form = _FORMS.get(suite.runner)
    if form is None or form.only is None or not only_options(suite.rest):
        return ()
    return tuple(path for path in files if _FILES[suite.runner].search(path))


# what starts the scripts of packages, and not tests of its own
_DELEGATES = lazy_pattern(
    r"--workspaces?\b|\s-ws\b|\bworkspaces?\s+(?:foreach|run)\b|\b(?:turbo|lerna|nx|wsrun|ultra)\s"
    r"|\bpnpm\b.*\s(?:-r|--recursive|--filter)\b|\bpnpm\s+-r\b"
)


def reaches_packages(package: bytes | None, inner: bytes | None) -> bool:
    """Whether the tests of a root's package are those of a package below it, too.

    They are not where the root has no script, or one that starts the scripts of its packages.
    """
    script, own = _test_script(_read(package)), _test_script(_read(inner))
    if script:
        return not starts_packages(package)
    return not own and _by_dependency(_read(package)) != "node"


def starts_packages(package: bytes | None) -> bool:
    """Whether a package's script only starts those of the packages below it."""
    return _DELEGATES.search(_test_script(_read(package))) is not None


def _test_script(data: dict[str, object]) -> str:
    """The script that runs the tests; '' where there is none but npm's placeholder."""
    scripts = data.get("scripts")
    script = _text(scripts, "test") if isinstance(scripts, dict) else ""
    return "" if _NO_TEST.search(script) else script


def only_options(rest: str) -> bool:
    """Whether a script names no files, so that we may name some."""
    try:
        return all(word.startswith("-") for word in shlex.split(rest))
    except ValueError:
        return False


def suite_of_line(script: str) -> Suite | None:
    """What a command line starts, if that is one runner and nothing else."""
    found = _SIMPLE.fullmatch(script)
    if found is None:
        return None
    runner: Runner = found["program"]  # type: ignore[assignment] # the pattern names no other
    rest = found["rest"].strip()
    if runner == "node" and not re.search(r"(^|\s)--test(\s|$)", rest):
        return None
    if runner == "vitest":
        rest = re.sub(r"^(run|watch|dev)\b\s*|(^|\s)--watch\b", " ", rest).strip()
    return Suite(runner, rest, found["before"])


def _by_dependency(data: dict[str, object]) -> Runner:
    names = {
        name
        for group in ("devDependencies", "dependencies")
        if isinstance(data.get(group), dict)
        for name in data[group]  # type: ignore[attr-defined]
    }
    known: tuple[Runner, ...] = ("vitest", "jest", "mocha")  # tape must be told its files
    return next((name for name in known if name in names), "node")


def _read(package: bytes | None) -> dict[str, object]:
    try:
        data = json.loads(package or b"{}")
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _text(scripts: dict[str, object], name: str) -> str:
    value = scripts.get(name)
    return value.strip() if isinstance(value, str) and len(value) <= _LONGEST else ""


_MANIFEST = "package.json"
_LARGEST_MANIFEST = "262144"
_REPORTER = "data:text/javascript," + quote(
    files("runner.verify.tools").joinpath("node_reporter.js").read_text()
)
_TITLES = files("runner.verify.tools").joinpath("tape_files.js").read_text()
# commands are what a package's own script says: they run where the whole repository does
# a workspace's programs may lie in the folder above its packages
_START = """\
at=$PWD bins=
while [ -n "$at" ]; do bins="$bins$at/node_modules/.bin:" at=${at%/*}; done
PATH="$bins$PATH" CI=1 NO_COLOR=1; export PATH CI NO_COLOR
"""
BUILDS_FIRST = "the script `test` of package.json builds first, and"
"""How what is said of a build that fails begins."""

_ONLY_CODE = "only the exit code of the script `test` is known, not which tests ran"
_OLD_NODE = lazy_pattern(rb"bad option: --test")
_WITH = {"how": "npm ci, or what installs the project's packages"}


@dataclass(frozen=True, slots=True)
class _Form:
    """How a runner is called: ``arguments`` before or after its own, ``only`` before files.

    ``red`` are the exit codes that mean that tests failed; it ``prints`` its report.
    """

    suffix: str
    arguments: Callable[[str], str]
    read: Callable[[bytes], SuiteReport]
    before: bool = False
    only: str | None = None
    red: Collection[int] = (1,)
    prints: bool = False


_FORMS: Final[dict[Runner, _Form]] = {
    "node": _Form(
        "jsonl",
        lambda report: shlex.join(
            [
                *(f"--test-reporter={_REPORTER}", f"--test-reporter-destination={report}"),
                *("--test-reporter=spec", "--test-reporter-destination=stdout"),
            ]
        ),
        read_node,
        before=True,
        only="",
    ),
    "jest": _Form(
        "json",
        lambda report: f"--ci --json --outputFile={report}",
        read_jest,
        only="--runTestsByPath",
    ),
    "vitest": _Form(
        "xml",
        lambda report: f"--reporter=default --reporter=junit --outputFile.junit={report}",
        lambda content: read_report(content, vitest),
        only="",
    ),
    "mocha": _Form(
        "json",
        lambda report: f"--reporter json --reporter-option output={report}",
        read_mocha,
        red=range(1, 256),  # the number of failed tests
    ),
    "tape": _Form("tap", lambda _: "", read_tap, prints=True),
}


@dataclass(frozen=True, slots=True)
class Node:
    """The ``Tool`` for projects with a ``package.json``, and for bare test files of Node's.

    ``suite`` is what runs the tests, if not what the package says.
    """

    suite: Suite | None = None
    name: ClassVar[str] = "node"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether there are test files of the runner that the package names (Node's own else)."""
        return has_node_tests(paths, read(_MANIFEST) if _MANIFEST in paths else None)

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run the tests; those of ``only`` by their files, if that is possible."""
        shown = await session.run(["head", "-c", _LARGEST_MANIFEST, _MANIFEST], timeout=60)
        suite = self.suite or suite_of(shown.stdout)
        form = _FORMS.get(suite.runner)
        if form is None:
            return await _script(session, suite, timeout=timeout)
        report, own = new_report(form.suffix), _own(suite, form, only)
        command = ["sh", "-c", _START + _call(suite, form, report, own)]
        typed = f"{suite.before}{suite.runner} {own}"
        result, level = await ran(session, command, tool=self.name, timeout=timeout, shown_as=typed)
        _must_work(result, suite.runner)
        content = await fetched_here(session, report)
        read = partial(form.read, content)
        if suite.runner == "tape":
            read = partial(read_tap, content, await _files_by_title(session, content))
        return judged(level, result, read, timeout=timeout, red=form.red)


async def _files_by_title(session: SandboxSession, said: bytes) -> dict[str, str]:
    """The test file of each title in what tape printed; none where several have it."""
    where = await session.run(
        ["node", "--input-type=module", "-e", _TITLES], stdin=said, timeout=60
    )
    try:
        found = _object(where.stdout)
    except UnreadableReport:
        return {}
    files: dict[str, str] = {}
    for title, paths in found.items():
        tests = [path for path in paths if _FILES["tape"].search(path)]
        if len(tests) == 1:
            files[title] = tests[0]
    return files


async def _script(session: SandboxSession, suite: Suite, *, timeout: float) -> Level:
    """Run a script that is more than one command: what it ends with is all that is known.

    Where it builds first, a build that fails is no test that does.
    """
    if suite.build:
        command = ["sh", "-c", _START + suite.build]
        result, level = await ran(
            session, command, tool="node", timeout=timeout, shown_as=suite.build
        )
        must_be_there(result, f"`{suite.build}` of the script `test`", **_WITH)
        built = by_exit_code(level, result, timeout=timeout)
        if built.result == "failed":
            why = f"{BUILDS_FIRST} `{suite.build}` fails: {what_happened(built)}"
            whole = ("sh", "-c", f"{suite.build} && {suite.rest}")
            return replace(built, command=whole, broken=why, reason=why)
    command = ["sh", "-c", _START + suite.rest]
    result, level = await ran(
        session, command, tool="node", timeout=timeout, shown_as=f"sh -c {shlex.quote(suite.rest)}"
    )
    must_be_there(result, "What the script `test` of package.json starts", **_WITH)
    judged = by_exit_code(level, result, timeout=timeout)
    return judged if judged.result != "passed" else replace(judged, reason=_ONLY_CODE)


def _own(suite: Suite, form: _Form, only: Sequence[str]) -> str:
    """The runner's own arguments, with the files of ``only`` where it names none itself."""
    own = suite.rest or {"node": "--test", "vitest": "run"}.get(suite.runner, "")
    if suite.runner == "vitest" and suite.rest:
        own = f"run {own}"
    paths = sorted({name.split("::")[0] for name in only})
    if not paths or form.only is None or not only_options(suite.rest):
        return own
    return " ".join(filter(None, [own, form.only, shlex.join(paths)]))


def _call(suite: Suite, form: _Form, report: str, own: str) -> str:
    arguments = form.arguments(report)
    if form.prints:
        return f"{suite.before}{suite.runner} {own} >{report}; code=$?; cat {report}; exit $code"
    first, second = (arguments, own) if form.before else (own, arguments)
    return f"{suite.before}exec {suite.runner} {first} {second}"


def _must_work(result: CommandResult, program: str) -> None:
    must_be_there(result, program, **({} if program == "node" else _WITH))
    if _OLD_NODE.search(result.stderr):
        raise not_there(result, "A Node that reports its tests (18.15 or later)")
