"""action.yml and workflows, as three checkers see them that find different mistakes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from app.action.job import KNOWN
from tests.action.runner_kit import ROOT

BIN = Path(sys.executable).parent
SHOWN = sorted((ROOT / "docs/workflows").glob("*.yml"))
WORKFLOWS = [*SHOWN, *sorted((ROOT / ".github/workflows").glob("*.yml"))]


def checked(*words: object, cwd: Path = ROOT) -> str:
    """Run a checker; what it says when it finds something, '' when it does not."""
    env = {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(cwd)}
    argv = [str(BIN / str(words[0])), *map(str, words[1:])]
    ran = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr if ran.returncode else ""


def test_the_schemas_hold() -> None:
    """GitHub's own editors read them by these schemas."""
    schema = ("check-jsonschema", "--builtin-schema")

    assert checked(*schema, "vendor.github-actions", "action.yml") == ""
    assert checked(*schema, "vendor.github-workflows", *WORKFLOWS) == ""


def test_nothing_is_undefined(tmp_path: Path) -> None:
    """Inputs, steps and outputs that are named exist; the scripts inside pass shellcheck."""
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    shutil.copy(ROOT / "action.yml", tmp_path)
    for path in WORKFLOWS:
        shutil.copy(path, folder)

    assert checked("jactionlint", "--profile", "correctness", cwd=tmp_path) == ""
    assert checked("shellcheck", ROOT / "scripts/action-setup", ROOT / "scripts/release") == ""


def test_nothing_is_unsafe() -> None:
    """No unpinned action, no expression in a script, no permission that is not needed.

    So it is where they are copied to, too: no configuration of ours is there.
    """
    alone = ("--no-config", "--offline", "--no-progress")

    assert checked("zizmor", *alone, "action.yml", *WORKFLOWS) == ""


@pytest.mark.parametrize(
    ("place", "planted", "name"),
    [
        ('exec "$GITHUB', 'echo ${{ inputs.roadmap }}; exec "$GITHUB', "template-injection"),
        ("@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5", "@v5", "unpinned-uses"),
    ],
)
def test_the_checkers_would_find_it(tmp_path: Path, place: str, planted: str, name: str) -> None:
    """A mistake that is planted is found, so that silence means something."""
    text = (ROOT / "action.yml").read_text()
    assert place in text
    (tmp_path / "action.yml").write_text(text.replace(place, planted))

    assert name in checked("zizmor", "--offline", "--no-progress", "action.yml", cwd=tmp_path)


def test_every_input_is_read_and_none_by_another_name() -> None:
    """What action.yml hands over is what the command reads; scripts read no INPUT_ variable."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    human_commits = {
        name
        for step in action["runs"]["steps"]
        for name in step.get("env", {})
        if name.startswith("WITH_")
    }
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text()))

    assert human_commits - {"WITH_VERSION", "WITH_PYTHON"} == {
        f"WITH_{name.upper()}" for name in KNOWN
    }
    assert used == set(action["inputs"])
    assert "INPUT_" not in (ROOT / "scripts/action-setup").read_text()


def test_the_documentation_shows_the_examples_and_every_input() -> None:
    """docs/action.md holds the quick start to the letter, and each input and output."""
    told = (ROOT / "docs/action.md").read_text()
    action = yaml.safe_load((ROOT / "action.yml").read_text())

    for path in SHOWN:
        assert path.read_text() in told, path.name
    for name in (*action["inputs"], *action["outputs"]):
        assert f"| `{name}` |" in told, name


def _release(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Call the script of the release in a copy of what it reads."""
    (folder / "scripts").mkdir(exist_ok=True)
    shutil.copy(ROOT / "scripts/release", folder / "scripts")
    command = [str(folder / "scripts/release"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_release_is_of_its_version_and_dated(tmp_path: Path) -> None:
    """A tag that is another version, or that the changelog leaves open, is refused."""
    (tmp_path / "pyproject.toml").write_text('version = "1.2.0"\n')
    changes = tmp_path / "CHANGELOG.md"

    changes.write_text("# Changelog\n\n## 1.2.0 (unreleased)\n\n- New.\n")
    assert "no section" in _release(tmp_path, "check", "v1.2.0").stderr
    assert "is not v1.2.0" in _release(tmp_path, "check", "v1.3.0").stderr

    changes.write_text("# Changelog\n\n## 1.2.0 (2026-12-01)\n\n- New.\n\n## 1.1.0\n\n- Old.\n")
    assert _release(tmp_path, "check", "v1.2.0").stdout == "1.2.0\n"
    assert _release(tmp_path, "notes", "v1.2.0").stdout.strip() == "- New."
