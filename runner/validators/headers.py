"""Lines about copyright and licence at the top of a file: put back where an answer lost them."""

from __future__ import annotations

import re

_LEGAL = re.compile(
    r"SPDX-|copyright|@licen[sc]e|\u00a9|\(c\)\s+\d{4}|licen[sc]ed under", re.IGNORECASE
)
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|<!--|%|\"\"\"|''')")
_FIRST = re.compile(rb"#!|#.*coding[:=]|<\?(?:php|xml)")
_LOOKED_AT = 30


def with_legal_lines(_path: str, old: bytes, new: bytes) -> bytes:
    """Return the new text with the comment lines about copyright and licence that the old had.

    They stand at the top again, behind a ``#!`` line. Blocks of several lines are put back whole
    by their own lines only where those are gone.
    """
    lost = [line for line in _legal(old) if line.strip() not in _stripped(new)]
    if not lost:
        return new
    lines = new.split(b"\n")
    at = 0
    while at < len(lines) and _FIRST.match(lines[at]):
        at += 1
    gap = [] if at < len(lines) and (not lines[at].strip() or _is_comment(lines[at])) else [b""]
    return b"\n".join([*lines[:at], *lost, *gap, *lines[at:]])


def _legal(text: bytes) -> list[bytes]:
    """Return the lines of comments of their own that speak of rights, from the top of the file."""
    top = text.split(b"\n")[:_LOOKED_AT]
    found = []
    for line in top:
        if line.strip() and not _is_comment(line):
            break
        if _is_comment(line) and _LEGAL.search(line.decode("utf-8", "replace")):
            found.append(line)
    whole = [line for line in found if line.lstrip().startswith((b"#", b"//", b"--", b";", b"%"))]
    closed = [line for line in found if line.lstrip().startswith(b"/*") and b"*/" in line]
    return [line for line in found if line in whole or line in closed]


def _stripped(text: bytes) -> set[bytes]:
    return {line.strip() for line in text.split(b"\n")}


def _is_comment(line: bytes) -> bool:
    return _COMMENT.match(line.decode("utf-8", "replace")) is not None
