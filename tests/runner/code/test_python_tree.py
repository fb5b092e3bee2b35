"""Python's own parser on texts of others."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from runner.code.languages import python_tree


def test_doubtful_code_gives_a_tree_and_no_warning() -> None:
    """A warning that the process makes an error would look like code that does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        assert len(python_tree('PATTERN = "\\d"\n').body) == 1


def test_many_threads_parse() -> None:
    """Each gets the tree of its own text, with whatever filters of warnings the process has."""
    texts = ["\n".join(['a = "\\d"'] * lines) for lines in range(1, 60)]
    with ThreadPoolExecutor(8) as threads:
        trees = list(threads.map(python_tree, texts))

    assert [len(tree.body) for tree in trees] == list(range(1, 60))


def test_our_own_warnings_are_still_seen() -> None:
    """Only code without a file name is kept quiet."""
    python_tree("a = 1")

    with pytest.warns(DeprecationWarning, match="still seen"):
        warnings.warn("still seen", DeprecationWarning, stacklevel=1)
