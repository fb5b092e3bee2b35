"""HTML: broken tags, elements that must be closed and are not, and ends without a beginning.

https://html.spec.whatwg.org/multipage/syntax.html#optional-tags
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node, Tree

from runner.findings import Complaint
from runner.validators import grammar
from runner.validators.grammar_place import Place, complaint
from runner.validators.grammars import HTML, checked

# not HTML yet: something else fills it in
_TEMPLATE = re.compile(rb"\{\{|\{%|<%|<\?php|<\?=|\$\{|\{#|@(?:if|foreach|section)\b")
_BARE_LESS = re.compile(rb"<(?![A-Za-z/!?])")
_END_OPTIONAL = frozenset(
    b"html head body p li dt dd rb rt rtc rp option optgroup tbody thead tfoot tr td th colgroup"
    b" caption area base br col embed hr img input link meta param source track wbr".split()
)
_ELEMENTS = frozenset({"element", "document"})


def check(path: str, content: bytes) -> Complaint | None:
    """Return the first error of an HTML file, or None; templates are let be."""
    if len(content) > HTML.largest or _TEMPLATE.search(content):
        return None
    # readers show a lone < as it is; the grammar takes it for a tag
    plain = _BARE_LESS.sub(b" ", content)
    tree = grammar.parse(HTML, plain)
    place = next(_faults(plain, tree), None) if tree else None
    if place:
        return complaint(path, content, place)
    if tree and not tree.root_node.has_error:
        return None
    return checked(path, plain, HTML, shown=content)


def _faults(content: bytes, tree: Tree) -> Iterator[Place]:
    """Yield elements left open and ends without a beginning, in the order of the text."""
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "erroneous_end_tag":
            name = _name(content, node)
            if name not in {b"p", b"br"}:
                said = f"</{name.decode('utf-8', 'replace')}> closes nothing that is open here"
                yield Place(node.start_byte, said)
        elif node.type in _ELEMENTS:
            inside = node.named_children
            if node.type == "element" and (place := _open(content, inside)):
                yield place
            waiting += reversed(inside)


def _open(content: bytes, inside: list[Node]) -> Place | None:
    """Return the start of an element that has no end and needs one."""
    if not inside or inside[0].type != "start_tag" or inside[0].has_error:
        return None
    if inside[-1].type == "end_tag" or (name := _name(content, inside[0])) in _END_OPTIONAL:
        return None
    return Place(inside[0].start_byte, f"<{name.decode('utf-8', 'replace')}> is never closed")


def _name(content: bytes, tag: Node) -> bytes:
    # not ``Node.text``: it ends the process for trees that were read through a callback
    for part in tag.named_children:
        if part.type.endswith("tag_name"):
            return content[part.start_byte : part.end_byte].lower()
    return b""
