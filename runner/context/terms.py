"""Words of texts and code as search knows them: identifiers in parts, endings cut."""

from __future__ import annotations

import re
import sys
from functools import cache, lru_cache

MAX_TERMS = 4_000
"""Of one text; what comes after is not searched."""

_WORD = re.compile(r"\w{2,60}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly", "e", "y")
_KEYWORDS = """
def class return self import from none true false const let var function func public private static
void new if else elif while for in str int bool float list dict any
"""
_SHORTEST = 3


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, repeated as often as they occur."""
    found: list[str] = []
    for word in _WORD.finditer(text):
        found += _terms_of(word[0])
        if len(found) > MAX_TERMS:
            break
    return found[:MAX_TERMS]


@lru_cache(maxsize=50_000)
def _terms_of(word: str) -> tuple[str, ...]:
    """Split an identifier; one of several parts counts as a whole, too."""
    parts = [part.lower() for part in _PART.findall(word)]
    kept = [stem(p) for p in parts if p not in _stop_words() and (len(p) > 1 or not p.isascii())]
    lower = word.lower().strip("_")
    whole = [lower] if parts and lower not in parts else []
    return tuple(sys.intern(term) for term in (*kept, *whole))


@cache
def _stop_words() -> frozenset[str]:
    from bm25s.stopwords import (  # type: ignore[import-untyped]
        STOPWORDS_EN_PLUS,  # imported late, for it brings numpy
    )

    return frozenset(STOPWORDS_EN_PLUS) | set(_KEYWORDS.split())


def stem(word: str) -> str:
    """Cut one English ending, so that "parses", "parsed" and "parsing" meet."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word.removesuffix(ending)
    return word
