"""What is said about a module that an import did not find."""

from __future__ import annotations

import pytest

from runner.findings import Level, TestFailure
from runner.verifiers.modules import with_places


def hinted(message: str, *paths: str) -> str:
    """What a failure says once the tree was looked at."""
    level = Level("tests", "failed", failures=(TestFailure("t", message),))
    return with_places(level, paths).failures[0].message


@pytest.mark.parametrize(
    ("missing", "path", "name"),
    [
        ("helpers", "src/utils/helpers.py", "src.utils.helpers"),
        ("util.text", "utils/text.py", "utils.text"),
        ("tools", "src/tools/__init__.py", "src.tools"),
    ],
)
def test_a_file_of_that_name_elsewhere_is_named(missing: str, path: str, name: str) -> None:
    """The hint has the file and how it is imported from the root."""
    said = hinted(f"ModuleNotFoundError: No module named '{missing}'", path, "other.py")

    assert said.endswith(f"\n{path} is there: from the repository's root it is {name}.")


@pytest.mark.parametrize("message", ["No module named 'yaml'", "assert 1 == 2"])
def test_without_such_a_file_nothing_is_added(message: str) -> None:
    """A package that is not there, and any other failure, keep their words."""
    assert hinted(message, "src/helpers.py", "yaml.md") == message
