"""Cut and show texts for people and models."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

_SURROGATE = re.compile("[\ud800-\udfff]")


def sendable(text: str) -> str:
    """Return a text that every encoding can carry: lone surrogates become U+FFFD.

    They come from file names that are not UTF-8 (PEP 383) and from escapes in answers.
    """
    return _SURROGATE.sub("\ufffd", text)


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
    """Write a command as it stands in a configuration: one string is for the shell."""
    if tuple(command[:-1]) == ("sh", "-c"):
        return command[-1]
    return shlex.join(command)
