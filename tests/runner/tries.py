"""How many examples a property tries that can do with more, or needs fewer, than the others."""

from __future__ import annotations

from hypothesis import settings


def tries(factor: float) -> settings:
    """``factor`` times as many examples as the profile says (``tests/conftest.py``)."""
    return settings(max_examples=round(settings().max_examples * factor))
