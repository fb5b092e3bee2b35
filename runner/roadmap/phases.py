"""Whether a task is of a phase that somebody named: "2", "Phase 2", "1.2", "Foundation"."""

from __future__ import annotations

from runner.roadmap.headings import number
from runner.roadmap.marks import without_marks
from runner.roadmap.names import Name, name_at, name_of
from runner.roadmap.task import Task


def in_phase(task: Task, wanted: str) -> bool:
    """Say whether the phase of a task, or a heading above it, has this number or text."""
    wanted = wanted.strip()
    name = name_of(wanted)
    if name is None:
        return False
    if task.phase and task.phase.casefold() in (name.number, wanted.casefold()):
        return not name.word or not _is_of_another(task, name)
    texts = [without_marks(heading.text) for heading in task.headings]
    if wanted.casefold() in (text.casefold() for text in texts):
        return True
    return any(_is_called(text, name) for text in texts)


def _is_called(heading: str, name: Name) -> bool:
    found = name_at(heading)
    if name.word:
        return found is not None and found[0] == name
    return number(heading).casefold() == name.number


def _is_of_another(task: Task, name: Name) -> bool:
    """Say whether a heading gives the number another word: Milestone 2 is not Phase 2."""
    found = [named[0] for h in task.headings if (named := name_at(without_marks(h.text)))]
    words = {one.word for one in found if one.number == name.number and one.word}
    return bool(words) and name.word not in words
