"""Verification of JavaScript projects with the Node of this machine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from runner.errors import TaskError
from runner.ports import CommandResult
from runner.state.findings import Level, Verification
from runner.verify import run_again, verify
from runner.verify.tools.node import Node
from tests.runner.verify.box import ScriptedBox, open_box

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

MODULE = '{"type": "module", "scripts": {"test": "node --test"}}'
ADD = "export const add = (a, b) => a + b;\n"
TEST = """\
import test from 'node:test';
import assert from 'node:assert';
import { add } from '../src/add.js';

test('adds', () => {
  assert.equal(add(1, 2), 3);
});
"""
PROJECT = {"package.json": MODULE, "src/add.js": ADD, "test/add.test.js": TEST}


async def verified(
    folder: Path, files: dict[str, str], programs: dict[str, str] | None = None
) -> Verification:
    """Verify a tree of these files, all of which were written."""
    encoded = {path: text.encode() for path, text in files.items()}
    box, _ = await open_box(folder, files, programs)
    return await verify(box, tree="t" * 40, paths=files, changed=(), read=encoded.get, timeout=60.0)


async def ran_on(folder: Path, files: dict[str, str], **more: str) -> Level:
    """The level of the tests."""
    return (await verified(folder, files, more)).levels[-1]


async def test_green_tests_verify_a_tree(tmp_path):
    """Passing tests pass the level, which shows what a person would type."""
    result = await verified(tmp_path, PROJECT)
    level = result.levels[-1]

    assert result.verified
    assert (level.tool, level.result) == ("node", "passed")
    assert level.command == ("node", "--test")
    assert "pass 1" in level.output


async def test_tests_that_passed_are_named_with_the_blocks_around_them(tmp_path):
    """As those that fail are."""
    block = "test.describe('sums', () => {\n  test('adds', () => {});\n});\n"
    box, _ = await open_box(tmp_path, PROJECT | {"test/add.test.js": TEST + block})
    level = await Node().run(box, timeout=60, only=["test/add.test.js"])

    assert level.found == ("test/add.test.js::adds", "test/add.test.js::sums > adds")


async def test_an_attempt_does_not_keep_the_names_of_what_passed(tmp_path):
    """There may be thousands; only the table needs them."""
    level = await ran_on(tmp_path, PROJECT)

    assert level.found == ("test/add.test.js::adds",)
    assert Verification("tree", (level,)).lean.levels[0].found == ()


async def test_nothing_is_left_in_the_workspace(tmp_path):
    """The reporter and its report stay outside of the tree."""
    box, workspace = await open_box(tmp_path, PROJECT)
    await Node().run(box, timeout=60)

    left = {path.relative_to(workspace).as_posix() for path in workspace.rglob("*.*")}
    assert left == set(PROJECT)


async def test_a_red_test_is_reported_with_expected_and_actual(tmp_path):
    """The failure has its file, its line and the values."""
    level = await ran_on(tmp_path, PROJECT | {"src/add.js": ADD.replace("+", "-")})
    (failure,) = level.failures

    assert level.reason == "1 test failed, 0 passed"
    assert failure.test == "test/add.test.js::adds"
    assert (failure.file, failure.line) == ("test/add.test.js", 6)
    assert failure.message == "AssertionError: -1 == 3"


async def test_an_error_deep_in_the_code_names_its_own_line(tmp_path):
    """The place is the deepest frame of the project."""
    files = PROJECT | {"src/add.js": "export function add(a) {\n  return a.b.c;\n}\n"}
    (failure,) = (await ran_on(tmp_path, files)).failures

    assert (failure.file, failure.line) == ("src/add.js", 2)
    assert failure.message.startswith("TypeError: Cannot read properties of undefined")


@pytest.mark.parametrize(
    ("kind", "code", "hint"),
    [
        ("module", "\nimport { name } from '../helpers.js';\n", "./utils/helpers.js"),
        ("commonjs", "\nconst { name } = require('../helpers');\n", "./utils/helpers.js"),
    ],
)
async def test_a_module_that_cannot_be_found_is_named_with_its_place(tmp_path, kind, code, hint):
    """A wrong import is reported where it stands, with the file it means."""
    script = kind == "module"
    exported = "export const name = 1;\n" if script else "exports.name = 1;\n"
    used = "import '../src/user.js';\n" if script else "require('../src/user.js');\n"
    files = {
        "package.json": json.dumps({"type": kind}),
        "src/utils/helpers.js": exported,
        "src/user.js": code,
        "test/user.test.js": used,
    }
    (failure,) = (await ran_on(tmp_path, files)).failures

    assert failure.test == "test/user.test.js"
    assert (failure.file, failure.line) == ("src/user.js", 2)
    assert "Cannot find module" in failure.message
    said = f"src/utils/helpers.js exists: from src/user.js it is {hint}."
    assert failure.message.endswith(said)


async def test_a_syntax_error_names_file_and_line(tmp_path):
    """What Node refuses to read is reported where it stands."""
    files = PROJECT | {"src/add.js": "export const add = (a, b) =>\n  a +;\n"}
    (failure,) = (await ran_on(tmp_path, files)).failures

    assert (failure.file, failure.line) == ("src/add.js", 2)
    assert failure.message.startswith("SyntaxError: ")


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("process.exit(0);\n" + ADD, ["test/add.test.js"]),
        (ADD.replace("a + b", "process.exit(0)"), ["test/add.test.js::adds"]),
        (
            "export const add = (a, b) => setTimeout(() => process.exit(0), 200) && a + b;\n",
            ["test/add.test.js::waits", "test/add.test.js::last"],
        ),
    ],
)
async def test_a_process_that_ends_early_proves_nothing(tmp_path, code, names):
    """Node itself calls all of these passed."""
    more = """
test('waits', () => new Promise((resolve) => setTimeout(resolve, 5000)));
test('last', () => {});
"""
    test = TEST if len(names) == 1 else TEST + more
    level = await ran_on(tmp_path, PROJECT | {"src/add.js": code, "test/add.test.js": test})

    assert level.result == "failed"
    found = [failure.test for failure in level.failures]
    assert found == names or found == ["test/add.test.js"]
    assert "ended before this test was finished" in level.failures[0].message


async def test_a_plain_script_is_a_test(tmp_path):
    """A file that uses no test runner passes by ending well."""
    files = {"package.json": "{}", "a.test.js": "require('assert').ok(1);\n"}

    assert (await ran_on(tmp_path, files)).result == "passed"


async def test_skipped_tests_verify_nothing(tmp_path):
    """Tests that are all skipped or to do prove nothing."""
    test = TEST.replace("test('adds'", "test.skip('adds'")
    level = await ran_on(tmp_path, PROJECT | {"test/add.test.js": test})

    assert (level.result, level.reason) == ("skipped", "all 1 tests were skipped")


async def test_only_the_files_of_failing_tests_are_run_again(tmp_path):
    """A failing test is run again by its file."""
    files = PROJECT | {"test/b.test.js": TEST.replace("3);", "4);")}
    box, _ = await open_box(tmp_path, files)
    first = await Node().run(box, timeout=60)
    again = await run_again(box, tree="t", failures=first.failures, of=[first], timeout=60)

    assert again.levels[0].command == ("node", "--test", "test/b.test.js")
    assert again.failures == first.failures


async def test_a_script_of_several_commands_is_run_as_it_is(tmp_path):
    """What is no plain call of a runner counts by its exit code."""
    script = {"scripts": {"test": "echo checked > /dev/null && node check.js"}}
    files = {"package.json": json.dumps(script), "check.js": "process.exit(7);\n"}
    level = await ran_on(tmp_path, files)

    assert (level.result, level.exit_code) == ("failed", 7)
    assert level.reason == "node ended with exit code 7"


async def test_a_build_that_fails_is_no_test_that_does(tmp_path):
    """It is named by what the compiler says, not by the banner that npm prints first."""
    build = (
        "echo; echo '> a@1.0.0 build'; echo '> tsc -p .'; echo 'a.ts(1,7): error TS1: no'; exit 2"
    )
    scripts = {"build": build, "test": "npm run build && node check.js"}
    npm = f"#!/bin/sh\n{build}\n"
    files = {"package.json": json.dumps({"scripts": scripts}), "node_modules/.bin/npm": npm}
    box, workspace = await open_box(tmp_path, files)
    (workspace / "node_modules/.bin/npm").chmod(0o755)
    level = await Node().run(box, timeout=60)

    why = "the script `test` of package.json builds first, and `npm run build` fails"
    assert level.broken == f"{why}: a.ts(1,7): error TS1: no"


async def test_a_build_that_takes_its_time_may_be_given_more(tmp_path):
    """It was stopped, and does not fail: whether it ends, the base and more time tell."""
    scripts = {"build": "x", "test": "npm run build && node check.js"}
    said = CommandResult(0, json.dumps({"scripts": scripts}).encode(), b"")
    box = ScriptedBox(said, CommandResult(-1, b"> tsc -p .\n", b"", timed_out=True))
    level = await Node().run(box, timeout=30)

    assert (level.result, level.cause) == ("failed", "timeout")
    assert level.reason.endswith("the tests timed out after 30 s")


async def test_a_script_that_passes_says_how_little_is_known(tmp_path):
    """No test is named or counted, as with runners that are not known (ava, borp, tap)."""
    script = {"scripts": {"test": "echo checked > /dev/null && node check.js"}}
    level = await ran_on(tmp_path, {"package.json": json.dumps(script), "check.js": ""})

    assert (level.result, level.passed) == ("passed", 0)
    assert level.reason == "only the exit code of the script `test` is known, not which tests ran"


@pytest.mark.parametrize(
    ("program", "missing"), [("jest", "npm ci"), ("vitest", "npm ci"), ("mocha", "npm ci")]
)
async def test_packages_that_are_not_installed_are_an_environment_error(tmp_path, program, missing):
    """A runner that is not there is nobody's fault, and the message says what to do."""
    files = {"package.json": json.dumps({"scripts": {"test": program}}), "a.test.js": ""}
    with pytest.raises(TaskError, match=missing) as caught:
        await verified(tmp_path, files)

    assert caught.value.kind == "environment"
    assert caught.value.message.startswith(f"{program} is not installed on this machine")


async def test_a_missing_tool_is_skipped_where_another_one_judges(tmp_path):
    """A Python project with a script of jest's is verified by pytest, and says what is missing."""
    files = {
        "package.json": json.dumps({"scripts": {"test": "jest"}}),
        "web/a.test.js": "",
        "test_a.py": "def test_a():\n    assert True\n",
    }
    result = await verified(tmp_path, files)

    assert result.verified
    assert [level.result for level in result.levels[-2:]] == ["passed", "skipped"]
    assert "npm ci" in result.levels[-1].reason


async def test_an_old_node_is_an_environment_error():
    """A Node without reporters is told from a red test."""
    refused = CommandResult(9, b"", b"node: bad option: --test-reporter=x\n")
    box = ScriptedBox(CommandResult(0, b"{}", b""), refused)

    with pytest.raises(TaskError, match=r"18\.15"):
        await Node().run(box, timeout=1)


async def test_tests_that_never_end_fail_with_the_time(tmp_path):
    """An endless test is ended and the reason names the limit."""
    files = {"a.test.js": "while (true);\n"}
    box, _ = await open_box(tmp_path, files)
    level = await Node().run(box, timeout=2)

    assert level.reason == "the tests timed out after 2 s"
