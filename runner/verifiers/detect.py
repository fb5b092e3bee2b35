"""Tell from a tree whether it has tests that pytest runs."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Callable, Collection

from runner.context.testing import is_pytest_module
from runner.verifiers.make_runner import MAKEFILES

_OF_PYTEST = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
CONFIGURATION = (*_OF_PYTEST, "package.json", *MAKEFILES)
"""Files whose content tells which tests a tree has: all that a ``read`` need know."""


def has_pytest(paths: Collection[str], read: Callable[[str], bytes | None]) -> bool:
    """Whether there are test modules by pytest's names, or a configuration of pytest's."""
    if any(is_pytest_module(path) for path in paths):
        return True
    return any(_configures(name, read(name) or b"") for name in _OF_PYTEST if name in paths)


def _configures(name: str, content: bytes) -> bool:
    if name.endswith("pytest.ini"):
        return True
    text = content.decode("utf-8", "replace")
    try:
        if name == "pyproject.toml":
            return "pytest" in tomllib.loads(text).get("tool", {})
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        parser.read_string(text)
    except (tomllib.TOMLDecodeError, configparser.Error, TypeError, RecursionError):
        return False
    return "pytest" in parser or "tool:pytest" in parser
