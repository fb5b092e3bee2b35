"""Places in the stacks that tools print, whatever the language: ``file:line``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_PLACE = re.compile(r"(?P<file>[^\s():'\"<>]{1,300}\.\w{1,10}):(?P<line>\d{1,9})(?!\d)")
_MOST_LINES, _LONGEST_LINE = 400, 600
_FOREIGN = ("node_modules/", "vendor/", "site-packages/", "/gems/")


def frames(text: str) -> Iterator[tuple[str, int]]:
    """Yield (file, line) of each line of a stack, in its order; a long stack is not read whole."""
    for each in text.split("\n", _MOST_LINES)[:_MOST_LINES]:
        if found := _PLACE.search(each[:_LONGEST_LINE]):
            yield found["file"].removeprefix("./"), int(found["line"])


def inside(places: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Those that lie in the project: not in the language's own files and not in packages."""
    return (
        (file, line)
        for file, line in places
        if not file.startswith(("/", "..", "node:", "file:"))
        and not any(f in file for f in _FOREIGN)
    )
