"""What is shown of a file that is too long to be shown whole."""

from __future__ import annotations

from runner.context.cut import around

TEXT = "\n".join(f"line {n}" for n in range(1, 401))


def test_a_text_that_fits_is_shown_whole() -> None:
    """Nothing is left out."""
    assert around("a\nb", [2], limit=10) == "a\nb"


def test_thirty_lines_on_each_side_of_a_change_are_shown() -> None:
    """Far below the top, where a cut at the beginning would end before it."""
    shown = around(TEXT, [300], limit=2_000).split("\n")

    assert shown[0] == "[... lines 1-269 left out ...]"
    assert shown[1:-1] == [f"line {n}" for n in range(270, 331)]
    assert shown[-1] == "[... lines 331-400 left out ...]"


def test_changes_far_apart_are_both_shown() -> None:
    """With less around each where there is less room."""
    shown = around(TEXT, [10, 390], limit=350).split("\n")

    assert {"line 8", "line 10", "line 12", "line 388", "line 390", "line 392"} <= set(shown)
    assert "[... lines 17-383 left out ...]" in shown


def test_what_does_not_fit_at_all_is_cut() -> None:
    """The first changes, and never more than the limit."""
    shown = around(TEXT, range(1, 401), limit=200)

    assert len(shown) <= 200
    assert shown.startswith("line 1\nline 2\n")


def test_lines_that_are_not_there_are_no_reason_to_fail() -> None:
    """A tool may name a line behind the end."""
    assert around(TEXT, [9_999], limit=300).startswith("line 1\n")
