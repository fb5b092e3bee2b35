"""Parse with a tree-sitter grammar, bounded in size and steps, and say where the first error is.

https://tree-sitter.github.io/tree-sitter/using-parsers
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from tree_sitter import Language, Node, Parser, Point, Tree

LARGEST = 128 << 10
"""Bytes of a file that is parsed; the parser's own stack grows with the nesting, and is freed by
recursion: some 250,000 open tokens end the process."""
_MOST_STEPS, _MOST_SECONDS = 4_000, 1.5
_CHUNK = 64 << 10


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar's package, the function in it that returns the language, the bytes it is given.

    Some scanners look for the end of every text they see begin, and take quadratic time for it.
    """

    module: str
    function: str = "language"
    largest: int = LARGEST


@cache
def language(grammar: Grammar) -> Language:
    """Load a grammar once (a few milliseconds; nothing is loaded before a file needs it)."""
    return Language(getattr(importlib.import_module(grammar.module), grammar.function)())


def parse(grammar: Grammar, content: bytes) -> Tree | None:
    """Return the tree; None when the file is too large or too tangled (then it has errors)."""
    return None if len(content) > grammar.largest else run(Parser(language(grammar)), content)


def accepts(grammar: Grammar, content: bytes) -> bool:
    """Whether a grammar sees no error; False for what is too large or too tangled to say."""
    tree = parse(grammar, content)
    return tree is not None and not tree.root_node.has_error


def run(parser: Parser, content: bytes, *, stop: Callable[[], bool] = lambda: False) -> Tree | None:
    """Parse within the bounds, or until ``stop`` (asked at every step) says so.

    Ordinary code takes some 20 steps a kilobyte; only hostile code reaches a bound.
    """
    view, steps = memoryview(content), iter(range(_MOST_STEPS))
    last = time.thread_time() + _MOST_SECONDS

    def read(at: int, _point: Point) -> memoryview:
        return view[at : at + _CHUNK]

    def enough(_at: int, _has_error: bool) -> bool:
        return next(steps, None) is None or time.thread_time() > last or stop()

    try:
        return parser.parse(read, progress_callback=enough)
    except ValueError:  # stopped by the callback
        return None


def errors(tree: Tree) -> Iterator[tuple[Node, Node]]:
    """Yield the nodes that are errors or stand for something missing, each with the one above it.

    In the order of the text. (``Node.parent`` recurses from the root: deep trees end the process.)
    """
    waiting = [(tree.root_node, tree.root_node)]
    while waiting:
        node, above = waiting.pop()
        if node.is_error or node.is_missing:
            yield node, above
        if node.has_error:
            waiting += [(child, node) for child in reversed(node.children)]


def count(grammar: Grammar, content: bytes) -> int:
    """Return how many errors the grammar sees (one for each byte of a file it cannot parse)."""
    tree = parse(grammar, content)
    return sum(1 for _ in errors(tree)) if tree else len(content)
