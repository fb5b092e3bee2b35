"""What the check of a pull request shows: levels, what each node used, notes on lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from runner.money import cost_brief, percentages, total
from runner.people.sentences import verification_table
from runner.people.trust import line_ranges
from runner.state.findings import ADVISORY, Level, TestFailure, Verification, headline
from runner.state.publishing import CheckDetails, LineNote
from runner.state.run_state import Attempt
from runner.text.sanitize import cut_middle, inert_line

_LONGEST = 600
_MOST = 200
"""Notes on one task; the table says what there is beyond."""

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+)(?:-(?P<end>\d+))?(?:: (?P<text>.*))?", re.DOTALL)


def check_details(attempt: Attempt) -> CheckDetails:
    """Return what the check shows of one attempt."""
    verification = attempt.tested.verification
    parts = [f"#### Levels\n\n{verification_table(verification)}", _cost(attempt)]
    notes = tuple(_notes(verification))[:_MOST] if verification else ()
    return CheckDetails(attempt.task, "\n\n".join(filter(None, parts)), notes)


def _cost(attempt: Attempt) -> str:
    """What each node used; '' where nothing was used."""
    rows = percentages(attempt.spent.usage)
    if not rows:
        return ""
    lines = ["| node | tokens | % | cost | seconds | calls |", "| --- |" + " ---: |" * 5]
    lines += [
        f"| {row.node} | {row.usage.tokens:,} | {row.percent:.1f} | {cost_brief(row.usage)} "
        f"| {row.usage.seconds:.1f} | {row.usage.calls} |"
        for row in rows
    ]
    whole = total(row.usage for row in rows)
    lines.append(
        f"| total | {whole.tokens:,} | 100.0 | {cost_brief(whole)} | {whole.seconds:.1f} "
        f"| {whole.calls} |"
    )
    return "\n".join(["#### Time and cost", "", *lines])


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


def _failures(level: Level, title: str, weight: str) -> Iterator[LineNote]:
    """A note for each failure that has a file; of tests at the place that the tool names."""
    for failure in level.failures:
        if failure.file and not failure.file.startswith("/"):
            line = max(1, failure.line or 1)
            yield LineNote(
                failure.file,
                line,
                line,
                title,
                _failure_line(failure),
                "failure" if weight == "failure" else "warning",
            )


def _failure_line(failure: TestFailure) -> str:
    return inert_line(cut_middle(f"{failure.test}: {headline(failure.message)}", _LONGEST))


def _places(found: Iterable[str], title: str) -> Iterator[LineNote]:
    """A note for each place, as ``path:line``, ``path:first-last`` or ``path:line: text``."""
    for place in found:
        if match := _PLACE.fullmatch(place):
            start = int(match["line"])
            end = int(match["end"] or start)
            text = inert_line(cut_middle(match["text"] or title, _LONGEST))
            yield LineNote(match["path"], start, end, title, text)
