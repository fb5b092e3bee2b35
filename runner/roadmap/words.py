"""The words by which a roadmap is read, in many languages, and how they are found in a text."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from pathlib import Path

WORDS = {
    name: frozenset(words)
    for name, words in tomllib.loads(
        Path(__file__).with_name("words.toml").read_text("utf-8")
    ).items()
}


def folded(words: str) -> str:
    """The words without accents, which people leave out; marks of Japanese and Korean stay."""
    if words.isascii():
        return words
    apart = unicodedata.normalize("NFD", words)
    kept = "".join(c for c in apart if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", kept).replace("\u2019", "'")


def longest(words: Iterable[str]) -> str:
    """Return a pattern for one of the words, wherever it is; the longest counts."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)) or "(?!)"


def any_of(*names: str, fold: bool = False) -> str:
    """Return a pattern for a word of these lists; in scripts with spaces it is a separate word.

    With ``fold`` it is one for texts without accents.
    """
    words = {folded(word) if fold else word for name in names for word in WORDS[name]}
    blanks, others = (
        longest(w for w in words if (w[0] < "\u1100") is spaced) for spaced in (True, False)
    )
    return rf"(?:(?<![^\W\d_])(?:{blanks})(?![^\W\d_])|(?:{others}))"
