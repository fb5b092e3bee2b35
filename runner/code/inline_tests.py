"""Tests that stand in a file of code: what Rust builds with ``#[cfg(test)]`` only.

And of Go, where they have files of their own: which of them are as they were.
https://doc.rust-lang.org/book/ch11-03-test-organization.html#unit-tests
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from runner.code.symbols import syntax_tree

_FOR_TESTS = b"cfg(test)"
_GO_TEST = re.compile(rb"^func (?:Test|Example|Fuzz|Benchmark)(?![a-z])")
_IMPORTS = ("import_declaration", "use_declaration")


def has_inline_tests(path: str) -> bool:
    """Whether files of this kind hold tests beside the code that they test."""
    return path.endswith(".rs")


def with_tests_of(path: str, code: bytes, tests: bytes) -> bytes:
    """Return ``code`` with the tests that stand in ``tests``, another version of it, for its."""
    for start, node in reversed(_tests(path, code)):
        code = code[:start] + code[node.end_byte :]
    return b"\n".join((code, *(tests[start : n.end_byte] for start, n in _tests(path, tests))))


def unchanged_functions(path: str, old: bytes, new: bytes) -> frozenset[str]:
    """The names of tests that are the same in both versions, as is all that stands beside them.

    What is new beside them is nothing that they could use.
    """
    (was, beside_was), (now, beside) = _apart(path, old), _apart(path, new)
    same = beside_was <= beside
    return frozenset(name for name, text in now.items() if same and was.get(name) == text)


def _tests(path: str, content: bytes) -> list[tuple[int, Node]]:
    """The items of a file that are built for tests only, each with where its attributes begin."""
    root = syntax_tree(path, content) if has_inline_tests(path) else None
    return [
        (start, node)
        for start, attributes, node in (_items(root) if root else ())
        if any(each.named_child(0).text == _FOR_TESTS for each in attributes)
    ]


def _apart(path: str, content: bytes) -> tuple[dict[str, bytes], set[bytes]]:
    """The tests of a file by name, and everything beside them."""
    tests: dict[str, bytes] = {}
    beside: set[bytes] = set()
    root = syntax_tree(path, content) if path.endswith(".go") else None
    left = [root] if root else [node for _, node in _tests(path, content)]
    while left:
        inside = left.pop().child_by_field_name("body") or root
        for start, attributes, node in _items(inside) if inside else ():
            name = node.child_by_field_name("name")
            if node.type == "mod_item":
                left.append(node)
            elif name and name.text and _is_test(node, attributes):
                tests[name.text.decode()] = content[start : node.end_byte]
            elif node.type not in _IMPORTS:
                beside.add(node.text or b"")
    return tests, beside


def _is_test(function: Node, attributes: list[Node]) -> bool:
    if function.type == "function_declaration":
        return _GO_TEST.search(function.text or b"") is not None
    return function.type == "function_item" and bool(attributes)


def _items(block: Node) -> Iterator[tuple[int, list[Node], Node]]:
    """Each item of a block with its attributes, and where the first of these begins."""
    attributes: list[Node] = []
    for node in block.named_children:
        if node.type == "attribute_item":
            attributes.append(node)
        elif "comment" not in node.type:
            yield (attributes[0] if attributes else node).start_byte, attributes, node
            attributes = []
