"""Code fences that end where their author did not mean it, and the tasks they hide.

A fence that holds another opening fence of its own length ends at the inner one's closing line:
from there on text and code are swapped (https://github.github.com/gfm/#fenced-code-blocks).

"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from markdown_it.token import Token

from runner.roadmap.task import Warning

_FENCE = re.compile(r"[ \t>]*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(`{3,}|~{3,})[ \t]*([^`\s]*)")
_TASK = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]")
_RUN = re.compile(r"`{3,}|~{3,}")
_FOLLOWED = 1_000
"""Fences after a broken one that are tried if nothing shows where it was meant to end."""
_NAMED = 20
"""Lines a warning names."""


@dataclass(frozen=True, slots=True)
class BrokenFence:
    """One fence to repair; lines count from 1.

    ``line`` opens it, ``inner`` is the opening fence it holds (0: none, it stays open),
    ``end_line`` the line it ends at as GitHub reads it, ``meant`` the one it was meant to end
    at (0: not known). ``hidden`` are lines of tasks that are shown as code, ``leaked`` lines of
    examples that are shown as tasks. ``fence`` is what to write on ``line`` and ``meant``.
    """

    line: int
    inner: int
    end_line: int
    meant: int
    hidden: tuple[int, ...]
    leaked: tuple[int, ...]
    fence: str


@dataclass(slots=True)
class _Swap:
    """Where GitHub's and the author's reading of a file differ, from a broken fence on.

    ``meant`` is the line (from 1) the author ends the fence at, ``agreed`` the line (from 0) from
    which on both read the same again.
    """

    agreed: int
    meant: int = 0
    hidden: list[int] = field(default_factory=list)
    leaked: list[int] = field(default_factory=list)


def broken(code: Sequence[Token], lines: Sequence[str]) -> tuple[BrokenFence, ...]:
    """Find the fences of a file that end in the wrong place; ``code`` are its code tokens."""
    fences = [token for token in code if token.type == "fence" and token.map]
    shown = {n for fence in fences for n in range(*_span(fence))}
    found: list[BrokenFence] = []
    last = len(lines) - (not lines[-1])  # what follows the final line end is not a line
    after = 0
    for number, fence in enumerate(fences):
        start, end = _span(fence)
        if start < after:
            continue
        if inner := _inner(fence):
            swap = _swapped(fence, shown, lines)
            if not swap.meant:
                swap.hidden = _behind(fences[number + 1 : number + 1 + _FOLLOWED], lines)
            found.append(_broken(fence, start + 1 + inner, swap))
            after = swap.agreed
        elif end >= last and not (end - start > 1 and _closing(lines[end - 1], fence.markup)):
            hidden = [n + 1 for n in range(start + 1, end) if _TASK.match(lines[n])]
            found.append(_broken(fence, 0, _Swap(end, hidden=hidden)))
    return tuple(found)


def warnings(fences: Sequence[BrokenFence]) -> Iterator[Warning]:
    """Say what each of them hides, and how it is repaired."""
    for fence in fences:
        yield Warning(fence.line, 1, "broken-fence", _message(fence))


def _message(fence: BrokenFence) -> str:
    hides = f"; it hides the tasks of line {_list(fence.hidden)}" if fence.hidden else ""
    shows = f"; it shows examples as tasks on line {_list(fence.leaked)}" if fence.leaked else ""
    if not fence.inner:
        return (
            f"this code fence is never closed, the rest of the file is code{hides}. "
            f"Close it with {fence.fence} on a line of its own."
        )
    where = f"and on line {fence.meant}" if fence.meant else "and where the outer block ends"
    return (
        f"this code fence holds another one (line {fence.inner}) and therefore ends on line "
        f"{fence.end_line} already{hides}{shows}. Write {fence.fence} here {where} instead: an "
        "outer fence must be longer than the inner ones."
    )


def _list(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    return ", ".join(map(str, numbers[:_NAMED])) + more


def _broken(fence: Token, inner: int, swap: _Swap) -> BrokenFence:
    start, end = _span(fence)
    longest = max(map(len, _RUN.findall(fence.content)), default=len(fence.markup))
    length = longest + 1 if inner else len(fence.markup)
    return BrokenFence(
        line=start + 1,
        inner=inner,
        end_line=end,
        meant=swap.meant,
        hidden=tuple(swap.hidden),
        leaked=tuple(swap.leaked),
        fence=fence.markup[0] * length,
    )


def _span(fence: Token) -> tuple[int, int]:
    start, end = fence.map or (0, 0)
    return start, end


def _inner(fence: Token) -> int:
    """The number (from 1) of the first line in a fence that opens another one; 0 without."""
    for number, line in enumerate(fence.content.split("\n"), 1):
        if (found := _FENCE.match(line)) and found[2] and found[1].startswith(fence.markup):
            return number
    return 0


def _closing(line: str, markup: str) -> bool:
    bare = line.strip(" \t>")
    return bare.startswith(markup) and not bare.strip(markup[0])


def _swapped(fence: Token, shown: Set[int], lines: Sequence[str]) -> _Swap:
    """Follow two readings from a broken fence until they agree again.

    GitHub's: ``shown`` are the lines in fences. The author's: a fence with a language opens, a bare
    one closes the innermost. Where the author opens with bare fences too, that never ends.
    """
    swap, depth = _Swap(len(lines)), 0
    for number in range(_span(fence)[0], len(lines)):
        line = lines[number]
        if (found := _FENCE.match(line)) and found[1][0] == fence.markup[0]:
            depth += 1 if found[2] or not depth else -1
            swap.meant = swap.meant or (0 if depth else number + 1)
        elif swap.meant and not depth and number not in shown:
            swap.agreed = number
            return swap
        elif _TASK.match(line) and (number in shown) == (not depth):
            (swap.leaked if depth else swap.hidden).append(number + 1)
    return _Swap(len(lines)) if depth else swap


def _behind(fences: Sequence[Token], lines: Sequence[str]) -> list[int]:
    """Tasks in bare fences after a broken one, up to the next fence with a language."""
    hidden: list[int] = []
    for fence in fences:
        if fence.info.strip():
            break
        start, end = _span(fence)
        hidden += (n + 1 for n in range(start + 1, end) if _TASK.match(lines[n]))
    return hidden
