"""The programs that run in the sandbox, where nothing of Cairn is installed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import runner.verify

PROGRAMS = {
    "import_check.py": frozenset[str](),
    "project_metadata.py": frozenset[str](),
    "tools/pytest_apart.py": frozenset[str](),
    "tools/pytest_collecting.py": frozenset({"pytest"}),
    "tools/pytest_running.py": frozenset({"pytest"}),
}
FOLDER = Path(runner.verify.__file__).parent


def imported(tree: ast.Module) -> set[str]:
    """The packages that a program imports anywhere."""
    names = [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
    names += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_needs_what_is_there(name: str) -> None:
    """The standard library, and pytest where it is run by pytest."""
    found = imported(ast.parse((FOLDER / name).read_text()))

    assert found
    assert found <= sys.stdlib_module_names | PROGRAMS[name] | {"__future__"}


def test_imports_are_checked_without_any_package(tmp_path: Path) -> None:
    """The packages of this project do not help it: they are not there in a sandbox."""
    (tmp_path / "a.py").write_text("import os\nimport nothing_like_it\n")
    program = (FOLDER / "import_check.py").read_text()
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, "a.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (1, "")
    assert json.loads(ran.stdout)["message"].endswith("No module named 'nothing_like_it'")
