"""Whether Markdown that the bot writes is shown by GitHub as it was meant.

Tables follow https://github.github.com/gfm/#tables-extension-: a ``|`` begins a new cell, also
inside a code span, unless a backslash stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_CELL = re.compile(r"(?<!\\)\|")
_FIELDS = ("body", "summary", "text")


def unreadable(body: Any) -> Iterator[str]:
    """What GitHub would show wrongly of the Markdown in a request's body."""
    if not isinstance(body, dict):
        return
    texts = body | (body.get("output") or {})
    for field in _FIELDS:
        if isinstance(texts.get(field), str):
            yield from broken_tables(texts[field])
            yield from _unbalanced(texts[field])


def broken_tables(text: str) -> Iterator[str]:
    """The rows of tables that have other cells than the first row."""
    if "|" not in text:
        return
    lines = text.splitlines()
    for token in _MARKDOWN.parse("\n".join(lines)):
        if token.type == "table_open" and token.map:
            rows = lines[slice(*token.map)]
            yield from (
                f"a table's row has {_cells(row)} cells, not {_cells(rows[0])}: {row[:200]!r}"
                for row in rows
                if _cells(row) != _cells(rows[0])
            )


def _unbalanced(text: str) -> Iterator[str]:
    if "details" not in text:
        return
    html = [
        token.content
        for block in _MARKDOWN.parse(text)
        for token in (block, *(block.children or ()))
        if token.type in ("html_block", "html_inline")
    ]
    opened, closed = (sum(part.count(tag) for part in html) for tag in ("<details", "</details>"))
    if opened != closed:
        yield f"{opened} <details> but {closed} </details>: {text[:200]!r}"


def _cells(row: str) -> int:
    return len(_CELL.split(row.strip().removeprefix("|").removesuffix("|")))
