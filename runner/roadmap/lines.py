"""The lines of a file as bytes: where they start, and how some are exchanged for others.

Lines end at LF, CRLF and a lone CR only, as in CommonMark; numbers count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Splice:
    """Lines ``first`` to ``last`` become ``lines``, which bear no ends.

    With ``last`` one less than ``first`` nothing goes: the lines come before ``first``.
    """

    first: int
    last: int
    lines: tuple[bytes, ...]

    @property
    def growth(self) -> int:
        """How many lines the file has more afterwards."""
        return len(self.lines) - (self.last - self.first + 1)


def line_starts(content: bytes) -> list[int]:
    """Return where each line starts; the first one after a byte order mark."""
    first = len(_BOM) if content.startswith(_BOM) else 0
    return [first, *(end.end() for end in _END.finditer(content))]


def spliced(content: bytes, splices: Sequence[Splice]) -> bytes:
    """Return the content with lines exchanged; ``splices`` come in order and do not overlap.

    New lines take the ending of the line they replace or follow; a file without a final line end
    stays without.
    """
    starts = line_starts(content)
    pieces: list[bytes] = []
    at = 0
    for splice in splices:
        start, end = _start(content, starts, splice.first), _start(content, starts, splice.last + 1)
        pieces += [content[at:start], _joined(content, starts, splice)]
        at = end
    return b"".join((*pieces, content[at:]))


def lines_of(content: bytes, first: int, last: int) -> list[bytes]:
    """Return some lines without their ends."""
    starts = line_starts(content)
    text = content[_start(content, starts, first) : _start(content, starts, last + 1)]
    return _END.split(text)[: last - first + 1]


def moved(line: int, splices: Sequence[Splice]) -> int:
    """Return the number a line has afterwards; it is none of those that go."""
    return line + sum(splice.growth for splice in splices if splice.last < line)


def _joined(content: bytes, starts: list[int], splice: Splice) -> bytes:
    """The new lines with their ends."""
    if not splice.lines:
        return b""
    if splice.last < splice.first:
        end = _ending(content, starts, splice.last)
        usual = end or _usual(content, starts, splice.last)
        text = usual.join(splice.lines)
        return text + end if end else usual + text
    usual = _ending(content, starts, splice.first) or _usual(content, starts, splice.first)
    # as the last one that goes: a lone CR there could meet a LF
    return usual.join(splice.lines) + _ending(content, starts, splice.last)


def _ending(content: bytes, starts: list[int], line: int) -> bytes:
    """How a line ends: b"" for the last one of a file that ends in it."""
    end = _start(content, starts, line + 1)
    if not 1 <= line < len(starts):
        return b""
    if content[end - 2 : end] == b"\r\n":
        return b"\r\n"
    return content[end - 1 : end]


def _usual(content: bytes, starts: list[int], line: int) -> bytes:
    """How the line before one ends, for a last line without an end of its own."""
    return _ending(content, starts, line - 1) or b"\n"


def _start(content: bytes, starts: list[int], line: int) -> int:
    return starts[line - 1] if line <= len(starts) else len(content)
