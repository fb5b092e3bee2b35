"""What ``cairn`` tells about itself, and how little it needs for that."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from app.cli.main import cli
from runner.graph import mermaid

CAIRN = Path(sys.executable).with_name("cairn")
HEAVY = {"openai", "sqlalchemy", "aiohttp", "gidgethub", "aiodocker", "jinja2", "alembic"}


def cairn(*arguments: str) -> str:
    """Run a command that needs no settings; what it printed."""
    command = [sys.executable, "-m", "app", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_help_names_the_commands() -> None:
    """Whoever types ``cairn --help`` learns what there is."""
    said = cairn("--help")

    for command in ("serve", "run", "roadmap", "graph", "doctor"):
        assert command in said


def test_help_of_run_names_its_options() -> None:
    """Every option of a run is explained."""
    said = cairn("run", "--help")

    for option in ("--roadmap", "--task", "--max-tasks", "--dry-run", "--json", "--sandbox"):
        assert option in said


def test_the_graph_is_printed() -> None:
    """``cairn graph`` prints the loop as mermaid."""
    assert cairn("graph").rstrip() == mermaid()


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["graph"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """Help comes at once: nothing is imported that only work needs."""
    program = (
        "import sys\nfrom app.cli.main import cli\n"
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


def commands() -> list[str]:
    """Every command as it is typed, those below ``roadmap`` too."""
    return [name for name, _ in _below(get_command(cli), "")]


def _below(command: object, above: str) -> Iterator[tuple[str, object]]:
    for name, each in getattr(command, "commands", {}).items():
        if hasattr(each, "commands"):
            yield from _below(each, f"{above}{name} ")
        else:
            yield f"{above}{name}", each


@pytest.mark.parametrize("command", commands())
def test_help_is_enough_to_begin(command: str) -> None:
    """Every command says what it is for, shows an example of itself, and tells its exit codes."""
    said = CliRunner().invoke(cli, [*command.split(), "--help"], prog_name="cairn")

    usage, purpose, *_ = (part for part in said.output.split("\n\n") if part.strip())
    assert usage.startswith(f"Usage: cairn {command}")
    assert purpose.strip().endswith(".")
    assert f"Examples:\n    cairn {command}" in said.output
    assert "Exit codes:\n    0   " in said.output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    """What a shell asks is answered with commands, options and their values."""
    env = {**os.environ, "_CAIRN_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "cairn ro"}
    if shell == "bash":
        env |= {"COMP_WORDS": "cairn ro", "COMP_CWORD": "1"}
    env["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    ended = subprocess.run([CAIRN], env=env, capture_output=True, text=True)

    assert "roadmap" in ended.stdout
    assert "serve" not in ended.stdout


def test_completion_of_tasks(tmp_path: Path) -> None:
    """After ``--task`` a shell is offered the open tasks of the roadmap."""
    (tmp_path / "ROADMAP.md").write_text("- [ ] 1.1 One\n- [x] 1.2 Two\n- [ ] 1.3 Three\n")
    asked = {"COMP_WORDS": "cairn run --task 1", "COMP_CWORD": "3"}
    env = {**os.environ, "_CAIRN_COMPLETE": "complete_bash", **asked}
    ended = subprocess.run([CAIRN], env=env, capture_output=True, text=True, cwd=tmp_path)

    assert ended.stdout.split() == ["1.1", "1.3"]


def test_the_version() -> None:
    """``cairn --version`` names the installed version and nothing else."""
    assert cairn("--version") == f"cairn {version('cairn')}\n"


BUG = """
import sys
from app.cli import main as cli

@cli.cli.command()
def bug(verbose: bool = False) -> None:
    raise RuntimeError("planted, with sk-planted-secret-0123456789 in it")

sys.argv = ["cairn", *sys.argv[1:]]
cli.main()
"""


def bug(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command with a bug in it."""
    env = {**os.environ, "TMPDIR": str(folder), "OPENAI_API_KEY": "sk-planted-secret-0123456789"}
    command = [sys.executable, "-c", BUG, "bug", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env)


def test_a_bug_is_one_sentence(tmp_path: Path) -> None:
    """What nobody foresaw says where the details are; no traceback, and no secret anywhere."""
    ended = bug(tmp_path)

    (details,) = tmp_path.glob("cairn-error-*.txt")
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert "Internal error: RuntimeError: planted" in ended.stderr
    assert str(details) in ended.stderr
    assert "Traceback" in details.read_text()
    assert "in bug" in details.read_text()
    assert "sk-planted" not in ended.stderr + details.read_text()


def test_a_bug_told_with_verbose(tmp_path: Path) -> None:
    """``--verbose`` shows the traceback itself."""
    ended = bug(tmp_path, "--verbose")

    assert "Traceback" in ended.stderr
    assert not list(tmp_path.glob("cairn-error-*"))
