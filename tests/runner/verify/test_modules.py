"""What is said about a module that an import did not find."""

from __future__ import annotations

import pytest

from runner.state.findings import Level, TestFailure
from runner.verify.levels import with_places


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

    assert said.endswith(f"\n{path} exists: from the repository's root it is {name}.")


@pytest.mark.parametrize("message", ["No module named 'yaml'", "assert 1 == 2"])
def test_without_such_a_file_nothing_is_added(message: str) -> None:
    """A package that is not there, and any other failure, keep their words."""
    assert hinted(message, "src/helpers.py", "yaml.md") == message


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        (
            "Cannot find module 'helpers.js' imported from src/user.js",
            "src/utils/helpers.js exists: from src/user.js it is ./utils/helpers.js.",
        ),
        (
            "Cannot find module '../helpers'\nRequire stack:\n- test/a.test.js",
            "src/utils/helpers.js exists: from test/a.test.js it is ../src/utils/helpers.js.",
        ),
        (
            "Cannot find module './shapes' from 'web/app.ts'",
            "web/lib/shapes/index.tsx exists: from web/app.ts it is ./lib/shapes/index.tsx.",
        ),
    ],
)
def test_a_script_of_that_name_is_named_as_it_is_seen_from_there(message: str, hint: str) -> None:
    """JavaScript imports go by paths: the hint is the one to write."""
    paths = ("src/utils/helpers.js", "web/lib/shapes/index.tsx", "src/helpers.py", "src/user.js")

    assert hinted(message, *paths) == f"{message}\n{hint}"


@pytest.mark.parametrize(
    "message", ["Cannot find module 'express'", "Cannot find package 'x' imported from src/user.js"]
)
def test_a_package_is_no_file(message: str) -> None:
    """What no file of the tree is called gets no hint."""
    assert hinted(message, "src/user.js", "src/utils/helpers.js") == message


@pytest.mark.parametrize(
    ("paths", "file"),
    [
        (("src/test/java/com/ATest.java",), "src/test/java/com/ATest.java"),
        (("a/com/ATest.java", "b/com/ATest.java"), "com/ATest.java"),
        (("com/ATest.java", "b/com/ATest.java"), "com/ATest.java"),
        (("x.java",), "com/ATest.java"),
    ],
)
def test_a_file_named_by_its_end_gets_its_path(paths: tuple[str, ...], file: str) -> None:
    """Java reports name a class; the one file it can be is said in full."""
    level = Level("tests", "failed", failures=(TestFailure("t", "m", "com/ATest.java"),))

    assert with_places(level, paths).failures[0].file == file
