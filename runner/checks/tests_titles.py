"""Which tests of a JavaScript or TypeScript file are new or changed, by their titles.

Reports name a test by its title below those of the blocks around it (``describe``). Where a title
is not a plain text (``test.each``, a loop), all such tests of a file count as one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from tree_sitter import Node

from runner.code.symbols import syntax_tree

_DECLARES = re.compile(
    r"(?:\w+\.)?(?:describe|suite|context|test|it|specify)(?:\.\w+)*?(?P<rows>\.(?:each|for)\b[(`<]|$)"
)
_BETWEEN = " > "
"""What most runners write between titles; mocha writes a blank."""

_UNKNOWN = ""


def changed_cases(path: str, old: bytes, new: bytes, names: Collection[str]) -> tuple[str, ...]:
    """Return those of ``names``, as a report has them, whose code is not as it was in ``old``.

    All of them where ``old`` is empty, none where ``new`` cannot be parsed.
    """
    if not old.strip():
        return tuple(names)
    before, after = _code(path, old), _code(path, new)
    if after is None:
        return ()
    was = before or {}
    other = {key for key in after.keys() | was.keys() if after.get(key) != was.get(key)}
    return tuple(name for name in names if other & _keys(name, after))


def _keys(name: str, known: Collection[str]) -> set[str]:
    """The titles of a test, which tape names by its own alone; of a computed one what may hold it.

    What stands around it, such as the rows that it is made of, is as much its code.
    """
    plain = name.replace(_BETWEEN, " ")
    if plain in known:
        return {plain}
    inner = [key for key in known if key.endswith(f" {plain}")]
    around = [key for key in known if key and plain.startswith(f"{key} ")]
    return set(inner) if len(inner) == 1 else {_UNKNOWN, *around}


def _code(path: str, content: bytes) -> dict[str, list[str]] | None:
    """The calls that declare each test, without blanks; None if the file cannot be parsed."""
    root = syntax_tree(path, content)
    if root is None:
        return None
    found: dict[str, list[str]] = {}
    for key, node in _declared(root):
        found.setdefault(key, []).append("".join(_text(node).split()))
    return found


def _declared(root: Node) -> Iterator[tuple[str, Node]]:
    """Yield each declaration of a test or block with its titles, blanks between them."""
    left: list[tuple[Node, str | None]] = [(root, "")]
    while left:
        node, above = left.pop()
        if (title := _title(node)) is not None:
            above = f"{above} {title}".strip() if title and above is not None else None
            yield (_UNKNOWN if above is None else above), node
        left += [(child, above) for child in reversed(node.named_children)]


def _title(node: Node) -> str | None:
    """The title that a call gives to a test or block, '' if it is no plain text; None if none."""
    called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if node.type != "call_expression" or called is None or arguments is None:
        return None
    given = arguments.named_children
    declares = _DECLARES.match("".join(_text(called).split()))
    if len(given) < 2 or declares is None:
        return None
    return "" if declares["rows"] else _plain_text(given[0])


def _plain_text(node: Node) -> str:
    whole = node.type == "string" or (
        node.type == "template_string"
        and all(child.type != "template_substitution" for child in node.named_children)
    )
    return re.sub(r"\\(.)", r"\1", _text(node)[1:-1]) if whole else ""


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
