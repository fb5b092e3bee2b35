"""A JavaScript project, executed for real with Node's own test runner, through both doors."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.scenarios.promised.always import check_always
from tests.scenarios.promised.doors import by_command, by_server
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import TESTS, Scenario

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

ROADMAP = b"""\
# People

- [ ] 1.1 Add `src/user.js` with `fullName(first, last)` that uses the helpers, and its tests
- [ ] 1.2 Add `src/greeting.js` with `greet(first, last)` that uses `fullName`, and its tests
"""
FILES = {
    "ROADMAP.md": ROADMAP,
    "package.json": b'{"name": "people", "type": "module", "scripts": {"test": "node --test"}}\n',
    "src/utils/helpers.js": b"""\
export function formatName(first, last) {
  const capital = (word) => word[0].toUpperCase() + word.slice(1);
  return `${capital(first)} ${capital(last)}`;
}
""",
    "test/helpers.test.js": b"""\
import test from 'node:test';
import assert from 'node:assert';
import { formatName } from '../src/utils/helpers.js';

test('formats a name', () => {
  assert.equal(formatName('ada', 'lovelace'), 'Ada Lovelace');
});
""",
}


def script(files: dict[str, str]) -> str:
    """A model's answer with JavaScript files."""
    return "\n".join(f"{path}\n```javascript\n{text}```\n" for path, text in files.items())


def one_test(imports: str, name: str, call: str, result: str) -> str:
    """A test file of one test."""
    return (
        f"import test from 'node:test';\nimport assert from 'node:assert';\nimport {imports};\n\n"
        f"test('{name}', () => {{\n  assert.equal({call}, '{result}');\n}});\n"
    )


USER = """\
import {{ formatName }} from '{path}';

export function fullName(first, last) {{
  return formatName(first, last);
}}
"""
USER_TEST = one_test(
    "{ fullName } from '../src/user.js'", "has a full name", "fullName('john', 'doe')", "John Doe"
)
WRONG = script({"src/user.js": USER.format(path="../helpers.js"), "test/user.test.js": USER_TEST})
RIGHT = script({"src/user.js": USER.format(path="./utils/helpers.js")})
GREET = """\
import { fullName } from './user.js';

export function greet(first, last) {
  return `Hello ${fullName(first, last)}WHAT`;
}
"""
GREET_TEST = one_test(
    "{ greet } from '../src/greeting.js'", "greets", "greet('john', 'doe')", "Hello John Doe!"
)
SHOUT = script({"src/greeting.js": GREET.replace("WHAT", ""), "test/greeting.test.js": GREET_TEST})
GREETS = script({"src/greeting.js": GREET.replace("WHAT", "!")})


def _node_import(left: Left) -> None:
    first, second = left.asked(TESTS)
    assert left.statuses == {"1.1": "completed", "1.2": "completed"}
    assert "Cannot find module 'helpers.js' imported from src/user.js" in first
    assert "src/utils/helpers.js exists: from src/user.js it is ./utils/helpers.js." in first
    assert "(src/user.js, line 1)" in first
    assert "AssertionError: 'Hello John Doe' == 'Hello John Doe!'" in second
    assert left.of("1.1")["test_repairs"] == left.of("1.2")["test_repairs"] == 1
    shown = [each["levels"] for each in left.files("verification")]
    proofs = [level["found"] for levels in shown for level in levels if level["name"] == "proof"]
    assert proofs == [["test/user.test.js::has a full name"], ["test/greeting.test.js::greets"]]
    ran = [
        (each["tested"], each["levels"][-1]["result"], each["levels"][-1]["tool"])
        for each in left.files("verification")
        if each["levels"][-1]["name"] == "tests"
    ]
    own = [("change", "failed", "node"), ("change", "passed", "node")]
    assert [each for each in ran if each[0] == "change"] == own * 2
    assert {each for each in ran if each[0] == "before"} == {("before", "passed", "node")}


NODE_IMPORT = Scenario(
    id="node-import", files=FILES, answers=(WRONG, RIGHT, SHOUT, GREETS), check=_node_import
)


async def test_by_command(tmp_path: Path) -> None:
    """``cairn run`` repairs a wrong import and a red test, and commits what Node says is green."""
    left = await by_command(NODE_IMPORT, tmp_path)

    check_always(left, NODE_IMPORT)
    _node_import(left)


async def test_by_server(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """``/execute`` does the same, and the pull requests say that the tests passed."""
    caplog.set_level("INFO")

    left = await by_server(NODE_IMPORT, tmp_path, lambda: caplog.messages)

    check_always(left, NODE_IMPORT)
    _node_import(left)
