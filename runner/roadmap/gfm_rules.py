"""Where GitHub's parser (cmark-gfm) reads blocks otherwise than the pinned library.

A tag alone on a line right below a list item, a quote or a table begins a block of HTML: all up to
the next blank line is shown as it is, tasks as well. For CommonMark it goes on what stands there
(https://github.com/executablebooks/markdown-it-py/issues/434). A link definition begins a
paragraph, which goes on with what cannot end one, as a list that does not begin with 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from markdown_it import MarkdownIt
from markdown_it.common.html_re import HTML_OPEN_CLOSE_TAG_STR
from markdown_it.rules_block import (
    StateBlock,
    html_block,
    lheading,
    list_block,
    paragraph,
    reference,
)

_LONE_TAG = re.compile(HTML_OPEN_CLOSE_TAG_STR + r"\s*\Z")
_ENDS = ["paragraph", "reference", "blockquote"]
"""What the rules for lists and for HTML may end, as the library has it."""
_CODE = 4
"""Blanks from which on a line is code, or goes on a paragraph."""


def use(parser: MarkdownIt) -> MarkdownIt:
    """Let ``parser`` read as GitHub does; it must not parse two texts at once."""
    rules = _Rules()
    parser.block.ruler.at("list", rules.list, {"alt": _ENDS})
    parser.block.ruler.at("html_block", rules.html, {"alt": _ENDS})
    parser.block.ruler.at("reference", _definitions)
    return parser


class _Rules:
    """The library's rules; knows besides how far the items around a line are indented."""

    def __init__(self) -> None:
        self._indents: list[int] = []

    def list(self, state: StateBlock, start: int, end: int, silent: bool) -> bool:
        """Read a list as the library does."""
        if silent:
            return list_block(state, start, end, silent)
        self._indents.append(state.blkIndent)
        found = list_block(state, start, end, silent)
        self._indents.pop()
        return found

    def html(self, state: StateBlock, start: int, end: int, silent: bool) -> bool:
        """Read HTML as the library does; a lone tag ends a block it is not in."""
        if html_block(state, start, end, silent):
            return True
        return silent and _outside(state, start) and self._lone(state, start)

    def _lone(self, state: StateBlock, line: int) -> bool:
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
        return (
            text.startswith("<")
            and state.sCount[line] - self._around(state, line) < _CODE
            and _LONE_TAG.match(text) is not None
        )

    def _around(self, state: StateBlock, line: int) -> int:
        """The indent of the innermost item that a line is in; a quote counts from 0 again."""
        indents = [*self._indents, state.blkIndent]
        last_quote = len(indents) - 1 - indents[::-1].index(0)
        within = indents[last_quote:]
        return within[bisect_right(within, state.sCount[line]) - 1]


def _outside(state: StateBlock, line: int) -> bool:
    """Whether a line stands outside of the block it could go on, or is a row of a table.

    Lines that go on a quote without its mark have -1 as their indent, and are decided.
    """
    indent = state.sCount[line]
    return indent >= 0 and (state.parentType in ("blockquote", "table") or indent < state.blkIndent)


def _definitions(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a link definition as the library does, then what the paragraph goes on with."""
    if not reference(state, start, end, silent):
        return False
    while not silent and _goes_on(state, state.line, end):
        line = state.line
        if not reference(state, line, end, silent):
            return lheading(state, line, end, silent) or paragraph(state, line, end, silent)
    return True


def _goes_on(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line goes on the paragraph above it."""
    if line >= state.lineMax or state.isEmpty(line):
        return False
    if state.sCount[line] < 0 or state.sCount[line] - state.blkIndent >= _CODE:
        return True
    around, state.parentType = state.parentType, "paragraph"
    ended = any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("paragraph"))
    state.parentType = around
    return not ended
