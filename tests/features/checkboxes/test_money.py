"""What asking the model for checkboxes took."""

from __future__ import annotations

from app.features.checkboxes.proposing import paid
from tests.app.test_money import SAID, USED


def test_an_unknown_price_is_told() -> None:
    """A call without a known price is never left out in silence."""
    assert SAID in paid(USED)
