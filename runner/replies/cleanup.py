"""Undo what models do to a text: thinking aloud, escapes, line numbers, plus marks.

Every function leaves a text alone unless *all* of it shows the mark.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from runner.python_tree import python_tree
from runner.replies.fences import is_fence

_THINK = re.compile(r"^\s*<(think|thinking|thought|reasoning|scratchpad)>", re.IGNORECASE)
_THINK_END = re.compile(r"^(.*?)</(?:think|thinking|thought|reasoning|scratchpad)>", re.I)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#39|#x27|#34);")
_STRING = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_NUMBERED = re.compile(r"^ {0,6}(\d{1,6})(?:\s*[|:│]|[.)](?=\s|$)|(?=\s|$))(.*)$")
_NO_NUMBERS = (".md", ".mdx", ".txt", ".rst", ".csv", ".tsv")
_MARKUP = (".html", ".htm", ".xml", ".svg", ".md", ".mdx", ".vue", ".jsx", ".tsx")


def clean_answer(text: str) -> str:
    """Drop byte-order mark, carriage returns and thinking; the line numbers stay as they were."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return drop_thinking(text)


def drop_thinking(text: str) -> str:
    """Blank the lines of ``<think>`` sections outside fences; one never closed runs to the end."""
    lines = text.split("\n")
    at, inside = _end_of_orphan(lines), False
    lines[:at] = [""] * at
    while at < len(lines):
        if not inside and _THINK.match(lines[at]):
            at = _blank_thinking(lines, at)
            continue
        inside ^= is_fence(lines[at])
        at += 1
    return "\n".join(lines)


def _end_of_orphan(lines: list[str]) -> int:
    """Return how many lines belong to thinking whose opening tag the server swallowed."""
    for at, line in enumerate(lines):
        if _THINK.match(line):
            return 0
        if line.strip().lower() in {"</think>", "</thinking>"}:
            return at + 1
    return 0


def _blank_thinking(lines: list[str], start: int) -> int:
    """Blank one thinking section in place; return the index of the line after it."""
    for at in range(start, len(lines)):
        end = _THINK_END.match(lines[at])
        if end:
            lines[at] = lines[at][end.end() :]
            return at
        lines[at] = ""
    return len(lines)


def clean_block(lines: Sequence[str], path: str) -> tuple[list[str], list[str]]:
    """Return the lines of one whole file without marks, and what was taken off."""
    notes, now = [], list(lines)
    for step, what in _STEPS:
        after = step(now, path)
        if after != now:
            notes.append(f"{path}: {what}")
            now = after
    return now, notes


def unescape_entities(lines: list[str], path: str) -> list[str]:
    """Undo HTML escapes when the file shows them in place of the characters."""
    text = "\n".join(lines)
    if not _ENTITY.search(_STRING.sub("", text)) or "<" in text or ">" in text:
        return lines
    if path.endswith(_MARKUP) and "&lt;" not in text:
        return lines
    return html.unescape(text).split("\n")


def drop_line_numbers(lines: list[str], path: str) -> list[str]:
    """Drop line numbers when every line has one and they count up by one."""
    found = [_NUMBERED.match(line) for line in _without_blank_tail(lines)]
    if len(found) < 2 or path.endswith(_NO_NUMBERS):
        return lines
    numbers = [int(match[1]) for match in found if match]
    if len(numbers) != len(found) or numbers != list(range(numbers[0], numbers[0] + len(found))):
        return lines
    return _outdent([match[2] for match in found if match])


def drop_plus_marks(lines: list[str], path: str) -> list[str]:
    """Drop the ``+`` of a diff when every line has it."""
    body = [line for line in lines if line.strip()]
    if len(body) < 2 or path.endswith(_NO_NUMBERS) or not all(line[0] == "+" for line in body):
        return lines
    return [line[1:] for line in lines]


def unescape_newlines(text: str, path: str) -> str:
    r"""Undo a double escape: no line break at all, but ``\n`` where the breaks should be."""
    if "\n" in text.strip() or "\\n" not in text:
        return text
    if path.endswith(".py") and _parses(text):
        return text
    pairs = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'", "\\\\": "\\"}
    return re.sub(r"\\[nt\"'\\]", lambda found: pairs[found[0]], text)


def _parses(text: str) -> bool:
    try:
        python_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _without_blank_tail(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _outdent(lines: list[str]) -> list[str]:
    """Take off the blanks that all lines share (they stood between number and code)."""
    body = [line for line in lines if line.strip()]
    shared = min((len(line) - len(line.lstrip(" \t")) for line in body), default=0)
    return [line[shared:] for line in lines]


_STEPS = (
    (drop_plus_marks, "took off a + before every line"),
    (drop_line_numbers, "took off line numbers"),
    (unescape_entities, "put HTML entities back into characters"),
)
