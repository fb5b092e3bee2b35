"""A roadmap's bytes as lines: any line end, byte order mark and damaged encoding."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from runner.roadmap.task import Warning

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_NAMES = {b"\n": "lf", b"\r\n": "crlf", b"\r": "cr"}


@dataclass(frozen=True, slots=True)
class Source:
    """What a parser reads: ``text`` has LF only and no mark, its lines are lines of the file.

    Lines end at LF, CRLF and a lone CR, and at nothing else (U+2028 is a character of its line).
    """

    text: str
    lines: list[str]
    eol: str
    bom: bool
    warnings: tuple[Warning, ...]


def read(content: bytes) -> Source:
    """Decode a copy of ``content``; bytes that are no UTF-8 become U+FFFD and are told."""
    bom = content.startswith(_BOM)
    plain = _LINE_END.sub(b"\n", content[len(_BOM) :] if bom else content)
    text = plain.decode("utf-8", "replace")
    return Source(text, text.split("\n"), _eol(content), bom, _damage(content, plain))


def _eol(content: bytes) -> str:
    ends = Counter(_LINE_END.findall(content))
    if len(ends) > 1:
        return "mixed"
    return _NAMES[next(iter(ends))] if ends else "lf"


def _damage(content: bytes, plain: bytes) -> tuple[Warning, ...]:
    if content.startswith(_WIDE):
        return (Warning(1, 1, "not-utf8", "the file looks like UTF-16; save it as UTF-8"),)
    try:
        plain.decode("utf-8")
    except UnicodeDecodeError as error:
        line = plain.count(b"\n", 0, error.start) + 1
        column = error.start - plain.rfind(b"\n", 0, error.start)
        message = f"byte 0x{plain[error.start]:02x} is no UTF-8; save the file as UTF-8"
        return (Warning(line, column, "not-utf8", message),)
    return ()
