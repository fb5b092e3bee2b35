"""Secrets that a change adds: told by line and kind, never by value.

Tests, fixtures, examples and documents are full of fakes on purpose and are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runner import secret_kinds
from runner.findings import Complaint
from runner.masking import HIDDEN, Mask
from runner.text import numbered
from runner.validators.added import added_lines

_MOST = 10
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|fixtures?|examples?|samples?|mocks?|__tests__|__mocks__|specs?"
    r"|docs?)/|(?:^|/)(?:test_|conftest\.)|[._-](?:tests?|specs?|example|sample|template|dist)(?:\.|$)"
    r"|\.(?:md|rst|adoc)$",
    re.IGNORECASE,
)
_KEY_IS_VALUE = re.compile(r"(?:^|/)(?:\.env[^/]*|[^/]*\.(?:env|ini|cfg|conf|properties))$", re.I)
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END|\Z)", re.DOTALL)


def check(path: str, content: bytes, old: bytes | None) -> Iterator[Complaint]:
    """Yield the secrets in those lines of ``content`` that ``old`` has not (at most ten)."""
    text = content.decode("utf-8", "replace")
    if _TESTS.search(path) or not secret_kinds.has_trigger(text):
        return
    told = 0
    for number, line, start in _added(text, (old or b"").decode("utf-8", "replace")):
        kinds = _kinds(path, line, text[start : start + len(line) + 400])
        for kind, value in kinds.items():
            shown = _masked(text, value)
            message = f"Line {number} adds what looks like a secret ({kind}). Read it from the "
            message += "environment or from a secret store; a value for tests says that it is fake."
            yield Complaint(path, "Secret", message, number, None, numbered(shown, number))
            told += 1
        if told >= _MOST:
            return


def _added(text: str, old: str) -> Iterator[tuple[int, str, int]]:
    """Yield number, text and offset of the lines that are new and worth a look."""
    new, start = added_lines(text, old), 0
    for number, line in enumerate(text.split("\n"), 1):
        if number in new and secret_kinds.has_trigger(line):
            yield number, line, start
        start += len(line) + 1


def _kinds(path: str, line: str, rest: str) -> dict[str, str]:
    """Return the kinds of secrets in a line with a value of each."""
    found: dict[str, str] = {}
    unquoted = _KEY_IS_VALUE.search(path) is not None
    for kind, value in secret_kinds.secrets_in(line, rest=rest, unquoted=unquoted):
        found.setdefault(kind, value)
    return found


def _masked(text: str, value: str) -> str:
    """Return the text without the value; no line moves."""
    hidden = _KEY_BLOCK.sub(lambda found: HIDDEN + "\n" * found[0].count("\n"), text)
    return "\n".join(Mask((value,))(line) for line in hidden.replace(value, HIDDEN).split("\n"))
