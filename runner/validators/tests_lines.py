"""What the tests of other languages than Python check, read line by line.

No grammar knows what a runner takes for a test, but the words are few and the same everywhere: a
title, an assertion, a mark that skips. What is lost of them between two versions of a file counts.
"""

from __future__ import annotations

import re
from collections import Counter

_COMMENT = re.compile(r"/\*.*?\*/|^\s*(?://|#(?!\[)).*?$", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(
    r"""\b(?:test|it|describe|context|specify)(?:\.\w+)*\s*\(?\s*(["'`])(?P<said>.+?)\1"""
    r"|\bfunc\s+(?P<go>(?:Test|Fuzz|Example)\w*)|\b(?:def|fn|fun|void|function)\s+(?P<name>\w+)\s*\("
)
_CHECK = re.compile(
    r"\bassert\w*\b|\bexpect\w*\b|\brequire\.\w+\(|\bshould\b|\bmust_\w+|\bt\.(?:Error|Fatal|Fail)|\$this->"
)
_SKIP = re.compile(
    r"\b(?:test|it|describe|context)\.(?:skip|todo|only|fixme|failing)\b|\bskip\s*:|\btodo\s*:"
    r"|\bx(?:it|test|describe|context|specify)\b|\bt\.Skip\w*|@(?:Disabled|Ignore)\b|#\[ignore"
    r"|\bmarkTest(?:Skipped|Incomplete)\b|\bpending\b|^\s*skip\b|\bprocess\.exit\b|\bos\.Exit\b",
    re.MULTILINE,
)
_ALWAYS_TRUE = re.compile(
    r"\b(?:assert(?:True|_true|\.ok|\.isTrue)?!?|expect)\s*\(?\s*(?:true|1|!0)\s*\)?(?:\s*;|\s*$|\.to\b|\.toBe)"
    r"|\b(?:assert\w*|assert_eq!)\s*\(?\s*(\d+|\"[^\"]*\"|true)\s*,\s*\1\s*\)"
)


def lost(old: bytes, new: bytes, *, checks: bool) -> str:
    """Say what a test file loses ('' for nothing): tests, runs of them, with ``checks`` assertions.

    What moves or is indented otherwise is not lost.
    """
    before, after = _plain(old), _plain(new)
    titles, skips = _counted(_TITLE, before), _counted(_SKIP, after)
    if gone := titles - _counted(_TITLE, after):
        return f"would lose the test `{min(gone)}`"
    if new_skips := skips - _counted(_SKIP, before):
        return f"would skip tests ({min(new_skips).strip()})"
    if checks and (gone := _checks(before) - _checks(after)):
        return f"would lose the check `{min(gone)}`"
    return ""


def fewer(old: bytes, new: bytes) -> str:
    """Say that a file asserts less often than before, not counting what is always true."""
    before, after = (
        [line for line in _checks(_plain(text)).elements() if not _ALWAYS_TRUE.search(line)]
        for text in (old, new)
    )
    if len(after) < len(before):
        return f"would have {len(after)} assertions instead of {len(before)}"
    return ""


def _plain(content: bytes) -> str:
    return _COMMENT.sub("", content.decode("utf-8", "replace"))


def _counted(pattern: re.Pattern[str], text: str) -> Counter[str]:
    return Counter(
        next((name for name in found.groupdict().values() if name), found[0])
        for found in pattern.finditer(text)
    )


def _checks(text: str) -> Counter[str]:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return Counter(line for line in lines if _CHECK.search(line))
