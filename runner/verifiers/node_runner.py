"""Run a JavaScript project's tests: with Node's own runner, jest, vitest or mocha, else its script.

Neither npm nor another package manager is needed: what they would start is started directly, with
``node_modules/.bin`` on the PATH. https://nodejs.org/api/test.html
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Final
from urllib.parse import quote

from runner.findings import Level
from runner.ports import Box, CommandResult
from runner.verifiers.judging import by_exit_code, judged, must_be_there, not_there, ran
from runner.verifiers.junit import Report, read_report
from runner.verifiers.junit_dialects import vitest
from runner.verifiers.node_reports import read_jest, read_mocha, read_node
from runner.verifiers.node_script import Runner, Suite, has_node_tests, only_options, suite_of
from runner.verifiers.reports import fetched_here, new_report
from runner.verifiers.tool import Read

_MANIFEST = "package.json"
_LARGEST_MANIFEST = "262144"
_REPORTER = "data:text/javascript," + quote(
    files("runner.verifiers").joinpath("node_reporter.js").read_text()
)
# commands are what a package's own script says: they run where the whole repository does
_START = 'PATH="$PWD/node_modules/.bin:$PATH" CI=1 NO_COLOR=1; export PATH CI NO_COLOR; '
_OLD_NODE = re.compile(rb"bad option: --test")
_WITH = {"how": "npm ci, or what installs the project's packages"}


@dataclass(frozen=True, slots=True)
class _Form:
    """How a runner is called: ``arguments`` before or after its own, ``only`` before files.

    ``red`` are the exit codes that mean that tests failed.
    """

    suffix: str
    arguments: Callable[[str], str]
    read: Callable[[bytes], Report]
    before: bool = False
    only: str | None = None
    red: Collection[int] = (1,)


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
}


class Node:
    """The ``Tool`` for projects with a ``package.json``, and for bare test files of Node's."""

    name = "node"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether there are test files of the runner that the package names (Node's own else)."""
        return has_node_tests(paths, read(_MANIFEST) if _MANIFEST in paths else None)

    async def run(self, box: Box, *, timeout: float, only: Sequence[str] = ()) -> Level:
        """Run the tests; those of ``only`` go by their files, where that can be said."""
        shown = await box.run(["head", "-c", _LARGEST_MANIFEST, _MANIFEST], timeout=60)
        suite = suite_of(shown.stdout)
        form = _FORMS.get(suite.runner)
        if form is None:
            return await _script(box, suite, timeout=timeout)
        report, own = new_report(form.suffix), _own(suite, form, only)
        command = ["sh", "-c", _START + _call(suite, form, report, own)]
        typed = f"{suite.before}{suite.runner} {own}"
        result, level = await ran(box, command, tool=self.name, timeout=timeout, shown_as=typed)
        _must_work(result, suite.runner)
        content = await fetched_here(box, report)
        read = partial(form.read, content)
        return judged(level, result, read, timeout=timeout, red=form.red)


async def _script(box: Box, suite: Suite, *, timeout: float) -> Level:
    """Run a script that is more than one command: what it ends with is all that is known."""
    command = ["sh", "-c", _START + suite.rest]
    result, level = await ran(
        box, command, tool="node", timeout=timeout, shown_as=f"sh -c {shlex.quote(suite.rest)}"
    )
    must_be_there(result, "What the script `test` of package.json starts", **_WITH)
    return by_exit_code(level, result, timeout=timeout)


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
    first, second = (arguments, own) if form.before else (own, arguments)
    return f"{suite.before}exec {suite.runner} {first} {second}"


def _must_work(result: CommandResult, program: str) -> None:
    must_be_there(result, program, **({} if program == "node" else _WITH))
    if _OLD_NODE.search(result.stderr):
        raise not_there("A Node that reports its tests (18.15 or later)")
