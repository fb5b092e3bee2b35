"""Any file: the same boxes as markdown-it's rule for task lists, and as GitHub's parser in C."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from runner.roadmap.parse import parse_roadmap
from tests.runner.roadmap.references import Seen, by_cmark, by_markdown_it, ours
from tests.runner.roadmap.texts import ENDS, PIECES

# What the parsers are known to see differently, each with its reason: quoted tasks are left out and
# told; cmark wants one list mark before the box and takes any [x] on the line for its state; in an
# item only cmark shows a box before an underlined heading; front matter is no Markdown.
DISPUTED = ("> ", "- - ", "[x] a box", "[x]:", "===", "---", "\ufeff", "\u2028")
AGREED = [piece for piece in PIECES if not any(mark in piece for mark in DISPUTED)]
MORE = [
    "1. [x] one",
    "7. [ ] seven",
    "|---|---|",
    "    code",
    "~~~",
    "  more",
    "* * *",
    "-",
    "+   [ ] a",
]

lines = st.tuples(st.sampled_from([*AGREED, *MORE]), st.sampled_from(ENDS)).map("".join)
documents = st.lists(lines, max_size=25).map("".join)


def places(seen: list[Seen]) -> list[tuple[int, bool, int]]:
    """(line, done, depth) of each box; what a text is shown as is compared in the collection."""
    return [(line, done, depth) for line, done, depth, _ in seen]


@settings(max_examples=400)
@given(documents)
def test_as_markdown_it(text: str) -> None:
    """Lines, states and depths are those of markdown-it."""
    content = text.encode()

    assert places(ours(parse_roadmap("R.md", content))) == places(by_markdown_it(content))


@settings(max_examples=400)
@given(documents)
def test_as_cmark(text: str) -> None:
    """Lines, states and depths are those of cmark-gfm."""
    content = text.encode()

    assert places(ours(parse_roadmap("R.md", content))) == places(by_cmark(content))
