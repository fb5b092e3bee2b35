"""Files by the meaning of a task, where an endpoint's embeddings are wished for, beside the words.

Cosines of one model say nothing beside scores of another kind, so of nearness only ranks count. The
words keep their scores: where they count by rank too (reciprocal rank fusion), embeddings that know
little push out what the words have found (`make bench ARGS=context`).
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
_BEST = 50
_NEAREST, _HALVED = 0.5, 5
"""What the nearest file gains beside the best one by words, which has 1; the sixth gains half."""

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
    """Add the order of nearness to the scores of words; the best has 1 as before."""
    scores = dict(words)
    for rank, path in enumerate(near):
        scores[path] = scores.get(path, 0.0) + _NEAREST / (1 + rank / _HALVED)
    best = max(scores.values(), default=1.0)
    return {path: score / best for path, score in scores.items()}
