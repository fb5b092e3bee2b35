"""Roadmaps as people write them, replacements as models write them, and what GitHub shows."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import cmarkgfm
from hypothesis import strategies as st

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.replace import Audit
from runner.roadmap.source import line_starts
from runner.roadmap.task import NewTask, Task
from runner.roadmap.writing import text_fault, tidied
from tests.runner.roadmap.references import decoded

PATH = "ROADMAP.md"
COLLECTION = sorted(p for p in Path("tests/data/roadmaps").rglob("*") if p.is_file())
AUDIT = Audit(
    strategy="decompose",
    at=datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC),
    original="1.1 Build --> it",
    reason="too large\nfor one",
    approved_by="ann",
)

_MARKERS = ["- ", "* ", "+ ", "1. ", "7) ", "-\t", "-   ", "- - "]
_TEXTS = ["Make it", "**1.1 Bold**: more", "**T001** Do", "1.2 Do `x_y`", "same", "[x] box", "Ü —"]
_INSIDE = [
    "{in}- nested",
    "{in}- [ ] child",
    "{in}* [x] other child",
    "{in}1. first",
    "\n{in}A paragraph.",
    "\n{in}    code",
    "{in}```\n{in}- [ ] shown only\n{in}```",
    "{in}```\n{in}never closed",
    "{in}<!-- note -->",
    "{in}<div>",
    "lazy words",
    "{in}more words",
    "\t- [ ] tabbed child",
    "{in}  - [ ] far child",
]
_BETWEEN = [
    "",
    "",
    "",
    "\n",
    "# Phase\n",
    "words\n\n",
    "```\n- [ ] no\n```\n",
    "[x]: https://e.org\n\n",
]


@st.composite
def _item(draw: st.DrawFn) -> str:
    indent = draw(st.sampled_from(["", "", "", " ", "  ", "   "]))
    marker = draw(st.sampled_from(_MARKERS))
    box = draw(st.sampled_from(["[ ] ", "[ ] ", "[x] ", "[X]\t", "[ ]  "]))
    inside = " " * len((indent + marker).expandtabs(4))
    nested = draw(st.lists(st.sampled_from(_INSIDE), max_size=3))
    first = indent + marker + box + draw(st.sampled_from(_TEXTS))
    return "\n".join([first, *(line.replace("{in}", inside) for line in nested)]) + "\n"


@st.composite
def roadmaps(draw: st.DrawFn) -> bytes:
    """Lists of tasks in every manner, with one line end, or mixed, with or without a last one."""
    parts = draw(st.lists(st.tuples(st.sampled_from(_BETWEEN), _item()), min_size=1, max_size=6))
    text = "".join(before + item for before, item in parts)
    end = draw(st.sampled_from(["\n", "\r\n", "\r", "mixed"]))
    if end == "mixed":
        ends = iter(
            draw(st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=3, max_size=3)) * 99
        )
        text = re.sub("\n", lambda _: next(ends), text)
    else:
        text = text.replace("\n", end)
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


PIECES = [
    *("Add `a.py`", "write tests", "# heading", "- item", "* [ ] task", "[ ] box", "1. one", "```"),
    *("~~~", "<!--", "-->", "<div>", "</details>", "<b>", "| a | b |", "|---|---|", ":--", "---"),
    *(
        "===",
        "> q",
        "[x]: https://e.org",
        "[^1]: note",
        "\n",
        "\n\n",
        "\r\n",
        "\n    ",
        "\t",
        "\x00",
    ),
    *(
        "\u2028",
        "\u202e",
        "**",
        "__",
        "*",
        "`",
        "\\",
        "~~",
        "[",
        "](",
        "a_b",
        "&lt;",
        "{{X}}",
        "$$",
    ),
    *("(optional)", "T001", "1.1", "HTTP2", " ", "é", "same", "Acceptance:", "depends on 1.1"),
    *("@ann", "#1", "<https://e.org>"),
]

texts = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map(" ".join),
    st.text(max_size=40),
)
plain_texts = st.sampled_from(
    ["Add `src/a.py`", "Write tests\nfor **it**", "Überall", "a * b * c", "snake_case x", "same"]
)
ids = st.sampled_from(["", "", "", "9.1", "T009", "Task 9", "x\n- [ ] y"])


fitting_texts = texts.filter(lambda text: not text_fault(tidied(text)))
"""Odd texts that are one plain paragraph: of ten drawn tasks nine would be refused otherwise."""


def new_tasks(text: st.SearchStrategy[str]) -> st.SearchStrategy[list[NewTask]]:
    """One to four new tasks whose texts come from ``text``."""
    few = st.lists(text, max_size=2).map(tuple)
    return st.lists(st.builds(NewTask, text, ids, few, few), min_size=1, max_size=4)


def boxes(content: bytes) -> list[bool]:
    """Which boxes GitHub shows, as done or not, in the order of the page (quotes included)."""
    page = cmarkgfm.github_flavored_markdown_to_html(decoded(content))
    return ["checked" in box for box in re.findall(r'<input type="checkbox"([^>]*)>', page)]


def lines_of(content: bytes) -> list[bytes]:
    """The lines of a file with their ends."""
    starts = [*line_starts(content), len(content)]
    return [content[a:b] for a, b in pairwise(starts)]


def tasks_of(content: bytes) -> tuple[Task, ...]:
    """The tasks of a file."""
    return parse_roadmap(PATH, content).tasks
