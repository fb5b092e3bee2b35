"""Which files are tests, told by their paths as test runners tell them. Pure.

pytest: https://docs.pytest.org/en/stable/explanation/goodpractices.html#test-discovery
"""

from __future__ import annotations

import re

_OF_OTHERS = re.compile(
    r"(?:[._-](?:test|spec|tests)\.[cm]?[jt]sx?|_test\.go|_(?:spec|test)\.rb"
    r"|(?:Test|Tests|IT|Spec)\.(?:java|kt|php|cs|scala))$"
    r"|(?:^|/)__tests__/.+\.[cm]?[jt]sx?$|(?:^|/)tests?/.+\.(?:[cm]?[jt]sx?|rs)$"
)
_AMONG_TESTS = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testing)/|(?:^|/)(?:test_|conftest\.)"
    r"|[._-](?:test|spec|tests)\.\w+$"
)


def is_pytest_module(path: str) -> bool:
    """Whether pytest takes the file for a test module by its default patterns."""
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def is_other_test(path: str) -> bool:
    """Whether the file is a test by the names that runners of other languages look for."""
    return _OF_OTHERS.search(path) is not None


def is_test_file(path: str) -> bool:
    """Whether a test runner takes the file for a file of tests."""
    return is_pytest_module(path) or is_other_test(path)


def is_among_tests(path: str) -> bool:
    """Whether the file belongs to the tests: a file of tests, or one that lies beside them."""
    return _AMONG_TESTS.search(path) is not None
