"""Join a cut answer with its continuation, which may repeat some of it or start again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runner.answers.fences import is_fence

_LEAST_LINES = 2
"""So many equal lines at the beginning say that a text starts again; one may be chance."""

_LEAST_OVERLAP = 20
_LEAST_LINE = 6
_MARKDOWN = re.compile(r"\b(?:md|markdown)\b", re.IGNORECASE)
_BEGINNING = re.compile(r"[ \t]+\S.*|\w{2,}")
"""A cut line that any text could continue: an indentation, a word."""


def joined(text: str, more: str, *, complete: bool = True) -> str:
    """Return the complete answer: what ``more`` repeats of ``text`` is in it once.

    A model that should continue often starts the answer, its last file or its last line again. That
    text is newer and replaces what was cut, unless it was also cut (not ``complete``) and is
    shorter.
    """
    lines, again = text.split("\n"), more.lstrip("\n").split("\n")
    start = _starts_again(lines, again)
    if start is not None:
        longer = len(more) >= len("\n".join(lines[start:]))
        return "\n".join([*lines[:start], *again]) if complete or longer else text
    if _reopens(lines, again[0], inside=bool(lines[-1].strip()) and not more.startswith("\n")):
        return joined(text, "\n".join(again[1:]), complete=complete)
    return text[: len(text) - _repeated(text, more)] + more


def _reopens(lines: Sequence[str], first: str, *, inside: bool) -> bool:
    """Whether the continuation opens the fence a second time; in Markdown another may be meant.

    No other fence begins ``inside`` of a line.
    """
    opening = _open_fence(lines)
    if opening is None or not is_fence(first) or not first.strip("`~ "):
        return False
    if first.strip() == lines[opening].strip() or not _MARKDOWN.search(lines[opening]):
        return True
    return inside and _MARKDOWN.search(first) is not None


def _starts_again(lines: Sequence[str], again: Sequence[str]) -> int | None:
    """Return the line of the cut answer that the continuation begins with again.

    That is its first line, the path or fence of the file it was cut in, or that file's first line.
    """
    opening = _open_fence(lines)
    starts = [0]
    if opening is not None:
        starts += [_label(lines, opening), opening, opening + 1]
    return next((at for at in starts if _same(lines[at:], again)), None)


def _same(lines: Sequence[str], again: Sequence[str]) -> bool:
    """Whether the first lines are equal: two of them, or all that there are before the cut one."""
    old = [line.rstrip() for line in lines if line.strip()]
    new = [line.rstrip() for line in again if line.strip()]
    if len(old) < _LEAST_LINES or not new:
        return bool(old and new) and len(old[0]) >= _LEAST_OVERLAP and new[0].startswith(old[0])
    if len(old) == _LEAST_LINES:  # the second one is where the answer was cut
        return len(new) > 1 and old[0] == new[0] and new[1].startswith(old[1])
    return old[:_LEAST_LINES] == new[:_LEAST_LINES]


def _open_fence(lines: Sequence[str]) -> int | None:
    """Return the line of the fence that is open where the answer was cut."""
    opened: int | None = None
    for at, line in enumerate(lines):
        if is_fence(line):
            opened = at if opened is None else None
    return opened


def _label(lines: Sequence[str], fence: int) -> int:
    """Return the line above a fence that says which file it is, else the fence's own."""
    above = next((at for at in range(fence - 1, -1, -1) if lines[at].strip()), fence)
    return above if fence - above <= 2 and re.search(r"[./]", lines[above]) else fence


def _repeated(text: str, more: str) -> int:
    """Return how many characters of the text's end the continuation says again.

    The line that was cut, or a longer part that the text has only once: tables repeat themselves.
    """
    last = text.rpartition("\n")[2]
    for cut in (last, last.lstrip()):
        long = len(cut.strip()) >= _LEAST_LINE or _BEGINNING.fullmatch(cut)
        if long and more.startswith(cut):
            return len(cut)
    at = text.find(more[:_LEAST_OVERLAP]) if len(more) >= _LEAST_OVERLAP else -1
    while 0 <= at <= len(text) - _LEAST_OVERLAP:
        if more.startswith(text[at:]):
            return len(text) - at if text.count(text[at:]) == 1 else 0
        at = text.find(more[:_LEAST_OVERLAP], at + 1)
    return 0
