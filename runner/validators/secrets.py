"""Secrets that a change adds: told by line and kind, never by value.

Tests, fixtures, examples and documents are full of fakes on purpose and are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runner.findings import Complaint
from runner.masking import HIDDEN, masker
from runner.text import numbered
from runner.validators import secret_kinds
from runner.validators.added import added_lines

_MOST, _WINDOW, _OVERLAP = 10, 1_000, 200
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|fixtures?|examples?|samples?|mocks?|__tests__|__mocks__|specs?"
    r"|docs?)/|(?:^|/)(?:test_|conftest\.)|[._-](?:tests?|specs?|example|sample|template|dist)(?:\.|$)"
    r"|\.(?:md|rst|adoc)$",
    re.IGNORECASE,
)
_KEY_IS_VALUE = re.compile(r"(?:^|/)(?:\.env[^/]*|[^/]*\.(?:env|ini|cfg|conf|properties))$", re.I)
_PLACEHOLDER = re.compile(
    r"example|placeholder|change.?me|change.?this|your|x{3,}|dummy|fake|sample|todo|insert|replace"
    r"|redacted|\*{3}|\.{3}|test|foo|bar|mock|none|null|undefined|password|passwd|secret|hunter2"
    r"|default|user:|:pass|<|>|\{|\}|%\(|%s",
    re.IGNORECASE,
)
_KEY_BODY = re.compile(r"(?:\s|\\n|[\"'+,;-]|[A-Za-z-]+: .*){0,40}[A-Za-z0-9+/=]{40}")
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END|\Z)", re.DOTALL)
_WORDS = re.compile(r"[a-z]+(?:[-_. ][a-z]+)*\d?|[\w.-]+(?:/[\w.-]+)+|\w+\.\w[\w.]*", re.IGNORECASE)


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
    for at in range(0, max(len(line), 1), _WINDOW - _OVERLAP):
        window = line[at : at + _WINDOW]
        for kind, value in secret_kinds.found_in(window, unquoted=unquoted):
            if _is_secret(kind, value, window, rest):
                found.setdefault(kind, value)
    return found


def _is_secret(kind: str, value: str, line: str, rest: str) -> bool:
    if kind == "Private Key":
        _, _, body = rest.partition(value)
        return _KEY_BODY.match(body.lstrip("-")) is not None
    if _PLACEHOLDER.search(value) or secret_kinds.is_reference(value, line, kind):
        return False
    if kind == "Secret Keyword":
        return 6 <= len(value) <= 200 and not _WORDS.fullmatch(value) and _is_mixed(value)
    return len(set(value)) > 7 or kind == "Basic Auth Credentials"


def _is_mixed(value: str) -> bool:
    """Whether a value has letters and digits and no blank: sentences and names are no secrets."""
    return not re.search(r"\s|^[/.~]|:/|/\\w+/|\(", value) and bool(
        re.search(r"[A-Za-z]", value) and re.search(r"[0-9]", value)
    )


def _masked(text: str, value: str) -> str:
    """Return the text without the value; no line moves."""
    hidden = _KEY_BLOCK.sub(lambda found: HIDDEN + "\n" * found[0].count("\n"), text)
    return "\n".join(masker((value,))(line) for line in hidden.replace(value, HIDDEN).split("\n"))
