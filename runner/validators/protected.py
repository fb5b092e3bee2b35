"""Paths a change set may not touch, as gitignore patterns (https://git-scm.com/docs/gitignore)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from pathspec import GitIgnoreSpec

DEFAULT_PROTECT = ("/.github/workflows/**", "/.github/cairn.yml", ".gitmodules")
"""Protected whatever the configuration says."""
_BUILT_IN = (".github/workflows/ci.yml", ".github/cairn.yml", ".gitmodules")


def protect_file(path: str) -> str:
    """Return the pattern that means exactly this file."""
    return "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", path)


def protection(protect: Sequence[str]) -> Callable[[str], bool]:
    """Return a test for protected paths: the defaults, and what ``protect`` says.

    A ``!`` pattern frees what earlier patterns of ``protect`` match, never a default. Paths are
    also compared as on a file system that ignores case.
    """
    always, configured = _matcher(DEFAULT_PROTECT), _matcher(tuple(protect))
    return lambda path: always(path) or configured(path)


def frees_built_in(protect: Sequence[str]) -> list[int]:
    """Find the ``!`` patterns, by place, that are meant to free what is always protected.

    Such a pattern matches a default, and no earlier pattern of ``protect`` does: it cannot mean to
    free what the configuration itself protects.
    """
    always = _matcher(DEFAULT_PROTECT)
    found = []
    for at, pattern in enumerate(protect):
        if not pattern.startswith("!"):
            continue
        named = pattern[1:].strip("/")
        # the pattern itself, read as a path, stands for files with other names than the examples
        examples = [path for path in (*_BUILT_IN, named) if always(path)]
        freed = [path for path in examples if _matcher((pattern[1:],))(path)]
        earlier = _matcher(tuple(protect[:at]))
        if any(not earlier(path) for path in freed):
            found.append(at)
    return found


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
