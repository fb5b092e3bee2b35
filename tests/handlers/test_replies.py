"""What people read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handlers.ports import RunStatus, TaskLine
from handlers.texts import quoted as shown
from handlers.texts import replies


def test_a_status_fits_into_a_comment() -> None:
    """Many runs with many tasks stay below GitHub's limit, and the rest is counted."""
    task = TaskLine("T" * 500, "t" * 500, "awaiting_approval", "https://example.org/" + "x" * 60)
    run = RunStatus("0123456789", "running", tasks=(task,) * 500)

    text = replies.status((run,) * 50)

    assert len(text) < 60_000
    assert "460 more" in text
    assert "45 older runs" in text


@given(st.text())
def test_a_quoted_text_is_one_code_span(text: str) -> None:
    """Whatever a user wrote is shown as one short piece of inline code, fit for a table."""
    quoted = shown(text)

    assert quoted.startswith("`")
    assert quoted.endswith("`")
    assert len(quoted) <= 83
    assert not set(quoted[1:-1]) & set("`|\n")


@given(st.text())
def test_a_marker_is_one_comment(delivery: str) -> None:
    """No delivery id can end the hidden marker early."""
    marker = replies.marker(delivery)

    assert marker.count("-->") == 1
    assert marker.startswith("<!-- cairn:reply:")
