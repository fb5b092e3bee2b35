"""Which models an endpoint offers: reading its list, and saying it to people. Pure.

The list is OpenAI's (https://platform.openai.com/docs/api-reference/models/list); some endpoints
answer with the bare array, and some have no list at all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import SequenceMatcher

_MOST_NAMED = 8
_LONGEST = 120


def read_offer(body: bytes) -> tuple[str, ...] | None:
    """Return the names in an answer to ``GET /models``; None when it is no such list."""
    try:
        answer = json.loads(body)
    except ValueError:
        return None
    entries = answer.get("data") if isinstance(answer, dict) else answer
    if not isinstance(entries, list):
        return None
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    return tuple(name for name in names if isinstance(name, str) and name)


def nearest(offered: Sequence[str], wanted: str) -> list[str]:
    """Order names by how near they are to the one that is wanted, the nearest first."""
    lower = wanted.lower()
    return sorted(offered, key=lambda name: (-_likeness(name.lower(), lower), name))


def offer_text(offered: Sequence[str] | None, wanted: str) -> str:
    """Say what there is instead of ``wanted``: the nearest few names, and how many more."""
    if offered is None:
        return "It does not tell which models it offers."
    if not offered:
        return "It offers no model at all."
    first = [" ".join(name.split())[:_LONGEST] for name in nearest(offered, wanted)[:_MOST_NAMED]]
    more = f" and {len(offered) - len(first)} more" if len(offered) > len(first) else ""
    return f"It offers {', '.join(first)}{more}."


def _likeness(name: str, wanted: str) -> float:
    return SequenceMatcher(None, name, wanted).ratio()
