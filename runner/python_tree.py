"""Python's own parser, for texts of others."""

from __future__ import annotations

import ast
import threading
import warnings

_TURN = threading.Lock()


def python_tree(source: str | bytes) -> ast.Module:
    """Return the syntax tree. Nothing is run, nothing warns.

    One at a time: the filters of warnings, and CPython's count of a tree's depth, belong to the
    whole process (https://github.com/python/cpython/issues/106905). Raises ``SyntaxError``,
    ``ValueError``, ``RecursionError`` and ``MemoryError``.
    """
    with _TURN, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)
