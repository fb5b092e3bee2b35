"""Which version a project is at, for a build that would work it out from git's tags. Pure.

Packages that need the project say which versions they take (pytest needs "pluggy >= 1.5, < 2"), so
it must be near the true one: that of its newest release.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from runner.text.patterns import lazy_pattern

PKG_INFO = "PKG-INFO"

_UNKNOWN = "99.0.0"
"""Higher than what packages ask for that need "at least" a version of the project."""

_LONGEST, _MOST_OF_LINE = 200_000, 200
_CHANGELOG = lazy_pattern(
    r"(?:docs?/(?:source/)?)?(?:change_?log|changes|history|news|release[-_]?notes|releases)"
    r"(?:\.(?:md|rst|txt))?",
    re.IGNORECASE,
)
_VERSION = r"\d{1,8}(?:\.\d{1,8}){1,3}(?:\.?(?:a|b|rc|post)\d{1,4})?"
# 1.2.3, v1.2.3, shop-1.2.3, releases/1.2.3
_TAG = lazy_pattern(rf"(?:([A-Za-z][\w.-]{{0,99}}?)[-_/@ ])?v?\.?({_VERSION})", re.IGNORECASE)
# what comes after it is a date or other words
_HEADING = lazy_pattern(
    rf"\s*\W{{0,3}}((?:[A-Za-z][\w.-]{{0,99}} )?v?{_VERSION})(?![\w.]*\w)\W*(.*)", re.IGNORECASE
)
_MARKED = lazy_pattern(r"#{1,4}\s+(.*)")
_LINE = lazy_pattern(r"([=~^\"'*#+-])\1{2,}\s*")
_DATED = lazy_pattern(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2} \w+ \d{4}|\w+ \d{1,2}, \d{4}")
_NOT_YET = lazy_pattern(r"unreleased|not released|upcoming|\bdev\b|\btbd\b", re.IGNORECASE)
_INFO = lazy_pattern(rf"^Version: ({_VERSION})\s*$", re.MULTILINE)
_WORDS = frozenset({"", "v", "r", "rel", "release", "releases", "version", "ver"})


def telling_files(paths: Collection[str]) -> list[str]:
    """The files whose content may tell the version."""
    return sorted(path for path in paths if path == PKG_INFO or _CHANGELOG.fullmatch(path))


def release_version(
    name: str, *, tags: Iterable[str], told: Mapping[str, bytes], fallback: str = ""
) -> str:
    """Return the newest version of the project ``name``: by its tags, or else by its files.

    ``told`` are the contents of ``telling_files``; ``fallback`` is the version that its manifest
    has for a build that finds no tag. If nothing tells the version, it is a very high one.
    """
    texts = {
        path: content.decode("utf-8", "replace").replace("\r\n", "\n")
        for path, content in told.items()
    }
    info = _INFO.search(texts.pop(PKG_INFO, ""))
    headings = (found for text in texts.values() for found in _headings(text))
    return (
        _newest(name, tags)
        or _newest(name, headings)
        or (info[1] if info else "")
        or (fallback if re.fullmatch(_VERSION, fallback) else "")
        or _UNKNOWN
    )


def _newest(name: str, candidates: Iterable[str]) -> str:
    """The highest of those that are versions of this project; a release before all others."""
    found: list[str] = []
    for candidate in candidates:
        parts = _TAG.fullmatch(candidate)
        if parts and (parts[1] or "").lower().replace("_", "-") in {*_WORDS, normal(name)}:
            found.append(parts[2])
    return max(found, key=_order, default="")


def _order(version: str) -> tuple[bool, tuple[int, ...]]:
    numbers = re.match(r"[\d.]*\d", version)
    final = re.search(r"a\d|b\d|rc\d", version, re.IGNORECASE) is None
    return final, tuple(map(int, numbers[0].split("."))) if numbers else ()


def _headings(text: str) -> Iterator[str]:
    """The versions that a changelog has a heading for, in Markdown, reStructuredText or plain."""
    lines = text[:_LONGEST].split("\n")
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        marked = _MARKED.match(line)
        found = _HEADING.fullmatch((marked[1] if marked else line)[:_MOST_OF_LINE])
        if found is None or _NOT_YET.search(found[2]):
            continue
        if marked or _LINE.fullmatch(below) or _DATED.search(found[2]):
            yield found[1]


def normal(name: str) -> str:
    """Return the name of a Python package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
