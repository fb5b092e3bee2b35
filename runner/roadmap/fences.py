"""Code fences that end where their author did not mean it, and the tasks they hide.

A fence that holds another opening fence of its own length ends at the inner one's closing line:
from there on text and code are swapped (https://github.github.com/gfm/#fenced-code-blocks).

"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import takewhile

from markdown_it.token import Token

from runner.roadmap.task import Warning

_FENCE = re.compile(r"[ \t>]*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(`{3,}|~{3,})[ \t]*([^`\s]*)")
_TASK = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]")
_RUN = re.compile(r"`{3,}|~{3,}")
_FOLLOWED = 1_000
"""Fences after a broken one that are tried if nothing shows where it was meant to end."""
_NAMED = 20
"""Lines a warning names."""


def broken(code: Sequence[Token], lines: Sequence[str]) -> tuple[list[Warning], set[int]]:
    """Find the fences of a file that end in the wrong place; ``code`` are its code tokens.

    The warnings say what each hides, and how it is repaired; the lines (from 1) of the tasks that
    are shown as code come beside them.
    """
    fences = [(f, f.map[0], f.map[1]) for f in code if f.type == "fence" and f.map]
    shown = {n for _, start, end in fences for n in range(start, end)}
    found: list[Warning] = []
    all_hidden: set[int] = set()
    last = len(lines) - (not lines[-1])  # what follows the final line end is not a line
    after = 0
    for number, (fence, start, end) in enumerate(fences):
        if start < after:
            continue
        inside = enumerate(fence.content.split("\n"), start + 2)
        opened = ((n, mark) for n, line in inside if (mark := _FENCE.match(line)))
        inner = next((n for n, m in opened if m[2] and m[1].startswith(fence.markup)), 0)
        closing = lines[end - 1].strip(" \t>")
        closed = closing.startswith(fence.markup) and not closing.strip(fence.markup[0])
        leaked: list[int] = []
        if inner:
            after, meant, hidden, leaked = _swapped(start, fence.markup[0], shown, lines)
            if not meant:  # up to the next fence with a language
                behind = fences[number + 1 : number + 1 + _FOLLOWED]
                bare = takewhile(lambda each: not each[0].info.strip(), behind)
                rest = (n for _, first, end_ in bare for n in range(first + 1, end_))
                hidden = [n + 1 for n in rest if _TASK.match(lines[n])]
        elif end >= last and not (end - start > 1 and closed):
            hidden = [n + 1 for n in range(start + 1, end) if _TASK.match(lines[n])]
        else:
            continue
        all_hidden.update(hidden)
        hides = f"; it hides the tasks of line {_list(hidden)}" if hidden else ""
        shows = f"; it shows examples as tasks on line {_list(leaked)}" if leaked else ""
        message = (
            f"this code fence is never closed, so the rest of the file is code{hides}. "
            f"Close it with {fence.markup} on a line of its own."
        )
        if inner:
            longest = max(map(len, _RUN.findall(fence.content)))
            where = f"and on line {meant}" if meant else "and where the outer block ends"
            message = (
                f"this code fence holds another one (line {inner}) and therefore already ends in "
                f"line {end}{hides}{shows}. Write {fence.markup[0] * (longest + 1)} here "
                f"{where} instead: an outer fence must be longer than the inner ones."
            )
        found.append(Warning(start + 1, 1, "broken-fence", message))
    return found, all_hidden


def _list(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    return ", ".join(map(str, numbers[:_NAMED])) + more


def _swapped(
    start: int, mark: str, shown: Set[int], lines: Sequence[str]
) -> tuple[int, int, list[int], list[int]]:
    """Follow two readings from a broken fence until they agree again.

    GitHub's: ``shown`` are the lines in fences. The author's: a fence with a language opens, a bare
    one closes the innermost. Where the author opens with bare fences too, that never ends. Returned
    are the line (from 0) from which both read the same again, the one (from 1) at which the author
    ends the fence (0: not known), and the lines of hidden tasks and of leaked examples.
    """
    depth = meant = 0
    hidden: list[int] = []
    leaked: list[int] = []
    for number in range(start, len(lines)):
        line = lines[number]
        if (found := _FENCE.match(line)) and found[1][0] == mark:
            depth += 1 if found[2] or not depth else -1
            meant = meant or (0 if depth else number + 1)
        elif meant and not depth and number not in shown:
            return number, meant, hidden, leaked
        elif _TASK.match(line) and (number in shown) == (not depth):
            (leaked if depth else hidden).append(number + 1)
    return (len(lines), 0, [], []) if depth else (len(lines), meant, hidden, leaked)
