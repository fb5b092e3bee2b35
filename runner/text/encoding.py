"""How a file's text is encoded: by its byte-order mark, or by what it says itself.

Files say it in their first lines (https://peps.python.org/pep-0263/ for Python and others whose
comments begin with ``#``, ``-*- coding: … -*-`` of Emacs, the declarations of XML, CSS, HTML and
gettext). All else is UTF-8, or else read as Windows-1252 where its bytes look like that. What git
encodes in another way in the work tree is UTF-8 in its objects, and these are what is read.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import cache

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NAME = rb"[ \t]*([-\w.]+)"
_COMMENT = re.compile(rb"^[ \t\f]*#.*?coding[:=]" + _NAME)
_EMACS = re.compile(rb"-\*-.*?\bcoding:" + _NAME + rb".*?-\*-")
_BY_SUFFIX = {
    ".css": re.compile(rb'\A@charset "([-\w.]+)";'),
    ".html": re.compile(rb"(?i)<meta\b[^>]*\bcharset=[\"']?([-\w.]+)"),
    ".po": re.compile(rb'(?m)^"Content-Type:[^\n"]*charset=([-\w.]+)'),
    ".xml": re.compile(rb"\A\s*<\?xml\b[^>]*\bencoding=[\"']([-\w.]+)"),
}
_HEAD = 1024
_SAYS = (b"coding", b"charset")
GUESSED = "how its bytes read"
"""Where the encoding of a file is from that says nothing itself."""

_HIGH = re.compile(rb"[\x80-\xff]+")
_WESTERN = frozenset("ŒœŠšŽžŸ€£§©«®°·»¿¡\u2018\u2019\u201c\u201d\u2013\u2014\u2026\xa0")
UNKNOWN = "ascii"
"""Of bytes that are no UTF-8 where nothing says what they are: they are kept, others added."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """``name`` is a codec of Python's, ``mark`` the byte-order mark before the text (b"" for none).

    ``said_by`` says where the name is from ('' for UTF-8 by default).
    """

    name: str = "utf-8"
    mark: bytes = b""
    said_by: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether a line end is more than one byte."""
        return self.name.startswith(("utf-16", "utf-32"))


def encoding_of(path: str, content: bytes) -> Encoding:
    """Return how a file is encoded."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return Encoding(name, mark, "its byte-order mark")
    if said := declared(path, content):
        return Encoding(said, said_by="its first lines")
    if is_utf8(content):
        return Encoding()
    return Encoding("cp1252", said_by=GUESSED) if _is_western(content) else Encoding(UNKNOWN)


def _is_western(content: bytes) -> bool:
    """Whether bytes that are no UTF-8 read as text of Western Europe (Latin-1, Windows-1252).

    Its other letters and signs stand alone or in pairs; in other encodings they follow each other,
    or come out as signs that no text has.
    """
    runs = _HIGH.findall(content)
    alone = sum(len(run) == 1 for run in runs)
    if b"\0" in content or 2 * alone < len(runs) or any(len(run) > 2 for run in runs):
        return False
    text = b"".join(runs).decode("cp1252", "replace")
    return all("À" <= each <= "ÿ" or each in _WESTERN for each in text)


def declared(path: str, content: bytes) -> str:
    """Return the codec that a file's first lines name, '' for none that Python knows.

    They were read as ASCII, so an encoding that writes ASCII with other bytes (UTF-16) is wrong.
    """
    named = _named(path, content)
    said = known(named.decode("ascii"))
    return said if said and named.decode("ascii").encode(said, "replace") == named else ""


def _named(path: str, content: bytes) -> bytes:
    """The name of an encoding in a file's first lines, b"" for none."""
    head = content[:_HEAD]
    if not any(word in head for word in _SAYS):
        return b""
    suffix = "." + path.rpartition(".")[2].lower()
    form = _BY_SUFFIX.get({".htm": ".html", ".svg": ".xml", ".xhtml": ".xml"}.get(suffix, suffix))
    if form is None and head.lstrip().startswith(b"<?xml"):
        form = _BY_SUFFIX[".xml"]
    if form is not None:
        found = form.search(head)
    else:
        lines = head.split(b"\n")[:2]
        found = next(
            (m for line in lines if (m := _COMMENT.match(line) or _EMACS.search(line))), None
        )
    return found[1] if found else b""


@cache
def known(name: str) -> str:
    """Return the codec of a name, '' for one that Python does not have or that is not for text."""
    bare = re.sub(r"-(?:unix|dos|mac)\Z", "", name.strip().lower())
    try:
        found = codecs.lookup(bare).name if bare else ""
        "".encode(found or "utf-8")
    except (LookupError, UnicodeError):
        return ""
    if found == "utf-8-sig":
        return "utf-8"  # whether the mark is there is seen by itself
    return "" if found in _NOT_FOR_FILES else found


_NOT_FOR_FILES = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
)


def is_utf8(content: bytes) -> bool:
    """Whether the bytes are UTF-8."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def text_of(path: str, content: bytes) -> str:
    """Return a file's text with line feeds as line ends, as it is shown to models and people.

    What cannot be decoded is shown as U+FFFD.
    """
    return shown(encoding_of(path, content), content).replace("\r\n", "\n")


def in_utf8(path: str, content: bytes) -> bytes:
    """Return a file as it would be in UTF-8, with what its first lines say about that changed too.

    Checks read files in this form, so that they find the names that have other letters than ASCII.
    """
    encoding = encoding_of(path, content)
    if encoding.name in ("utf-8", UNKNOWN):
        return content
    text = shown(encoding, content).encode("utf-8", "replace")
    if not (named := _named(path, text)):
        return text
    declaration = rb"((?:coding|charset)\W{1,3})" + re.escape(named)
    return re.sub(declaration, rb"\1utf-8", text[:_HEAD], count=1) + text[_HEAD:]


def shown(encoding: Encoding, content: bytes) -> str:
    """Return the text of bytes in this encoding, a byte-order mark left out."""
    name = "utf-8" if encoding.name == UNKNOWN else encoding.name
    bare = content.removeprefix(encoding.mark) if encoding.mark else content
    return bare.decode(name, "replace")
