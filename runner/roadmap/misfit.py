"""Why a text of a model or a person cannot be written into a list item.

Such a text is hostile: it must stay one paragraph, be seen by whoever approves it, and hide nothing
that stands near it. What it would become is asked of a parser, never guessed.
"""

from __future__ import annotations

import re
import unicodedata

from markdown_it import MarkdownIt
from markdown_it.token import Token

from runner.roadmap.new_task import NewTask

LONGEST = 10_000
"""Characters of one text."""
_MOST_LINES = 100
_PARSER = MarkdownIt("commonmark").enable("table")
_ID = re.compile(r"#?[^\W_](?:[\w. -]{0,38}\w)?")
# GitHub shows a task as done when [x] stands anywhere in its line
_DONE = re.compile(r"\[[xX]\]")
_BOX = re.compile(r"\[[ xX]\](?:\s|\Z)")
# GitHub takes such a line for the second one of a table, also without a pipe
_RULER = re.compile(r"^[ |:=+-]+$", re.MULTILINE)
# controls, lone surrogates, and characters that are not seen or turn the direction of reading
_UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_BLOCKS = {
    "heading_open": "a heading",
    "fence": "a code block",
    "code_block": "a code block",
    "bullet_list_open": "a list",
    "ordered_list_open": "a list",
    "blockquote_open": "a block quote",
    "hr": "a ruler",
    "html_block": "HTML",
    "table_open": "a table",
}


def tidied(text: str) -> str:
    """Return a text as it is written: line ends are LF, and no line has blanks around it."""
    return "\n".join(line.strip() for line in re.split(r"\r\n|\n|\r", text.strip()))


def misfit_of(task: NewTask) -> str:
    """Say what is wrong with a new task, or ''; its texts are tidied before they are judged."""
    if task.id and not _ID.fullmatch(task.id):
        return f"the id {task.id[:40]!r} is not a short word or number"
    if len(task.details) + len(task.acceptance) > _MOST_LINES:
        return f"it has more than {_MOST_LINES} details; split it"
    named = [("its text", task.text)]
    named += [(f"its detail {n}", text) for n, text in enumerate(task.details, 1)]
    named += [(f"its criterion {n}", text) for n, text in enumerate(task.acceptance, 1)]
    if _DONE.search(task.text):
        return "its text names [x], with which GitHub shows it as done; write it in other words"
    found = ((name, misfit(tidied(text))) for name, text in named)
    return next((f"{name} {why}" for name, why in found if why), "")


def misfit(text: str) -> str:
    """Say why a tidied text is not one plain paragraph, or ''."""
    return _unreadable(text) or _structure(_PARSER.parse(text), text)


def _unreadable(text: str) -> str:
    if not text:
        return "is empty"
    if len(text) > LONGEST:
        return f"has {len(text)} characters; the most are {LONGEST}"
    if found := _UNSEEN.search(text):
        name = unicodedata.name(found[0], "a control character")
        return f"has an invisible character (U+{ord(found[0]):04X}, {name}); take it out"
    if _BOX.match(text):
        return "begins with a box; leave the box out, it is added"
    if "<!--" in text or "-->" in text:
        return "opens or closes a comment; leave <!-- and --> out"
    if _RULER.search(text):
        return "has a line of dashes, which makes a heading or a table; take it out"
    return ""


def _structure(tokens: list[Token], text: str) -> str:
    """Say what else than a paragraph with all of the text was parsed, or ''."""
    for token in tokens:
        if token.type in _BLOCKS:
            line = token.map[0] + 1 if token.map else 1
            return f"begins {_BLOCKS[token.type]} in line {line}; write plain sentences"
    paragraphs = [token for token in tokens if token.type == "inline"]
    if len(paragraphs) > 1:
        return "has a blank line; write one paragraph"
    if not paragraphs or paragraphs[0].content != text:
        return "defines a link, which is not shown; write the link where it is used"
    if any(child.type == "html_inline" for child in paragraphs[0].children or ()):
        return "contains HTML, which is not shown; put it in backticks"
    return ""
