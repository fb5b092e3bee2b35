"""Label lines above lists ("**Tasks**:", "Done when:") and what they make of the list."""
# ruff: noqa: RUF001 (the marks of other languages are meant)

from __future__ import annotations

import re
from functools import lru_cache

from runner.roadmap.marks import plain_dashes, without_marks
from runner.roadmap.words import CHECKS, CHECKS_CJK, FILES, PHASES, STATUSES, WORK

MOST = 120
"""Characters of a line that may be a label."""
_EMPHASIS = re.compile(r"\*\*|__")
_COLONS = ":："
_REMARK = re.compile(r"\s*[(（][^()（）]{0,80}[)）]\Z")
_NUMBER = re.compile(r"(?:\d{1,4}(?:\.\d{1,4})*[.:)]?\s+)")
_BEFORE = re.compile(
    rf"(?:(?:{'|'.join(map(re.escape, PHASES))})\s*\d[\d.]*[:\s-]*|(?:overall|final|key|minimum"
    r"|project|release|mvp|general|user|functional|technical|global|task|feature)\s+)",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s+(?:for|of|checklist|list|steps|points|items|-)(?:\s.*)?\Z")
_NOUNS = {"verification", "verify", "acceptance", "checkpoint", "checkpoints"}
"""Of these alone there can be work as well: "Verification of addresses"."""
_LISTED = re.compile(r"\s(?:for|of)\s")
_BOLD_KEY = re.compile(r"\s{0,9}(?:\*\*|__)[^*_\n]{1,80}(?:(?:\*\*|__)\s?[:：]|[:：](?:\*\*|__))")
_KEY = re.compile(r"(?P<key>[^:：\n]{2,60})[:：](?:\*\*|__)?\s*(?P<value>\S.*)\Z", re.DOTALL)


def label(paragraph: str) -> str:
    """Return the label a paragraph ends with, without marks and colon; '' when it is prose."""
    line = paragraph.rsplit("\n", 1)[-1].strip()
    if not line or len(line) > MOST:
        return ""
    bare = line.strip("*_ ")
    bold = line.startswith(("**", "__")) and line.rstrip(_COLONS).endswith(("**", "__"))
    if bold or bare.endswith(tuple(_COLONS)) or is_checks(bare) or plain(bare) in WORK:
        return without_marks(_EMPHASIS.sub("", bare)).rstrip(_COLONS + " ")
    return ""


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Reduce a label or heading to its words: no marks, number, colon, remark or capitals."""
    text = plain_dashes(without_marks(text[: 2 * MOST])).rstrip(_COLONS + "*_ ")
    text = _REMARK.sub("", text).rstrip(_COLONS + "*_ ")
    text = text[number.end() :] if (number := _NUMBER.match(text)) else text
    return " ".join(text.casefold().split())


@lru_cache(maxsize=4096)
def is_checks(text: str) -> bool:
    """Say whether a label or heading introduces checks, not tasks."""
    words = plain(text)
    if not words or len(words) > MOST:
        return False
    if words in CHECKS or (len(words) <= 16 and any(phrase in words for phrase in CHECKS_CJK)):
        return True
    before = _BEFORE.match(words)
    words = words[before.end() :] if before else words
    head = _AFTER.sub("", words)
    if before and before[0].rstrip().endswith((":", "-")) and head in _NOUNS:
        return False  # "Phase 2: Verification" is a phase
    return words in CHECKS or (
        head in CHECKS and (head not in _NOUNS or _LISTED.search(words) is None)
    )


def is_work(text: str) -> bool:
    """Say whether a label or heading introduces tasks ("Tasks", "Steps")."""
    words = plain(text)
    before = _BEFORE.match(words)
    return words in WORK or (before is not None and words[before.end() :] in WORK)


def is_files(text: str) -> bool:
    """Say whether a label or heading introduces a list of files."""
    return plain(text) in FILES


def is_status(text: str) -> bool:
    """Say whether a heading is the name of a status ("✅ Completed", "In Progress")."""
    words = plain(text)
    head = re.split(r"\s*[-:/&|,]\s+|\s+(?:tasks|items|features|work)\b", words, maxsplit=1)[0]
    return words in STATUSES or head in STATUSES


def criteria(paragraph: str) -> list[str]:
    """Return the values of lines "Acceptance: it returns 0"; each goes on to the next key line."""
    if not any(colon in paragraph for colon in _COLONS):
        return []
    found: list[str] = []
    inside = False
    for line in paragraph.split("\n"):
        key = _KEY.match(line[: 4 * MOST].lstrip("-*+_ \t"))
        if key and is_checks(key["key"]):
            found.append(key["value"].strip("*_ "))
            inside = True
        elif is_key_line(line):
            inside = False
        elif inside and len(found[-1]) < 4 * MOST:
            found[-1] += f" {line.strip()}"
    return found


def is_key_line(line: str) -> bool:
    """Say whether a line begins with a key in bold ("**Effort**: 2 hours")."""
    return _BOLD_KEY.match(line) is not None
