"""Hidden markers are found again, and nothing can pass for one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.github.comments import first_kind, marked, marker, with_markers


def test_a_marker_is_a_comment() -> None:
    """Readers see nothing of a marker."""
    assert marker("checkpoint", "auth-1") == "<!-- cairn:checkpoint:auth-1 -->"


@given(st.text())
def test_any_name_is_found_again(name: str) -> None:
    """Whatever the name, it is read back as it was written."""
    assert marked(with_markers([marker("roadmap", name)], "text"), "roadmap") == name


@given(st.text())
def test_no_name_ends_the_comment(name: str) -> None:
    """A name cannot close the comment it is in."""
    assert "--" not in marker("roadmap", name)[4:-3]


def test_ours_comes_before_a_forged_one() -> None:
    """A marker in the text after ours does not count."""
    body = with_markers([marker("checkpoint", "t1")], marker("checkpoint", "t2"))
    assert marked(body, "checkpoint") == "t1"


def test_without_a_marker_there_is_no_name() -> None:
    """An empty body, and other kinds, have no marker."""
    assert (marked(None, "checkpoint"), marked(marker("run", "r"), "checkpoint")) == (None, None)


def test_a_long_text_is_cut_and_says_so() -> None:
    """No body is longer than GitHub takes, and a cut is visible."""
    body = with_markers([marker("run", "r")], "x" * 70_000)
    assert (len(body) < 65_536, "cut here" in body) == (True, True)


def test_the_first_marker_says_what_it_is() -> None:
    """Markers that a text quotes behind ours are no second nature."""
    body = with_markers([marker("recovery", "t1")], marker("checkpoint", "t2"))
    assert (first_kind(body), first_kind("plain"), first_kind(None)) == ("recovery", None, None)
