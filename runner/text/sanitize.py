"""Take the effect out of foreign text before it is published on GitHub.

Text of models, roadmaps and users could close issues, notify people, add trailers, hide marks or
speak to the Actions runner. Zero-width spaces (U+200B) between the active characters keep it
looking the same; Dependabot and Renovate do so for mentions.

Defuse last, after cutting and joining. A pull request's body can become a squash commit's message,
where code fences protect nothing: so inside fences what *acts* is broken too, and only mentions
and bare numbers are left alone, which merely link, so that code stays code.

Cut and show texts for people and models.
"""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it import MarkdownIt

_GAP = "\u200b"
# what turns the direction of reading, and characters that only programs see (tags, and variation
# selectors of which more than one stand together, which can spell any text):
# https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing
_UNSEEN = re.compile(
    "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e01ef]"
    "|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]"
)
_COLOUR = re.compile(r"\x1b\[[0-9;:]{0,40}[mK]")

# https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
_CLOSING = re.compile(
    r"\b([cfr])(?=(?:lose[sd]?|ix(?:e[sd])?|esolve[sd]?)\b(?:\s*:\s*|\s+)"
    r"[<(\[*_`]*(?:#[0-9]|GH-[0-9]|https?://|[\w.-]+/[\w.-]+\#[0-9]))",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"^(?P<before>[^\S\n]*(?:[a-z]+(?:-[a-z]+)*-by|cairn-[\w-]+|change-id|skip-checks)[^\S\n]*)(?=:)",
    re.IGNORECASE | re.MULTILINE,
)
# https://docs.github.com/en/actions/how-tos/manage-workflow-runs/skip-workflow-runs
_SKIP_CI = re.compile(r"\[(?=(?:skip ci|ci skip|no ci|skip actions|actions skip)\])", re.IGNORECASE)
# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
_WORKFLOW = re.compile(r"^([^\S\n]*:)(?=:)|#(?=#\[)", re.MULTILINE)
_HIDDEN = re.compile(r"<(?=[!?])")
# an image tells its server who reads the page, and can show anything
_IMAGE = re.compile(r"!(?=\[)|<(?=(?:img|picture|video|audio|source)\b)", re.IGNORECASE)
# a link may say another place than it leads to; a bare address still leads there, and says where
_LINK = re.compile(r"\](?=[(\[:])|<(?=a[\s/>])", re.IGNORECASE)
# the mention filter works on rendered text, so that characters written as entities count
_ENTITY = re.compile(r"&(?:#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z]{2,31};)")
_OPENING = re.compile(f"<(?!{_GAP})")
_MENTION = re.compile(r"(?<![A-Za-z0-9])@(?=[A-Za-z0-9_])")
_NUMBER = re.compile(r"#(?=[0-9])|\bGH-(?=[0-9])", re.IGNORECASE)


def sanitize(text: str, *, plain: bool = False, links: bool = False) -> str:
    """Return the text with nothing active in it; at most twice its length, plus one.

    ``plain`` is for text that is not rendered as Markdown (titles, commit messages): there no code
    fence is spared, and none is closed. ``links`` keeps those of a text that we put together, whose
    foreign parts were sanitized before. Line ends become ``\\n``. Doing it twice changes nothing.
    """
    text = readable(text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _HIDDEN.sub(f"<{_GAP}", text)
    for pattern in (_CLOSING, _TRAILER, _WORKFLOW, _SKIP_CI):
        text = pattern.sub(_with_gap, text)
    if plain:
        return _prose(text, links)
    lines = text.split("\n")
    fences = list(_fences(text))
    return _outside(lines, fences, links) + _missing_fence(lines, fences)


def readable(text: str) -> str:
    """Return a text in which U+FFFD stands for each character that readers do not see.

    So nobody is shown another order of words than the text has, and a model is told nothing that a
    person who read the same text could not know of.
    """
    return _UNSEEN.sub("\ufffd", text)


def has_unseen(content: bytes) -> bool:
    """Say whether a file holds a character that readers do not see."""
    return not content.isascii() and bool(_UNSEEN.search(content.decode("utf-8", "ignore")))


def plain_line(text: str) -> str:
    """Foreign text for use within a line of ours."""
    return sanitize(" ".join(text.split()), plain=True)


def inert_line(text: str) -> str:
    """Foreign text within a line of ours, where HTML would fold or hide what follows."""
    return plain_line(text).replace("<", f"<{_GAP}")


def quotation(text: str) -> str:
    """Return foreign Markdown as a quotation, whose HTML can fold or hide nothing behind it."""
    lines = sanitize(text).split("\n")
    code = {n for start, end, _ in _fences("\n".join(lines)) for n in range(start, end)}
    safe = (line if n in code else _OPENING.sub(_with_gap, line) for n, line in enumerate(lines))
    return "\n".join(f"> {line}" for line in safe)


def as_code(text: str) -> str:
    """A path or a name as code; a squash makes a plain commit message of it, so it is sanitized."""
    return "`" + plain_line(text).replace("`", "'") + "`"


def as_codes(names: Sequence[str], most: int = 5) -> str:
    """Names as code in one line; how many more there are stands for those beyond ``most``."""
    shown, more = ", ".join(map(as_code, names[:most])), len(names) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


def _with_gap(found: re.Match[str]) -> str:
    return found[0] + _GAP


def _prose(text: str, links: bool) -> str:
    text = _ENTITY.sub(_decoded, text)
    for pattern in (_IMAGE, *(() if links else (_LINK,)), _MENTION, _NUMBER):
        text = pattern.sub(_with_gap, text)
    return text


def _decoded(entity: re.Match[str]) -> str:
    """Write an ASCII character plainly, with a gap; leave what means something in HTML."""
    character = html.unescape(entity[0])
    harmless = len(character) == 1 and "!" <= character <= "~" and character not in "<>&\"'"
    return character + _GAP if harmless else entity[0]


def _fences(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield first line, line after the last, and marker of each top-level fenced block."""
    blocks = MarkdownIt("commonmark").disable("inline")
    for token in blocks.parse(text):
        if token.type == "fence" and token.level == 0 and token.map:
            yield token.map[0], token.map[1], token.markup


def _outside(lines: list[str], fences: list[tuple[int, int, str]], links: bool) -> str:
    parts: list[str] = []
    at = 0
    for start, end, _ in fences:
        parts += [_prose("\n".join(lines[at:start]), links)] if start > at else []
        parts.append("\n".join(lines[start:end]))
        at = end
    parts += [_prose("\n".join(lines[at:]), links)] if at < len(lines) else []
    return "\n".join(parts)


def _missing_fence(lines: list[str], fences: list[tuple[int, int, str]]) -> str:
    """Return what closes an open fence at the end, so that it swallows nothing behind it."""
    if not fences or fences[-1][1] < len(lines):
        return ""
    start, end, mark = fences[-1]
    last = lines[end - 1].strip(" \t")
    closed = end - start > 1 and set(last) == {mark[0]} and len(last) >= len(mark)
    return "" if closed else f"\n{mark}"


_SURROGATE = re.compile("[\ud800-\udfff]")


def sendable(text: str) -> str:
    """Return a text that every encoding can carry: lone surrogates become U+FFFD.

    They come from file names that are not UTF-8 (PEP 383) and from escapes in answers.
    """
    return _SURROGATE.sub("\ufffd", text)


def sendable_values(value: Any) -> Any:
    """Return a value of JSON whose texts and keys are ``sendable``: it can say half a character."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, dict):
        return {sendable_values(key): sendable_values(each) for key, each in value.items()}
    return [sendable_values(each) for each in value] if isinstance(value, list) else value


def uncoloured(text: str) -> str:
    """Return the output of a tool without the codes that colour it on a terminal (ECMA-48, SGR)."""
    return _COLOUR.sub("", text)


def cut_middle(text: str, limit: int) -> str:
    """Return at most about ``limit`` characters: the beginning, a note, and the end.

    The end of a tool's output says most, so it keeps two thirds.
    """
    if len(text) <= limit:
        return text
    head = limit // 3
    tail = limit - head
    note = f"\n... {len(text) - limit} characters left out ...\n"
    return text[:head] + note + text[len(text) - tail :]


def numbered(text: str, line: int, *, around: int = 3) -> str:
    """Return the lines around ``line`` (from 1), each with its number; ``>`` marks the line."""
    lines = text.replace("\r\n", "\n").split("\n")
    line = min(max(line, 1), len(lines))
    first, last = max(line - around, 1), min(line + around, len(lines))
    return "\n".join(
        f"{'>' if at == line else ' '}{at:5} | {lines[at - 1][:300]}"
        for at in range(first, last + 1)
    )


def as_typed(command: Sequence[str]) -> str:
    """Write a command as in a configuration: one string is for the shell."""
    if tuple(command[:-1]) == ("sh", "-c"):
        return command[-1]
    return shlex.join(command)
