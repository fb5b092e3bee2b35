"""Keys of tasks: stable under every edit that leaves a task and the names above it alone.

A key hashes the written id, the task's words, the names of the headings above it and a count among
equals. Ticks, emoji and marks of emphasis are no part of it, nor are numbers of headings that have
words as well (renumbering the phases keeps every key) and the file's title.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter

from runner.roadmap.headings import Path, is_title, words

_MARKS = re.compile(r"[*_~`]+")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Keys:
    """Gives out the keys of one file, in file order."""

    def __init__(self, first_heading_line: int) -> None:
        self._first = first_heading_line
        self._seen: Counter[str] = Counter()
        self._places: dict[Path, str] = {}

    def give(self, written: str | None, text: str, path: Path) -> str:
        """Return the key of the next task; ten hexadecimal digits."""
        if path not in self._places:
            self._places[path] = self._place(path)
        base = "\0".join((written or "", _words(text), self._places[path]))
        self._seen[base] += 1
        return hashlib.sha256(f"{base}\0{self._seen[base]}".encode()).hexdigest()[:10]

    def _place(self, path: Path) -> str:
        named = (h for h in path if not is_title(h, first=h.line == self._first))
        return "\0".join(words(heading.text) for heading in named)


def _words(text: str) -> str:
    """A task's own text as its words: no emphasis, no comment, no matter how it is broken."""
    if "<!--" in text and "-->" in text:
        text = _COMMENT.sub("", text)
    return " ".join(_MARKS.sub("", text).split())
