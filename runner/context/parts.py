"""The parts of a context and how the whole is kept within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice

from runner.context.cut import hard_cut
from runner.context.tokens import Count

_LINE = 2
"""Tokens around a line: its bullet and its end."""

_FENCES = 12
"""Tokens around a quoted file."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A file as it is quoted; ``partial`` when lines were left out, ``wanted`` when it is named."""

    path: str
    text: str
    partial: bool = False
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A path or task, and lines about it."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Parts:
    """What a context may hold besides the task's own words; lists have the best first."""

    details: str = ""
    section: str = ""
    project: str = ""
    layout: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[Shown, ...] = ()
    users: tuple[Listed, ...] = ()
    earlier: tuple[Listed, ...] = ()
    recalled: tuple[str, ...] = ()
    outlines: tuple[Listed, ...] = ()


Item = Shown | Listed | str
_DROPPED = ("outlines", "recalled", "layout", "earlier", "users", "files", "notes")
"""What goes, from its end, when the whole turns out too long; after that the texts."""


def cost(item: Item, count: Count) -> int:
    """Return about how many tokens an item takes where it is rendered."""
    if isinstance(item, str):
        return count(item) + _LINE
    if isinstance(item, Shown):
        return count(item.text) + count(item.path) + _FENCES
    return count(item.name) + _LINE + sum(count(line) + _LINE for line in item.lines)


def fitting(items: Iterable[str], *, limit: int, count: Count) -> tuple[str, ...]:
    """Return the lines from the first one on that take at most ``limit`` tokens together."""
    kept: list[str] = []
    for item in items:
        limit -= cost(item, count)
        if limit < 0:
            break
        kept.append(item)
    return tuple(kept)


def listed(items: Iterable[Listed], *, limit: int, count: Count, most: int) -> tuple[Listed, ...]:
    """Return the items that fit into ``limit`` tokens; one that is too long is left out."""
    kept: list[Listed] = []
    for item in islice(items, most):
        if (price := cost(item, count)) <= limit:
            kept.append(item)
            limit -= price
    return tuple(kept)


def within(
    parts: Parts, render: Callable[[Parts], str], *, limit: int, count: Count
) -> tuple[Parts, str]:
    """Render, dropping the least worthy until the whole has at most ``limit`` tokens.

    Return what is left with its text. This holds for every text: of a task that alone is longer the
    beginning is kept.
    """
    text = render(parts)
    while (over := count(text) - limit) > 0:
        fewer = _less(parts, over, count)
        if fewer is None:
            return parts, hard_cut(text, limit=limit, count=count)
        parts = fewer
        text = render(parts)
    return parts, text


def _less(parts: Parts, over: int, count: Count) -> Parts | None:
    """Drop items worth about ``over`` tokens, else a text; None when nothing is left to drop."""
    for name in _DROPPED:
        items: list[Item] = list(getattr(parts, name))
        gone = 0
        while items and gone < over:
            gone += cost(items.pop(), count)
        if gone:
            return replace(parts, **{name: tuple(items)})  # type: ignore[arg-type]
    for name in ("section", "details", "project"):
        if getattr(parts, name):
            return replace(parts, **{name: ""})  # type: ignore[arg-type]
    return None
