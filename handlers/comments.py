"""Find command lines in a comment, as CommonMark reads it.

A command counts only where a person addresses us: at the very start of a line of a top-level
paragraph. In quotes, lists, code (fenced, indented or inline), tables and HTML it is talk about
the command.
"""

from __future__ import annotations

import re
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from handlers.table import TRIGGER

_COMMAND = "cairn_command"
# blank and tab only: U+2028, no-break space and the like are neither line breaks nor separators
_TRIGGER = re.compile(rf"{re.escape(TRIGGER)}(?![^ \t\n])")
_ANYWHERE = re.compile(rf"^{_TRIGGER.pattern}", re.MULTILINE)


def command_lines(body: str) -> tuple[str, ...]:
    """Return what follows the trigger on each command line, raw, in order of appearance."""
    # str.splitlines would also break at U+2028, form feeds and more, and obey quoted commands;
    # a lone carriage return is no break either
    text = body.replace("\r\n", "\n").replace("\r", " ")
    if not _ANYWHERE.search(text):
        return ()
    lines = text.split("\n")
    found: list[str] = []
    tokens = _markdown().parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "paragraph_open" and opening.level == 0:
            found += _in_paragraph(inline, lines)
    return tuple(found)


def _in_paragraph(inline: Token, lines: list[str]) -> list[str]:
    found = [token for token in inline.children or [] if token.type == _COMMAND]
    first = inline.map[0] if inline.map else 0
    # the parser strips the paragraph, of U+2028 too, so that its first line needs a second look
    if found and found[0].meta["start"] == 0 and not _TRIGGER.match(lines[first]):
        del found[0]
    return [token.content for token in found]


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark").enable("table")
    markdown.inline.ruler.before("text", _COMMAND, _command_rule)
    return markdown


def _command_rule(state: StateInline, silent: bool) -> bool:
    """Take a command line as one token (an inline rule of markdown-it).

    Code spans, inline HTML and links that began on an earlier line have consumed their text
    before this rule sees it; ``silent`` and ``linkLevel`` mean that a link's text is being read.
    """
    at_start = state.pos == 0 or state.src[state.pos - 1] == "\n"
    if silent or state.linkLevel or not at_start:
        return False
    trigger = _TRIGGER.match(state.src, state.pos)
    if not trigger:
        return False
    end = state.src.find("\n", state.pos)
    end = state.posMax if end < 0 else end
    token = state.push(_COMMAND, "", 0)
    token.content = state.src[trigger.end() : end].strip(" \t")
    token.meta = {"start": state.pos}
    state.pos = end
    return True
