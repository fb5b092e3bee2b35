"""Boxes and words that disagree. The box alone is the state; a person decides which is right.

Only strong forms count: nearly every "pending" in a done task and many a check mark in an open one
are about the product.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runner.roadmap.lint.finding import Finding, about, short
from runner.roadmap.lint.reading import Reading
from runner.roadmap.task import Heading, Roadmap, Task

_DONE = (
    r"done|completed?|finished|implemented|shipped|fertig|erledigt|terminée?|hecho|"
    r"完了|已完成|готово"
)
_OPEN = (
    r"to-?do|pending|wip|work in progress|in progress|not done|not started|incomplete|unfinished|"
    r"not (?:yet )?(?:implemented|finished|done|working|complete|completed|tested)|"
    r"partially (?:done|implemented|complete)|offen|未完了|未完成"
)
_CHECK = "[✅☑✔]\ufe0f?"
_AT_WORK = "[⏳⌛🚧🔄]\ufe0f?"
_SHOWN = r"(?<!\bwith )(?<!\bas )(?<!\bto )(?<!\bthe )(?<!\ban )(?<!\ba )(?<!\bor )(?<!\band )"


def _remark(words: str, capitals: str, emoji: str) -> re.Pattern[str]:
    """A remark on the task's state: in brackets, before a colon, after a dash, or an emoji."""
    return re.compile(
        rf"[(\[]\s*(?i:{words})\s*[)\]]"
        rf"|^\W*(?:{capitals})\s*[:\u2013\u2014]"
        rf"|(?:\s[\u2013\u2014-]|:)\s*\**(?i:{words})\**\s*[.!]?$"
        rf"|^\W*{emoji}\s"
        rf"|{_SHOWN}{emoji}\W{{0,4}}$"
    )


SAYS_DONE = _remark(_DONE, "DONE|COMPLETED?|FINISHED", _CHECK)
SAYS_OPEN = _remark(_OPEN, "TODO|WIP|PENDING|FIXME|NOT DONE", _AT_WORK)
_STATUS = re.compile(r"^[ \t>*+_-]*status\b[ \t*_]*:[ \t*_]*(?P<value>[^\n]{1,40})", re.I | re.M)
_STATUS_DONE = re.compile(rf"{_CHECK}|(?:{_DONE})\b", re.IGNORECASE)
_STATUS_OPEN = re.compile(
    rf"(?:{_AT_WORK}\s*)?(?:{_OPEN}|open|planned)\b|{_AT_WORK}", re.IGNORECASE
)
_HEADING_DONE = re.compile(rf"{_CHECK}|[(\[]\s*(?:{_DONE})\s*[)\]]\s*$", re.IGNORECASE)


def contradiction(roadmap: Roadmap) -> Iterator[Finding]:
    """Find tasks whose words say the opposite of their box, and done headings over open tasks."""
    for task in roadmap.tasks:
        if task.kind == "work" and not (task.struck or task.template):
            found = _remarked(Reading(task))
            if found:
                yield found
    yield from _done_headings(roadmap)


def _remarked(reading: Reading) -> Finding | None:
    task = reading.task
    words = SAYS_OPEN if task.checked else SAYS_DONE
    value = _STATUS_OPEN if task.checked else _STATUS_DONE
    if found := words.search(_first(reading.prose)):
        return _finding(task, found[0].strip())
    status = _STATUS.search(task.details[:2000])
    if status and value.match(status["value"]):
        return _finding(task, f"Status: {status['value'].strip(' *_')}")
    return None


def _first(prose: str) -> str:
    """The first line: remarks on the state stand there."""
    return prose.partition("\n")[0]


def _finding(task: Task, said: str) -> Finding:
    if task.checked:
        ask = "clear the box if it is not done, else take the remark out"
        return about(task, f'the box is ticked, but the text says "{short(said)}"; {ask}', said)
    ask = "tick it if it is done, else take the remark out; until then it counts as open"
    return about(task, f'the box is open, but the text says "{short(said)}"; {ask}', said)


def _done_headings(roadmap: Roadmap) -> Iterator[Finding]:
    below: dict[Heading, int] = {}
    for task in roadmap.tasks:
        if task.kind == "work" and not (task.checked or task.struck or task.optional):
            below |= {heading: below.get(heading, 0) + 1 for heading in task.headings}
    for heading, count in below.items():
        if _HEADING_DONE.search(heading.text[:500]):
            tasks = f"{count} open tasks stand" if count > 1 else "an open task stands"
            ask = "tick them or change the heading; the boxes count"
            message = f"the heading says done, but {tasks} below it; {ask}"
            yield Finding(heading.line, message)
