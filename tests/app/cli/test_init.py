"""``cairn init`` writes a configuration only where the tests need one."""

from __future__ import annotations

from pathlib import Path

from runner.config.model import parse_config
from tests.app.checkout import checkout
from tests.app.cli.test_preflight import CALC, PLUGIN

FILE = ".github/cairn.yml"


async def test_tests_that_start_need_no_configuration(tmp_path: Path) -> None:
    """Nothing is written, and no model is needed."""
    async with checkout(tmp_path / "here", CALC) as here:
        del here.environment["OPENAI_API_KEY"], here.environment["CAIRN_MODEL"]
        said = await here.cairn("init")

        assert said.code == 0, said.err
        assert "The tests start as they are" in said.out
        assert not (here.folder / FILE).exists()


async def test_what_the_tests_need_is_written_and_checked(tmp_path: Path) -> None:
    """The file installs the plugin; nobody has it, and that is said."""
    async with checkout(tmp_path / "here", CALC | {"pyproject.toml": PLUGIN}) as here:
        said = await here.cairn("init")

        written = (here.folder / FILE).read_text()
        assert said.code == 2
        assert "plugins: pytest-that-is-not-here" in said.out
        assert "pytest-that-is-not-here" in str(parse_config(written.encode()).sandbox.setup)
        assert f"Wrote {FILE}" in said.out
        assert "This is not enough yet." in said.out


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
        assert "not a checkout" in said.out


async def test_what_is_written_must_be_committed(tmp_path: Path) -> None:
    """Until then doctor says that it is not used; git sees nothing else that is new."""
    async with checkout(tmp_path / "here", CALC | {"pyproject.toml": PLUGIN}) as here:
        await here.cairn("init")
        said = await here.cairn("doctor")

        assert ".github/cairn.yml is not committed, so no run uses it" in said.out
        assert "there is no .github/cairn.yml" not in said.out
        assert here.git("status", "--porcelain").split() == ["??", ".github/"]
