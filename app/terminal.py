"""Text of others on a terminal: nothing in it may move the cursor, colour, hide or reverse."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import TextIO

# controls but tab and line feed, what turns the direction of reading, separators that are line
# breaks to some, tags, and lone surrogates, which no stream can carry
_ACTIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    """Return the text with every active character written as its escape; lines stay lines.

    What keeps GitHub from linking ``#1`` is left out: here nothing is a link.
    """
    return _ACTIVE.sub(_escape, text.replace("\u200b", ""))


def one_line(text: str) -> str:
    """Return the text as one printable line."""
    return printable(" ".join(text.split()))


def any_encoding() -> None:
    """Let standard output carry any text: what its encoding lacks is escaped, never an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def say(text: str, *, end: str = "\n", stream: TextIO | None = None) -> None:
    """Print a text at once; if nobody reads any more (a closed pipe), do nothing.

    What is printed later to such a stream is dropped, so that the work can finish.
    """
    stream = stream or sys.stdout
    try:
        print(text, end=end, file=stream, flush=True)
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def is_live(environment: Mapping[str, str] = os.environ) -> bool:
    """Say whether there is a terminal that can be drawn on; a dumb one gets lines."""
    streams = (sys.stdout, sys.stderr)
    dumb = environment.get("TERM", "").lower() in ("dumb", "unknown")
    return not dumb and all(stream.isatty() for stream in streams)


def is_plain(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Say whether a stream should get only ASCII: by its encoding, or by the locale."""
    encoding = (stream.encoding or "ascii").lower().replace("-", "")
    names = (environment.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in names if name), "")
    return not encoding.startswith("utf") or locale in ("C", "POSIX")


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def at_terminal() -> bool:
    """Say whether somebody can be asked; the report may go into a file or a pipe."""
    return sys.stdin.isatty() and sys.stderr.isatty()
