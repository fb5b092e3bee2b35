"""Tasks that name no file, no thing and no behaviour: nobody can say what is to be done."""

from __future__ import annotations

from runner.roadmap.lint.finding import Finding, about, short
from runner.roadmap.lint.reading import Reading
from runner.roadmap.lint.words import FILLER, OPEN_END, OPEN_SET


def vague(reading: Reading) -> Finding | None:
    """Find a task made of words that could be said of any project, with nothing to explain it.

    A terse task ("Add tests") is left alone where its headings or its parent say of what, unless
    its words promise an unknown amount of work.
    """
    if reading.explained:
        return None
    if found := OPEN_SET.search(reading.own):
        return _finding(reading, f'"{short(found[0])}" can be any', found[0])
    if reading.specific:
        return _unfinished(reading)
    if found := FILLER.search(reading.own):
        return _finding(reading, f'"{short(found[0])}" says neither what nor where', found[0])
    return None if reading.placed else _finding(reading, "it names nothing of this project")


def _unfinished(reading: Reading) -> Finding | None:
    found = OPEN_END.search(reading.own)
    if found is None or "`" in reading.task.text:
        return None
    return _finding(reading, "its list has no end", found[0])


def _finding(reading: Reading, why: str, at: str = "") -> Finding:
    ask = "name the file or function, and what it does when the task is done"
    return about(reading.task, f"this task is vague, {why}; {ask}", at)
