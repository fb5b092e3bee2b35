"""Which tools a tree has tests for."""

from __future__ import annotations

import json

import pytest

from runner.verify import tools_of
from runner.verify.tools.node import Suite, suite_of
from runner.verify.tools.python import Pytest


def names(files: dict[str, str]) -> list[str]:
    """The tools whose tests a tree of these files has."""
    content = {path: text.encode() for path, text in files.items()}
    return [tool.name for tool in tools_of(content, content.get)]


def package(script: str = "", **more: object) -> str:
    """A package.json with a test script."""
    return json.dumps({"scripts": {"test": script}, **more})


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"README.md": ""}, []),
        ({"a.py": "", "tests/test_a.py": ""}, ["pytest"]),
        ({"test.py": "from unittest import TestCase\n"}, ["pytest"]),
        ({"tests.py": "def test_a():\n    assert 1\n"}, ["pytest"]),
        ({"test.py": "print('a test page')\n"}, []),
        ({"test.py": "import calc\n\nassert calc.add(1, 2) == 3\n"}, ["script"]),
        ({"runtests.py": ""}, ["script"]),
        ({"runtests.py": "", "Makefile": "test:\n\tpython runtests.py\n"}, ["make"]),
        ({"runtests.py": "", "tests/test_a.py": ""}, ["pytest"]),
        ({"package.json": package("node --test"), "test/a.js": ""}, ["node"]),
        ({"package.json": "{}", "src/a.test.js": ""}, ["node"]),
        ({"src/a.test.mjs": ""}, ["node"]),
        ({"static/test/a.js": ""}, []),
        ({"package.json": "{}", "src/a.js": ""}, []),
        ({"package.json": "{}", "node_modules/x/test/a.js": ""}, []),
        ({"package.json": package("jest"), "src/a.spec.ts": ""}, ["node"]),
        ({"package.json": package("jest"), "src/a.ts": ""}, []),
        ({"package.json": "{broken", "a.test.js": ""}, ["node"]),
        ({"package.json": package("npm run lint && node check.js"), "a.js": ""}, ["node"]),
        ({"package.json": '{"devDependencies": {"prettier": "3"}}', "test_a.py": ""}, ["pytest"]),
        ({"Cargo.toml": "", "src/lib.rs": ""}, ["cargo"]),
        ({"tools/Cargo.toml": "", "tools/src/lib.rs": ""}, ["cargo in tools"]),
        ({"go.mod": "", "a.go": "", "a_test.go": ""}, ["go"]),
        ({"go.mod": "", "a.go": ""}, []),
        ({"pom.xml": "", "src/test/java/ATest.java": ""}, ["maven"]),
        ({"pom.xml": "", "src/main/java/A.java": ""}, []),
        ({"build.gradle.kts": "", "app/src/test/kotlin/ATest.kt": ""}, ["gradle"]),
        ({"Shop.sln": "", "tests/Shop.Tests/UnitTest1.cs": ""}, ["dotnet"]),
        ({"Shop.csproj": "", "Cart.cs": ""}, []),
        ({"spec/a_spec.rb": ""}, ["rspec"]),
        ({"test/a_test.rb": "", "test/test_b.rb": ""}, ["minitest"]),
        ({"tests/Unit/ATest.php": ""}, ["phpunit"]),
        ({"Makefile": "all:\n\techo\ntest: all\n\t./check\n"}, ["make"]),
        ({"Makefile": "test := x\ntests:\n"}, []),
        ({"Makefile": "test:\n\tpytest\n", "test_a.py": ""}, ["pytest"]),
        ({"package.json": package("vitest"), "a.test.ts": "", "test_a.py": ""}, ["pytest", "node"]),
    ],
)
def test_tools_are_told_by_files(files: dict[str, str], expected: list[str]) -> None:
    """A tool is found where there are tests for it; make only where nothing else is."""
    assert names(files) == expected


@pytest.mark.parametrize(
    ("more", "only"), [({}, ("test.py",)), ({"tests/test_a.py": b""}, ())], ids=["alone", "beside"]
)
def test_a_module_of_tests_at_the_root_is_run_by_name(
    more: dict[str, bytes], only: tuple[str, ...]
) -> None:
    """``python test.py``: pytest does not look for it, but runs it when it is told to."""
    files = {"test.py": b"import unittest\n", **more}
    (tool,) = tools_of(files, files.get)

    assert isinstance(tool, Pytest)
    assert tool.ignoring == only


@pytest.mark.parametrize(
    ("script", "suite"),
    [
        ("node --test", Suite("node", "--test")),
        ("node --import tsx --test test/*.ts", Suite("node", "--import tsx --test test/*.ts")),
        ("NODE_ENV=test jest --runInBand", Suite("jest", "--runInBand", "NODE_ENV=test ")),
        ("cross-env TZ=UTC vitest", Suite("vitest", "", "TZ=UTC ")),
        ("vitest run src", Suite("vitest", "src")),
        ("vitest --watch", Suite("vitest", "")),
        ("npx mocha spec", Suite("mocha", "spec")),
        ("node test.js", Suite("script", "node test.js")),
        ("tsc && node --test", Suite("script", "node --test", build="tsc")),
        ("jest; rm x", Suite("script", "jest; rm x")),
        ("jest $(cat x)", Suite("script", "jest $(cat x)")),
        ("jester", Suite("script", "jester")),
    ],
)
def test_what_a_script_starts(script: str, suite: Suite) -> None:
    """One plain command of a known runner is called with a report; the rest runs as it is."""
    assert suite_of(package(script).encode()) == suite


@pytest.mark.parametrize(
    ("content", "runner"),
    [
        ('{"devDependencies": {"vitest": "1"}}', "vitest"),
        ('{"dependencies": {"mocha": "1"}}', "mocha"),
        ('{"devDependencies": ["jest"]}', "node"),
        ('{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}', "node"),
        ('{"scripts": {"test": 3}}', "node"),
        ('{"scripts": []}', "node"),
        ("[]", "node"),
        ("[" * 9999, "node"),
    ],
)
def test_without_a_script_dependencies_tell(content: str, runner: str) -> None:
    """A package that names a runner is tested with it, any other by Node itself."""
    assert suite_of(content.encode()).runner == runner


@pytest.mark.parametrize(
    ("scripts", "build", "rest"),
    [
        ({"pretest": "tsc", "test": "node --test"}, "tsc", "node --test"),
        (
            {"test": "npm run build && tsc -p t && node a.js"},
            "npm run build && tsc -p t",
            "node a.js",
        ),
        (
            {"pretest": "node prepare.js", "test": "node --test"},
            "",
            "node prepare.js && node --test",
        ),
        ({"test": "npm run build"}, "", "npm run build"),
        ({"test": "npm run build; node a.js && b"}, "", "npm run build; node a.js && b"),
    ],
)
def test_a_script_before_the_tests_is_part_of_them(
    scripts: dict[str, str], build: str, rest: str
) -> None:
    """What npm would run first is run first; what builds is told apart: it tests nothing."""
    content = json.dumps({"scripts": scripts})

    assert suite_of(content.encode()) == Suite("script", rest, build=build)
