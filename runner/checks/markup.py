"""Check HTML, CSS and JSX for broken tags, missing ends and common slips.

https://html.spec.whatwg.org/multipage/syntax.html#optional-tags ·
https://www.w3.org/TR/css-syntax-3/#error-handling
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tree_sitter import Node, Query, QueryCursor, Tree

from runner.checks import grammars
from runner.checks.grammars import (
    CSS,
    HTML,
    SyntaxGrammar,
    SyntaxPosition,
    checked,
    complaint,
    language,
    line_at,
)
from runner.state.findings import Complaint
from runner.text.patterns import lazy_pattern

# not HTML yet: something else fills it in
_TEMPLATE = lazy_pattern(rb"\{\{|\{%|<%|<\?php|<\?=|\$\{|\{#|@(?:if|foreach|section)\b")
_BARE_LESS = lazy_pattern(rb"<(?![A-Za-z/!?])")
_END_OPTIONAL = frozenset(
    b"html head body p li dt dd rb rt rtc rp option optgroup tbody thead tfoot tr td th colgroup"
    b" caption area base br col embed hr img input link meta param source track wbr".split()
)
_ELEMENTS = frozenset({"element", "document"})


def check_html(path: str, content: bytes) -> Complaint | None:
    """Return the first error of an HTML file, or None; templates are not checked."""
    if len(content) > HTML.largest or _TEMPLATE.search(content):
        return None
    # readers show a lone < as it is; the grammar takes it for a tag
    plain = _BARE_LESS.sub(b" ", content)
    tree = grammars.parse(HTML, plain)
    place = next(_faults(plain, tree), None) if tree else None
    if place:
        return complaint(path, content, place)
    if tree and not tree.root_node.has_error:
        return None
    return checked(path, plain, HTML, shown=content)


def _faults(content: bytes, tree: Tree) -> Iterator[SyntaxPosition]:
    """Yield elements left open and ends without a beginning, in the order of the text."""
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "erroneous_end_tag":
            name = _name(content, node)
            if name not in {b"p", b"br"}:
                message = f"</{name.decode('utf-8', 'replace')}> closes nothing that is open here"
                yield SyntaxPosition(node.start_byte, message)
        elif node.type in _ELEMENTS:
            inside = node.named_children
            if node.type == "element" and (place := _open(content, inside)):
                yield place
            waiting += reversed(inside)


def _open(content: bytes, inside: list[Node]) -> SyntaxPosition | None:
    """Return the start of an element that has no end and needs one."""
    if not inside or inside[0].type != "start_tag" or inside[0].has_error:
        return None
    if inside[-1].type == "end_tag" or (name := _name(content, inside[0])) in _END_OPTIONAL:
        return None
    return SyntaxPosition(
        inside[0].start_byte, f"<{name.decode('utf-8', 'replace')}> is never closed"
    )


def _name(content: bytes, tag: Node) -> bytes:
    # not ``Node.text``: it ends the process for trees that were read through a callback
    for part in tag.named_children:
        if part.type.endswith("tag_name"):
            return content[part.start_byte : part.end_byte].lower()
    return b""


_SKIPPED = lazy_pattern(
    rb"/\*(?:.*?\*/|(?P<comment>.*))|(?P<text>\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?)"
    rb"|url\(\s*[^\"'\s)][^)\n]*\)|(?P<mark>[{}])",
    re.DOTALL,
)
_DECLARATION = rb"[ \t]*[-\w]+[ \t]*:[ \t]*[^:;{}()\"']+"
_NO_SEMICOLON = lazy_pattern(rb"^%s\n%s;?[ \t\r]*$" % (_DECLARATION, _DECLARATION), re.MULTILINE)
_NO_COLON = lazy_pattern(rb"[ \t]*[-a-z]+[ \t]+[^:;{}@()]+;[ \t\r]*")


def check_css(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a style sheet, or None."""
    if len(content) > CSS.largest:
        return None
    place = next(_unbalanced(content), None)
    return complaint(path, content, place) if place else checked(path, content, CSS, _plausible)


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


def _plausible(content: bytes, offset: int) -> bool:
    line, two = line_at(content, offset), line_at(content, offset, before=1)
    return bool(_NO_COLON.fullmatch(line) or _NO_SEMICOLON.search(two))


_PAIR = """(jsx_element
  open_tag: (jsx_opening_element name: (_) @opened)
  close_tag: (jsx_closing_element name: (_) @closed))"""


@cache
def _query(grammar: SyntaxGrammar) -> Query:
    return Query(language(grammar), _PAIR)


def mismatch(grammar: SyntaxGrammar, content: bytes, tree: Tree) -> SyntaxPosition | None:
    """Return the first end tag that ends another element than the one around it, or None."""
    found = []
    for _, nodes in QueryCursor(_query(grammar)).matches(tree.root_node):
        opened, closed = nodes["opened"][0], nodes["closed"][0]
        name = content[opened.start_byte : opened.end_byte]
        if content[closed.start_byte : closed.end_byte] != name:
            wanted = name.decode("utf-8", "replace")
            found.append(SyntaxPosition(closed.start_byte, f"</{wanted}> is expected here"))
    return min(found, key=lambda place: place.offset, default=None)
