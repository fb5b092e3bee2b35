"""Repairs of Python statements: Python 2's print, entities, prose between the lines."""

from __future__ import annotations

import html
import re

from runner.findings import Complaint
from runner.validators.stumbling import line_by_line

_PRINT = re.compile(r"(?P<blanks>\s*)print\s+(?P<what>[^\s(>=.,+\-*/%&|^].*[^,\s])\s*")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#39|#x27|#34);")
_SENTENCE = re.compile(r"[A-Z][a-z]*(?: [\w'`\"(),./-]+){3,}[.:!]\s*")
# a sentence that stands for code: without the code the file would not be whole
_STANDS_FOR_CODE = re.compile(
    r"\b(?:rest|remain\w*|unchanged|same|omitted|existing|previous\w*|before|above|similar\w*|other"
    r"|here|etc|goes|continue\w*)\b|\.\.\.",
    re.IGNORECASE,
)


def call_print(path: str, text: str) -> str | None:
    """Put Python 2's print statement into a call; ``>>`` and a comma at the end are not guessed."""

    def mend(line: str, said: Complaint) -> str | None:
        found = _PRINT.fullmatch(line)
        if not found or not said.message.startswith("Missing parentheses in call to 'print'"):
            return None
        return None if "#" in line else f"{found['blanks']}print({found['what']})"

    return line_by_line(path, text, mend)


def unescape(path: str, text: str) -> str | None:
    """Put characters for HTML entities on the lines the compiler stumbles over."""
    return line_by_line(
        path, text, lambda line, _said: html.unescape(line) if _ENTITY.search(line) else None
    )


def comment_prose(path: str, text: str) -> str | None:
    """Make a comment of a sentence between the lines; not of one that stands for code."""

    def mend(line: str, _said: Complaint) -> str | None:
        body = line.lstrip()
        if not _SENTENCE.fullmatch(body) or _STANDS_FOR_CODE.search(body):
            return None
        return f"{line[: len(line) - len(body)]}# {body}"

    return line_by_line(path, text, mend)
