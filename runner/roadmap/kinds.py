"""Which checkboxes are work, which are checks of it, and which only sum it up.

People put checks below any heading: "Launch checklist", "Testing", "Before the release". What such
a list is can be told from its lines: "All tests pass" states an outcome, "Add a test" is work.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from runner.roadmap.checks import MOST, is_checks, plain, says_check, words_in
from runner.roadmap.headings import (
    WHOLE,
    Path,
    is_of_a_phase,
    is_work,
    names_a_phase,
    phase_name,
    section_ends,
)
from runner.roadmap.markdown import ListItem
from runner.roadmap.task import Kind
from runner.roadmap.words import WORDS, any_of, folded, longest
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
    So are headings that tell somebody to make checks; "Launch checklist" names some.
    """
    words = folded(plain(text))
    first, _, rest = words.partition(" ")
    named = first in WORDS["making_nouns"] and (_LIST.match(rest) or _ABOUT.match(rest))
    if not words or len(words) > MOST or (first in _SET_UP and not named):
        return ""
    if _WORK.search(words):
        return "tests" if _SCANS.match(words) else "work"
    if _LIST.search(words):
        return "launch" if _LAUNCH.search(words) else "list"
    return "tests" if _ABOUT.search(words) else ""


_KEY = lazy_pattern(r"[^:：]{1,60}[:：]\s+(?=\S)")
_FIRST = lazy_pattern(r"[^\W\d_]+(?:[-/][^\W\d_]+)*")
_MAKING = frozenset(map(folded, WORDS["making"]))
_END = r"(?=\W*\Z|\s+(?:for|on|in|with|from|by|to|at|and|across|everywhere)\b|\s*[(,;:])"
_OF_NOUN = lazy_pattern(
    r"\S+\s+(?:is|are|was|were|has|have|does|can|works?|pass(?:es)?|passing|green|succeeds?|fails"
    rf"|follows|completes|includes|contains|produces|{any_of('in_order', 'made', fold=True)}{_END})"
    r"(?![^\W\d_])"
)
"""A noun that is also a verb: "Build passes", "Import works"."""
_DONE = lazy_pattern(rf"(?:\S+\s+){{1,5}}{any_of('in_order', 'made', fold=True)}\W*\Z")
"""The same in "Load tests completed"."""
_LEADS_TO = r".*\S\s*(?:→|⇒|=>|->)\s*"
_READINGS: Sequence[tuple[Reading, bool, re.Pattern[str]]] = (
    (
        "holds",
        True,
        lazy_pattern(
            rf"{any_of('none_of', fold=True)}\s+\S|\S.*?\s{any_of('holds', fold=True)}"
            rf"|\S.*?\s(?:(?:{longest(WORDS['is'] | WORDS['does_more'])})\s+\w"
            rf"|(?:{longest(WORDS['does'])})(?:\s|[.!]?\Z))"
            rf"|\S.*?[^\W\d_]s\s(?:still\s+)?(?:{longest(WORDS['do'])})(?:\s|[.!]?\Z)"
        ),
    ),
    (
        "holds",
        False,
        lazy_pattern(
            r"[a-z_]+=\S|.*?(?:[<>≤≥]=?\s?[$€]?\d|\d\s?%\s*(?:coverage|pass|uptime|\Z)"
            r"|\b(?:under|below|within|at least|less than|more than)\s+[$€]?\d)"
        ),
    ),
    (
        "order",
        False,
        lazy_pattern(
            r"(?:manually\s+)?(?:verify|confirm|check|double-check|validate)\s+\S"
            rf"|{_LEADS_TO}(?:[1-5]\d\d\b|ok\b|exit|no |error|success|true\b|false\b)"
            rf"|\S.*\s{any_of('in_order', fold=True)}{_END}"
        ),
    ),
    ("order", True, lazy_pattern(rf"{any_of('all_of', fold=True)}\s+\S+\s+\S")),
    (
        "made",
        False,
        lazy_pattern(
            rf"\S.*\s(?:{any_of('made', fold=True)}|[^\W\d_]{{3,}}(?:ad|id)[oa]s?(?![^\W\d_]))"
            rf"{_END}"
        ),
    ),
    ("leads", False, lazy_pattern(rf"{_LEADS_TO}\S")),
)
"""What a line says that makes nothing, whether that is read without the key before it ("Booking: a
slot is kept"), and how it reads; the first one counts."""


@lru_cache(maxsize=4096)
def reading(title: str) -> Reading:
    """Say how one line reads; what begins with a verb of making is work, whatever follows."""
    words = words_in(title)
    key = _KEY.match(words)
    rest = words[key.end() :] if key else words
    for begins in (words, rest):
        first = _FIRST.match(begins)
        named = first and first[0] in WORDS["making_nouns"] and _DONE.match(begins)
        if first and first[0] in _MAKING and not named and _OF_NOUN.match(begins) is None:
            return "makes"
    found = (said for said, of_rest, how in _READINGS if how.match(rest if of_rest else words))
    return next(found, "")


_SECTION_BOX = lazy_pattern(
    rf"(?:(?:complete|finish|close|done with)\s+(?:the\s+|all\s+of\s+)?{WHOLE}\s+\d[\d.]*"
    rf"|{WHOLE}\s+\d[\d.]*\s+(?:is\s+)?(?:complete|completed|done|finished))\W*\Z",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\d")
"""Most titles have no number, and then the large pattern above is not even compiled."""


@dataclass(slots=True, eq=False)
class Checkbox:
    """A task on the way to its value: an item, what it is called, its place among the others.

    ``home`` is the section elsewhere that says what it is about, ``turn`` the line at which it is
    worked on (0: its own).
    """

    item: ListItem
    id: str | None
    title: str
    key: str
    parent: Checkbox | None = None
    kind: Kind = "work"
    home: Path = ()
    turn: int = 0

    @property
    def around(self) -> Path:
        """The headings of what says what to do."""
        return self.home or self.item.headings


def family(boxes: Sequence[Checkbox]) -> None:
    """Give each checkbox its parent: the task around it, else the one its id continues.

    1.1 may be beside 1 (Kiro). Phase 1.1 is no part of Phase 1: it was put between two phases.
    """
    by_item = {id(box.item): box for box in boxes}
    written: dict[tuple[Path, ListItem | None], dict[str, Checkbox]] = {}
    for box in boxes:
        nested = box.item.parent
        known = written.setdefault((box.item.headings, box.item.holder), {})
        outer = "" if not box.id or names_a_phase(box.id) else box.id
        while "." in outer and box.parent is None:
            outer = outer.rpartition(".")[0]
            box.parent = known.get(outer)
        box.parent = by_item.get(id(nested)) if nested else box.parent
        if box.id:
            known[box.id] = box


def decide(boxes: Sequence[Checkbox]) -> None:
    """Set the kind of every checkbox. What sums up other checkboxes is never work."""
    for box in boxes:
        if _NUMBERED.search(box.title) and _SECTION_BOX.match(box.title):
            box.kind, box.item.check = "summary", False  # it often ends a list of checks
        elif box.item.check:
            box.kind = "check"
    _check_beside_work(boxes)
    _check_by_lines(boxes)
    for box in boxes:
        if box.kind != "check" and box.parent is not None and box.parent.kind != "check":
            box.parent.kind = "summary"


def _check_beside_work(boxes: Sequence[Checkbox]) -> None:
    """Make checks of the lines among the work of a section that say what is to hold.

    What has an id is a task of its own, and a section of such lines alone is work.
    """
    places: dict[Path, list[Checkbox]] = {}
    for box in boxes:
        if box.kind == "work":
            places.setdefault(box.item.headings, []).append(box)
    for place in places.values():
        holding = [box for box in place if not box.id and says_check(box.title)]
        for box in holding if len(holding) < len(place) else ():
            box.kind, box.item.check = "check", True


def _check_by_lines(boxes: Sequence[Checkbox]) -> None:
    """Make checks of lists that state what holds; what has an id is a task of its own.

    A file that has nothing else keeps them as its work, except checklists: then the roadmap says
    that it has no work.
    """
    work = [box for box in boxes if box.kind == "work"]
    parents = {id(box.parent) for box in work}
    lists: dict[tuple[Path, str, About], tuple[list[Checkbox], list[Checkbox]]] = {}
    for box in work:
        about, called = _about(box)
        if about != "work":
            lines, around = lists.setdefault((box.item.headings, called, about), ([], []))
            (around if id(box) in parents else lines).append(box)
    found = [(about, _held(about, *each)) for (_, _, about), each in lists.items()]
    alone = sum(len(held) for _, held in found) == len(boxes)
    for about, held in found:
        for box in held if about in LISTS or not alone else ():
            box.kind, box.item.check = "check", True


LISTS = ("list", "launch")


def _about(box: Checkbox) -> tuple[About, str]:
    """What the nearest of label, task around it and heading says is about checks; and that text.

    The goals of a phase ("Phase 4: Polish & QA") are often said as what holds, and are work. What
    the heading around the nearest one says counts, too, unless it is that of a phase or the file.
    """
    path, label = box.item.headings, box.item.label
    if is_work(label):
        return "work", label
    outer: About = ""
    if len(path) > 1 and path[-2].level > 1:
        outer = about_checks(path[-2].text)
        outer = "" if outer == "tests" and names_a_phase(path[-2].text) else outer
    for name in (label, box.parent.title if box.parent else "", path[-1].text if path else ""):
        if about := about_checks(name):
            about = outer if about == "tests" and outer in LISTS else about
            return "work" if names_a_phase(name) else about, name
    if outer and not (is_work(path[-1].text) or names_a_phase(path[-1].text)):
        return outer, path[-2].text
    return "work", label


LEAST: dict[About, int] = {"launch": 50, "list": 60, "tests": 75}
"""Lines of a hundred that state what holds, by what the heading is about."""
_STATING: Set[Reading] = {"holds", "order"}
_ALONE: dict[About, Set[Reading]] = {"launch": _STATING, "list": _STATING, "tests": {"holds"}}
"""What is a check also where most lines of its list say something else."""


def _held(about: About, lines: list[Checkbox], around: list[Checkbox]) -> list[Checkbox]:
    """Say which lines of a list below such a label or heading are checks.

    Where most of them state what holds and hardly any says what to make, so do the others. What
    says what to make is work. "Rate limits added" may be work as well, and alone decides nothing.
    What only names checks ("Shop:") is one of them where all below it are.
    """
    plain = [(box, reading(box.title)) for box in lines if not box.id]
    read = [one for _, one in plain]
    hold = sum(one in _STATING for one in read)
    made_too = about == "launch" or (about == "list" and 4 * hold >= len(read))
    stated = hold + (read.count("made") if made_too else 0)
    stated += read.count("leads") if about == "tests" else 0
    if 100 * stated >= LEAST[about] * len(read) and 5 * read.count("makes") <= len(read):
        found = [box for box, one in plain if one != "makes"]
    else:
        found = [box for box, one in plain if one in _ALONE[about]]
    if len(found) == len(lines):
        found += [box for box in around if not box.id and reading(box.title) != "makes"]
    return found


def overviews(boxes: Sequence[Checkbox], headings: Sequence[Path], placeholders: Set[int]) -> None:
    """Set kind, home and turn of checkboxes of an overview ("- [ ] Phase 2: Shop").

    Where the section elsewhere that says what one is about has tasks, it sums them up. Where these
    are still to come, it is the work: it has what the section says, and its turn comes where the
    section is. ``headings`` are the paths of all headings, ``placeholders`` the numbers of the
    checkboxes that only say that a task is still to be written. A phase within another task is a
    step of that task, unless that one is a phase, too.
    """
    named = [
        box
        for box in boxes
        if box.kind == "work"
        and is_of_a_phase(box.id)
        and (box.item.parent is None or (box.parent and is_of_a_phase(box.parent.id)))
    ]
    if not named:
        return
    sections: dict[str, list[Path]] = {}
    for path in headings:
        sections.setdefault(phase_name(path[-1].text), []).append(path)
    sections.pop("", None)
    last = section_ends(headings, LAST)
    work = [box for n, box in enumerate(boxes) if box.kind == "work" and n not in placeholders]
    busy = {heading.line for box in work for heading in box.item.headings}
    after = 0
    for box in named:
        name = phase_name(box.id or "")
        found = [path for path in sections.get(name, [])[:MOST_SECTIONS] if _is_about(path, box)]
        detailed = [path for path in found if path[-1].line in busy]
        texts = ((path, path[-1].text) for path in found)
        described = [path for path, text in texts if names_a_phase(text) and not is_checks(text)]
        if detailed:
            box.kind = "summary"
            after = max(after, *(last[path[-1].line] for path in detailed))
        elif described:
            box.home = described[0]
            box.turn = box.home[-1].line
            after = max(after, last[box.turn])
        elif after > box.item.start + 1:
            box.turn = after


MOST_SECTIONS = 20
"""Sections of one name that are looked at."""
LAST = 1_000_000_000
"""After every line of a file."""


def _is_about(path: Path, box: Checkbox) -> bool:
    """Say whether a section is that of the checkbox: not around it, nor in another phase."""
    around, own = (
        [name for heading in each if (name := phase_name(heading.text))]
        for each in (path[:-1], box.item.headings)
    )
    apart = around and own and around[-1] not in own and own[-1] not in around
    return path[-1] not in box.item.headings and not apart
