"""A file as lines that keep their bytes: what an answer does not change stays as it was.

Lines that stay keep encoding and line end, whatever mixture the file has; a new line ends as those
around it do, and the end of the file (with or without a line end) stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from runner.state.findings import Complaint
from runner.text.compared import Compared
from runner.text.encoding import (
    GUESSED,
    UNKNOWN,
    Encoding,
    declared,
    encoding_of,
    shown,
)

Hunk = tuple[int, int, tuple[str, ...]]
"""The first line that goes (from 0), the one after the last, and what comes in their place."""

_FIRST_LINES = 30
"""Lines in which a file may say how it is encoded."""


@dataclass(frozen=True, slots=True)
class _Line:
    """``text`` is how models see it, ``raw`` its bytes without its end; None for a new one.

    ``end`` is what stands before its line feed: a carriage return or nothing. It is None in the
    last line of a file, which no line feed follows.
    """

    text: str
    end: str | None
    raw: bytes | None = None


@dataclass(frozen=True, slots=True)
class FileLines:
    """The lines of a file, and the file again after changes to them."""

    path: str
    encoding: Encoding
    lines: Sequence[_Line]
    in_utf8: bool = False

    @classmethod
    def of(cls, path: str, content: bytes, *, in_utf8: bool = False) -> FileLines:
        """Read a file; with ``in_utf8`` one that does not say its encoding is written in UTF-8."""
        encoding = encoding_of(path, content)
        body = content.removeprefix(encoding.mark)
        if encoding.is_wide:
            body = body.decode(encoding.name, "replace").encode()
        return cls(path, encoding, tuple(_lines(body, encoding)), in_utf8)

    @property
    def texts(self) -> list[str]:
        """The lines without their ends, as models see them; the last is '' after a line end."""
        return [line.text for line in self.lines]

    def rewritten(self, text: str, *, keep_end: bool = True) -> FileLines:
        """Return the file with another text, all of it.

        Without ``keep_end`` it ends with one line end instead of as before.
        """
        bare = text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
        wanted = bare.split("\n") + [""] * (self._blank_end() if keep_end else 1)
        if not bare:
            return replace(self, lines=(_Line("", None),))
        ends = {line.end for line in self.lines[:-1]}
        if len(ends) < 2 and self.encoding.name == "utf-8" and not self._hidden():
            end = next(iter(ends), "")  # most files: nothing has to be compared
            return replace(self, lines=[_Line(each, end) for each in wanted])
        compared = Compared(self.texts, wanted, autojunk=True)
        return self.changed(
            (old, old_end, tuple(wanted[new:new_end]))
            for kind, old, old_end, new, new_end in compared.get_opcodes()
            if kind != "equal"
        )

    def changed(self, hunks: Iterator[Hunk] | Sequence[Hunk]) -> FileLines:
        """Return the file after changes, no two of which are about the same lines."""
        lines = list(self.lines)
        for first, last, new in sorted(hunks, reverse=True):
            ends = [line.end for line in lines[first:last] if line.end is not None]
            ends = ends or [self._end_near(first)]
            lines[first:last] = [_Line(t, ends[min(n, len(ends) - 1)]) for n, t in enumerate(new)]
        return replace(self, lines=lines)

    def content(self) -> bytes | Complaint:
        """Return the bytes of the file; or the character that cannot be written, and its line."""
        encoding, lines = self._encoding_now(), self.lines
        if encoding.name != self.encoding.name and self.encoding.name != UNKNOWN:
            lines = [replace(line, raw=None) for line in lines]  # another cookie: other bytes
        parts: list[bytes] = []
        hidden, end = self._hidden(), ""
        for number, line in enumerate(lines, 1):
            raw = line.raw
            if raw is None:
                wrong = hidden and "\ufffd" in line.text
                made = _HIDDEN if wrong else _encoded(line.text, encoding)
                if isinstance(made, str):
                    return self._refusal(made, line.text, number, encoding)
                raw = made
            end = end if line.end is None else line.end
            parts.append(raw if number == len(lines) else raw + end.encode() + b"\n")
        body = b"".join(parts)
        if encoding.is_wide:
            body = body.decode().encode(encoding.name)
        return encoding.mark + body

    def _encoding_now(self) -> Encoding:
        """How the file is encoded that has these lines: they may say it in another way."""
        if self.encoding.mark:
            return self.encoding
        head = "\n".join(line.text for line in self.lines[:_FIRST_LINES])
        if said := declared(self.path, head.encode("utf-8", "replace")):
            return replace(self.encoding, name=said, said_by="its first lines")
        if self.encoding.said_by == GUESSED:
            return Encoding() if self.in_utf8 else self.encoding
        return self.encoding if not self.encoding.said_by else Encoding()

    def _hidden(self) -> bool:
        """Whether the file has bytes that cannot be shown."""
        known = ((line, line.raw) for line in self.lines if line.raw and "\ufffd" in line.text)
        return any(raw != line.text.encode() for line, raw in known)

    def _blank_end(self) -> int:
        """How many line ends the file ends with; 1 where it is empty."""
        for blank, line in enumerate(reversed(self.lines)):
            if line.text:
                return blank
        return 1

    def _end_near(self, at: int) -> str:
        """How a line ends that is put before this one."""
        near = (self.lines[n].end for n in (at - 1, at) if 0 <= n < len(self.lines))
        return next((end for end in near if end is not None), "")

    def _refusal(self, char: str, text: str, number: int, encoding: Encoding) -> Complaint:
        column = text.find(char) + 1
        if char == _HIDDEN:
            what = (
                f"line {number} has U+FFFD in the place of bytes of {self.path} that cannot be"
                " shown."
            )
            advice = "Leave such lines as they are, or repeat them exactly."
        elif "\ud800" <= char <= "\udfff":
            message = f"{self.path} has a broken character (a lone surrogate) in line {number}."
            return Complaint(self.path, "UnreadableAnswer", message, number, column)
        elif encoding.name == UNKNOWN:
            what = (
                f"{self.path} is not UTF-8 and does not say how it is encoded, so {char!r} (line"
                f" {number}) cannot be written into it."
            )
            advice = "Use ASCII in the lines that you change."
        else:
            what = (
                f"{self.path} is encoded as {encoding.name} (see {encoding.said_by}), which"
                f" has no {char!r} (U+{ord(char):04X}, line {number})."
            )
            advice = "Write it in another way."
        return Complaint(self.path, "EncodingError", what, number, column, advice=advice)


_HIDDEN = "\ufffd"


def _encoded(text: str, encoding: Encoding) -> bytes | str:
    """Return the bytes of a line (UTF-8 for a wide encoding); or a character that it lacks."""
    try:
        return text.encode("utf-8" if encoding.is_wide else encoding.name)
    except UnicodeEncodeError as error:
        return text[error.start]


def _lines(body: bytes, encoding: Encoding) -> Iterator[_Line]:
    narrow = Encoding() if encoding.is_wide else encoding
    *lines, last = body.split(b"\n")
    for raw in lines:
        bare = raw.removesuffix(b"\r")
        yield _Line(shown(narrow, bare), "\r" if len(bare) < len(raw) else "", bare)
    yield _Line(shown(narrow, last), None, last)
