"""Placeholders somebody was to fill in: a file with several is a template, not a roadmap."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runner.roadmap.kinds import Box

_SEVERAL = 2
_SHARE = 0.2
_READ = 500
"""Characters of a text that are looked at."""

_CODE = re.compile(r"`[^`]*`")
_BEFORE = re.compile(
    r"[\W_]{0,4}(?:[A-Z]{0,8}-?\d{1,4}(?:[.-]\d{1,4})*[.:)]?\s+)?[*_]{0,2}(?=[\[{<])"
)
_BRACES = r"\{\{[^{}\n]{0,80}\}\}|\$\{[^{}\n]{1,80}\}"
_ANGLES = (
    r"(?<![\w`<])<(?!/|(?:a|b|i|u|p|br|hr|em|div|img|sub|sup|kbd|del|ins|code|span|link|meta|html|"
    r"head|body|form|input|button|table|t[rdh]|ul|ol|li|h[1-6]|pre|svg|video|audio|canvas|iframe|"
    r"script|style|strong|small|mark|details|summary|label|select|option|nav|main|section|template|"
    r"slot|title|dialog|textarea|header|footer|article|aside|figure|picture|source)\b)"
    r"[a-zA-Z][\w -]{1,40}>"
)
_BRACKETS = r"\[[A-Za-z][^\[\]\n]{1,80}\](?![\[(:])"
_WORD = (
    r"(?:task|name|description|title|feature|entity|component|placeholder|endpoint|service|model|path|file|"
    r"date|criterion|criteria|goal|metric|your|insert|describe|specific)"
)
_NAMED = (
    rf"(?<=\s)\[(?:{_WORD}\d*|(?=[^\[\]]*\b{_WORD}\b)[A-Za-z][^\[\]\n]* [^\[\]\n]*)\](?![\[(:])"
)
_ANYWHERE = re.compile(f"{_BRACES}|{_ANGLES}|{_NAMED}", re.IGNORECASE)
_WHOLE = re.compile(rf"(?:(?:{_BRACES}|{_ANGLES}|{_BRACKETS})[\s:.,*_-]*)+", re.IGNORECASE)


def templates(boxes: Sequence[Box]) -> tuple[set[int], bool]:
    """Return (numbers of the boxes that are placeholders, whether the file is a template).

    A bracket in front of other words is more often a category ("[Backend] Add a login"), so it
    counts only when it is all there is, or says what to put in its place.
    """
    texts = [box.item.text for box in boxes]
    whole = {n for n, text in enumerate(texts) if _is_whole(text)}
    asked = whole | {n for n, text in enumerate(texts) if _has_one(text)}
    several = len(asked) >= _SEVERAL and len(asked) >= _SHARE * len(boxes)
    return (set(range(len(boxes))) if several else whole), several


def _is_whole(text: str) -> bool:
    text = text[:_READ]
    before = _BEFORE.match(text)
    return before is not None and _WHOLE.fullmatch(text, before.end()) is not None


def _has_one(text: str) -> bool:
    if not any(mark in text for mark in "{[<"):
        return False
    return _ANYWHERE.search(_CODE.sub("", text[:_READ])) is not None
