"""Patterns of gitignore (https://git-scm.com/docs/gitignore), whoever wrote them.

None holds up the program: what a wildcard has passed is not tried again, where pathspec's own
expressions try every way to share a path among their wildcards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_ANY_FOLDERS, _FOLDERS, _LETTERS = "^(?:.+/)?", "(?:/.+)?", "[^/]*"


class _Pattern(GitIgnoreSpecPattern):
    @classmethod
    def pattern_to_regex(cls, pattern: Any) -> tuple[Any, bool | None]:
        regex, include = super().pattern_to_regex(pattern)
        first, *inner = (regex or "").split(_FOLDERS)
        if not inner:
            return regex, include
        if first.startswith(_ANY_FOLDERS):
            first = f"^(?>(?:.+?/)??{first.removeprefix(_ANY_FOLDERS)}(?=/))"
        found = "".join(f"(?>(?:/.+?)??{each}(?=/))" for each in inner[:-1])
        return f"{first}{found}{_FOLDERS}{inner[-1]}", include

    @staticmethod
    def _translate_segment_glob(pattern: str, range_error: Any) -> str:
        regex = GitIgnoreSpecPattern._translate_segment_glob(pattern, range_error)
        first, *inner = regex.split(_LETTERS)
        found = "".join(f"(?>{_LETTERS}?{each})" for each in inner[:-1])
        return f"{first}{found}{_LETTERS}{inner[-1]}" if inner else regex


def understood(lines: Iterable[str]) -> Iterator[GitIgnoreSpecPattern]:
    """Yield a pattern for each line that is one, or a comment."""
    for line in lines:
        with suppress(ValueError, re.error):
            yield _Pattern(line)


def ignoring(lines: Iterable[str]) -> GitIgnoreSpec:
    """Return what the lines of a ``.gitignore`` say; those that are no patterns say nothing."""
    return GitIgnoreSpec(understood(lines), backend="simple")


def matching(pattern: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that a pattern from the top means, not those below a folder it means."""
    read = [*understood([f"/{pattern}"])]
    found = ((path, each.match_file(path)) for each in read for path in paths)
    return sorted(path for path, m in found if m and not m.match.groupdict().get("ps_d"))
