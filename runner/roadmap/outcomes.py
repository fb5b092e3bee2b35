"""Say of the lines of a list whether they state what holds or say what to make.

People put checks below any heading: "Launch checklist", "Testing", "Before the release". What the
list is can be told from its lines: "All tests pass" states an outcome, "Add a test" is work.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Literal

from runner.roadmap.checks import MOST, plain, words_in
from runner.roadmap.words import WORDS, any_of, folded
from runner.text.patterns import lazy_pattern

# ruff: noqa: RUF001 (the marks of other languages are meant)


About = Literal["", "work", "tests", "list", "launch"]
"""What a heading is about: anything; work; testing, which may be; a list that is gone through, also
before something goes out."""
Reading = Literal["", "makes", "made", "leads", "order", "holds"]
"""What a line says: nothing of it; what to make; that it was made; what comes of something ("Photo
→ answer"); that something is in order, or holds."""


_ABOUT = lazy_pattern(any_of("about_checks", fold=True))
_LIST = lazy_pattern(any_of("before_all", fold=True))
_LAUNCH = lazy_pattern(any_of("launch", fold=True))
_WORK = lazy_pattern(any_of("automated", "work_lists", fold=True))
_SCANS = lazy_pattern(r"automated (?:scans?|checks|verification|validation)\Z")
_SET_UP = frozenset(map(folded, (*WORDS["set_up_checks"], *WORDS["making"])))


@lru_cache(maxsize=4096)
def about_checks(text: str) -> About:
    """Say what a label or heading says of the lines below it, which alone decides nothing.

    Lists of automated tests are work: each line is a test to write, in the words of what holds.
    """
    words = folded(plain(text))
    if not words or len(words) > MOST or _sets_up(words):
        return ""
    if _WORK.search(words):
        return "tests" if _SCANS.match(words) else "work"
    if _LIST.search(words):
        return "launch" if _LAUNCH.search(words) else "list"
    return "tests" if _ABOUT.search(words) else ""


def _sets_up(words: str) -> bool:
    """Say whether a heading tells somebody to make checks; "Launch checklist" names some."""
    first, _, rest = words.partition(" ")
    named = first in WORDS["making_nouns"] and (_LIST.match(rest) or _ABOUT.match(rest))
    return first in _SET_UP and not named


_KEY = lazy_pattern(r"[^:：]{1,60}[:：]\s+(?=\S)")
_FIRST = lazy_pattern(r"[^\W\d_]+(?:[-/][^\W\d_]+)*")
_MAKING = frozenset(map(folded, WORDS["making"]))
_NONE_OF = lazy_pattern(rf"{any_of('none_of', fold=True)}\s+\S")
_ALL_OF = lazy_pattern(rf"{any_of('all_of', fold=True)}\s+\S+\s+\S")
_MEASURED = lazy_pattern(
    r"[<>≤≥]=?\s?[$€]?\d|\d\s?%\s*(?:coverage|pass|uptime|\Z)"
    r"|\b(?:under|below|within|at least|less than|more than)\s+[$€]?\d|\A[a-z_]+=\S"
)
_HOLDS = lazy_pattern(rf"\S.*?\s{any_of('holds', fold=True)}")
_IS = (
    r"(?:is|are|was|were|does|do|has|have|stays?|remains?|must|should|can|cannot|can't|doesn't"
    r"|don't|isn't|aren't)"
)
_DOES = r"(?:appears|responds|persists|renders|survives|fails|compiles|exits|completes|recovers)"
_DOES_MORE = (
    r"(?:loads|shows|returns|uses|stores|saves|updates|opens|triggers|builds|runs|starts|plays"
    r"|links|points|supports|reads|calls|logs|blocks|filters|sorts|covers|closes|use|matches"
    r"|displays|redirects|handles|validates|prevents|accepts|rejects|generates|creates|sends"
    r"|receives|produces|contains|includes|identifies|deploys|installs|writes|requires|allows|keeps"
    r"|deletes|removes|switches|reflects|adapts|explains|detects|refuses)"
)
_DO = (
    r"(?:include|reject|render|return|show|load|use|match|display|handle|accept|receive|contain"
    r"|require|allow|keep|persist|respond|fail|appear|survive|complete|compile|exit|carry|refuse)"
)
_PREDICATE = lazy_pattern(
    rf"\S.*?\s(?:(?:{_IS}|{_DOES_MORE})\s+\w|{_DOES}(?:\s|[.!]?\Z))"
    rf"|\S.*?[^\W\d_]s\s(?:still\s+)?{_DO}(?:\s|[.!]?\Z)"
)
_END = (
    r"(?=\W*\Z|\s+(?:for|on|in|with|from|by|to|at|and|across"
    r"|everywhere)\b|\s*[(,;:])"
)
_IN_ORDER = lazy_pattern(rf"\S.*\s{any_of('in_order', fold=True)}{_END}")
_MADE = lazy_pattern(
    rf"\S.*\s(?:{any_of('made', fold=True)}|[^\W\d_]{{3,}}(?:ad|id)[oa]s?(?![^\W\d_])){_END}"
)
_SUBJECT = lazy_pattern(
    r"\S+\s+(?:is|are|was|were|has|have|does|can|works?|pass(?:es)?|passing|green|succeeds?|fails"
    rf"|follows|completes|includes|contains|produces|(?:{any_of('in_order', 'made', fold=True)}"
    rf"{_END}))(?![^\W\d_])"
)
"""A noun that is also a verb: "Build passes", "Import works"."""
_DONE = lazy_pattern(rf"(?:\S+\s+){{1,5}}{any_of('in_order', 'made', fold=True)}\W*\Z")
"""The same in "Load tests completed"."""
_RESULT = lazy_pattern(
    r".*\S\s*(?:→|⇒|=>|->)\s*(?:[1-5]\d\d\b|ok\b|exit|no |error|success|true\b|false\b)"
)
_LEADS = lazy_pattern(r".*\S\s*(?:→|⇒|=>|->)\s*\S")
_ASKS = lazy_pattern(r"(?:manually\s+)?(?:verify|confirm|check|double-check|validate)\s+\S")


@lru_cache(maxsize=4096)
def reading(title: str) -> Reading:
    """Say how one line reads; what begins with a verb of making is work, whatever follows."""
    words = words_in(title)
    key = _KEY.match(words)
    rest = words[key.end() :] if key else words
    if _makes(words) or _makes(rest):
        return "makes"
    if _NONE_OF.match(rest) or _MEASURED.search(words):
        return "holds"
    if _HOLDS.match(rest) or _PREDICATE.match(rest):
        return "holds"
    if _ASKS.match(words) or _RESULT.match(words) or _IN_ORDER.match(words):
        return "order"
    if _ALL_OF.match(rest):
        return "order"
    if _MADE.match(words):
        return "made"
    return "leads" if _LEADS.match(words) else ""


def _makes(words: str) -> bool:
    first = _FIRST.match(words)
    if first and first[0] in _MAKING:
        named = first[0] in WORDS["making_nouns"] and _DONE.match(words) is not None
        return not named and _SUBJECT.match(words) is None
    return False


LEAST: dict[About, int] = {"launch": 50, "list": 60, "tests": 75}
"""Lines of a hundred that state what holds, by what the heading is about."""


def that_hold(about: About, titles: Sequence[str]) -> list[bool]:
    """Say which lines of a list below such a label or heading are checks.

    Where most of them state what holds and hardly any says what to make, so do the others. What
    says what to make is work. "Rate limits added" may be work as well, and alone decides nothing.
    """
    read = [reading(title) for title in titles]
    makes, hold = read.count("makes"), sum(one in _STATING for one in read)
    made_too = about == "launch" or (about == "list" and 4 * hold >= len(read))
    stated = hold + (read.count("made") if made_too else 0)
    stated += read.count("leads") if about == "tests" else 0
    if 100 * stated >= LEAST[about] * len(read) and 5 * makes <= len(read):
        return [one != "makes" for one in read]
    alone = {"launch": _STATING, "list": _STATING, "tests": {"holds"}}.get(about, set())
    return [one in alone for one in read]


_STATING: Set[Reading] = {"holds", "order"}
_CONFIRMS = lazy_pattern(
    r"(?:verify|confirm|check|ensure)\s+(?:\S+\s+){1,8}?(?:is|are|works?|pass(?:es)?|loads|starts"
    r"|runs|builds|compiles|renders|succeeds?|applies|opens|responds|shows)(?:\W|\Z)"
)


@lru_cache(maxsize=4096)
def confirms(title: str) -> bool:
    """Say whether a step only confirms that something holds: "Verify the configuration loads"."""
    return _CONFIRMS.match(words_in(title)) is not None
