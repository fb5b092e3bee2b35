"""Cut a file that is too long: keep complete definitions, name what was left out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from runner.code.symbols import Symbols
from runner.context.search import names_in, terms, texts_in
from runner.context.tokens import Count

_LONG = 60
_PLAIN = _HEAD = 20
_AFTER = 3
_NAMED = 8
_MARGINS = (30, 15, 6, 2)
_LONGEST_TOKEN = 12
"""A text of more characters for each token that it may have is not counted: it is too long."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines from ``start`` to before ``end``, counted from 0; ``name`` of what they define.

    ``outer`` is the class around it, if it is one of a long class's methods.
    """

    start: int
    end: int
    name: str = ""
    outer: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a task is about: its ``terms``, the ``names`` it gives, and the ``texts`` it quotes."""

    terms: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()


def wanted_by(text: str) -> Wanted:
    """Read from a task's words what a cut file should show of it."""
    return Wanted(frozenset(terms(text)), frozenset(names_in(text)), texts_in(text))


def cut(
    text: str,
    symbols: Symbols,
    *,
    about: Wanted,
    limit: int,
    count: Count,
    head: bool = True,
) -> str:
    """Return at most ``limit`` tokens of a file, with a note wherever lines are missing.

    Of its pieces (definitions and what is between them) those stay that the task names or quotes,
    then the first, which has the imports, if ``head`` says so (for a file that is to be changed),
    then those that share most terms with it. Where no piece fits, the file's beginning does.
    """
    if len(text) <= limit * _LONGEST_TOKEN and count(text) <= limit:
        return text
    lines = text.split("\n")
    pieces = _pieces(symbols, lines)
    pieces = [part for piece in pieces for part in _fitting(piece, lines, limit // 2, count)]
    named = [_named(piece, _text(piece, lines), about) for piece in pieces]
    chosen = _chosen(pieces, lines, about, named, limit, count, head=head)
    while chosen:
        shown = "\n".join(_shown(pieces, set(chosen), lines, named))
        if count(shown) <= limit:
            return shown
        del chosen[-max(1, len(chosen) // 8) :]  # the notes took more than was left for them
    return hard_cut(text, limit=limit, count=count)


def hard_cut(text: str, *, limit: int, count: Count) -> str:
    """Return the beginning of a text with a note, at most ``limit`` tokens."""
    note = "\n[... cut ...]"
    low, high = 0, min(len(text), limit * _LONGEST_TOKEN)
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
    inner = sorted(start for start, _, _, depth in spans if depth == 1)
    long = {
        a: (b, n)
        for a, b, n, depth in spans
        if depth == 0 and b - a > _LONG and bisect_left(inner, a) < bisect_left(inner, b)
    }
    starts = sorted(long)
    parts = [_Piece(a, b, n) for a, b, n, d in spans if d == 0 and a not in long]
    for a, b, name, depth in spans:
        if depth == 1 and (before := bisect_right(starts, a)):
            end, outer = long[starts[before - 1]]
            parts += [_Piece(a, b, name, outer)] if a < end else []
    parts += [_Piece(a, min(a + _HEAD, inner[bisect_left(inner, a)]), long[a][1]) for a in long]
    pieces: list[_Piece] = []
    at = 0
    for part in sorted(parts, key=lambda part: (part.start, -part.end)):
        if part.start < at or part.end <= part.start:
            continue
        blank = not any(map(str.strip, lines[at : part.start]))
        pieces += [] if blank else _runs(at, part.start)
        pieces.append(replace(part, start=at) if blank else part)
        at = part.end
    return pieces + _runs(at, size)


def _fitting(piece: _Piece, lines: Sequence[str], limit: int, count: Count) -> list[_Piece]:
    """The piece, or if it is too long its runs: a part of a long function is better than none."""
    if piece.end - piece.start <= _PLAIN or count(_text(piece, lines)) <= limit:
        return [piece]
    return [replace(piece, start=r.start, end=r.end) for r in _runs(piece.start, piece.end)]


def _text(piece: _Piece, lines: Sequence[str]) -> str:
    return "\n".join(lines[piece.start : piece.end])


def _runs(start: int, end: int) -> list[_Piece]:
    return [_Piece(at, min(at + _PLAIN, end)) for at in range(start, end, _PLAIN)]


def _chosen(
    pieces: Sequence[_Piece],
    lines: Sequence[str],
    about: Wanted,
    named: Sequence[int],
    limit: int,
    count: Count,
    *,
    head: bool,
) -> list[int]:
    """Return places in ``pieces``, the worthiest first."""
    texts = [_text(piece, lines) for piece in pieces]
    words = about.terms
    shares = [
        len(words & set(terms(text))) + 3 * len(words & set(terms(piece.name)))
        for piece, text in zip(pieces, texts, strict=True)
    ]
    order = sorted(
        range(len(pieces)), key=lambda at: (-named[at], not head or at != 0, -shares[at], at)
    )
    kept: list[int] = []
    left = limit - limit // 8  # for the notes
    for at in order:
        cost = count(texts[at]) + 1
        if cost <= left:
            kept.append(at)
            left -= cost
    return kept


def _named(piece: _Piece, text: str, about: Wanted) -> int:
    """How surely the task names this piece: a method with its class before one of its name."""
    if any(quoted in text for quoted in about.texts):
        return 2
    if piece.name not in about.names:
        return 0
    return 2 if piece.outer in about.names else 1


def _shown(
    pieces: Sequence[_Piece], kept: Collection[int], lines: Sequence[str], named: Sequence[int]
) -> list[str]:
    """The lines that stay, with notes; behind a named piece also what follows it.

    Whoever adds something after a definition has to say where: the lines behind it are unique.
    """
    shown: list[str] = []
    missing: list[_Piece] = []
    for at, piece in enumerate(pieces):
        if at not in kept:
            follows = at > 0 and at - 1 in kept and named[at - 1] > 0
            start = min(piece.start + _AFTER, piece.end) if follows else piece.start
            shown += lines[piece.start : start]
            missing += [replace(piece, start=start)] if start < piece.end else []
            continue
        shown += [*_note(missing), *lines[piece.start : piece.end]]
        missing = []
    return shown + _note(missing)


def _note(missing: Sequence[_Piece]) -> list[str]:
    if not missing:
        return []
    names = list(dict.fromkeys(piece.name for piece in missing if piece.name))
    shown = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    lines = f"lines {missing[0].start + 1}-{missing[-1].end}"
    return [f"[... {lines} left out{': ' if shown else ''}{shown} ...]"]
