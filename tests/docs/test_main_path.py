"""The way from a comment to the first node, as docs/architecture.md tells it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| `(?P<file>[\w/]+\.py)` \| `(?P<called>[\w.]+)` \|", re.MULTILINE)
STEPS = ROW.findall((ROOT / "docs/architecture.md").read_text())
MOST = 10
"""Files a reader opens from the webhook to the loop."""


def test_the_main_path_is_short() -> None:
    """A reader can follow it in one sitting."""
    assert 0 < len(STEPS) <= MOST


@pytest.mark.parametrize(("file", "called"), STEPS)
def test_every_step_of_the_main_path_is_there(file: str, called: str) -> None:
    """The file of a step has the function, or the class with the method, that is named."""
    *classes, function = called.split(".")
    body = ast.parse((ROOT / file).read_text()).body
    for name in classes:
        (found,) = [each for each in body if isinstance(each, ast.ClassDef) and each.name == name]
        body = found.body

    functions = [part for part in body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert function in [each.name for each in functions]
