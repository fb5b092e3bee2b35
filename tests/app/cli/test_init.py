"""``cairn init`` writes a configuration only where the tests need one."""

from __future__ import annotations

from pathlib import Path

from tests.app.checkout import checkout
from tests.app.cli.test_preflight import CALC, PLUGIN
from tests.runner.sandbox.wheels import wheel

FILE = ".github/cairn.yml"
RAW = "https://raw.githubusercontent.com/cairn-bot/cairn/main"


async def test_tests_that_start_need_no_configuration(tmp_path: Path) -> None:
    """Nothing is written, and no model is needed."""
    async with checkout(tmp_path / "here", CALC) as here:
        del here.environment["OPENAI_API_KEY"], here.environment["CAIRN_MODEL"]
        said = await here.cairn("init")

        assert said.code == 0, said.err
        assert "The tests start as they are" in said.out
        assert not (here.folder / FILE).exists()


async def test_test_files_that_cannot_be_loaded_are_named(tmp_path: Path) -> None:
    """They stop no run, and nobody should think that they run."""
    files = {f"tests/test_{n}.py": CALC["tests/test_half.py"] for n in "abc"}
    files["tests/test_now.py"] = b"import a_library_nobody_has\n"
    async with checkout(tmp_path / "here", CALC | files) as here:
        initialised, looked = await here.cairn("init"), await here.cairn("doctor")

        assert initialised.code == 0, initialised.out
        for said in (initialised.out, looked.out):
            assert "Most tests start; some cannot" in said
            assert "tests/test_now.py: ModuleNotFoundError" in said
            assert "names a_library_nobody_has, so Cairn does not install it" in said


async def test_a_repository_without_tests_is_told_so(tmp_path: Path) -> None:
    """Nothing starts, so nothing is said to start; the command of its tests may be named."""
    files = {path: text for path, text in CALC.items() if not path.startswith("tests/")}
    async with checkout(tmp_path / "here", files | {"check.py": b"assert True\n"}) as here:
        said = await here.cairn("init")

        assert said.code == 2
        assert "Cairn finds no tests here" in said.out
        assert not (here.folder / FILE).exists()


GUESSED = b"from clamp import clamp\n"
"""What a test written first imports; somebody may own a package of that name."""


async def test_a_package_that_is_only_guessed_is_never_installed(tmp_path: Path) -> None:
    """It is shown; nothing is run or written for it."""
    async with checkout(tmp_path / "here", CALC | {"tests/test_half.py": GUESSED}) as here:
        said = await here.cairn("init")

        assert said.code == 2
        assert "No module named 'clamp'" in said.out
        assert "No file of the repository names clamp, so Cairn does not install it." in said.out
        assert "pip install" not in said.out
        assert not (here.folder / FILE).exists()


async def test_the_second_way_is_tried_where_the_first_fails(tmp_path: Path) -> None:
    """The lock file's installer fails without an index; pip finds the packages in the folder."""
    requirements = b"--no-index\n./told-1.0-py3-none-any.whl\n"
    files = {
        "poetry.lock": b"",
        "requirements-test.txt": requirements,
        "told-1.0-py3-none-any.whl": wheel("told", "ANSWER = 42\n"),
        "tests/test_half.py": b"import told\n" + CALC["tests/test_half.py"],
    }
    async with checkout(tmp_path / "here", CALC | files) as here:
        here.environment["PIP_NO_INDEX"] = "1"
        said = await here.cairn("init")

        assert said.code == 0, said.out
        text = (here.folder / FILE).read_text()
        assert "pip install -r requirements-test.txt" in text
        assert text.startswith(f"# yaml-language-server: $schema={RAW}/docs/cairn.schema.json\n")
        assert text in said.out


async def test_where_no_way_helps_nothing_is_written(tmp_path: Path) -> None:
    """Nobody has the plug-in, and that is said with the file that was tried."""
    async with checkout(tmp_path / "here", CALC | {"pyproject.toml": PLUGIN}) as here:
        said = await here.cairn("init")

        assert said.code == 2
        assert "plugins: pytest-that-is-not-here" in said.out
        assert "- pip install pytest-that-is-not-here" in said.out
        assert "they do not start either" in said.out
        assert "Nothing was written." in said.out
        assert not (here.folder / FILE).exists()


async def test_a_configuration_is_never_overwritten(tmp_path: Path) -> None:
    """It is somebody's."""
    files = CALC | {FILE: b"limits:\n  tasks: 3\n"}
    async with checkout(tmp_path / "here", files) as here:
        said = await here.cairn("init")

        assert said.code == 2
        assert "already exists" in said.out
        assert (here.folder / FILE).read_bytes() == files[FILE]


async def test_a_plain_folder_is_no_checkout(tmp_path: Path) -> None:
    """There is no newest commit to look at."""
    async with checkout(tmp_path / "here", {}) as here:
        here.git("rev-parse", "--git-dir")
        (tmp_path / "plain").mkdir()
        here.git.root = tmp_path / "plain"
        said = await here.cairn("init")

        assert said.code == 2
        assert "not a checkout. Type `git init && git add . && git commit`" in said.out


async def test_what_is_not_committed_is_not_used(tmp_path: Path) -> None:
    """Doctor says so; git sees nothing else that is new."""
    async with checkout(tmp_path / "here", CALC) as here:
        (here.folder / ".github").mkdir()
        (here.folder / FILE).write_text("limits:\n  tasks: 3\n")
        said = await here.cairn("doctor")

        assert ".github/cairn.yml is not committed, so no run uses it" in said.out
        assert "there is no .github/cairn.yml" not in said.out
        assert here.git("status", "--porcelain").split() == ["??", ".github/"]


async def test_parts_with_plans_are_proposed_as_projects(tmp_path: Path) -> None:
    """They are written although the tests need nothing, and a run of one can begin."""
    files = {
        **{path: text for path, text in CALC.items() if path != "ROADMAP.md"},
        "go.work": b"use ./apps/docs\n",
        "apps/docs/go.mod": b"module docs\n",
        "apps/docs/ROADMAP.md": b"- [ ] Write `apps/docs/a.md`\n",
    }
    async with checkout(tmp_path / "here", files) as here:
        said = await here.cairn("init")
        here.git("add", "--all")
        here.git("commit", "-qm", "Configure Cairn")
        shown = await here.cairn("run", "docs", "--dry-run")

        assert said.code == 0, said.err
        assert "  - {name: docs, path: apps/docs}\n" in said.out
        assert "The tests start as they are. Commit the file to use it." in said.out
        assert "Write apps/docs/a.md" in shown.out
