"""Code in a task's text is shown without its signs, as the Markdown parser shows it."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from runner.roadmap.source import Inline


@pytest.mark.parametrize(
    "text",
    [
        "Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`",
        "`a*b*` and `<T>` and `\\`",
        "`a``b`",
        "``a`` b",
        "` a ` and `b `",
        "`a` *b* and `c`",
        "an open ` sign",
        "`a` `b",
    ],
)
def test_code_is_shown_as_the_parser_shows_it(text: str) -> None:
    (inline,) = MarkdownIt("commonmark").parseInline(text)
    tokens = inline.children or []
    assert Inline({})(text).text == "".join(token.content for token in tokens).strip()
