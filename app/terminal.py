"""Text of others on a terminal: nothing in it may move the cursor, colour, hide or reverse."""

from __future__ import annotations

import re
import sys

# controls but tab and line feed, what turns the direction of reading, separators that are line
# breaks to some, tags, and lone surrogates, which no stream can carry
_ACTIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    """Return the text with every active character written as its escape; lines stay lines."""
    return _ACTIVE.sub(_escape, text)


def one_line(text: str) -> str:
    """Return the text as one printable line."""
    return printable(" ".join(text.split()))


def any_encoding() -> None:
    """Let standard output carry any text: what its encoding lacks is escaped, never an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
