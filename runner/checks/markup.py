"""Check CSS for missing ends, and JSX for tags that end another element.

https://www.w3.org/TR/css-syntax-3/#error-handling
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tree_sitter import Query, QueryCursor, Tree

from runner.checks.grammars import SyntaxPosition, complaint
from runner.code.languages import grammar
from runner.state.findings import Complaint
from runner.text.patterns import lazy_pattern

_SKIPPED = lazy_pattern(
    rb"/\*(?:.*?\*/|(?P<comment>.*))|(?P<text>\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?)"
    rb"|url\(\s*[^\"'\s)][^)\n]*\)|(?P<mark>[{}])",
    re.DOTALL,
)


def check_css(path: str, content: bytes) -> Complaint | None:
    """Return where a style sheet has a block, text or comment without its other end, or None."""
    place = next(_unbalanced(content), None)
    return complaint(path, content, place) if place else None


def _unbalanced(content: bytes) -> Iterator[SyntaxPosition]:
    """Yield where a block, text or comment is opened or closed that has no other end."""
    opened: list[int] = []
    for found in _SKIPPED.finditer(content):
        if found["comment"] is not None:
            yield SyntaxPosition(found.start(), "the comment that begins here is never closed")
        elif found["text"] and (len(found[0]) == 1 or found[0][-1:] != found[0][:1]):
            yield SyntaxPosition(found.start(), "the text that begins here is never closed")
        elif found["mark"] == b"{":
            opened.append(found.start())
        elif found["mark"] and not opened:
            yield SyntaxPosition(found.start(), "unexpected '}'")
        elif found["mark"]:
            opened.pop()
    if opened:
        line = content.count(b"\n", 0, opened[-1]) + 1
        yield SyntaxPosition(
            len(content.rstrip()), f"unexpected end of file: '{{' of line {line} is open"
        )


_PAIR = """(jsx_element
  open_tag: (jsx_opening_element name: (_) @opened)
  close_tag: (jsx_closing_element name: (_) @closed))"""


@cache
def _query(language: str) -> Query:
    return Query(grammar(language).language, _PAIR)


def mismatch(language: str, content: bytes, tree: Tree) -> SyntaxPosition | None:
    """Return the first end tag that ends another element than the one around it, or None."""
    found = []
    for _, nodes in QueryCursor(_query(language)).matches(tree.root_node):
        opened, closed = nodes["opened"][0], nodes["closed"][0]
        name = content[opened.start_byte : opened.end_byte]
        if content[closed.start_byte : closed.end_byte] != name:
            wanted = name.decode("utf-8", "replace")
            found.append(SyntaxPosition(closed.start_byte, f"</{wanted}> is expected here"))
    return min(found, key=lambda place: place.offset, default=None)
