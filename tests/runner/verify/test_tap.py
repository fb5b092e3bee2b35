"""Tests by tape: what it prints, and the scripts that lead to it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from runner.state.findings import TestFailure
from runner.verify.junit import UnreadableReport
from runner.verify.tools.node import Node, Suite, suite_of
from runner.verify.tools.tap import read_tap
from tests.runner.verify.box import open_box

# tape 5.9, with the workspace's own folder cut from its paths
SAID = """\
TAP version 13
# adds
not ok 1 one and one
  ---
    operator: equal
    expected: 3
    actual:   2
    at: Test.<anonymous> (test/a.js:2:25)
    stack: |-
      Error: one and one
          at Test.assert [as _assert] (/prepared/node_modules/tape/lib/test.js:548:48)
          at Test.<anonymous> (test/a.js:2:25)
          at process.processImmediate (node:internal/timers:483:21)
  ...
# outer
ok 2 later # SKIP
# inner
ok 3 should be truthy
# throws
ok 4 should throw

1..4
# tests 4
# pass  3
# fail  1
"""


def test_each_named_test_is_a_case() -> None:
    """A failure has its place and the values; a test that skips all it has is skipped."""
    report = read_tap(SAID.encode())

    assert (report.passed, report.skipped) == (2, 1)
    assert report.failures == (
        TestFailure(
            "test/a.js::adds",
            "one and one\noperator: equal\nexpected: 3\nactual:   2",
            "test/a.js",
            2,
        ),
    )


@pytest.mark.parametrize("said", ["", SAID.partition("1..4")[0], SAID.replace("1..4", "1..5")])
def test_a_report_without_a_whole_plan_proves_nothing(said: str) -> None:
    """A process that ends early prints none, or one that does not fit."""
    with pytest.raises(UnreadableReport):
        read_tap(said.encode())


SCRIPTS = {
    "readme": "evalmd README.md",
    "lint": "eslint --ext=js,mjs .",
    "prelint": "prettier --check .",
    "unit": "tape 'test/**/*.js'",
    "types": "tsc --noEmit",
    "build": "rollup -c",
    "again": "npm run again",
}


@pytest.mark.parametrize(
    ("script", "suite"),
    [
        ("npm run lint && npm run unit && npm run types", Suite("tape", "'test/**/*.js'")),
        ("nyc npm run unit && tsd", Suite("tape", "'test/**/*.js'")),
        ("c8 --100 --reporter=lcov node --test", Suite("node", "--test")),
        ("eslint . && jest --ci", Suite("jest", "--ci")),
        ("npm run --silent readme && yarn unit", Suite("tape", "'test/**/*.js'")),
        ("npx tape test/*.js", Suite("tape", "test/*.js")),
    ],
)
def test_a_script_leads_to_the_one_runner_it_starts(script: str, suite: Suite) -> None:
    """Past checks, coverage and the names of other scripts."""
    content = json.dumps({"scripts": {"test": script, **SCRIPTS}})

    assert suite_of(content.encode()) == suite


@pytest.mark.parametrize(
    "script",
    [
        "npm run unit && jest",
        "npm run unit -- --only",
        "npm run missing && npm run unit",
        "npm run again",
        "eslint . ; jest",
        "c8 -r text jest",
    ],
)
def test_what_may_do_more_is_run_as_it_is(script: str) -> None:
    """Two runners, or what cannot be told."""
    content = json.dumps({"scripts": {"test": script, **SCRIPTS}})

    assert suite_of(content.encode()) == Suite("script", script)


def test_checks_that_npm_runs_before_the_tests_are_left_out() -> None:
    """As they are where they stand in the script itself."""
    scripts = SCRIPTS | {"pretest": "npm run readme && npm run lint", "test": "npm run unit"}

    assert suite_of(json.dumps({"scripts": scripts}).encode()).runner == "tape"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("code", [0, 1])
async def test_what_tape_prints_is_read_and_shown(tmp_path: Path, code: int) -> None:
    """The exit code must agree with it."""
    said = SAID if code else SAID.replace("not ok", "ok")
    files = {
        "package.json": json.dumps({"scripts": {"test": "nyc tape test/*.js"}}),
        "test/a.js": "",
        "said.tap": said,
        "node_modules/.bin/tape": f"#!/bin/sh\ncat said.tap; exit {code}\n",
    }
    box, workspace = await open_box(tmp_path, files)
    (workspace / "node_modules/.bin/tape").chmod(0o755)
    level = await Node().run(box, timeout=60)

    assert level.result == ("failed" if code else "passed")
    assert [failure.test for failure in level.failures] == ["test/a.js::adds"][:code]
    assert "should be truthy" in level.output


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
async def test_a_test_that_passes_is_named_with_the_file_that_has_its_title(tmp_path: Path) -> None:
    """Tape does not say it; a title that two files have stays alone, and code is no test."""
    files = {
        "package.json": json.dumps({"scripts": {"test": "tape test/*.js"}}),
        "test/a.js": "test('adds', f); test(`inner`, g); test('throws', h);",
        "test/b.js": 'test("throws", f);',
        "lib/c.js": "log('inner');",
        "said.tap": SAID.replace("not ok", "ok"),
        "node_modules/.bin/tape": "#!/bin/sh\ncat said.tap\n",
    }
    box, workspace = await open_box(tmp_path, files)
    (workspace / "node_modules/.bin/tape").chmod(0o755)
    level = await Node().run(box, timeout=60)

    assert (level.found, level.passed) == (("test/a.js::adds", "test/a.js::inner"), 3)
    assert level.green == ("test/a.js",)
