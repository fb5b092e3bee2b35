"""What a heading, label or mark means, by closed lists of words; anything else is not guessed.

Words are compared casefolded. States are read from emoji and words only where a person puts them as
marks, never in prose.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from runner.roadmap.checks import is_checks
from runner.roadmap.words import WORDS, longest
from runner.text.patterns import lazy_pattern

# ruff: noqa: RUF001 - full-width punctuation is what Chinese and Japanese roadmaps are written with


Sort = Literal["phase", "task", "series", "dotted", "numbered", "lane", "todo", "aside", "field"]
"""What a heading is: a phase (also a version, date or priority), a task, one of a series with an
unknown word, numbered 1.2, numbered 1., a lane (a state: Done), a list of tasks, prose about other
things, or a field of what is above it ("Acceptance")."""


_DECORATION = lazy_pattern(r"[*_`~\u200d\ufe0f]|:[a-z_]{2,40}:|\[[ xX]\]")
_PARENS = lazy_pattern(r"\s*[(\[（【][^()\[\]（）【】]{0,80}[)\]）】]\s*$")
_NUMBER = lazy_pattern(r"(?P<number>\d{1,4}(?:\.\d{1,4}){0,5})[.):]?\s+(?=\S)")
_NAMED = lazy_pattern(
    r"(?P<word>[^\W\d_]{1,24}(?: [^\W\d_]{1,12})?)[\s#-]{0,3}"
    r"(?P<number>\d{1,4}(?:\.\d{1,4}){0,4})(?![\d.]*\d)"
)
_LETTERED = lazy_pattern(
    r"(?P<word>[^\W\d_]{1,24})\s+(?:[IVX]{1,5}|[A-Z]|(?i:one|two|three|four|five|six))\b"
)
_PLAN = lazy_pattern(
    r"\b(?:roadmap|plan|milestones|feuille de route|hoja de ruta|fahrplan)\b"
    r"|дорожная карта|路线图|ロードマップ|로드맵|计划|計画",
    re.IGNORECASE,
)
_TASK_LIST = lazy_pattern(
    r"\b(?:todos?|to-do|tasks|backlog|tareas|aufgaben|tâches)\b|задачи|任务|タスク|待办|할 일",
    re.IGNORECASE,
)
_CODE = lazy_pattern(r"[A-Z]{1,8}-?\d{1,6}(?:[.-]\d{1,4})*\b")
_RELEASE = lazy_pattern(
    r"(?:release|version|milestone)?\s*\[?v?\d{1,4}(?:\.\d{1,4}){1,3}\b", re.IGNORECASE
)
_RELEASED_ON = lazy_pattern(r"\b(?:19|20)\d\d-\d\d-\d\d\b")
_AIMED = lazy_pattern(r"\b(?:target|planned|eta|due|expected|estimated|until|by)\b", re.IGNORECASE)
_WHAT = (
    r"(?:what\s+(?:we(?:['\u2019](?:ve|re|ll)|\s+(?:have|are|will))?|has\s+been|is|was|comes)?\s*)?"
)
_ABOUT = (
    r"(?:\s+(?:so far|to date|already|recently|today|soon|next|after that|later|longer term|work"
    r"|ideas?|enhancements?|improvements?|features?|items?|tasks?|milestones?|phases?|releases?"
    r"|versions?|priorities|goals|in|with|as|on|for|until|since|up)\b.*|\s*[-\u2013\u2014:(（].*)?\Z"
)
_DONE_LANE = lazy_pattern(
    rf"{_WHAT}(?:(?:already|recently|previously|just)\s+)?(?:built|shipped|done|completed|released"
    rf"|delivered|implemented|finished|launched|accomplished|landed|merged){_ABOUT}"
)
_OPEN_LANE = lazy_pattern(
    rf"{_WHAT}(?:building|planned|planning|plan(?=\s+(?:next|after|for|to))|working on|anticipate"
    r"|next|up next|coming|upcoming|remaining|future|near[- ]term|mid[- ]term|medium[- ]term"
    rf"|long(?:er)?[- ]term|short[- ]term|in progress){_ABOUT}"
)
_LEFT_OUT = lazy_pattern(
    r"(?:explicitly\s+)?(?:out of scope|not in scope|deferred|cancelled|canceled|dropped|rejected"
    r"|abandoned|won.t (?:do|fix|have)|will not|not planned|non-goals?|known limitations)\b"
    r"|不做|不在范围|対象外|やらない|제외|вне рамок|fora do escopo|fuera de alcance|hors périmètre"
)
_PHASE = lazy_pattern(
    rf"(?:第.{{1,3}}|\d{{1,3}})(?:{longest(WORDS['counted'])})"
    r"|v\d{1,4}(?:\.\d{1,4})*\b"
    r"|\[?\d{1,4}\.(?:\d{1,4}|x)(?:\.(?:\d{1,4}|x))?\]?(?:$|\s*[-–—:：(（])"
    r"|[qh][1-4]\b|(?:19|20)\d\d\b"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d"
    r"|p[0-4]\b|(?:critical|high|medium|normal|low)(?:$| priority)|priority \d"
    r"|(?:must|should|could|nice to|won.t) have|[高中低]优先级|優先度[:：]?\s?[高中低]",
    re.IGNORECASE,
)
"""An ordinal, a version, a date or a priority."""


def plain(text: str) -> str:
    """Return what is left of a heading or label without emoji, emphasis, brackets at its end."""
    text = _DECORATION.sub("", text[:300])
    text = "".join(c for c in text if unicodedata.category(c) not in ("So", "Sk"))
    return _PARENS.sub("", text).strip(" \t:：.-–—")


def is_lane(text: str) -> bool | None:
    """Say whether a heading is a state, and then whether things under it are done.

    None as well where it is about what is not to be done.
    """
    name = plain(text).casefold()
    first, _, rest = name.partition(" ")
    for words, state in ((WORDS["done"], True), (WORDS["open"], False)):
        if name in words or (first in words and rest in WORDS["countable"]):
            return state
    lanes = ((_LEFT_OUT, None), (_DONE_LANE, True), (_OPEN_LANE, False))
    return next((state for lane, state in lanes if lane.match(name)), None)


def is_released(title: str) -> bool:
    """Say whether a heading is of a release with the day on which it came out."""
    dated = _RELEASED_ON.search(title) is not None and _AIMED.search(title) is None
    return dated and _RELEASE.match(plain(title)) is not None


def is_field(text: str) -> bool:
    """Say whether a label, key or heading is about the work above it, checks included."""
    return plain(text).casefold() in WORDS["fields"] | WORDS["depends"] | WORDS["effort"] | WORDS[
        "priority"
    ] or is_checks(text)


def is_todo(text: str) -> bool:
    """Say whether a label or heading announces tasks."""
    return plain(text).casefold() in _TODOS


_TODOS = WORDS["announcing"] | (
    WORDS["work"] - {"steps", "implementation steps", "deliverables", "actions"}
)


def is_status(text: str) -> bool:
    """Say whether a key or a column's name announces a state."""
    return plain(text).casefold() in WORDS["status_columns"]


def is_plan(text: str) -> bool:
    """Say whether a file's name or title says that it holds work to do."""
    return bool(_PLAN.search(plain(text))) or is_task_list(text)


def is_task_list(text: str) -> bool:
    """Say whether a file's name or title says that it is a list of tasks and nothing else."""
    return bool(_TASK_LIST.search(plain(text)))


def series_word(text: str) -> str:
    """Return the word of "Word 3: ..." ('' for another form)."""
    named = _NAMED.match(plain(text))
    return named["word"].casefold() if named else ""


def sort_of(title: str) -> Sort | None:
    """Return what a heading is by its words alone; None when they do not say."""
    name = plain(title)
    sorts: tuple[tuple[Sort, bool], ...] = (
        ("aside", _LEFT_OUT.match(name.casefold()) is not None),
        ("lane", is_lane(title) is not None),
        ("todo", is_todo(name)),
        ("field", is_field(name)),
        ("aside", name.casefold() in WORDS["asides"]),
    )
    if found := next((sort for sort, is_one in sorts if is_one), None):
        return found
    if _PHASE.match(name):
        return "phase"
    named = _NAMED.match(name) or _LETTERED.match(name)
    word = named["word"].casefold() if named else ""
    if word in WORDS["phases"]:
        return "phase"
    if word in WORDS["tasks"] or _CODE.match(name):
        return "task"
    number = _NUMBER.match(name)
    if number is None:
        return "series" if _NAMED.match(name) else None
    inner = sort_of(name[number.end() :])
    if inner in ("aside", "field", "todo", "phase", "lane"):
        return inner
    return "dotted" if "." in number["number"] else "numbered"


# ruff: noqa: RUF001 - full-width punctuation is what Chinese and Japanese roadmaps are written with


_DONE_MARKS = "✅☑✔✓"
_OPEN_MARKS = "🔄🔃🔁🚧⏳⌛🔜❌✗✘⬜☐◻🔲⏸⏭🚫🟡🔵⚪🔴🟠❓"
CODES = {
    ":white_check_mark:": True,
    ":heavy_check_mark:": True,
    ":ballot_box_with_check:": True,
    ":construction:": False,
    ":hourglass:": False,
    ":hourglass_flowing_sand:": False,
    ":x:": False,
    ":arrows_counterclockwise:": False,
}
_SIGN = rf"(?:[{_DONE_MARKS}{_OPEN_MARKS}]\ufe0f?|{'|'.join(CODES)})"
_LEADING = lazy_pattern(rf"(?:{_SIGN}\s*)+")
_TRAILING = lazy_pattern(rf"(?:\s{{0,4}}{_SIGN})+$")
_ANY = lazy_pattern(_SIGN)
_BOXED = lazy_pattern(r"\[(?P<state>[ xX]?)\]\s*(?=\S)")
_INNER = lazy_pattern(rf"(?P<id>[\w .#-]{{1,40}}[:：.)-])\s*(?P<signs>(?:{_SIGN}\s*)+)(?=\S)")
_BEFORE_WORD = lazy_pattern(rf"(?P<signs>(?:{_SIGN}\s{{0,3}})+)(?P<word>[^\W\d_][^—–:：]{{0,40}})$")
_GFM = lazy_pattern(r"\[[ xX]\](?:\s|$)")
_BRACKETED = r"[\[(（【](?P<word>[^()\[\]（）【】]{1,40})[)\]）】]"
_ENDS = (
    lazy_pattern(_BRACKETED + "$"),
    lazy_pattern(r"\s[—–-]\s(?P<word>[^—–()]{1,40})$"),
    lazy_pattern(r"[:：]\s?(?P<word>[^:：()]{1,40})$"),
)
_STARTS = (
    lazy_pattern(_BRACKETED + r"\s*(?=\S)"),
    lazy_pattern(r"(?P<word>[^\W\d_][^:：]{0,40})[:：]\s*(?=\S)"),
)
_UNSURE = lazy_pattern(r"(?:partial|almost|mostly|half|nearly|not |nicht |no |не |teilweise|部分)")
_AFTER = r"\s*(?:$|[(\[（【—–:：,.!/-]|\d|\b(?:in|on|am|en|le|el|v\d))"
"""What may follow a word for a state: nothing, a remark or a date."""
_SAYS_DONE = lazy_pattern(rf"(?:{longest(WORDS['done'])}){_AFTER}")
_SAYS_OPEN = lazy_pattern(rf"(?:{longest(WORDS['open'])}){_AFTER}")
_DONE_WORD = lazy_pattern(rf"(?<!\w)(?:{longest(WORDS['done'])})(?!\w)", re.IGNORECASE)
_UNTIL_DONE = lazy_pattern(
    r"\b(?:when|once|until|after|if|before|not|never|will be|to be|wenn|sobald|bis|quand|cuando"
    r"|quando|когда|после|не)\b[^.,;!?\n]*\Z",
    re.IGNORECASE,
)
"""Before a word for done it says that something is not done yet."""
_CLAUSE = 40
_CUT = 300
"""Characters of a title that are looked at from either end."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What says a state: ``text`` as it is written."""

    done: bool
    text: str


@dataclass(frozen=True, slots=True)
class Marked:
    """A title without its emoji and its written checkbox; ``left`` are the emoji of open states.

    ``signed`` says that it has an emoji of a state, ``whole`` is the title with those left.
    """

    title: str
    mark: Mark | None
    left: str = ""
    signed: bool = False

    @property
    def whole(self) -> str:
        return f"{self.title} {self.left}".strip()


def value_mark(text: str) -> Mark | None:
    """Read a complete cell or value of a status field; None when it says no known state."""
    signs = _ANY.findall(text[:_CUT])
    words = _ANY.sub("", text[:_CUT]).strip(" \t*_`~:：.!\u2060🟢").casefold()
    if _SAYS_OPEN.match(words) or _UNSURE.match(words) or any(map(_is_open, signs)):
        return Mark(False, text.strip())
    return Mark(True, text.strip()) if signs or _SAYS_DONE.match(words) else None


def title_mark(text: str) -> Marked:
    """Read a heading or the first line of an item: emoji and words at its start or end.

    Several marks are done only when all of them are.
    """
    box = _BOXED.match(text)
    title, signs = _unsigned((text[box.end() :] if box else text).strip())
    marks = [Mark(not _is_open(sign), sign) for sign in signs]
    marks += [word] if (word := _word(title, signed=bool(signs))) else []
    marks += [Mark(True, f"[{box['state']}]")] if box and box["state"].strip() else []
    done, said = all(mark.done for mark in marks), " ".join(mark.text for mark in marks)
    left = "".join(filter(_is_open, signs))
    return Marked(title, Mark(done, said) if marks else None, left, bool(signs))


def _unsigned(text: str) -> tuple[str, list[str]]:
    """Take the emoji of states off: at the ends, behind an id, before a state as last word."""
    head, tail = _LEADING.match(text), _TRAILING.search(text[-_CUT:])
    start = head.end() if head else 0
    end = max(start, len(text) - len(tail[0])) if tail else len(text)
    title, inner = text[start:end].strip(), ""
    if found := _INNER.match(title):
        title, inner = f"{found['id']} {title[found.end() :]}", found["signs"]
    last = _BEFORE_WORD.search(title[-_CUT:])
    if last and _state_word(last["word"].strip(")]）】*_ ")):
        at = len(title[:-_CUT]) + last.start()
        title, inner = title[:at] + last["word"], inner + last["signs"]
    return title, _ANY.findall(f"{text[:start]} {inner} {text[end:]}")


def _word(title: str, *, signed: bool) -> Mark | None:
    """Return the state word at the end ("(done)", "- Done", ": Done") or start ("[WIP]").

    In a title with an emoji a word like "partially" says that the emoji is not all.
    """
    ends = (pattern.search(title[-_CUT:]) for pattern in _ENDS)
    starts = (pattern.match(title[:_CUT]) for pattern in _STARTS)
    words = (found["word"].strip(" \t*_`~") for found in (*ends, *starts) if found)
    mark = next((mark for word in words if (mark := _state_word(word))), None)
    unsure = _UNSURE.match(title.casefold()) if signed and not mark else None
    return Mark(False, unsure[0].strip()) if unsure else mark


def _state_word(text: str) -> Mark | None:
    if _SAYS_OPEN.match(text.casefold()):
        return Mark(False, text)
    return Mark(True, text) if _SAYS_DONE.match(text.casefold()) else None


def _is_open(sign: str) -> bool:
    return not CODES[sign] if sign in CODES else sign[0] in _OPEN_MARKS


def starts_done(text: str) -> bool:
    """Say whether a cell starts with the emoji of a finished state and says no other."""
    mark = value_mark(text) if _LEADING.match(text.strip()) else None
    return mark is not None and mark.done


def starts_marked(text: str) -> bool:
    """Say whether a text starts with an emoji of a state and continues."""
    head = _LEADING.match(text)
    return bool(head and text[head.end() :].strip())


def marked_lines(text: str) -> list[int]:
    """Return which lines of a paragraph (from 0) are an emoji of a state and what it is about.

    A line with more of them, or with nothing but a state's name, explains the emoji.
    """
    if text.isascii() and ":" not in text:
        return []
    lines = list(enumerate(map(str.strip, text.split("\n"))))
    heads = [(number, line, head) for number, line in lines if (head := _LEADING.match(line))]
    return [
        number
        for number, line, head in heads
        if line[head.end() :] and not is_legend(line) and not _ANY.search(line, head.end())
    ]


def says_done(text: str) -> bool:
    """Say whether a mark or a word of a finished state occurs anywhere in a text."""
    return not all(map(_is_open, _ANY.findall(text))) or any(
        _UNTIL_DONE.search(text, max(0, word.start() - _CLAUSE), word.start()) is None
        for word in _DONE_WORD.finditer(text)
    )


def is_boxed(text: str) -> bool:
    """Say whether an item starts with a checkbox that GitHub shows."""
    return _GFM.match(text) is not None


def is_legend(text: str) -> bool:
    """Say whether an item only explains a mark ("✅ Done", "🔄 = in progress")."""
    head = _LEADING.match(text)
    rest = text[head.end() :].strip(" \t*_`=:：-–—→.") if head else ""
    return head is not None and (not rest or rest.casefold() in WORDS["done"] | WORDS["open"])
