"""Find command lines in a comment, as CommonMark reads it.

A command counts only where a person addresses us: at the very start of a line of a top-level
paragraph. In quotes, lists, code (fenced, indented or inline), tables and HTML it is talk about
the command; in the copy of a mail that some programs leave unquoted below a reply, it is another's.

"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from handlers.commands import TRIGGERS

LONGEST = 20_000
"""Characters of a comment that are read: a command's own lines and the list of an ``/edit``.

GitHub takes 65,536, and a Markdown parser can be made slow by fewer.
"""

_COMMAND = "cairn_command"

# inline parsing takes quadratic time for hostile text: look at so much of a comment only
_MOST_PARAGRAPHS = 5
_LONGEST_PARAGRAPH = 8000

# blank and tab only: U+2028, no-break space and the like are neither line breaks nor separators
_TRIGGER = re.compile(rf"(?:{'|'.join(map(re.escape, TRIGGERS))})(?![^ \t\n])")
_ANYWHERE = re.compile(rf"^{_TRIGGER.pattern}", re.MULTILINE)

_MAIL = re.compile(r"Reply to this email directly|You are receiving this because", re.IGNORECASE)
"""What GitHub writes below every notification, in whatever language it is answered."""
_BLANK = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """One command line: what follows the ``trigger`` on it, and the lines ``below`` it, raw.

    ``whole`` is False where the comment goes on beyond what is read.
    """

    trigger: str
    text: str
    below: str = ""
    whole: bool = True


def may_hold_command(body: str) -> bool:
    """Say, at the cost of one search, whether a line of a comment begins like a command.

    Only a parser can tell whether it is one.
    """
    return bool(_ANYWHERE.search(_unix(body)))


def goes_on_below(body: str) -> bool:
    """Say whether a line begins like a command beyond what is read of a comment."""
    text = _own(_unix(body))
    return bool(_ANYWHERE.search(text[len(_beginning(text)) :]))


def command_lines(body: str) -> tuple[CommandLine, ...]:
    """Return the command lines in order of appearance, in the first ``LONGEST`` characters."""
    full = _own(_unix(body))
    text = _beginning(full)
    if not _ANYWHERE.search(text):
        return ()
    markdown, env = _markdown(), dict[str, Any]()
    lines = text.split("\n")
    candidates = islice(_candidates(markdown.parse(text, env), lines), _MOST_PARAGRAPHS)
    return tuple(
        CommandLine(
            trigger, words, "\n".join(lines[first + nth + 1 :]), whole=len(text) == len(full)
        )
        for paragraph, first, at_start in candidates
        for trigger, words, nth in _in_paragraph(paragraph, at_start, markdown, env)
    )


def _unix(body: str) -> str:
    """A comment's text with line feeds alone.

    str.splitlines would also break at U+2028, form feeds and more, and obey quoted commands; a lone
    carriage return is no break either.
    """
    return body.replace("\r\n", "\n").replace("\r", " ")


def _beginning(text: str) -> str:
    """As much of a text as is read, in whole lines where it has any."""
    if len(text) <= LONGEST:
        return text
    end = text.rfind("\n", 0, LONGEST)
    return text[: end if end > 0 else LONGEST]


def _own(text: str) -> str:
    """The words of who wrote it: above the copy of a mail at most the first paragraph is theirs."""
    return _BLANK.split(text.lstrip("\n"), maxsplit=1)[0] if _MAIL.search(text) else text


def _candidates(tokens: list[Token], lines: list[str]) -> Iterator[tuple[str, int, bool]]:
    """Yield each top-level paragraph with a trigger, its first line, and whether that may be one.

    The parser strips a paragraph, of U+2028 too, so that the first line is looked at in the source.
    """
    for opening, inline in pairwise(tokens):
        paragraph = opening.type == "paragraph_open" and opening.level == 0
        if paragraph and opening.map and _ANYWHERE.search(inline.content):
            first = opening.map[0]
            yield inline.content, first, bool(_TRIGGER.match(lines[first]))


def _in_paragraph(
    content: str, at_start: bool, markdown: MarkdownIt, env: dict[str, Any]
) -> list[tuple[str, str, int]]:
    """Return trigger, words and number of each command line of a paragraph."""
    if len(content) > _LONGEST_PARAGRAPH:
        end = content.rfind("\n", 0, _LONGEST_PARAGRAPH)
        content = content[: end if end > 0 else _LONGEST_PARAGRAPH]
    tokens: list[Token] = []
    markdown.inline.parse(content, markdown, env, tokens)
    found = [token for token in tokens if token.type == _COMMAND]
    return [
        (token.markup, token.content, content.count("\n", 0, token.meta["start"]))
        for token in found
        if at_start or token.meta["start"] > 0
    ]


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark").enable("table").disable("inline")
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
    token.markup = trigger[0]
    token.content = state.src[trigger.end() : end].strip(" \t")
    token.meta = {"start": state.pos}
    state.pos = end
    return True
