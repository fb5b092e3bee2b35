"""Which files of a large tree are read at all, told by their paths."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from runner.context.grammars import language_of
from runner.context.terms import terms
from runner.secret_files import is_secret_file
from runner.snapshot import EXECUTABLE, FILE, Entry

MAX_FILE = 64_000
"""Bytes of a file that is read; a longer one is data, or is cut anyway."""

MAX_FILES, MAX_BYTES = 4_000, 24_000_000
"""Read of one tree at most; the rest is only listed."""

_FOREIGN = re.compile(
    r"(?:^|/)(?:node_modules|vendor|third_party|dist|build|target|\.venv|venv|__pycache__)/"
    r"|\.min\.(?:js|css)$|(?:^|[-./])lock(?:file)?(?:\.\w+)?$"
)
_BINARY = re.compile(
    r"\.(?:png|jpe?g|gif|ico|webp|bmp|pdf|zip|gz|bz2|xz|tar|jar|class|so|o|a|dll|exe|woff2?|ttf|otf"
    r"|eot|mp[34]|mov|avi|wav|ogg|pyc|bin|dat|db|sqlite3?|wasm|svg)$",
    re.IGNORECASE,
)


def readable(entries: Mapping[str, Entry], path: str) -> bool:
    """Whether a path is a file that may be quoted: an ordinary one, not too large, no secrets."""
    entry = entries.get(path)
    if entry is None or is_secret_file(path):
        return False
    return entry.mode in (FILE, EXECUTABLE) and entry.size <= MAX_FILE


def chosen(entries: Mapping[str, Entry], *, text: str, first: Iterable[str]) -> list[str]:
    """Return the paths to read, ``first`` before all, within the bounds on number and bytes.

    Code comes before other text, paths that share words with the task before others, those near
    the root before deep ones.
    """
    about = set(terms(text))
    fit = [p for p in entries if readable(entries, p) and not _BINARY.search(p)]
    kept: list[str] = []
    size = 0
    for path in dict.fromkeys([*first, *sorted(fit, key=lambda p: _order(p, about))]):
        if not readable(entries, path):
            continue
        size += entries[path].size
        if len(kept) == MAX_FILES or size > MAX_BYTES:
            break
        kept.append(path)
    return kept


def _order(path: str, about: Collection[str]) -> tuple[bool, int, bool, int, str]:
    shared = len(set(terms(path)) & set(about))
    return bool(_FOREIGN.search(path)), -shared, not language_of(path), path.count("/"), path
