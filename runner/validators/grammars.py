"""Languages that a tree-sitter grammar knows well enough to be believed: one table."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Tree

from runner.findings import Complaint
from runner.validators import grammar, grammar_place
from runner.validators.grammar import Grammar
from runner.validators.grammar_place import Place

BASH = Grammar("tree_sitter_bash", largest=32 << 10)
C = Grammar("tree_sitter_c")
CPP = Grammar("tree_sitter_cpp")
CSS = Grammar("tree_sitter_css")
GO = Grammar("tree_sitter_go")
HTML = Grammar("tree_sitter_html", largest=64 << 10)
JAVA = Grammar("tree_sitter_java")
JAVASCRIPT = Grammar("tree_sitter_javascript")
PHP = Grammar("tree_sitter_php", "language_php")
RUBY = Grammar("tree_sitter_ruby", largest=32 << 10)
RUST = Grammar("tree_sitter_rust")
SQL = Grammar("tree_sitter_sql")
TSX = Grammar("tree_sitter_typescript", "language_tsx")
TYPESCRIPT = Grammar("tree_sitter_typescript", "language_typescript")

Plausible = Callable[[bytes, int], bool]
"""(content, offset in bytes) → whether an error there is one, and not a gap of the grammar."""


def checked(
    path: str,
    content: bytes,
    language: Grammar,
    plausible: Plausible | None = None,
    *,
    shown: bytes | None = None,
    further: Callable[[Grammar, bytes, Tree], Place | None] | None = None,
) -> Complaint | None:
    """Return the first error of a file, or None; a file too large is not looked at.

    ``shown`` is what the excerpt is taken from, where ``content`` has parts blanked out;
    ``further`` looks for what the grammar allows and the language does not.
    """
    if len(content) > language.largest:
        return None
    tree = grammar.parse(language, content)
    if tree is not None and not tree.root_node.has_error:
        place = further(language, content, tree) if further else None
        return grammar_place.complaint(path, content, place) if place else None
    place = grammar_place.first_error(language, content, tree)
    if plausible and not plausible(content, place.offset):
        return None
    return grammar_place.complaint(path, content if shown is None else shown, place)


def line_at(content: bytes, offset: int, *, before: int = 0) -> bytes:
    """Return the line of an offset, with so many lines before it."""
    end = content.find(b"\n", offset)
    start = offset
    for _ in range(before + 1):
        start = content.rfind(b"\n", 0, max(start, 0))
    return content[start + 1 : end if end >= 0 else len(content)]
