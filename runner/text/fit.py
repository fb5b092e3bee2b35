"""Cut a Markdown text to what GitHub stores, so that nothing in it stays open."""

from __future__ import annotations

import re

MOST_STORED = 60_000
"""Characters of a body that GitHub is sure to store (its own limit is 65,536)."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_FOLDS = re.compile(r"<(/?)details\b", re.IGNORECASE)
_NOTE = "… cut here: the text was too long for GitHub."


def fit(text: str, most: int = MOST_STORED, *, rest: str = "") -> str:
    """Return the text in at most ``most`` characters (at least 200), complete lines if possible.

    ``rest`` says where the whole of it is (Markdown), and stands below a cut.
    """
    if len(text) <= most:
        return text
    note = f"{_NOTE} {rest}".strip()
    room = most - len(note) - 4
    while True:
        kept = _lines(text, room)
        ends = [*_open(kept), note]
        whole = "\n\n".join([kept, *ends])
        if len(whole) <= most:
            return whole
        room -= len(whole) - most


def _lines(text: str, most: int) -> str:
    """As many complete lines as fit; of a line without an end, what fits."""
    kept = text[: max(0, most)]
    end = kept.rfind("\n")
    return kept[:end] if end > 0 else kept


def _open(text: str) -> list[str]:
    """What must be written to close the text, innermost first."""
    fence, folds = "", 0
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            closes = found and found[1].startswith(fence) and not found[2].strip()
            fence = "" if closes else fence
        elif found:
            fence = found[1]
        else:
            folds += sum(-1 if slash else 1 for slash in _FOLDS.findall(line))
    return [*([fence] if fence else []), *["</details>"] * max(0, folds)]
