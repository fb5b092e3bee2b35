"""Say which labels and headings introduce checks of work: "Acceptance criteria", "Done when"."""

from __future__ import annotations

import re
from functools import lru_cache

from runner.roadmap.source import plain_dashes, without_marks
from runner.roadmap.words import WORDS, any_of, folded, longest
from runner.text.patterns import lazy_pattern

# ruff: noqa: RUF001 (the marks of other languages are meant)


MOST = 120
"""Characters of a line that may be a label."""
COLONS = ":："
_LABEL_REMARK = lazy_pattern(r"\s*[(（][^()（）]{0,80}[)）]\Z")
_NUMBER = lazy_pattern(r"(?:\d{1,4}(?:\.\d{1,4})*[.:)]?\s+)")
_PHASE = rf"(?:{longest(WORDS['phases'])})\s*\d[\d.]*[:\s-]*"
BEFORE = lazy_pattern(
    rf"(?:{_PHASE}|(?:overall|final|key|minimum"
    r"|project|release|mvp|general|user|functional|technical|global|task|feature)\s+)",
    re.IGNORECASE,
)
"""Words before a label that leave it what it is."""
_AFTER = lazy_pattern(r"\s+(?:for|of|checklist|list|steps|points|items|-)(?:\s.*)?\Z")
_NOUNS = {"verification", "verify", "acceptance", "checkpoint", "checkpoints"}
"""Of these alone there can be work as well: "Verification of addresses"."""
_LISTED = lazy_pattern(r"\s(?:for|of)\s")
_BARE_PHASE = lazy_pattern(rf"(?:{_PHASE}|mvp\s*|v\d[\d.]*\s*)(?P<success>success)?\Z")
_TASK_SUCCESS = lazy_pattern(r"(?:(?:task|step|story|feature)\s*\d[\d.]*|overall|full)\s+success\Z")


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Reduce a label or heading to its words: no marks, number, colon, remark or capitals."""
    text = plain_dashes(without_marks(text[: 2 * MOST])).rstrip(COLONS + "*_ ")
    text = _LABEL_REMARK.sub("", text).rstrip(COLONS + "*_ ")
    text = text[found.end() :] if (found := _NUMBER.match(text)) else text
    return " ".join(text.casefold().split())


_FOLDED = frozenset(map(folded, WORDS["checks"]))
_ALWAYS = longest(map(folded, WORDS["checks"] - WORDS["not_always_checks"]))
_TAIL = (
    r"\Z|\s*[-:,;/&+(]|\s+(?:v?\d|[a-z]\d|#)"
    r"|\s+(?:and|or|for|of|from|by|in|to|per|checklist|list|steps|points|items|mvp|version|release"
    r"|global|globale|globales|globais|general|generales|generale|overall"
    r"|und|fur|der|des|von|et|pour|de|du|da|do|dos|das|del|della|di|y|e|para|por|per|en|och|voor"
    rf"|van|dla|и|для|по|{longest(map(folded, WORDS['phases']))})\b"
)
_SOMEWHERE = lazy_pattern(rf"(?:(?P<first>\S+)\s+(?:\S+\s+){{0,3}})?(?P<name>{_ALWAYS})(?:{_TAIL})")
_SET_UP = frozenset(map(folded, WORDS["set_up_checks"]))
_VERIFYING = lazy_pattern(
    rf"\S+\s+\S.*[\s,](?:{any_of('also', fold=True)})\s+(?:{any_of('verifying', fold=True)})\Z"
)


_LIST = r"check-?list[enas]{0,2}"
_GONE_THROUGH = lazy_pattern(
    rf"{_LIST} (?:per|for (?:each|every|all)|before (?:each|every))"
    r" (?:pr|mr|(?:pull|merge)[ -]request|merge|commit|push|change|task|ticket)s?\Z"
    r"|(?<!\S)(?:pr|mr|(?:pull|merge)[ -]request|pre-?merge|pre-?commit|code review)"
    rf" {_LIST}\Z"
    r"|\A(?:daily|nightly|weekly|monthly|quarterly|regular|periodic)"
    rf" (?:checks|{_LIST})\Z"
    rf"|(?<!\S)(?:(?:test|testing|qa) {_LIST}|{_LIST} for (?:manual )?test(?:s|ing))\Z"
)
"""A list that is gone through again each time, or that tries out what was made: nothing to make."""


@lru_cache(maxsize=4096)
def is_checks(text: str) -> bool:
    """Say whether a label or heading introduces checks, not tasks."""
    words = plain(text)
    if not words or len(words) > MOST:
        return False
    if len(words) <= _SHORT_CJK and _CJK.search(words):
        return True
    words = folded(words)
    bare = _BARE_PHASE.match(words)
    success = bool(bare and bare["success"]) or _TASK_SUCCESS.match(words) is not None
    if words in _FOLDED or success or _with_more(words) or _are_criteria(words):
        return True
    apart = words.split(" ")  # "Write the checklist" is work
    if "check" not in words or len(apart) > 7 or apart[0] in _SET_UP:
        return False
    return _GONE_THROUGH.search(words) is not None


_CJK = lazy_pattern(
    rf"(?:{any_of('checks_cjk')}|{any_of('reached_cjk')}(?: |の)?{any_of('criteria_cjk')})\W*"
    rf"(?:(?:{any_of('criteria_cjk')}|チェックリスト|リスト|一覧|列表|리스트)\W*)?(?:[\d.]+\W*)?\Z"
)
"""At the end of a label: inside one they are a part of what is made."""
_SHORT_CJK = 16
_NO_WORD = lazy_pattern(r"[\W_]+\Z")
_CRITERIA = lazy_pattern(
    rf"\S+(?: \S+){{0,2}} (?:{any_of('criteria_last')})\Z|\S+(?:kriterien|kriterier)\Z"
    rf"|(?:{any_of('criteria_first', fold=True)})(?:\s|\Z)"
)
_MOST_WORDS = 6
_CHOSEN_BY = frozenset(map(folded, WORDS["chosen_by"]))


def _are_criteria(words: str) -> bool:
    """Say whether a short label is of criteria: "Launch criteria", not "Define the criteria"."""
    apart = words.split(" ")
    return (
        len(apart) <= _MOST_WORDS
        and apart[0] not in _SET_UP
        and _CHOSEN_BY.isdisjoint(apart)
        and not any(word.endswith(":") for word in apart)  # "Phase 2: sorting by criteria"
        and _CRITERIA.match(words) is not None
    )


def _with_more(words: str) -> bool:
    """Say whether words name checks besides a phase before them, what they are for, a version."""
    if _AFTER.sub("", words) in _FOLDED - _NOUNS:  # "Release gates checklist"
        return True
    before = BEFORE.match(words)
    rest = words[before.end() :] if before else words
    head = _AFTER.sub("", rest)
    if before and before[0].rstrip().endswith((":", "-")) and head in _NOUNS:
        return False  # "Phase 2: Verification" is a phase
    if rest in _FOLDED or (
        head in _FOLDED and (head not in _NOUNS or _LISTED.search(rest) is None)
    ):
        return True
    found = _SOMEWHERE.match(rest)
    if found is None or found["first"] in _SET_UP:
        return False
    # "Login: acceptance criteria" are checks, "Login: acceptance criteria and limits" a feature
    return ":" not in rest[: found.start("name")] or found.end("name") == len(rest)


@lru_cache(maxsize=4096)
def are_wishes(text: str) -> bool:
    """Say whether a heading only names what would be nice to have."""
    return _NO_WORD.sub("", plain(text)) in WORDS["optional"]


@lru_cache(maxsize=4096)
def labels_checks(label: str) -> bool:
    """Say whether a label introduces checks; it may be a sentence: "Build it and verify"."""
    words = plain(label)
    return is_checks(label) or (len(words) <= MOST and _VERIFYING.match(folded(words)) is not None)


_SAYS = lazy_pattern(
    rf"(?:manually\s+)?(?:{any_of('checking', fold=True)})(?:\s*[:：]|,?\s+(?:{any_of('that')}))"
    r"|manually (?:verify|confirm|check)\b|check-?point(?:\s*#?\d[\d.]*)?\s*[:：]"
    r"|(?:test|validate) that\s"
    r"|\S{0,6}(?:テスト|测试|測試|테스트)\s*[:：].*(?:確認|確認する|确认|验证|驗證|検証|확인)[。.]?\Z"
)


def words_in(title: str) -> str:
    """The first words of a line without marks and accents, in small letters."""
    return folded(" ".join(without_marks(title[: 4 * MOST]).casefold().split()))


_KEYED = lazy_pattern(r"((?:[^\s:：]+\s+){0,3}[^\s:：]+)[:：]\s*\S")


@lru_cache(maxsize=4096)
def says_check(title: str) -> bool:
    """Say whether a line is itself a check: "Verify that it starts", "Exit criteria: it starts".

    "Verify addresses" may be a feature, so the words alone are not enough.
    """
    words = words_in(title)
    key = _KEYED.match(words)
    return _SAYS.match(words) is not None or bool(key and _are_criteria(key[1]))


@lru_cache(maxsize=4096)
def is_bare_phase(text: str) -> bool:
    """Say whether a heading names a phase and nothing more: below "Criteria" it divides them."""
    return _BARE_PHASE.match(folded(plain(text)).rstrip()) is not None
