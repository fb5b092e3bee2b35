"""What is kept of long output."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runner.sandbox.commands import BoundedOutput


def kept(parts: list[bytes], limit: int) -> BoundedOutput:
    """The output after these parts came."""
    output = BoundedOutput(limit)
    for part in parts:
        output.add(part)
    return output


@given(st.lists(st.binary()), st.integers(min_value=1, max_value=50))
def test_short_output_is_whole_and_long_output_keeps_its_ends(
    parts: list[bytes], limit: int
) -> None:
    """However output arrives, nothing is lost below the limit and both ends are kept above it."""
    whole = b"".join(parts)
    output = kept(parts, limit)

    assert output.truncated == (len(whole) > limit)
    if output.truncated:
        assert output.value().startswith(whole[: limit // 2])
        assert output.value().endswith(whole[-(limit - limit // 2) :])
    else:
        assert output.value() == whole


def test_a_gap_is_told() -> None:
    """Where the middle is missing, a line says how much."""
    assert kept([b"0123456789"], 4).value() == b"01\n[... 6 bytes are left out here ...]\n89"
