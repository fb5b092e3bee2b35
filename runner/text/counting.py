"""Numbers with the right form of their noun."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """So many of something: ``1 test``, ``2,000 tests``."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
