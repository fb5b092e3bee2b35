"""Written ids of tasks (1.1, "Phase 1", "Task 3", ABC-12, 01-02, T001, #12) and titles without."""
# ruff: noqa: RUF001 (the marks of other languages are meant)

from __future__ import annotations

import re

from runner.roadmap.marks import plain_dashes, without_marks
from runner.roadmap.words import PHASES, TASKS

_WORDS = "|".join(sorted(map(re.escape, {*PHASES, *TASKS}), key=len)[::-1])
_ID = re.compile(
    rf"""[\[(]?(?:
      (?P<word>(?:{_WORDS})[ ]?[-\#]?\d{{1,4}}(?:[.-]\d{{1,4}})*(?!\w))
    | (?P<code>[A-Z]{{1,8}}\d{{1,6}}(?:[.-]\d{{1,6}})*(?-i:[a-h])?(?![\w-])
              |[A-Z][A-Z0-9]{{0,9}}(?:-[A-Z0-9]{{1,10}}){{0,3}}-[A-Z]{{0,8}}\d{{1,8}}(?:\.\d{{1,4}})*(?![\w-]))
    | (?P<dotted>\d{{1,4}}(?:\.\d{{1,4}})+[a-h]?(?!\w))
    | (?P<plan>0\d-\d{{1,4}}(?:\.\d{{1,2}})*|\d{{1,3}}-\d{{1,4}}(?=[\])]?[:：]))
    | (?P<hash>\#\d{{1,9}}(?!\w))
    | (?P<bare>\d{{1,4}}(?=[.):]\s|[、：．）]))
    )[\])]?(?P<end>[.:)]*(?:\s+[-|]+(?=\s)|\s*\Z|(?=\s))|[：、，．）])""",
    re.VERBOSE | re.IGNORECASE,
)
_TAGS = re.compile(r"(?:\[(?:P\d?|US\d+)\]\s*)+")
_REMARK = re.compile(r"[(\[][^()\[\]]*[)\]]|(?:^|\s)[-→>]+\s.*\Z", re.DOTALL)
_BOLD = re.compile(r"(?:\*\*|__)[^*_\n]{1,40}(?:\*\*|__)")
_NO_CODES = re.compile(
    r"(?:P[0-4]|H[1-6]|S3|EC2|MP[34]|ES\d+|HTTP/?\d|V\d+|OAUTH2|IPV\d|UTF\d*|R2|K8|X\d+"
    r"|(?:UTF|SHA|ISO|RFC|AES|GPT|HTTP|PEP|ES|TLS|CVE|MD|X|Q|COVID|AGPL|GPL|BSD)-[\d.-]+)\Z",
    re.IGNORECASE,
)


def split(shown: str, raw: str) -> tuple[str | None, str]:
    """Return the written id and the title of a text: what is shown, without id and marks."""
    text = plain_dashes(without_marks(shown))
    match = _ID.match(text)
    if match is None or not _is_id(match, raw):
        return None, _title(without_marks(shown)) or shown
    return _written(match), _title(text[match.end() :]) or text


def gone(kept: str) -> bool:
    """Say whether what is left of a struck text is no more than its id and a remark on it."""
    rest = _REMARK.sub("", plain_dashes(without_marks(kept))).strip()
    return not re.search(r"\w", rest) or _ID.fullmatch(rest) is not None


def _written(match: re.Match[str]) -> str:
    return next(found for name, found in match.groupdict().items() if found and name != "end")


def _is_id(match: re.Match[str], raw: str) -> bool:
    """A code is in capitals and no usual name; a worded number stands apart from the rest."""
    if code := match["code"]:
        return code.rstrip("abcdefgh") in code.upper() and not _NO_CODES.match(code)
    if match["word"]:
        whole = match.end() == len(match.string)
        return whole or bool(match["end"]) or _stands_apart(match["word"], raw)
    return True


def _stands_apart(word: str, raw: str) -> bool:
    bold = _BOLD.match(raw.lstrip())
    return bold is not None and bold[0].strip("*_: ") == word


def _title(text: str) -> str:
    text = without_marks(text.lstrip(" \t-|：、"))
    tags = _TAGS.match(text)
    return without_marks(text[tags.end() :]) if tags else text
