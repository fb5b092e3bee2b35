"""Emoji and other marks around a text, also in the readings a wrong encoding made of them.

Mojibake is recognised here, to compare; the file itself is never "repaired".
"""
# ruff: noqa: RUF001 (the marks of other languages are meant)

from __future__ import annotations

import re
import unicodedata

from runner.roadmap.words import STATUS_MARKS

_WRONG = ("cp1252", "cp1254", "mac_roman")
_JOINERS = "\ufe0f\u200d\u20e3"
_EDGE = " \t*_~"


def readings(mark: str) -> set[str]:
    """Return a mark and what its UTF-8 bytes look like when read in a wrong encoding."""
    return {mark, *("".join(_as(byte, code) for byte in mark.encode()) for code in _WRONG)}


def _as(byte: int, code: str) -> str:
    """One byte; where the encoding has no character for it, browsers keep its number."""
    try:
        return bytes([byte]).decode(code)
    except UnicodeDecodeError:
        return chr(byte)


_TAIL = readings("\ufe0f") - {"\ufe0f"}
_BROKEN = sorted({r for mark in STATUS_MARKS for r in readings(mark) - {mark}}, key=len)[::-1]
_BROKEN_START = re.compile(
    f"(?:{'|'.join(map(re.escape, _BROKEN))})(?:{'|'.join(map(re.escape, sorted(_TAIL)))})?"
)
_BROKEN_END = re.compile(f"(?:{_BROKEN_START.pattern})\\s*\\Z")
_DASHES = re.compile("|".join(re.escape(r) for dash in "–—" for r in sorted(readings(dash))))


def without_marks(text: str) -> str:
    """Strip emoji and marks of emphasis from both ends; words stay as they are."""
    return _without_last(_without_first(text))


def opens_with_status(text: str) -> bool:
    """Say whether a text begins with one of the marks people use for a status."""
    text = text.lstrip(_EDGE)
    if not text or text[0].isascii():
        return False
    return text.startswith(STATUS_MARKS) or _BROKEN_START.match(text) is not None


def plain_dashes(text: str) -> str:
    """Write long dashes, mojibake too, as a hyphen: they divide a number from its words."""
    return text if text.isascii() else _DASHES.sub("-", text)


def _without_first(text: str) -> str:
    while True:
        text = text.lstrip(_EDGE)
        if not text or text[0].isascii():
            return text
        if _is_mark(text[0]):
            text = text[1:].lstrip(_JOINERS)
        elif broken := _BROKEN_START.match(text):
            text = text[broken.end() :]
        else:
            return text


def _without_last(text: str) -> str:
    while True:
        text = text.rstrip(_EDGE + _JOINERS)
        if not text or text[-1].isascii():
            return text
        if _is_mark(text[-1]):
            text = text[:-1]
        elif broken := _BROKEN_END.search(text, max(0, len(text) - 12)):
            text = text[: broken.start()]
        else:
            return text


def _is_mark(char: str) -> bool:
    return (
        unicodedata.category(char) == "So"
        or char in _JOINERS
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )
