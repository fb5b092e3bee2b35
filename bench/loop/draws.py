"""Every draw is a hash of what it is about, so that two strategies meet the same answers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def draw(*about: object) -> float:
    """Return a number of [0, 1)."""
    text = "\0".join(str(each) for each in about)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big") / (1 << 56)


def pick(choices: Sequence[T], *about: object) -> T:
    """Return one of the choices, each as likely as the others."""
    return choices[int(draw(*about) * len(choices))]


def weighed(chances: Mapping[str, float], *about: object) -> str:
    """Return one of the names by their chances, which sum to 1."""
    left = draw(*about)
    for name, chance in chances.items():
        left -= chance
        if left < 0:
            return name
    return name
