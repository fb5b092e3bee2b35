"""A repository whose tests need a package that its own setup installs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.sandbox.sandbox_bench import EVERY, ROOT, remove_images, working_sandbox
from tests.runner.sandbox.wheels import wheel
from tests.scenarios.bot import conversation
from tests.scenarios.projects import answer

TOLD = answer(
    {
        "told_twice.py": "import told\n\nTWICE = 2 * told.ANSWER\n",
        "tests/test_twice.py": "from told_twice import TWICE\n\n\n"
        "def test_twice():\n    assert TWICE == 84\n",
    }
)
CONFIG = b"sandbox:\n  setup:\n    - pip install -r requirements.txt\n"
FILES: dict[str, object] = {
    "ROADMAP.md": b"- [ ] 1.1 Write `told_twice.py` with a test\n",
    "requirements.txt": b"--no-index\n./told-1.0-py3-none-any.whl\n",
    "told-1.0-py3-none-any.whl": wheel("told", "ANSWER = 42\n"),
    "conftest.py": b"",
    ".github/cairn.yml": CONFIG,
}
BROKEN = FILES | {"requirements.txt": b"--no-index\nno-such-package\n"}


@pytest.mark.sample(0, "test_a_configuration_is_offered_and_used_after_the_merge installs in one")
@pytest.mark.parametrize("sandbox", EVERY)
async def test_installed_packages_are_there_for_the_tests(sandbox: str, tmp_path: Path) -> None:
    """A task whose tests import what setup installs is verified and published."""
    await working_sandbox(sandbox)
    settings = {"CAIRN_SANDBOX": sandbox}
    if sandbox == "bubblewrap":
        if not ROOT:
            pytest.skip("bubblewrap: set TEST_SANDBOX_ROOT to a folder of scripts/sandbox-root")
        settings["CAIRN_SANDBOX_IMAGE"] = ROOT
    async with conversation(tmp_path, FILES, **settings) as bot, bot.started():
        bot.model.says(TOLD)

        await bot.comment("/execute")

        assert bot.checkpoints() == ["1.1 Write told_twice.py with a test"], bot.says()
    if sandbox == "docker":
        await remove_images(str(bot.settings.cairn_data_dir.resolve()))


async def test_a_setup_that_fails_is_told(tmp_path: Path) -> None:
    """When a setup command fails, the task fails with that command and its output."""
    async with conversation(tmp_path, BROKEN) as bot, bot.started():
        bot.model.says(TOLD)

        await bot.comment("/execute")

        said = "\n".join(bot.says())
        assert bot.pulls == []
        assert "`pip install -r requirements.txt` of sandbox.setup" in said
        assert "no-such-package" in said


FROM_GIT = {
    "setuptools-scm>=8": "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_TOLD_TWICE",
    "hatch-vcs": "SETUPTOOLS_SCM_PRETEND_VERSION",
    "pbr": "PBR_VERSION",
}


@pytest.mark.sample(0, "installs each build tool")
@pytest.mark.parametrize("tool", FROM_GIT)
async def test_setup_can_build_a_project_whose_version_is_a_tag(tool: str, tmp_path: Path) -> None:
    """The sandbox has no git history, so the build tool is told what the manifest says."""
    project = f'[project]\nname = "told-twice"\n[build-system]\nrequires = ["{tool}"]\n'
    project += '[tool.setuptools_scm]\nfallback_version = "1.6.0"\n'
    config = f"sandbox:\n  setup:\n    - printenv {FROM_GIT[tool]} | grep -x 1.6.0\n"
    files = FILES | {"pyproject.toml": project.encode(), ".github/cairn.yml": config.encode()}
    files |= {"told.py": b"ANSWER = 42\n"}
    async with conversation(tmp_path, files) as bot, bot.started():
        bot.model.says(TOLD)

        await bot.comment("/execute")

        assert bot.checkpoints() == ["1.1 Write told_twice.py with a test"], bot.says()
