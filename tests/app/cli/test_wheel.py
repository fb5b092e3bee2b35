"""Cairn as a wheel: built, installed into an environment of its own, run away from the checkout.

Nothing is downloaded. What Cairn depends on is borrowed from the environment of the tests, so this
says nothing about the lock file; the image of the server is built from that.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.model_server import ScriptedModel, serve
from tools.docs.parts import ROOT

pytestmark = pytest.mark.long("builds a wheel and installs it")

PARTS = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "app", "handlers", "runner")
DEMO = (
    "tests/__init__.py",
    "tests/data/github",
    "tests/fake_github",
    "tests/model_server",
    "tools",
)
ANSWER = "a.py\n```python\nX = 1\n```\n"


@dataclass(frozen=True)
class Installed:
    """A wheel, and the environment it was installed into."""

    wheel: Path
    programs: Path
    home: Path

    def types(self, *command: str, fails: int = 0, **more: str) -> str:
        """Run a program of the environment in an empty home; what it printed (if it fails: why)."""
        environment = {"PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(self.home)}
        done = subprocess.run(
            [str(self.programs / command[0]), *command[1:]],
            cwd=self.home,
            env=environment | more,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == fails, done.stderr
        return done.stderr if fails else done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Cairn, in an environment that knows nothing of the checkout; skipped where none is made."""
    folder = tmp_path_factory.mktemp("wheel")
    source, environment, home = (folder / name for name in ("source", "environment", "home"))
    for part in (*PARTS, *DEMO):
        _copy(ROOT / part, source / part)
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    (wheel,) = folder.glob("cairn-*.whl")
    made = [sys.executable, "-m", "venv", "--without-pip", str(environment)]
    if subprocess.run(made, capture_output=True, check=False).returncode:
        pytest.skip("this Python makes no virtual environments")
    _pip("--python", str(environment / "bin/python"), "install", "--no-deps", str(wheel))
    (packages,) = environment.glob("lib/python*/site-packages")
    # added at the end, and without the links to checkouts that lie there
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    home.mkdir()
    (home / "ROADMAP.md").write_text("- [ ] 1.1 Add `a.py` with `X`\n")
    return Installed(wheel, environment / "bin", home)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def _pip(*arguments: str) -> None:
    """Run pip without an index, away from the checkout, which it would take for installed."""
    command = [sys.executable, "-m", "pip", "--no-input", "--quiet", *arguments, "--no-index"]
    rest = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=Path(sys.prefix), env=rest, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_wheel_has_every_file(installed: Installed) -> None:
    """Modules, templates, pages and migrations: all that git has of the three packages."""
    listed = subprocess.run(
        ["git", "ls-files", "app", "handlers", "runner"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    there = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}

    assert there - set(ZipFile(installed.wheel).namelist()) == set()


def test_the_installed_command_says_what_it_is(installed: Installed) -> None:
    """``cairn`` comes from the environment, with its version and its help."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    where = installed.types("python", "-c", "import app; print(app.__file__)")

    assert Path(where.strip()).is_relative_to(installed.programs.parent)
    assert project["version"] in installed.types("cairn", "--version")
    assert "doctor" in installed.types("cairn", "--help")


def test_the_schema_for_editors_is_that_of_the_documentation(installed: Installed) -> None:
    """What the installed code takes as configuration is what docs/cairn.schema.json says."""
    asked = (
        "import json; from runner.config.model import config_schema as s; print(json.dumps(s()))"
    )

    said = installed.types("python", "-c", asked)

    assert json.loads(said) == json.loads((ROOT / "docs/cairn.schema.json").read_text())


async def test_a_run_away_from_the_checkout(installed: Installed) -> None:
    """A dry run lists the tasks; a real one asks its questions, which are templates."""
    dry = installed.types("cairn", "run", "--dry-run")
    model = ScriptedModel()
    model.says(ANSWER)
    async with serve(model) as url:
        settings = {"OPENAI_BASE_URL": url, "CAIRN_MODEL": "scripted", "CAIRN_SANDBOX": "process"}
        command = ("cairn", "run", "--verify-mode", "syntax")
        report = await asyncio.to_thread(installed.types, *command, **settings)
    model.verify()

    assert "[DRY RUN] 1. 1.1: Add a.py with X" in dry
    assert "1.1" in report
    assert (installed.home / "a.py").read_text() == "X = 1\n"
    assert (installed.home / "ROADMAP.md").read_text().startswith("- [x] 1.1")


def test_the_demo_comes_with_the_wheel(installed: Installed) -> None:
    """All its parts are there and can be imported; a folder that is not its own stays as it is."""
    other = installed.home / "demo-output"
    other.mkdir()

    said = installed.types("cairn", "demo", fails=2)

    assert f"{other} is not of an earlier demo" in said
    assert list(other.iterdir()) == []
    other.rmdir()


@pytest.mark.nightly("make demo, which CI plays, tells it by the same command from the checkout")
def test_the_demo_is_played_away_from_the_checkout(installed: Installed) -> None:
    """From the comment to the proposal, with nothing of Cairn but what the wheel has."""
    said = installed.types("cairn", "demo", "--sandbox", "process")

    assert "pull requests, each on the one before" in said
    assert "Not as promised" not in said
    assert "cairn demo --keep" in said
