"""What is known of one file's content, in few bytes: to be kept, and to be searched with others.

Words and names are kept as hashes of four bytes. Two may share one: then a file ranks a little too
high, and what is shown of it is read from its real symbols.
"""

from __future__ import annotations

import json
import re
import sys
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from runner.code.symbols import NONE, Definition, Symbols, symbols_of
from runner.context.search import hashed_terms
from runner.text.encoding import encoding_of, text_of

FORMAT = 1
"""Of what ``packed`` returns and how a file is read; facts of another one are made again."""

_PARTS = 6
_MOST_COUNT = 65_535
_WORD = re.compile(r"[^\W\d]\w*")
_NUMBERS = "I" if array("I").itemsize == 4 else "L"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Search terms and how often each occurs, names that are defined and used, words of imports.

    All are hashes (``hashed``), as bytes. ``code`` holds the symbols themselves.
    """

    terms: bytes = b""
    counts: bytes = b""
    names: bytes = b""
    references: bytes = b""
    imports: bytes = b""
    code: bytes = b""

    @property
    def weight(self) -> int:
        """About how much memory it takes, in bytes."""
        return 400 + len(self.terms) * 2 + len(self.references) + len(self.code)

    @property
    def symbols(self) -> Symbols:
        """Definitions and imports as they are written; what is used is known as hashes only."""
        return _symbols(self.code) if self.code else NONE

    @property
    def statements(self) -> Sequence[str]:
        """Imports as they are written."""
        return json.loads(self.code)[1] if self.code else ()

    def packed(self) -> bytes:
        """Return all of it as bytes."""
        parts = (
            self.terms,
            self.counts,
            self.names,
            self.references,
            self.imports,
            self.code,
        )
        return array(_NUMBERS, map(len, parts)).tobytes() + b"".join(parts)


def unpacked(content: bytes) -> FileFacts:
    """Return what ``packed`` made bytes of. Raises ``ValueError`` if it did not."""
    sizes = array(_NUMBERS)
    head = _PARTS * sizes.itemsize
    sizes.frombytes(content[:head])
    if len(sizes) != _PARTS or head + sum(sizes) != len(content):
        raise ValueError("no facts")
    parts = []
    for size in sizes:
        parts.append(content[head : head + size])
        head += size
    return FileFacts(*parts)


@lru_cache(maxsize=2_000)
def _symbols(code: bytes) -> Symbols:
    definitions, imports = json.loads(code)
    return Symbols(
        tuple(Definition(sys.intern(name), *rest) for name, *rest in definitions),
        imports=tuple(imports),
    )


def hashed(word: str) -> int:
    """Return the hash by which a word is known."""
    return crc32(word.encode("utf-8", "surrogatepass"))


def bytes_of(word: str) -> bytes:
    """Return the hash as it stands in facts."""
    return array(_NUMBERS, [hashed(word)]).tobytes()


def has(hashes: bytes, word: str) -> bool:
    """Whether a word is probably among these."""
    return bytes_of(word) in hashes


NOTHING = FileFacts()
_LFS = b"version https://git-lfs.github.com/spec/"
MINIFIED, _LONG_LINES = 10_000, 300


def no_source(content: bytes) -> str:
    """Why nobody would read a file: it is binary, a pointer of Git LFS, or minified; '' if not."""
    if b"\0" in content[:8_000] and not encoding_of("", content).is_wide:
        return "is not text"
    if content.startswith(_LFS):
        return "is kept with Git LFS"
    if len(content) > MINIFIED and len(content) > _LONG_LINES * (content.count(b"\n") + 1):
        return "has very long lines: it is probably generated"
    return ""


_TITLE = re.compile(r"\s*(?:#.*|[=~-]{3,}|(?:[\"']{3})[^\n]*(?:[\"']{3})|)\s*")


def says_more(content: bytes) -> bool:
    """Whether a text has a line that is neither blank nor a comment, a title or a docstring."""
    lines = content.decode("utf-8", "replace").split("\n")
    return len(lines) > _MOST_TITLES or not all(map(_TITLE.fullmatch, lines))


_MOST_TITLES = 5


def facts_of(path: str, content: bytes) -> FileFacts:
    """Read a file; one that is no source has no facts. What it defines counts twice in search."""
    if no_source(content):
        return NOTHING
    symbols = symbols_of(path, content)
    names = [definition.name for definition in symbols.definitions]
    found = hashed_terms(text_of(path, content), " ".join(names))
    rows = [
        [each.name, each.line, each.end_line, each.signature, each.depth]
        for each in symbols.definitions
    ]
    code = [rows, list(symbols.imports)] if rows or symbols.imports else None
    return FileFacts(
        terms=array(_NUMBERS, found).tobytes(),
        counts=array(
            "H", [c if c < _MOST_COUNT else _MOST_COUNT for c in found.values()]
        ).tobytes(),
        names=_hashes(names),
        references=_hashes(symbols.references),
        imports=_hashes(import_words("\n".join(symbols.imports))),
        code=json.dumps(code, separators=(",", ":")).encode() if code else b"",
    )


def import_words(statement: str) -> Iterable[str]:
    """The words of an import, by which it is found from the file that it names; ``.`` if relative.

    The names of files and folders are such words.
    """
    return [*_WORD.findall(statement), *(["."] if "." in statement else [])]


def _hashes(words: Iterable[str]) -> bytes:
    return array(_NUMBERS, sorted(map(hashed, set(words)))).tobytes()
