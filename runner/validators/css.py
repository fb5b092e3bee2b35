"""CSS, with its two commonest slips; new syntax (readers skip what they do not know) is let be.

https://www.w3.org/TR/css-syntax-3/#error-handling
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runner.findings import Complaint
from runner.validators.grammar_place import Place, complaint
from runner.validators.grammars import CSS, checked, line_at

_SKIPPED = re.compile(
    rb"/\*(?:.*?\*/|(?P<comment>.*))|(?P<text>\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?)"
    rb"|url\(\s*[^\"'\s)][^)\n]*\)|(?P<mark>[{}])",
    re.DOTALL,
)
_DECLARATION = rb"[ \t]*[-\w]+[ \t]*:[ \t]*[^:;{}()\"']+"
_NO_SEMICOLON = re.compile(rb"^%s\n%s;?[ \t\r]*$" % (_DECLARATION, _DECLARATION), re.MULTILINE)
_NO_COLON = re.compile(rb"[ \t]*[-a-z]+[ \t]+[^:;{}@()]+;[ \t\r]*")


def check(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a style sheet, or None."""
    if len(content) > CSS.largest:
        return None
    place = next(_unbalanced(content), None)
    return complaint(path, content, place) if place else checked(path, content, CSS, _plausible)


def _unbalanced(content: bytes) -> Iterator[Place]:
    """Yield where a block, text or comment is opened or closed that has no other end."""
    opened: list[int] = []
    for found in _SKIPPED.finditer(content):
        if found["comment"] is not None:
            yield Place(found.start(), "the comment that begins here is never closed")
        elif found["text"] and (len(found[0]) == 1 or found[0][-1:] != found[0][:1]):
            yield Place(found.start(), "the text that begins here is never closed")
        elif found["mark"] == b"{":
            opened.append(found.start())
        elif found["mark"] and not opened:
            yield Place(found.start(), "unexpected '}'")
        elif found["mark"]:
            opened.pop()
    if opened:
        line = content.count(b"\n", 0, opened[-1]) + 1
        yield Place(len(content.rstrip()), f"unexpected end of file: '{{' of line {line} is open")


def _plausible(content: bytes, offset: int) -> bool:
    line, two = line_at(content, offset), line_at(content, offset, before=1)
    return bool(_NO_COLON.fullmatch(line) or _NO_SEMICOLON.search(two))
