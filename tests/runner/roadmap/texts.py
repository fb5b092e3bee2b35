"""Roadmaps for property tests: pieces that meet in odd ways, and bytes without any sense."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = [
    "- [ ] one",
    "- [x] done",
    "* [X] Done",
    "1. [ ] numbered",
    "- - [ ] two lists at once",
    "-\t[ ] tab",
    "\t- [ ] tabbed",
    "  - [ ] inner",
    "      - [ ] far in",
    "> - [ ] quoted",
    "- > [ ] quote in an item",
    "- [ ]",
    "- [x]no blank",
    "- [ ] [x] a box as text",
    "[x]: https://example.org",
    "# Phase",
    "## 1.1 Section",
    "===",
    "---",
    "```",
    "````python",
    "<!--",
    "-->",
    "<details>",
    "| a | b |",
    "plain",
    "",
    "   ",
    "\ufeff- [ ] mark",
    "- [ ] caf\u00e9 \u2028 line \x0b sep \x85",
]

ENDS = ["\n", "\r\n", "\r", "\n\n"]

lines = st.tuples(st.sampled_from(PIECES), st.sampled_from(ENDS)).map("".join)
documents = st.lists(lines, max_size=20).map("".join)
files = st.one_of(documents.map(str.encode), st.binary(max_size=200), st.text().map(str.encode))
