"""Names of branches and texts of commits."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from runner.people.sentences import branch_name, commit_message, slug
from runner.state.publishing import CheckpointText


def _message(text: str, *trailers: tuple[str, str]) -> str:
    return commit_message(CheckpointText(text, trailers, title="A title"))


@given(st.text(), st.text(), st.text())
def test_branches_are_made_of_slugs(run: str, task: str, title: str) -> None:
    """Whatever the texts, a branch is cairn/ and two parts of [a-z0-9-], 1 to 40 characters."""
    assert re.fullmatch(
        r"cairn(/[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?){2}", branch_name(run, task, title)
    )


def test_a_branch_reads_as_run_task_and_title() -> None:
    """Run, task and title can be read from a branch name."""
    assert branch_name("R7", "API-2", "Add a parser!") == "cairn/r7/api-2-add-a-parser"


def test_a_long_title_is_cut_between_words() -> None:
    """A part that is too long ends with a whole word."""
    title = "Make the very long description of things shorter"
    assert branch_name("r1", "t1", title) == "cairn/r1/t1-make-the-very-long-description-of"


def test_texts_without_letters_stay_apart() -> None:
    """Two texts that leave nothing to read give two slugs."""
    assert slug("задача") != slug("другая")


def test_trailers_end_the_message() -> None:
    """The trailers are the last paragraph of a commit message, one a line."""
    text = _message("Add it\n\nBecause.\n", ("Cairn-Run", "r1"), ("Cairn-Task", "t1"))
    assert text == "Add it\n\nBecause.\n\nCairn-Run: r1\nCairn-Task: t1\n"


def test_a_trailer_stays_on_its_line() -> None:
    """A line break in a trailer's value cannot make another trailer."""
    text = _message("Add it", ("Cairn-Task", "t1\nApproved-by: me"))
    assert text == "Add it\n\nCairn-Task: t1 Approved-by: me\n"


def test_without_a_message_the_title_speaks() -> None:
    """A commit is never without a subject."""
    assert _message(" ") == "A title\n"
