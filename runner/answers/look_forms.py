"""Requests to look, as values and in words."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Kind = Literal["READ", "SEARCH", "LIST"]
KINDS: tuple[Kind, ...] = ("READ", "SEARCH", "LIST")
_IN_WORDS = re.compile(r"(READ|SEARCH|LIST)(?: (.*?)(?::(-?\d+)(?:-(\d+))?)?)?")

_LONGEST_WHAT = 200
_MOST_LINE = 10**9


@dataclass(frozen=True, slots=True)
class LookRequest:
    """One request: ``what`` is a path, words or a folder.

    Lines count from 1 (0: all of it); ``first`` below 0 counts from the end.
    """

    kind: Kind
    what: str
    first: int = 0
    last: int = 0


def request(kind: Kind, what: str, first: int = 0, last: int = 0) -> LookRequest:
    """Make a request from the text: the path tidied, the lines in order, nothing endless."""
    first, last = min(first, _MOST_LINE), min(last, _MOST_LINE)
    if last and first > last:
        first, last = last, first
    if last and not first:
        first = 1
    if kind == "SEARCH":
        return LookRequest(kind, " ".join(what.split())[:_LONGEST_WHAT])
    path = what.strip().strip("`\"'").removeprefix("./")
    path = path.rstrip("/") if kind == "LIST" else path
    return LookRequest(kind, path[:_LONGEST_WHAT], first, last)


def in_words(look: LookRequest) -> str:
    """Write a request in the form that is asked for."""
    lines = f":{look.first}-{look.last}" if look.last else f":{look.first}" if look.first else ""
    return f"{look.kind} {look.what}{lines}".rstrip()


def from_words(text: str) -> LookRequest | None:
    """Read what ``in_words`` wrote."""
    found = _IN_WORDS.fullmatch(text)
    if found is None:
        return None
    kind = next(kind for kind in KINDS if kind == found[1])
    if kind != "READ":
        return LookRequest(kind, text[len(kind) :].strip())
    return LookRequest(kind, found[2], int(found[3] or 0), int(found[4] or 0))


def plausible(path: str, paths: Collection[str], *, sure: bool = False) -> bool:
    """Whether a word can be meant as a path; ``sure`` where the line says that it is one."""
    return sure or "/" in path or path in paths or re.search(r"\w\.\w", path) is not None
