"""Monorepos: the tests of projects below the root, run where a person would run them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from runner.errors import TaskError
from runner.state.findings import Level
from runner.verify import concerned, run_again, running, tools_of, verify
from tests.runner.verify.box import open_box

PYTHON = '[project]\nname = "{}"\nversion = "1"\ndependencies = [{}]\n'
CONFIGURED = "[tool.pytest.ini_options]\n{}\n"
TEST = "from app.half import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def service(folder: str, needs: str = "") -> dict[str, str]:
    """A Python project with a src layout; all of them have the same names inside."""
    name = folder.rpartition("/")[2]
    return {
        f"{folder}/pyproject.toml": PYTHON.format(name, needs),
        f"{folder}/src/app/__init__.py": "",
        f"{folder}/src/app/half.py": f'"""{name}"""\n\n\ndef half(n):\n    return n / 2\n',
        f"{folder}/tests/test_half.py": TEST,
    }


def package(name: str = "", test: str = "", **more: object) -> str:
    """A package.json."""
    scripts = {"scripts": {"test": test}} if test else {}
    return json.dumps({"name": name, **scripts, **more})


def web(folder: str, test: str = "node --test", **more: object) -> dict[str, str]:
    """A JavaScript package with a test."""
    name = f"@s/{folder.rpartition('/')[2]}"
    return {f"{folder}/package.json": package(name, test, **more), f"{folder}/test/a.test.js": ""}


TWO = service("services/one") | service("services/two")
TWO_FOUND = ["pytest in services/one", "pytest in services/two"]
WEB = web("packages/a") | web("packages/b")
WEB_FOUND = ["node in packages/a", "node in packages/b"]


def found(files: dict[str, str], *touched: str) -> list[str]:
    """The tools of a tree; where files are named, those that a change of them concerns."""
    content = {path: text.encode() for path, text in files.items()}
    tools = tools_of(content, content.get)
    return [tool.name for tool in (concerned(tools, touched) if touched else tools)]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (TWO, TWO_FOUND),
        (TWO | {"pyproject.toml": "[tool.ruff]\n"}, TWO_FOUND),
        (TWO | {"tests/test_all.py": ""}, ["pytest", *TWO_FOUND]),
        (TWO | {"pyproject.toml": CONFIGURED.format("")}, ["pytest"]),
        (TWO | {"conftest.py": ""}, ["pytest"]),
        (TWO | {"pytest.ini": "[pytest]\ntestpaths = services/one\n"}, ["pytest", TWO_FOUND[1]]),
        (TWO | {"pyproject.toml": CONFIGURED.format('testpaths = ["services/*"]')}, ["pytest"]),
        (service("tests/fixtures/x") | {"tests/test_a.py": ""}, ["pytest"]),
        (service("examples/x") | {"tests/test_a.py": ""}, ["pytest"]),
        ({"api/requirements.txt": "", "api/test_a.py": ""}, ["pytest in api"]),
        (WEB, WEB_FOUND),
        (WEB | {"package.json": package("root", "npm test --workspaces")}, WEB_FOUND),
        (WEB | {"package.json": package("root", "pnpm -r test")}, WEB_FOUND),
        (WEB | {"package.json": package("root", "turbo run test")}, WEB_FOUND),
        (WEB | {"package.json": package("root")}, WEB_FOUND),
        (WEB | {"package.json": package("root", "jest")}, ["node"]),
        (WEB | {"package.json": package("root", "npm run lint && vitest run")}, ["node"]),
        (web("packages/a", "") | {"package.json": package(devDependencies={"jest": "1"})},
         ["node"]),
        (WEB | TWO, [*WEB_FOUND, *TWO_FOUND]),
        (WEB | {"test_a.py": ""}, ["pytest", *WEB_FOUND]),
        ({"node_modules/x/package.json": "{}", "node_modules/x/a.test.js": ""}, []),
        ({"go.mod": "", "a_test.go": "", "sdk/go.mod": "", "sdk/b_test.go": ""},
         ["go", "go in sdk"]),
        ({"Cargo.toml": "", "crates/a/Cargo.toml": "", "crates/a/src/lib.rs": ""}, ["cargo"]),
        (TWO | {"Makefile": "test:\n\tpytest\n"}, TWO_FOUND),
    ],
)  # fmt: skip
def test_a_project_runs_its_own_tests_where_the_root_s_do_not_reach_it(
    files: dict[str, str], expected: list[str]
) -> None:
    """What the root's own settings say decides; material for tests is no project."""
    assert found(files) == expected


USES = service("services/three", '"one>=1"')
LINKED = web("packages/c", dependencies={"@s/a": "*"}) | web(
    "packages/d", devDependencies={"@s/c": "workspace:*"}
)


@pytest.mark.parametrize(
    ("files", "touched", "expected"),
    [
        (TWO, "services/two/src/app/half.py", [TWO_FOUND[1]]),
        (TWO | USES, "services/one/src/app/half.py", [TWO_FOUND[0], "pytest in services/three"]),
        (WEB, "packages/a/index.js", [WEB_FOUND[0]]),
        (WEB | LINKED, "packages/a/index.js",
         [WEB_FOUND[0], "node in packages/c", "node in packages/d"]),
        (WEB, "shared/x.js", WEB_FOUND),
        (WEB | {"test_a.py": ""}, "shared/x.js", ["pytest"]),
        (WEB | {"test_a.py": ""}, "packages/b/x.js", ["pytest", WEB_FOUND[1]]),
    ],
)  # fmt: skip
def test_a_change_concerns_what_it_touches_and_what_needs_that(
    files: dict[str, str], touched: str, expected: list[str]
) -> None:
    """Also at second hand; a file of nobody's concerns all where the root has no tests."""
    assert found(files, touched) == expected


async def levels(folder: Path, files: dict[str, str], *touched: str) -> list[Level]:
    """The levels of the tests of a tree in which these files were changed."""
    content = {path: text.encode() for path, text in files.items()}
    box, _ = await open_box(folder, files)
    found = await verify(
        box, tree="t", paths=files, changed=touched, touched=touched, read=content.get, timeout=60
    )
    return list(found.tests)


async def test_projects_with_the_same_names_inside_are_tested_apart(tmp_path: Path) -> None:
    """Each finds its own modules, and failures are named as the repository names the files."""
    half = "services/two/src/app/half.py"
    (level,) = await levels(tmp_path, TWO | {half: TWO[half].replace("/ 2", "/ 3")}, half)
    (failure,) = level.failures

    assert level.command[:3] == ("cd", "services/two", "&&")
    assert failure.test == "services/two/tests/test_half.py::test_half"
    assert failure.file == "services/two/tests/test_half.py"


async def test_green_projects_name_their_files(tmp_path: Path) -> None:
    """Both are run where both are touched."""
    found = await levels(tmp_path, TWO, *(path for path in TWO if path.endswith("half.py")))

    assert [(level.tool, level.result, level.passed) for level in found] == [
        (name, "passed", 1) for name in TWO_FOUND
    ]
    assert found[1].green == ("services/two/tests/test_half.py",)


PATHS = {"pyproject.toml": CONFIGURED.format('testpaths = ["tests"]'), "tests/test_a.py": ""}


@pytest.mark.parametrize(
    ("files", "wanted", "expected"),
    [
        pytest.param(
            TWO,
            ["services/two/tests/test_half.py", "services/two/src/app/half.py"],
            {"pytest in services/two": ["services/two/tests/test_half.py"]},
            id="a project below the root",
        ),
        pytest.param(
            PATHS,
            ["docs/test_b.py", "tests/test_a.py"],
            {"pytest": ["tests/test_a.py"]},
            id="no file that pytest would not look at",
        ),
        pytest.param(
            web("packages/a"),
            ["packages/a/test/a.test.js"],
            {"node in packages/a": ["packages/a/test/a.test.js"]},
            id="node",
        ),
        pytest.param(
            web("packages/a", "node --test test/all.js"),
            ["packages/a/test/a.test.js"],
            {},
            id="node with files of its own",
        ),
        pytest.param(
            web("packages/a", "tsc && node build.js && sh test.sh"),
            ["packages/a/test/a.test.js"],
            {},
            id="a script",
        ),
        pytest.param(
            {"go.mod": "module m\n", "a/a.go": "", "a/a_test.go": ""},
            ["a/a.go", "a/a_test.go"],
            {"go": ["a/a_test.go"]},
            id="go",
        ),
    ],
)
def test_which_files_a_tool_runs_by_themselves(
    files: dict[str, str], wanted: list[str], expected: dict[str, list[str]]
) -> None:
    """Those of its own project that it would run in any case; none where it cannot choose."""
    content = {path: text.encode() for path, text in files.items()}
    tools = tools_of(content, content.get)
    found = running(tools, wanted, content, content.get)

    assert {tool.name: list(names) for tool, names in found} == expected


NODE = {
    "packages/a/package.json": package("@s/a", "node --test"),
    "packages/a/half.js": "exports.half = (n) => n / 3;\n",
    "packages/a/test/half.test.js": "const test = require('node:test');\n"
    "const { half } = require('../half');\n"
    "test('half', () => require('node:assert').equal(half(4), 2));\n",
}


@needs_node
async def test_a_package_s_failing_tests_are_named_and_run_again(tmp_path: Path) -> None:
    """By the file's path in the repository."""
    box, _ = await open_box(tmp_path, NODE)
    content = {path: text.encode() for path, text in NODE.items()}
    (tool,) = tools_of(content, content.get)
    level = await tool.run(box, timeout=60)
    again = await run_again(
        box, tree="t", failures=level.failures, of=[level], timeout=60, tools=[tool]
    )

    assert [failure.test for failure in level.failures] == ["packages/a/test/half.test.js::half"]
    assert again.failures == level.failures
    assert again.levels[0].command[-1] == "test/half.test.js"


@needs_node
async def test_programs_of_the_workspace_s_top_are_found(tmp_path: Path) -> None:
    """A package manager puts what all packages need into the folder above them."""
    files = {
        "packages/a/package.json": package("@s/a", "mocha"),
        "packages/a/test/a.js": "",
        "node_modules/.bin/mocha": "#!/bin/sh\necho called; exit 3\n",
    }
    box, workspace = await open_box(tmp_path, files)
    (workspace / "node_modules/.bin/mocha").chmod(0o755)
    content = {path: text.encode() for path, text in files.items()}
    (tool,) = tools_of(content, content.get)

    assert "called" in (await tool.run(box, timeout=60)).output
    (workspace / "node_modules/.bin/mocha").unlink()
    with pytest.raises(TaskError, match="mocha is not installed on this machine"):
        await tool.run(box, timeout=60)
