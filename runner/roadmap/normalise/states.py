"""Read states from emoji and words, only where a person puts them as marks, never in prose."""

# ruff: noqa: RUF001 - full-width punctuation is what Chinese and Japanese roadmaps are written with

from __future__ import annotations

import re
from dataclasses import dataclass

from runner.roadmap.normalise.words import DONE, OPEN

_DONE_MARKS = "✅☑✔✓"
_OPEN_MARKS = "🔄🔃🔁🚧⏳⌛🔜❌✗✘⬜☐◻🔲⏸⏭🚫🟡🔵⚪🔴🟠❓"
_CODES = {
    ":white_check_mark:": True,
    ":heavy_check_mark:": True,
    ":ballot_box_with_check:": True,
    ":construction:": False,
    ":hourglass:": False,
    ":hourglass_flowing_sand:": False,
    ":x:": False,
    ":arrows_counterclockwise:": False,
}
_NAMES = re.compile("|".join(map(re.escape, _CODES)))
_SIGN = rf"(?:[{_DONE_MARKS}{_OPEN_MARKS}]\ufe0f?|{'|'.join(_CODES)})"
_LEADING = re.compile(rf"(?:{_SIGN}\s*)+")
_TRAILING = re.compile(rf"(?:\s{{0,4}}{_SIGN})+$")
_ANY = re.compile(_SIGN)
_BOXED = re.compile(r"\[(?P<state>[ xX]?)\]\s*(?=\S)")
_INNER = re.compile(rf"(?P<id>[\w .#-]{{1,40}}[:：.)-])\s*(?P<signs>(?:{_SIGN}\s*)+)(?=\S)")
_BEFORE_WORD = re.compile(rf"(?P<signs>(?:{_SIGN}\s{{0,3}})+)(?P<word>[^\W\d_][^—–:：]{{0,40}})$")
_CUSTOM = re.compile(r"\[[^\w\s\[\]]\]\s")
_GFM = re.compile(r"\[[ xX]\](?:\s|$)")
_BRACKETED = r"[\[(（【](?P<word>[^()\[\]（）【】]{1,40})[)\]）】]"
_ENDS = (
    re.compile(_BRACKETED + "$"),
    re.compile(r"\s[—–-]\s(?P<word>[^—–()]{1,40})$"),
    re.compile(r"[:：]\s?(?P<word>[^:：()]{1,40})$"),
)
_STARTS = (
    re.compile(_BRACKETED + r"\s*(?=\S)"),
    re.compile(r"(?P<word>[^\W\d_][^:：]{0,40})[:：]\s*(?=\S)"),
)
_UNSURE = re.compile(r"(?:partial|almost|mostly|half|nearly|not |nicht |no |не |teilweise|部分)")
_AFTER = r"\s*(?:$|[(\[（【—–:：,.!/-]|\d|\b(?:in|on|am|en|le|el|v\d))"
"""What may stand behind a word for a state: nothing, a remark or a date."""
_SAYS_DONE = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(DONE)))}){_AFTER}")
_SAYS_OPEN = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(OPEN)))}){_AFTER}")
_DONE_WORD = re.compile(
    rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(DONE)))})(?!\w)", re.IGNORECASE
)
_CUT = 300
"""Characters of a title that are looked at from either end."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What says a state: ``text`` as it is written."""

    done: bool
    text: str


@dataclass(frozen=True, slots=True)
class Marked:
    """A title without its emoji and its written box; ``left`` are the emoji of open states."""

    title: str
    mark: Mark | None
    left: str = ""


def value_mark(text: str) -> Mark | None:
    """Read a whole cell or value of a status field; None when it says no known state."""
    signs = _ANY.findall(text[:_CUT])
    words = _ANY.sub("", text[:_CUT]).strip(" \t*_`~:：.!\u2060🟢").casefold()
    done, opened = _SAYS_DONE.match(words), _SAYS_OPEN.match(words) or bool(_UNSURE.match(words))
    if opened or any(_is_open(sign) for sign in signs):
        return Mark(False, text.strip())
    return Mark(True, text.strip()) if done or signs else None


def title_mark(text: str) -> Marked:
    """Read a heading or the first line of an item: emoji and words at its start or end."""
    box = _BOXED.match(text)
    title, signs = _unsigned((text[box.end() :] if box else text).strip())
    mark = _mark(signs, _word(title, signed=bool(signs)), box["state"] if box else "")
    return Marked(title, mark, "".join(sign for sign in signs if _is_open(sign)))


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
    return title, [*_ANY.findall(text[:start]), *_ANY.findall(inner), *_ANY.findall(text[end:])]


def starts_marked(text: str) -> bool:
    """Say whether a text starts with an emoji of a state and goes on."""
    head = _LEADING.match(text)
    return bool(head and text[head.end() :].strip())


def says_done(text: str) -> bool:
    """Say whether a mark or a word of a finished state occurs anywhere in a text."""
    signs = _ANY.findall(text)
    return any(not _is_open(sign) for sign in signs) or _DONE_WORD.search(text) is not None


def without_codes(text: str) -> str:
    """Return the text without the written names of marks (":x:"), which boxes stand for."""
    return _NAMES.sub(" ", text)


def is_boxed(text: str) -> bool:
    """Say whether an item starts with a box that GitHub shows."""
    return _GFM.match(text) is not None


def is_legend(text: str) -> bool:
    """Say whether an item only explains a mark ("✅ Done", "🔄 = in progress")."""
    head = _LEADING.match(text)
    rest = text[head.end() :].strip(" \t*_`=:：-–—→.") if head else ""
    return head is not None and (not rest or rest.casefold() in DONE | OPEN)


def _mark(signs: list[str], word: Mark | None, box: str) -> Mark | None:
    """Several marks are done only when all of them are."""
    marks = [Mark(not _is_open(sign), sign) for sign in signs]
    marks += [word] if word else []
    marks += [Mark(True, f"[{box}]")] if box.strip() else []
    if not marks:
        return None
    return Mark(all(m.done for m in marks), " ".join(m.text for m in marks))


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


def is_custom(text: str) -> bool:
    """Say whether an item has a box of a state that means something else in each file (``[~]``)."""
    return _CUSTOM.match(text) is not None


def _is_open(sign: str) -> bool:
    return not _CODES[sign] if sign in _CODES else sign[0] in _OPEN_MARKS
