"""Which syntax check a file gets, by its suffix or name: one literal table."""

from __future__ import annotations

from collections.abc import Callable

from runner.findings import Complaint
from runner.validators import json_, python, toml_, yaml_

Check = Callable[[str, bytes], Complaint | None]

BY_SUFFIX: dict[str, Check] = {
    ".py": python.check,
    ".pyi": python.check,
    ".json": json_.check,
    ".webmanifest": json_.check,
    ".ipynb": json_.check,
    ".yaml": yaml_.check,
    ".yml": yaml_.check,
    ".toml": toml_.check,
}
BY_NAME: dict[str, Check] = {
    "Pipfile": toml_.check,
    "poetry.lock": toml_.check,
    "uv.lock": toml_.check,
    "Cargo.lock": toml_.check,
    "Pipfile.lock": json_.check,
    ".clang-format": yaml_.check,
}


def check_for(path: str) -> Check | None:
    """Return the syntax check of a path; None when the language is not known here."""
    name = path.rpartition("/")[2]
    _, dot, suffix = name.rpartition(".")
    return BY_NAME.get(name) or BY_SUFFIX.get((dot + suffix).lower())
