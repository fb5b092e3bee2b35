"""Files by the meaning of a task, where an endpoint's embeddings are wished for, beside the words.

Only ranks count: cosines of one model say nothing beside scores of another kind, so both orders are
fused (reciprocal ranks, https://dl.acm.org/doi/10.1145/1571941.1572114).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import mul
from threading import Lock

from cachetools import LRUCache

MOST_NEW = 256
"""Files that are embedded for one context; the next one goes on where this one stopped."""
LONGEST = 2_000
"""Characters of a file that are embedded: its path and its beginning."""

_KEPT = 10_000
_CONSTANT = 60
_BEST = 50
Vector = tuple[float, ...]


class Vectors:
    """Vectors of length 1 by model and blob sha, shared by the runs of a process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: LRUCache[tuple[str, str], Vector] = LRUCache(_KEPT)

    def of(self, model: str, sha: str) -> Vector | None:
        """Return the vector of a blob, if it is known."""
        with self._lock:
            found: Vector | None = self._kept.get((model, sha))
            return found

    def keep(self, model: str, sha: str, vector: Sequence[float]) -> None:
        """Keep the vector of a blob."""
        with self._lock:
            self._kept[model, sha] = unit(vector)


def unit(vector: Sequence[float]) -> Vector:
    """Return the vector with length 1 (a zero vector as it is)."""
    length = math.hypot(*vector) or 1.0
    return tuple(value / length for value in vector)


def nearest(question: Sequence[float], vectors: Mapping[str, Vector]) -> list[str]:
    """Return the paths whose vectors are nearest to the question's, the nearest first."""
    asked = unit(question)
    fit = {path: vector for path, vector in vectors.items() if len(vector) == len(asked)}
    cosine = {path: sum(map(mul, asked, vector)) for path, vector in fit.items()}
    return sorted(cosine, key=lambda path: (-cosine[path], path))[:_BEST]


def fused(words: Mapping[str, float], near: Sequence[str]) -> dict[str, float]:
    """Fuse the scores of words with the order of nearness; the best has 1 as before."""
    if not near:
        return dict(words)
    by_words = sorted(words, key=lambda path: (-words[path], path))
    scores: dict[str, float] = {}
    for order in (by_words, near):
        for rank, path in enumerate(order, 1):
            scores[path] = scores.get(path, 0.0) + 1 / (_CONSTANT + rank)
    best = max(scores.values())
    return {path: score / best for path, score in scores.items()}
