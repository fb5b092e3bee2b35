"""Text is UTF-8 without null bytes."""

from __future__ import annotations

import re

from runner.findings import Complaint

_PYTHON_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")


def check(path: str, content: bytes) -> Complaint | None:
    """Return what is wrong with a file's encoding, or None (Python may declare another)."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        if path.endswith(".py") and any(_PYTHON_COOKIE.match(b) for b in content.split(b"\n")[:2]):
            return None
        return _complaint(path, content, error.start, "is not valid UTF-8")
    if b"\0" in content:
        return _complaint(path, content, content.index(b"\0"), "is a null byte")
    return None


def _complaint(path: str, content: bytes, at: int, what: str) -> Complaint:
    before = content[:at]
    line, start = before.count(b"\n") + 1, before.rfind(b"\n") + 1
    column = len(before[start:].decode("utf-8", "replace")) + 1
    message = f"Byte 0x{content[at]:02x} {what}. Write the file as UTF-8 text."
    return Complaint(path, "EncodingError", message, line, column)
