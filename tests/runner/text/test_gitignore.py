"""Patterns of gitignore say what pathspec's say, and hold up nobody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from runner.text.gitignore import ignoring, understood

_SEGMENTS = ("a", "b", "*", "**", "*a", "a*", "*a*b", "?", "a?b", "[ab]", "*b*a*", "a**b", "[!a]*b")
_NAMES = st.sampled_from(["a", "b", "ab", "aab", "ba", "abab", "c", "bb"])


@given(
    pattern=st.lists(st.sampled_from(_SEGMENTS), min_size=1, max_size=6).map("/".join),
    around=st.tuples(st.sampled_from(["", "!", "/"]), st.sampled_from(["", "/"])),
    paths=st.lists(st.lists(_NAMES, min_size=1, max_size=7).map("/".join), max_size=8),
)
def test_it_says_what_pathspec_says(
    pattern: str, around: tuple[str, str], paths: list[str]
) -> None:
    """Of files and folders, whatever the wildcards."""
    lines = ["a", f"{around[0]}{pattern}{around[1]}"]
    theirs, ours = GitIgnoreSpec.from_lines(lines), ignoring(lines)
    for path in (*paths, *(f"{path}/" for path in paths)):
        assert ours.check_file(path).include == theirs.check_file(path).include


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 60 + "*b", "a" * 250),
        ("?*" * 60 + "b", "a" * 250),
        ("**/a/" * 100 + "b", "a/" * 490 + "c"),
        ("/x/**/*a*a*b/**/*a*a*c/**/d", "x/" + ("a" * 200 + "/") * 4 + "e"),
    ],
)
def test_no_pattern_holds_up_the_program(pattern: str, path: str) -> None:
    """With pathspec's own expressions each of these would not end today."""
    assert not ignoring([pattern]).match_file(path)


def test_what_is_no_pattern_says_nothing() -> None:
    """A broken range or a lonely backslash ends nobody's work."""
    lines = ["[z-a]", "a\\", "!", "*.log"]

    assert ignoring(lines).match_file("x.log")
    assert len(list(understood(lines))) == 1
