"""Which version a project is at, for a build that would work it out from git's tags. Pure.

Packages that need the project say which versions they take (pytest needs "pluggy >= 1.5, < 2"), so
it must be near the true one: that of its newest release.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from runner.text.patterns import lazy_pattern

_UNKNOWN = "99.0.0"
"""Higher than what packages ask for that need "at least" a version of the project."""
_VERSION = r"\d{1,8}(?:\.\d{1,8}){1,3}(?:\.?(?:a|b|rc|post)\d{1,4})?"
# 1.2.3, v1.2.3, shop-1.2.3, releases/1.2.3
_TAG = lazy_pattern(rf"(?:([A-Za-z][\w.-]{{0,99}}?)[-_/@ ])?v?\.?({_VERSION})", re.IGNORECASE)
_WORDS = frozenset({"", "v", "r", "rel", "release", "releases", "version", "ver"})


def release_version(name: str, *, tags: Iterable[str], fallback: str = "") -> str:
    """Return the newest version of the project ``name`` by its tags; a release before all others.

    ``fallback`` is the version that its manifest has for a build that finds no tag. If nothing
    tells the version, it is a very high one.
    """
    parts = filter(None, map(_TAG.fullmatch, tags))
    own = {*_WORDS, normal(name)}
    found = [each[2] for each in parts if (each[1] or "").lower().replace("_", "-") in own]
    fallback = fallback if re.fullmatch(_VERSION, fallback) else _UNKNOWN
    return max(found, key=_order, default=fallback)


def _order(version: str) -> tuple[bool, tuple[int, ...]]:
    numbers = re.match(r"[\d.]*\d", version)
    final = re.search(r"a\d|b\d|rc\d", version, re.IGNORECASE) is None
    return final, tuple(map(int, numbers[0].split("."))) if numbers else ()


def normal(name: str) -> str:
    """Return the name of a Python package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
