"""Cut a file that is too long: keep complete definitions, name what was left out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from runner.code.symbols import Symbols
from runner.context.search import terms
from runner.context.tokens import Count

_LONG = 60
_PLAIN = 20
_NAMED = 8
_MARGINS = (30, 15, 6, 2)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines from ``start`` to before ``end``, counted from 0; ``name`` of what they define."""

    start: int
    end: int
    name: str = ""


def cut(
    text: str,
    symbols: Symbols,
    *,
    about: Collection[str],
    limit: int,
    count: Count,
    head: bool = True,
) -> str:
    """Return at most ``limit`` tokens of a file, with a note wherever lines are missing.

    Of its pieces (definitions and what is between them) those stay that share most terms with
    ``about``, and the first, which has the imports, before all others if ``head`` says so: for a
    file that is to be changed. Where no piece fits, the file's beginning does.
    """
    if count(text) <= limit:
        return text
    lines = text.split("\n")
    pieces = _pieces(symbols, lines)
    chosen = _chosen(pieces, lines, frozenset(about), limit, count, head=head)
    while chosen:
        shown = "\n".join(_shown(pieces, set(chosen), lines))
        if count(shown) <= limit:
            return shown
        del chosen[-max(1, len(chosen) // 8) :]  # the notes took more than was left for them
    return hard_cut(text, limit=limit, count=count)


def hard_cut(text: str, *, limit: int, count: Count) -> str:
    """Return the beginning of a text with a note, at most ``limit`` tokens."""
    note = "\n[... cut ...]"
    low, high = 0, min(len(text), limit * 12)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count(text[:middle] + note) <= limit
        low, high = (middle, high) if fits else (low, middle - 1)
    return text if low == len(text) else text[:low] + note


def around(text: str, lines: Collection[int], *, limit: int) -> str:
    """Return at most ``limit`` characters of a text: these lines (from 1) with what is near them.

    Thirty lines on each side where they fit, else fewer; where not even the lines themselves fit,
    as many of them as do, from the top. A note marks missing lines.
    """
    if len(text) <= limit:
        return text
    every = text.split("\n")
    wanted = sorted(line for line in lines if 0 < line <= len(every)) or [1]
    for margin in _MARGINS:
        shown = _windows(every, wanted, margin)
        if len(shown) <= limit:
            return shown
    while len(wanted) > 1 and len(_windows(every, wanted, 0)) > limit:
        del wanted[-max(1, len(wanted) // 8) :]
    return hard_cut(_windows(every, wanted, 0), limit=limit, count=len)


def _windows(every: Sequence[str], wanted: Collection[int], margin: int) -> str:
    near = {at for line in wanted for at in range(line - 1 - margin, line + margin)}
    kept = [at for at in range(len(every)) if at in near]
    shown: list[str] = []
    before = -1
    for at in [*kept, len(every)]:
        if at > before + 1:
            shown += _note([_Piece(before + 1, at)])
        if at < len(every):
            shown.append(every[at])
        before = at
    return "\n".join(shown)


def _pieces(symbols: Symbols, lines: Sequence[str]) -> list[_Piece]:
    """Cover the file: a long class by its methods, other definitions whole, the rest in runs."""
    size = len(lines)
    spans = [(d.line - 1, min(d.end_line, size), d.name, d.depth) for d in symbols.definitions]
    long = {(a, b) for a, b, _, depth in spans if depth == 0 and b - a > _LONG}
    parts = [(a, b, n) for a, b, n, d in spans if d == 0 and (a, b) not in long]
    parts += [(a, b, n) for a, b, n, d in spans if d == 1 and any(x <= a < y for x, y in long)]
    pieces: list[_Piece] = []
    at = 0
    for start, end, name in sorted(parts):
        if start < at:
            continue
        blank = not any(map(str.strip, lines[at:start]))
        pieces += [] if blank else _runs(at, start)
        pieces.append(_Piece(at if blank else start, end, name))
        at = max(end, start + 1)
    return pieces + _runs(at, size)


def _runs(start: int, end: int) -> list[_Piece]:
    return [_Piece(at, min(at + _PLAIN, end)) for at in range(start, end, _PLAIN)]


def _chosen(
    pieces: Sequence[_Piece],
    lines: Sequence[str],
    about: frozenset[str],
    limit: int,
    count: Count,
    *,
    head: bool,
) -> list[int]:
    """Return places in ``pieces``, the worthiest first."""
    texts = ["\n".join(lines[piece.start : piece.end]) for piece in pieces]
    shares = [
        len(about & set(terms(text))) + 3 * len(about & set(terms(piece.name)))
        for piece, text in zip(pieces, texts, strict=True)
    ]
    order = sorted(range(len(pieces)), key=lambda at: (not head or at != 0, -shares[at], at))
    kept: list[int] = []
    left = limit - limit // 8  # for the notes
    for at in order:
        cost = count(texts[at]) + 1
        if cost <= left:
            kept.append(at)
            left -= cost
    return kept


def _shown(pieces: Sequence[_Piece], kept: Collection[int], lines: Sequence[str]) -> list[str]:
    shown: list[str] = []
    missing: list[_Piece] = []
    for at, piece in enumerate(pieces):
        if at not in kept:
            missing.append(piece)
            continue
        shown += [*_note(missing), *lines[piece.start : piece.end]]
        missing = []
    return shown + _note(missing)


def _note(missing: Sequence[_Piece]) -> list[str]:
    if not missing:
        return []
    names = [piece.name for piece in missing if piece.name]
    told = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    lines = f"lines {missing[0].start + 1}-{missing[-1].end}"
    return [f"[... {lines} left out{': ' if told else ''}{told} ...]"]
