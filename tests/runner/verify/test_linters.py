"""Which linters a repository configures, where they run, and what counts as new."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from runner.state.changes import ChangeSet, Write
from runner.state.findings import Level, TestFailure
from runner.verify.linters import lint_level, new_findings, runs_of, settings_files
from tests.runner.verify.box import open_box


def of(changed: list[str], settings: dict[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    """The tools that run for changed files, each with the files it is started with."""
    return [
        (run.name, run.files)
        for run in runs_of(changed, {p: text.encode() for p, text in settings.items()})
    ]


@pytest.mark.parametrize(
    ("changed", "settings", "tools"),
    [
        ("a.py", {"pyproject.toml": "[tool.ruff]\n"}, ["ruff"]),
        ("a.py", {"pyproject.toml": "[tool.ruff.lint]\nselect = []\n"}, ["ruff"]),
        ("a.py", {"ruff.toml": ""}, ["ruff"]),
        ("a.py", {"pyproject.toml": "# [tool.ruff]\n[tool.black]\n"}, []),
        ("a.py", {"setup.cfg": "[flake8]\n"}, ["flake8"]),
        ("a.py", {"tox.ini": "[testenv]\n"}, []),
        ("a.py", {"setup.cfg": "[mypy]\n[mypy-numpy]\n"}, ["mypy"]),
        ("a.py", {"pyproject.toml": "[tool.mypy]\n[tool.pyright]\n"}, ["mypy", "pyright"]),
        ("a.js", {"eslint.config.mjs": "", "pyproject.toml": "[tool.ruff]\n"}, ["eslint"]),
        ("a.ts", {".eslintrc.json": "{}", "tsconfig.json": "{}"}, ["eslint", "tsc"]),
        ("a.js", {"package.json": '{"eslintConfig": {}}'}, ["eslint"]),
        ("a.js", {"package.json": '{"name": "x"}'}, []),
        ("a.go", {"go.mod": "module x\n"}, ["gofmt"]),
        ("src/a.rs", {"Cargo.toml": "[package]\n"}, []),
        ("src/a.rs", {"Cargo.toml": "[lints.clippy]\n"}, ["clippy"]),
        ("src/a.rs", {".github/workflows/ci.yml": "run: cargo clippy"}, ["clippy"]),
        ("README.md", {"ruff.toml": ""}, []),
    ],
)
def test_a_tool_runs_where_the_repository_configures_it(
    changed: str, settings: dict[str, str], tools: list[str]
) -> None:
    """Never for other files, and never because it happens to be installed."""
    assert settings_files([changed], settings) == sorted(settings)
    assert [name for name, _ in of([changed], settings)] == tools


def test_the_nearest_configuration_counts() -> None:
    """A service below the root has its own."""
    settings = {"pyproject.toml": "[tool.ruff]\n", "svc/a/pyproject.toml": "[tool.ruff]\n"}
    changed = ["svc/a/src/x.py", "tools/y.py"]
    assert of(changed, settings) == [
        ("ruff in svc/a", ("svc/a/src/x.py",)),
        ("ruff", ("tools/y.py",)),
    ]


@pytest.mark.parametrize(
    ("own", "files"),
    [
        ("strict = true", ("src/x.py", "tools/y.py")),
        ('exclude = ["^tools/"]', ("src/x.py",)),
        ('files = ["src"]', ()),
    ],
)
def test_mypy_checks_what_its_configuration_says(own: str, files: tuple[str, ...]) -> None:
    """Files that the project leaves out are left out; tests count where it names them."""
    changed = ["src/x.py", "tools/y.py", "tests/test_x.py"]
    assert of(changed, {"pyproject.toml": f"[tool.mypy]\n{own}\n"}) == [("mypy", files)]


def test_a_broken_configuration_is_left_to_the_tool() -> None:
    """Whatever is in the file, it is the tool that says what is wrong with it."""
    assert of(["x.py"], {"pyproject.toml": ""}) == []
    assert of(["x.py"], {"pyproject.toml": "[tool.mypy]\n= 1"}) == [("mypy", ("x.py",))]


def level(*findings: tuple[str, int, str]) -> Level:
    """A level of ruff with these findings: file, line, message."""
    failures = tuple(TestFailure("F401", message, file, line) for file, line, message in findings)
    return Level("lint", "failed", tool="ruff", failures=failures)


def new(after: Level, before: Level | None, *, old: str, now: str, gone: str = "") -> list[object]:
    """The lines of new findings in a.py, which had ``old`` and now has ``now``."""
    changes = ChangeSet({"a.py": Write(now.encode()), **({gone: None} if gone else {})})
    files = {"a.py": old.encode()} if old else {}
    return [f.line for f in new_findings(after, before, changes, files.get).failures]


def test_of_equal_findings_those_in_changed_lines_are_new() -> None:
    """There was one before; the second one is the change's."""
    after, before = level(("a.py", 1, "m"), ("a.py", 2, "m")), level(("a.py", 1, "m"))
    assert new(after, before, old="old\n", now="added\nold\n") == [1]
    assert new(after, before, old="old\n", now="old\nadded\n") == [2]


def test_numbers_of_lines_in_a_message_do_not_make_it_new() -> None:
    """What it points at has moved down."""
    after, before = level(("a.py", 9, "again, see line 7")), level(("a.py", 5, "again, see line 3"))
    assert new(after, before, old="x\n", now="y\nx\n") == []


def test_findings_move_with_a_file() -> None:
    """The old file is deleted, and the new one has what it had."""
    after, before = level(("a.py", 1, "m"), ("a.py", 2, "n")), level(("old.py", 1, "m"))
    assert new(after, before, old="", now="x\ny\n", gone="old.py") == [2]


def test_without_findings_before_all_are_new() -> None:
    """The result says how many."""
    changes = ChangeSet({"a.py": Write(b"x\n")})
    after = new_findings(level(("a.py", 1, "m")), None, changes, {}.get)
    assert (after.result, after.reason) == ("failed", "1 new finding")


async def test_a_tool_runs_in_its_folder_and_tells_paths_from_the_root(tmp_path: Path) -> None:
    """ruff names files in full; a file outside the change is not told."""
    files = {"svc/ruff.toml": "", "svc/a.py": "import os\n", "svc/b.py": "import os\n"}
    box, _ = await open_box(tmp_path, files)
    (run,) = runs_of(["svc/a.py"], {"svc/ruff.toml": b""})

    said = await lint_level(box, run, timeout=60)

    await box.close()
    assert said.tool == "ruff in svc"
    assert [(f.test, f.file, f.line) for f in said.failures] == [("F401", "svc/a.py", 1)]


@pytest.mark.skipif(not shutil.which("gofmt"), reason="gofmt is not installed")
async def test_gofmt_names_unformatted_files(tmp_path: Path) -> None:
    """It is there with every Go."""
    box, _ = await open_box(tmp_path, {"go.mod": "module x\n", "a.go": "package  x\n"})
    (run,) = runs_of(["a.go"], {"go.mod": b"module x\n"})

    said = await lint_level(box, run, timeout=60)

    await box.close()
    assert [(f.file, f.message) for f in said.failures] == [("a.go", "the file is not formatted")]


async def test_a_slow_tool_is_stopped_and_says_nothing(tmp_path: Path) -> None:
    """The project's own eslint is started, and it hangs."""
    box, workspace = await open_box(tmp_path, {"a.js": "", "node_modules/.bin/eslint": "sleep 99"})
    (workspace / "node_modules/.bin/eslint").chmod(0o755)
    (run,) = runs_of(["a.js"], {".eslintrc": b""})

    said = await lint_level(box, run, timeout=0.5)

    await box.close()
    assert (said.result, said.reason) == ("skipped", "eslint took longer than 0.5 s")


async def test_modules_that_nobody_installed_are_no_findings(tmp_path: Path) -> None:
    """The sandbox lacks them, and the imports level speaks of imports."""
    box, _ = await open_box(tmp_path, {"a.py": "import nowhere_at_all\n", "mypy.ini": "[mypy]\n"})
    (run,) = runs_of(["a.py"], {"mypy.ini": b"[mypy]\n"})

    said = await lint_level(box, run, timeout=60)

    await box.close()
    assert said.result == "passed"
