"""Any file: the same boxes as markdown-it's rule for task lists, and as GitHub's parser in C."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from runner.roadmap.parse import parse_roadmap
from tests.runner.roadmap.references import Seen, by_cmark, by_markdown_it, ours
from tests.runner.roadmap.texts import ENDS, PIECES
from tests.runner.tries import tries

# What the parsers are known to see differently, each with its reason: quoted tasks are left out and
# told; cmark wants one list mark before the box and takes any [x] on the line for its state; in an
# item only cmark shows a box before an underlined heading; front matter is no Markdown. An item
# that begins with a blank line ends at a second one, except for cmark where that has blanks.
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
    "</details>",
    "<!-- a -->",
    '<p title="<!--">',
]

by_github = st.sampled_from(
    ["<br>\n", "  <br>\n", "    <br>\n", '<img title="<!--">\n', "[a]: https://example.org\n"]
)
"""A tag ends a paragraph, a link definition begins one: for GitHub only."""


def is_agreed(text: str) -> bool:
    """Whether no item begins with two blank lines, of which the second is written with blanks."""
    return re.search(r"(?m:^)-(?:\r\n|\r|\n)   ", text) is None


lines = st.tuples(st.sampled_from([*AGREED, *MORE]), st.sampled_from(ENDS)).map("".join)
documents = st.lists(lines, max_size=25).map("".join)
on_github = st.lists(lines | by_github, max_size=25).map("".join).filter(is_agreed)


def places(seen: list[Seen]) -> list[tuple[int, bool, int]]:
    """(line, done, depth) of each box; what a text is shown as is compared in the collection."""
    return [(line, done, depth) for line, done, depth, _ in seen]


@tries(4)
@given(documents)
@example("<details>\n<!--\n\n- [ ] in a comment that its block leaves open\n")
@example("<details>\n<!--\n\n- [ ] hidden\n<!-- a -->\n\n- [ ] shown\n")
def test_as_markdown_it(text: str) -> None:
    """Lines, states and depths are those of markdown-it."""
    content = text.encode()

    assert places(ours(parse_roadmap("R.md", content))) == places(by_markdown_it(content))


@tries(4)
@given(on_github)
@example("<details>\n<!--\n\n- [ ] in a comment that its block leaves open\n")
@example("<details>\n<!--\n\n- [ ] hidden\n<!-- a -->\n\n- [ ] shown\n")
@example("- [ ] shown\n<br>\n- [ ] part of the HTML\n")
@example("- [ ] shown\n  - [ ] shown\n  <br>\n- [ ] part of the HTML\n")
@example("-    [ ] shown\n    <br>\n- [ ] shown\n")
@example("100. [ ] shown\n     - [ ] shown\n    <br>\n- [ ] shown\n")
@example("- [ ] shown\n  - > a quote\n    <br>\n- [ ] shown\n")
@example("> a quote\n<br>\n- [ ] part of the HTML\n")
@example("[a]: https://example.org\n7. [ ] shown as text\n")
@example("[a]: https://example.org\n[b]: https://example.org\n<br>\n- [ ] shown\n")
@example("<!DOCTYPE a\n<!--\n<br>\n- [ ] shown\n")
@example("| a |\n|---|\n<br>\n- [ ] part of the HTML\n")
@example("> > a quote\n    <br>\n\n- [ ] shown\n")
def test_as_cmark(text: str) -> None:
    """Lines, states and depths are those of cmark-gfm."""
    content = text.encode()

    assert places(ours(parse_roadmap("R.md", content))) == places(by_cmark(content))
