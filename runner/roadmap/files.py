"""File hints: what a task names that looks like a path of its repository (hints, not limits)."""

from __future__ import annotations

import re

_SPAN = re.compile(r"`([^`\s]{1,200})`")
_LISTED = re.compile(
    r"(?:\*\*|\b)files?(?:\*\*)?\s{0,3}:(?:\*\*)?\s{0,3}([^\n()]{1,400})", re.IGNORECASE
)
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+\[\]()-]+)*/?")
_ROUTES = ("api/",)
# a recovery's trail names what the task before was about
_HIDDEN = re.compile(r"^[ \t]*<!--.*$", re.MULTILINE)


def files(text: str) -> tuple[str, ...]:
    """Return paths in code spans and after "Files:", each once, in the order they are named.

    Absolute paths, ``..``, URLs and routes are none, nor is what a comment hides.
    """
    if "<!--" in text:
        text = _HIDDEN.sub("", text)
    spans = _SPAN.findall(text) if "`" in text else []
    return tuple(dict.fromkeys(span for span in (*spans, *_listed(text)) if _is_path(span)))


def listed_files(text: str) -> tuple[str, ...]:
    """Return the paths after "Files:", where a task says which files it writes."""
    return tuple(dict.fromkeys(span for span in _listed(text) if _is_path(span)))


def _listed(text: str) -> list[str]:
    found = _LISTED.findall(text) if ":" in text else []
    return [part.strip("`*. ") for listed in found for part in re.split(r"[,;\s]+", listed)]


def _is_path(span: str) -> bool:
    if _PATH.fullmatch(span) is None or ".." in span or span.startswith(_ROUTES):
        return False
    stem, dot, suffix = span.rstrip("/").rpartition(".")
    named = bool(
        dot and stem and 1 <= len(suffix) <= 5 and suffix.isalnum() and suffix[0].isalpha()
    )
    return "/" in span or named
