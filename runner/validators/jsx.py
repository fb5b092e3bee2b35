"""JSX elements whose two names differ, which the grammars of JavaScript and TypeScript allow."""

from __future__ import annotations

from functools import cache

from tree_sitter import Query, QueryCursor, Tree

from runner.validators.grammar import Grammar, language
from runner.validators.grammar_place import Place

_PAIR = """(jsx_element
  open_tag: (jsx_opening_element name: (_) @opened)
  close_tag: (jsx_closing_element name: (_) @closed))"""


@cache
def _query(grammar: Grammar) -> Query:
    return Query(language(grammar), _PAIR)


def mismatch(grammar: Grammar, content: bytes, tree: Tree) -> Place | None:
    """Return the first end tag that ends another element than the one it stands in, or None."""
    found = []
    for _, nodes in QueryCursor(_query(grammar)).matches(tree.root_node):
        opened, closed = nodes["opened"][0], nodes["closed"][0]
        name = content[opened.start_byte : opened.end_byte]
        if content[closed.start_byte : closed.end_byte] != name:
            wanted = name.decode("utf-8", "replace")
            found.append(Place(closed.start_byte, f"</{wanted}> is expected here"))
    return min(found, key=lambda place: place.offset, default=None)
