"""A roadmap's bytes as lines: line ends, encoding, emoji, size limits.

Lines end at LF, CRLF and a lone CR only, as in CommonMark; numbers count from 1. Mojibake is
recognised for comparing; the file itself is never "repaired".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType

from runner.roadmap.task import Warning
from runner.roadmap.words import WORDS, longest
from runner.text.patterns import lazy_pattern

_END = lazy_pattern(rb"\r\n|\n|\r")
_ENDED = lazy_pattern(rb"(?:\r\n|\n|\r)\Z")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Splice:
    """Lines ``first`` to ``last`` become ``lines``, which have no line ends.

    With ``last`` one less than ``first``, nothing is removed: the lines come before ``first``.
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
    starts = [*line_starts(content), len(content)]
    lines = [content[start:end] for start, end in pairwise(starts)]
    bom = content[: starts[0]]
    for splice in reversed(splices):
        first, last = splice.first - 1, splice.last
        at = first if last > first else last - 1  # the line they replace, or follow
        ends = [(_ENDED.search(lines[n]) or [b""])[0] for n in (at - 1, at, last - 1)]
        usual = ends[1] or ends[0] or b"\n"
        # as the last one that goes: a lone CR there could meet a LF
        text = usual.join(splice.lines) + ends[2]
        if last == first and not ends[2]:
            text = usual + text
        lines[first:last] = [text] if splice.lines else []
    return bom + b"".join(lines)


def lines_of(content: bytes, first: int, last: int) -> list[bytes]:
    """Return some lines without their ends."""
    return _END.split(content.removeprefix(_BOM))[first - 1 : last]


def moved(line: int, splices: Sequence[Splice]) -> int:
    """Return the number a line has afterwards; it must be one that stays."""
    return line + sum(splice.growth for splice in splices if splice.last < line)


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
    """Decode a copy of ``content``; bytes that are not UTF-8 become U+FFFD and are reported."""
    bom = content.startswith(_BOM)
    plain = _END.sub(b"\n", content.removeprefix(_BOM))
    text = plain.decode("utf-8", "replace")
    ends = set(_END.findall(content)) or {b"\n"}
    eol = "mixed" if len(ends) > 1 else _NAMES[ends.pop()]
    return Source(text, text.split("\n"), eol, bom, _damage(content, plain))


_FRONT = lazy_pattern(r"-{3,}[ \t]*\n(?:[ \t]*(?:#.*)?\n)*[\w\"'][^:\n]*:(?:[ \t]|\n)")


def has_front_matter(text: str) -> bool:
    """Say whether a text begins with front matter: a rule, then a key. A rule alone is a rule."""
    return _FRONT.match(text) is not None


WIDE = "the file looks like UTF-16; save it as UTF-8"


def is_wide(content: bytes) -> bool:
    """Whether a file begins as UTF-16 does."""
    return content.startswith(_WIDE)


def _damage(content: bytes, plain: bytes) -> tuple[Warning, ...]:
    if is_wide(content):
        return (Warning(1, 1, "not-utf8", WIDE),)
    try:
        plain.decode("utf-8")
    except UnicodeDecodeError as error:
        line = plain.count(b"\n", 0, error.start) + 1
        column = error.start - plain.rfind(b"\n", 0, error.start)
        message = f"byte 0x{plain[error.start]:02x} is not UTF-8; save the file as UTF-8"
        return (Warning(line, column, "not-utf8", message),)
    return ()


# ruff: noqa: RUF001 (the marks of other languages are meant)


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
_BROKEN = {r for mark in WORDS["status_marks"] for r in readings(mark) - {mark}}
_BROKEN_START = lazy_pattern(f"(?:{longest(_BROKEN)})(?:{longest(_TAIL)})?")
_BROKEN_END = lazy_pattern(f"(?:{_BROKEN_START.pattern})\\s*\\Z")
_DASHES = lazy_pattern(longest(readings("–") | readings("—")))


def without_marks(text: str) -> str:
    """Strip emoji and marks of emphasis from both ends; words stay as they are."""
    return _without_last(_without_first(text))


def opens_with_status(text: str) -> bool:
    """Say whether a text begins with one of the marks people use for a status."""
    text = text.lstrip(_EDGE)
    if not text or text[0].isascii():
        return False
    return text.startswith(tuple(WORDS["status_marks"])) or _BROKEN_START.match(text) is not None


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


MOST_BYTES = 4_000_000
"""The largest public roadmap seen has 234 kB; 10,000 tasks with details take under 1 MB."""
MOST_PIECES = 200_000
"""Lines, marks of lists and quotes, and table cells: each becomes up to four tokens."""
MOST_QUOTED = 1_000_000
"""Lines times the deepest quote: every level of a quote reads its lines again."""
DEEPEST = 100
"""Nesting that is still read: a list takes two levels, and the deepest seen has six lists."""

_MARKS = lazy_pattern(
    r"^[ \t]*(?:[-*+>]|\d{1,9}[.)])(?:[ \t]*(?:[-*+>]|\d{1,9}[.)]))*", re.MULTILINE
)
_MARK = lazy_pattern(r"[-*+>.)]")


def too_large(size: int) -> str:
    """Say that a file of so many bytes is not even decoded, or nothing."""
    if size <= MOST_BYTES:
        return ""
    return f"the file has {size:,} bytes; at most {MOST_BYTES:,} are read. {_SPLIT}"


def too_many(source: Source) -> str:
    """Say that a file has more pieces than are read, or nothing."""
    marks = quotes = 0
    for found in _MARKS.finditer(source.text):
        prefix = found[0]
        marks += len(_MARK.findall(prefix))
        quotes = max(quotes, prefix.count(">"))
    lines = len(source.lines)
    pieces = lines + marks + source.text.count("|")
    if pieces > MOST_PIECES:
        return (
            f"the file has {lines:,} lines and {pieces - lines:,} marks of lists, quotes and "
            f"tables; at most {MOST_PIECES:,} are read. {_SPLIT}"
        )
    if quotes * lines > MOST_QUOTED:
        return f"block quotes are nested {quotes} deep in {lines:,} lines. {_SPLIT}"
    return ""


def too_deep(line: int) -> str:
    """Say where nesting goes deeper than is read; what follows it is not known."""
    return (
        f"lists are nested more than {DEEPEST // 2} deep on line {line}; nothing after it is "
        "read. Nest them less deeply."
    )


_SPLIT = "Split the roadmap into several files and run one of them."


MOST = 500
"""Characters of a text that are read for its title; inline Markdown is not linear in its length."""

_ACTIVE = lazy_pattern(r"[*_`\[\]<>&\\!~]")
# one line with code in it and nothing else that is active: Markdown shows it without its signs
_CODED = lazy_pattern(r"[^*_`\[\]<>&\\!~\n]*(?:`[^`~\s][^`~\n]*`(?!`)[^*_`\[\]<>&\\!~\n]*)+")
_INNER = lazy_pattern(r"\W*~(?!~)[^~]+~\W*")
_FORMAT = lazy_pattern(
    r"<!--|</?(?:a|b|br|code|del|em|font|i|img|ins|kbd|mark|s|small|span|strong|sub|sup|tt|u)\b",
    re.IGNORECASE,
)
_BREAKS = ("softbreak", "hardbreak")


@dataclass(frozen=True, slots=True)
class RenderedText:
    """``text`` is the first line as shown, ``kept`` that without what is struck through."""

    text: str
    kept: str

    @property
    def struck(self) -> bool:
        """Whether anything is struck through."""
        return self.kept != self.text


_SENTENCE_END = lazy_pattern(r"[.!?](?=[\"')\]*_`]*(?:\s|\Z))|[。！？]")
_SHORTENED = lazy_pattern(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|z\.B|d\.h|p\.ex|ej|т\.д)|\b\w|\d)\Z"
)
_KEY = lazy_pattern(
    r"[->\s]*(?:\*\*|__)[^*_\n]{1,40}(?:[:：](?:\*\*|__)|(?:\*\*|__)\s?[:：])"
    r"|[->_\s]*[^\W\da-z_][^:：.\n]{1,40}[:：]|<!--|\(?https?://"
)
_GOES_ON = ("-", "\u2013", "\u2014", ",", "(", "/", "&", "+")
_BROKEN_AT = 50
"""A first line shorter than this was ended on purpose, if a capital letter follows."""
_LONGEST = 300
_CJK = "\u2e80"


def first_sentence(text: str) -> str:
    """Return the first line of a text, continued to the end of its sentence.

    What a line of its own says stays out: a field, what follows a colon or a short line.
    """
    first, *more = text.split("\n")
    if not more or first.endswith(("  ", "\\")):
        return first
    sentence = first.rstrip()
    for line in map(str.strip, more):
        if _ended(sentence) or _starts_anew(sentence, line) or len(sentence) + len(line) > _LONGEST:
            break
        sentence += line if sentence[-1:] >= _CJK and line[:1] >= _CJK else f" {line}"
    ends = (
        found.end()
        for found in _SENTENCE_END.finditer(sentence)
        if found[0] != "." or _SHORTENED.search(sentence, 0, found.start()) is None
    )
    return sentence[: next(ends, len(sentence))] if len(sentence) > len(first) else first


def _ended(text: str) -> bool:
    bare = text.rstrip("\"')]*_`")
    stop = bare.endswith(".") and _SHORTENED.search(bare, 0, len(bare) - 1) is None
    return stop or bare.endswith((":", "：", "!", "?", "。"))


def _starts_anew(text: str, line: str) -> bool:
    short = len(text) < _BROKEN_AT and line[:1].isupper()
    goes_on = text.endswith(_GOES_ON)
    return not line or (not goes_on and (short or _KEY.match(line) is not None))


class Inline:
    """Reads the inline Markdown of one file: its link definitions change what a text shows."""

    def __init__(self, env: EnvType) -> None:
        self._parser = MarkdownIt("commonmark", {"maxNesting": 20}).enable("strikethrough")
        self._env = env

    def __call__(self, text: str) -> RenderedText:
        """Show the first line of ``text``; only its first ``MOST`` characters are read."""
        text = text[:MOST].strip()
        if not _ACTIVE.search(text):
            plain = text.split("\n", 1)[0].strip()
            return RenderedText(plain, plain)
        if _CODED.fullmatch(text):
            plain = text.replace("`", "").strip()
            return RenderedText(plain, plain)
        children = self._parser.parseInline(text, self._env)[0].children or []
        line = list(takewhile(lambda token: token.type not in _BREAKS, children))
        depth, kept = 0, list[Token]()
        for token in line:
            depth += token.nesting if token.type in ("s_open", "s_close") else 0
            kept += [] if depth else [token]
        shown = _joined_text(line)
        if len(kept) == len(line) and _INNER.fullmatch(text.split("\n", 1)[0]):
            return RenderedText(shown.strip("~ "), "")  # GitHub strikes with one tilde as well
        return RenderedText(shown, _joined_text(kept))


def _joined_text(tokens: Iterable[Token]) -> str:
    """The text of tokens; of HTML what formats is left out, what is talked about (<T>) stays."""
    kept = (t.content for t in tokens if t.type != "html_inline" or not _FORMAT.match(t.content))
    return "".join(kept).strip()
