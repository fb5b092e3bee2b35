"""Count tokens as a model does, or rather too many where its vocabulary is not known."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import cache
from math import ceil

Count = Callable[[str], int]

_FAMILIES = (
    (re.compile(r"gpt-4o|gpt-4\.1|gpt-[5-9]|gpt-oss|chatgpt|\bo[1-9]\b"), "o200k_base"),
    (re.compile(r"gpt-4|gpt-3\.5"), "cl100k_base"),
    (re.compile(r"voyage-3"), "voyage3_base"),
)
_PIECE = 50_000
"""Characters handed over at once: the library refuses long texts."""

_SORTS = re.compile(r" ?([A-Za-z]+)| ?([!-/:-@\[-`{-~])|([0-9])|(\s+)|(.)", re.DOTALL)
_LETTERS, _BYTES = 6, 0.75


def counter(model: str, otherwise: Count | None = None) -> Count:
    """Return what counts a text's tokens for a model, by its name ('' is unknown).

    For a model whose vocabulary is not known it is ``otherwise``, or ``estimate``.
    """
    name = model.lower()
    for pattern, encoding in _FAMILIES:
        if pattern.search(name):
            return _exact(encoding)
    return otherwise or estimate


def at_most(text: str) -> int:
    """Return a number that no vocabulary exceeds: the smallest token is a byte."""
    return len(text.encode("utf-8", "replace"))


@cache
def _exact(encoding: str) -> Count:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # how the package opens its data
        import bpe_openai  # type: ignore[import-untyped] # 140 MB and half a second, when needed
    encode = bpe_openai.get_encoding(encoding).encode_ordinary

    def count(text: str) -> int:
        return sum(len(encode(text[at : at + _PIECE])) for at in range(0, len(text), _PIECE))

    return count


def estimate(text: str) -> int:
    """Guess high: a token for six letters of a word, each digit and sign, each line and indent.

    Above the count of every vocabulary the package knows, on code and prose in several scripts
    (tests); a space before a word is part of it, other characters count three quarters of
    their UTF-8 bytes.
    """
    total, rest = 0, 0
    for letters, sign, digit, blank, other in _SORTS.findall(text):
        if letters:
            total += ceil(len(letters) / _LETTERS)
        elif sign or digit:
            total += 1
        elif blank:
            total += ("\n" in blank) + (not blank.endswith("\n"))
        else:
            rest += len(other.encode("utf-8", "replace"))
    return total + ceil(rest * _BYTES)
