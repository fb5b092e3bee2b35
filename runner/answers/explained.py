"""What a model says about its own answer, beside the files: a few sentences for a reviewer."""

from __future__ import annotations

import re
from collections.abc import Iterable

from runner.answers.fences import Outline
from runner.text.sanitize import cut_middle

MOST_SENTENCES, LONGEST = 3, 600
_FEWEST_WORDS = 4

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*_\"'])")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_INTRODUCES = re.compile(r"(?i)(?:here(?:'s| is| are)|below (?:is|are)|the following)\b")
_NOT_PROSE = re.compile(
    r"^\s*(?:#{1,6}\s|DELETE\b|READ\b|SEARCH\b|LIST\b|<{3,}|>{3,}|={3,}|[{}\[\]<|@$]|diff --git)"
)


def explanation(parts: Outline) -> str:
    """Return what stands before the first file, else after the last one: '' where that is nothing.

    What only introduces a file ("Here is the code:") says nothing, and neither do headings.
    It is foreign text on one line, of at most ``MOST_SENTENCES`` and ``LONGEST`` characters.
    """
    if not parts.blocks:
        return ""
    first, last = parts.blocks[0].line, parts.blocks[-1].line
    before = [text for line, text in parts.prose if line < first]
    after = [text for line, text in parts.prose if line > last]
    return _sentences(before) or _sentences(after)


def _sentences(lines: Iterable[str]) -> str:
    prose = " ".join(_ended(line) for line in lines if _is_prose(line))
    found = [
        sentence
        for sentence in _SENTENCE_END.split(prose)
        if len(_WORD.findall(sentence)) >= _FEWEST_WORDS and not _INTRODUCES.match(sentence)
    ]
    return cut_middle(" ".join(found[:MOST_SENTENCES]), LONGEST).replace("\n", " ")


def _is_prose(line: str) -> bool:
    """Whether a line is a sentence or a part of one; a path alone is not."""
    text = line.strip()
    says = text.endswith((".", "!", "?")) or len(_WORD.findall(text)) >= _FEWEST_WORDS
    return says and not text.endswith(":") and not _NOT_PROSE.match(line)


def _ended(line: str) -> str:
    """A line of prose; an item of a list is a sentence of its own."""
    text = _ITEM.sub("", line).strip()
    return text if text == line.strip() or text.endswith((".", "!", "?")) else f"{text}."
