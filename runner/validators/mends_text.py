"""Repairs for files of any language: leftover fences and byte-order marks."""

from __future__ import annotations

import re
from collections.abc import Callable

Mend = Callable[[str, str], str | None]
"""(path, text) → the text put right, or None when there is nothing to do."""

_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})[\w+-]*\s*$")


def drop_fence(_path: str, text: str) -> str | None:
    """Drop a fence line that was left at the start or the end."""
    lines = text.split("\n")
    body = [at for at, line in enumerate(lines) if line.strip()]
    if not body:
        return None
    for at in (body[-1], body[0]):
        if _FENCE.match(lines[at]):
            del lines[at]
    return "\n".join(lines)


def drop_mark(_path: str, text: str) -> str | None:
    """Drop byte-order marks and zero-width characters."""
    return re.sub("[\ufeff\u200b\u2060]", "", text)


TEXT_MENDS: tuple[tuple[str, Mend], ...] = (
    ("dropped a leftover fence line", drop_fence),
    ("dropped a byte-order mark", drop_mark),
)
