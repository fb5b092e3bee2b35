"""What ``cairn`` tells about itself, and how little it needs for that."""

from __future__ import annotations

import subprocess
import sys

import pytest

from runner.graph import mermaid

HEAVY = {"openai", "sqlalchemy", "aiohttp", "gidgethub", "aiodocker", "jinja2", "alembic"}


def cairn(*arguments: str) -> str:
    """Run a command that needs no settings; what it printed."""
    command = [sys.executable, "-m", "app", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_help_names_the_commands() -> None:
    """Whoever types ``cairn --help`` learns what there is."""
    said = cairn("--help")

    for command in ("serve", "run", "roadmap", "graph"):
        assert command in said


def test_help_of_run_names_its_options() -> None:
    """Every option of a run is explained."""
    said = cairn("run", "--help")

    for option in ("--roadmap", "--task", "--max-tasks", "--dry-run", "--json", "--sandbox"):
        assert option in said


def test_the_graph_is_printed() -> None:
    """``cairn graph`` prints the loop as mermaid."""
    assert cairn("graph").rstrip() == mermaid()


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["graph"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """Help comes at once: nothing is imported that only work needs."""
    program = (
        "import sys\nfrom app.cli import cli\n"
        f"try:\n    cli({arguments!r})\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert HEAVY & set(ended.stderr.split()) == set()


def test_nothing_asked_for_is_answered_with_the_help() -> None:
    """``cairn`` alone explains itself, as wrong usage."""
    ended = subprocess.run([sys.executable, "-m", "app"], capture_output=True, text=True)

    assert ended.returncode == 2
    assert "Usage" in ended.stdout + ended.stderr
