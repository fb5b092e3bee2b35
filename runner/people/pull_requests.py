"""The words of commits and pull requests as a whole, and what the check of one shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from runner.people.sentences import title_of
from runner.people.texts import commit_texts, pull_texts, trust_texts
from runner.people.trust import line_ranges, trust_of
from runner.roadmap.task import Task
from runner.state.findings import ADVISORY, Level, Verification, headline
from runner.state.publishing import CheckDetails, CheckpointText, LineNote, TaskRow
from runner.state.revising import Revision
from runner.state.run_state import Attempt, RunState
from runner.text.sanitize import cut_middle, inert_line

_LONGEST = 600
_MOST_NOTES = 200
"""Notes on one task; the table says what there is beyond."""

_MOST_DETAILS = 45_000
"""Characters of details in one description, of the newest tasks; GitHub stores 65,536 in all."""

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+)(?:-(?P<end>\d+))?(?:: (?P<text>.*))?", re.DOTALL)


def undo_text(task: Task, commit: str, tests: str) -> CheckpointText:
    """The words of the commit that takes back what ``commit`` did for a task.

    ``tests`` is what the tests say without it, in a sentence.
    """
    message = commit_texts.undo(task, commit, tests)
    return CheckpointText(message, (("Cairn-Undo", commit),), f"Undo: {title_of(task)}")


def accept_text(task: Task, commit: str, person: str) -> CheckpointText:
    """The words of the commit with which a person says that a task in review is done."""
    message = commit_texts.accept(task, commit, person)
    return CheckpointText(message, (), f"Accept: {title_of(task)}")


def fix_pull(state: RunState, revision: Revision) -> CheckpointText:
    """The words of commit and pull request of a repair."""
    attempt, pull = state.attempt, revision.pull
    message = commit_texts.repair(pull, attempt.answered.explanation)
    trust = trust_texts.line(trust_of(attempt))
    trailers = (("Cairn-Run", state.request.id), ("Cairn-Trust", trust))
    title = f"Make the failing checks of #{pull} pass"
    return CheckpointText(message, trailers, title, pull_texts.repair(attempt, revision))


def rows_of(state: RunState, added: Mapping[str, Attempt]) -> tuple[TaskRow, ...]:
    """The rows of everything that was added to the run's branch, with the current task last."""
    others = {**state.attempts, **added}
    others.pop(state.current)
    every = [
        replace(state.put(each), current=key) for key, each in others.items() if each.published.body
    ]
    return tuple(
        TaskRow(each.current, pull_texts.row(each), pull_texts.details(each))
        for each in (*every, state)
    )


def shared_body(roadmap: str, rows: Sequence[TaskRow]) -> str:
    """The description of a run's one pull request: details of the newest tasks, as many as fit."""
    room, shown = _MOST_DETAILS, list[TaskRow]()
    for row in reversed(rows):
        room -= len(row.details)
        if room < 0:
            break
        shown.insert(0, row)
    return pull_texts.shared(roadmap, rows, shown)


def check_details(attempt: Attempt) -> CheckDetails:
    """Return what the check shows of one attempt."""
    verification = attempt.tested.verification
    notes = tuple(_notes(verification))[:_MOST_NOTES] if verification else ()
    return CheckDetails(attempt.task, pull_texts.check(attempt), notes)


def _notes(verification: Verification) -> Iterator[LineNote]:
    for level in verification.levels:
        if level.name == "lint":
            yield from _failures(level, f"New finding of {inert_line(level.tool)}", "warning")
        elif level.name == "coverage":
            yield from _places(line_ranges(level.found), "No test runs this")
        elif level.name == "mutants":
            yield from _places(level.found, "The new tests do not notice a fault here")
        elif level.name not in ADVISORY and level.result == "failed":
            yield from _failures(level, f"Fails: {level.name}", "failure")


def _failures(
    level: Level, title: str, weight: Literal["warning", "failure"]
) -> Iterator[LineNote]:
    """A note for each failure that has a file; of tests at the place that the tool names."""
    for each in level.failures:
        if each.file and not each.file.startswith("/"):
            line = max(1, each.line or 1)
            text = inert_line(cut_middle(f"{each.test}: {headline(each.message)}", _LONGEST))
            yield LineNote(each.file, line, line, title, text, weight)


def _places(found: Iterable[str], title: str) -> Iterator[LineNote]:
    """A note for each place, as ``path:line``, ``path:first-last`` or ``path:line: text``."""
    for place in found:
        if match := _PLACE.fullmatch(place):
            start = int(match["line"])
            end = int(match["end"] or start)
            text = inert_line(cut_middle(match["text"] or title, _LONGEST))
            yield LineNote(match["path"], start, end, title, text)
