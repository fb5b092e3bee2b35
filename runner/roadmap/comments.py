"""HTML comments that outlive their block: GitHub shows nothing of what follows up to their end.

A block of HTML ends at a blank line or with the item it stands in, its ``-->`` written or not
(https://github.github.com/gfm/#html-blocks); for the page a comment goes on to the next ``-->``
that is HTML (https://html.spec.whatwg.org/multipage/parsing.html#comment-state).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

_END = re.compile(r"--!?>")
_HTML = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|(?P<open>\Z)))|<[!?][^>]*+(?:>|\Z)"
    r"|</?[A-Za-z](?:=\s*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z))|[^>])*+(?:>|\Z)",
    re.DOTALL,
)
"""A comment, declaration or tag: what looks like a comment in one of the others is none."""
_INLINE = MarkdownIt("commonmark", {"maxNesting": 20})


def behind(tokens: Sequence[Token]) -> dict[int, int]:
    """Return by place in ``tokens`` what stands in an open comment: the line (from 1) it begins."""
    found: dict[int, int] = {}
    line = 0
    for index, token in enumerate(tokens):
        if line:
            found[index] = line
        if token.type == "html_block":
            line = _after(token, line)
        elif line and token.type == "inline" and "-->" in token.content:
            line = 0 if any(_END.search(html) for html in _inline(token.content)) else line
    return found


def _after(block: Token, line: int) -> int:
    """The line of the comment that is open behind a block of HTML; 0 for none."""
    start = 0
    if line:
        end = _END.search(block.content)
        if end is None:
            return line
        start = end.end()
    opened = next((f for f in _HTML.finditer(block.content, start) if f["open"] is not None), None)
    if opened is None:
        return 0
    return (block.map or [0])[0] + 1 + block.content.count("\n", 0, opened.start())


def _inline(text: str) -> list[str]:
    """The HTML in a paragraph: elsewhere in it a ``-->`` is shown as text."""
    children = _INLINE.parseInline(text)[0].children or []
    return [token.content for token in children if token.type == "html_inline"]
