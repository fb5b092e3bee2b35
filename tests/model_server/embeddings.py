"""Embeddings without a model: letters that stand together, hashed to places of a vector.

Words that share letters are near each other (``expire``, ``expired``), words of one meaning are
not. The same text has the same vector everywhere and always.
https://platform.openai.com/docs/api-reference/embeddings/object
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from zlib import crc32

from tests.model_server.replies import tokens

MODEL = "n-grams"
UNCOUNTED = "n-grams-uncounted"
"""The same vectors from a server that tells no ``usage``."""

_PLACES = 512
_LENGTHS = (3, 4)
_WORD = re.compile(r"[^\W\d_]+")


def vector(text: str) -> list[float]:
    """Count the n-grams of a text's words; a frequent one counts less than it is frequent."""
    grams = Counter(
        gram
        for word in _WORD.findall(text.casefold())
        for length in _LENGTHS
        for gram in _grams(f"<{word}>", length)
    )
    values = [0.0] * _PLACES
    for gram, count in grams.items():
        values[crc32(gram.encode()) % _PLACES] += count**0.5
    return values


def embeddings(model: str, texts: Sequence[str]) -> dict[str, object]:
    """Build the body of a successful answer."""
    used = sum(map(tokens, texts))
    counts = {"usage": {"prompt_tokens": used, "total_tokens": used}} if model == MODEL else {}
    data = [
        {"object": "embedding", "index": at, "embedding": vector(text)}
        for at, text in enumerate(texts)
    ]
    return {"object": "list", "model": model, "data": data, **counts}


def _grams(word: str, length: int) -> list[str]:
    return [word[at : at + length] for at in range(len(word) - length + 1)]
