"""Find the fenced blocks of an answer (https://spec.commonmark.org/0.31.2/#fenced-code-blocks).

Wider than CommonMark where models are: any indentation, a fence inside a fence of equal length
(told by its language word), and a block that was never closed before the next file begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})(.*)$")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block; ``number`` and ``line`` (of its opening fence) count from 1.

    ``above`` holds the lines between the block before and this one.
    """

    number: int
    line: int
    info: str
    lines: tuple[str, ...]
    above: tuple[str, ...]
    closed: bool = True

    @property
    def place(self) -> str:
        return f"block {self.number} (line {self.line} of the answer)"

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Outline:
    """An answer cut into blocks and the text around them; ``prose`` is (line, text) pairs."""

    blocks: tuple[Block, ...]
    prose: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class _Fence:
    indent: str
    mark: str
    info: str

    def closes(self, opening: _Fence) -> bool:
        return not self.info and self.same_kind(opening)

    def same_kind(self, opening: _Fence) -> bool:
        return self.mark[0] == opening.mark[0] and len(self.mark) >= len(opening.mark)


def outline(text: str, names_file: Callable[[str, str], bool]) -> Outline:
    """Cut ``text`` into blocks and prose.

    ``names_file(info, line above)`` says whether an opening fence begins another file: inside an
    open block it then begins a new block (the one before was not closed).
    """
    lines = text.split("\n")
    blocks: list[Block] = []
    prose: list[tuple[int, str]] = []
    at = above = 0
    while at < len(lines):
        opening = _fence(lines[at])
        if opening is None:
            prose.append((at + 1, lines[at]))
            at += 1
            continue
        end, closed = _end(lines, at, opening, names_file)
        inner = tuple(_outdent(line, opening.indent) for line in lines[at + 1 : end])
        over = tuple(lines[above:at])
        blocks.append(Block(len(blocks) + 1, at + 1, opening.info, inner, over, closed))
        at = above = end + closed
    return Outline(tuple(blocks), tuple(prose))


def is_fence(line: str) -> bool:
    """Whether the line opens or closes a fenced block."""
    return _fence(line) is not None


def _fence(line: str) -> _Fence | None:
    found = _FENCE.match(line)
    return _Fence(found[1], found[2], found[3].strip()) if found else None


def _outdent(line: str, indent: str) -> str:
    return line.removeprefix(indent) if indent else line


def _end(
    lines: Sequence[str], start: int, opening: _Fence, names_file: Callable[[str, str], bool]
) -> tuple[int, bool]:
    """Return the index of the line that ends the block and whether that is a closing fence."""
    depth, first_bare = 0, None
    for at in range(start + 1, len(lines)):
        fence = _fence(lines[at])
        if fence is None or not fence.same_kind(opening):
            continue
        if fence.closes(opening):
            if depth == 0:
                return at, True
            first_bare = first_bare or at
            depth -= 1
        elif not _is_markdown(opening.info) and names_file(fence.info, lines[at - 1]):
            label = 0 if names_file(fence.info, "") else 1  # the path's own line is not the file's
            return (first_bare, True) if first_bare else (at - label, False)
        else:
            depth += 1
    return (first_bare, True) if first_bare else (len(lines), False)


def _is_markdown(info: str) -> bool:
    return bool(re.search(r"(?i)\b(?:md|markdown)\b", info))
