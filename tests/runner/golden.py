"""Golden files: what a text was when a person last looked at it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "golden"
OPTION = "--update-golden"


def compare(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return ``check(name, text)``, which rewrites the file instead under ``--update-golden``."""

    def check(name: str, text: str) -> None:
        path = FOLDER / name
        if request.config.getoption(OPTION, default=False):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.read_bytes().decode() == text, f"look at it, then run pytest {OPTION}"

    return check
