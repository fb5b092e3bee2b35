"""Repairs for JSON: trailing commas."""

from __future__ import annotations

import re

from runner.validators.mends_text import Mend

_TRAILING = re.compile(r'("(?:\\.|[^"\\])*"?)|,(\s*[\]}])', re.DOTALL)


def drop_trailing_commas(_path: str, text: str) -> str | None:
    """Drop commas before a closing bracket; strings are left alone."""
    return _TRAILING.sub(lambda found: found[1] or found[2], text)


JSON_MENDS: tuple[tuple[str, Mend], ...] = (("dropped trailing commas", drop_trailing_commas),)
