"""Paths a change set may not touch, as gitignore patterns (https://git-scm.com/docs/gitignore)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from pathspec import GitIgnoreSpec

DEFAULT_PROTECT = ("/.github/workflows/**", "/.github/cairn.yml", ".gitmodules")


def protect_file(path: str) -> str:
    """Return the pattern that means exactly this file."""
    return "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", path)


def protection(protect: Sequence[str]) -> Callable[[str], bool]:
    """Return a test for protected paths: the defaults, then ``protect``; a later ``!`` frees.

    A path is looked at as it would be on a file system that ignores case, too.
    """
    return _matcher((*DEFAULT_PROTECT, *protect))


def asked_about(patterns: Sequence[str], paths: Iterable[str]) -> list[str]:
    """Return the paths that are written only when a person agrees."""
    if not patterns:
        return []
    matches = _matcher(tuple(patterns))
    return [path for path in paths if matches(path)]


@lru_cache(maxsize=64)
def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    spec = GitIgnoreSpec.from_lines(patterns)
    return lambda path: spec.match_file(path) or spec.match_file(path.lower())
