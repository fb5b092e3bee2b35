"""The words and numbers of the live view, of the summary after a run, and of the project memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from app.terminal import one_line
from runner.money import Usage, cost_brief, cost_text, price_hint, tokens_text
from runner.people.run_view import RunView
from runner.ports import MemoryNote
from runner.state.run_state import Status

REPORT = "The full report: .executor/report.md"
COLUMNS = ("Node", "Tokens", "%", "Duration", "Calls")
TASK_COLUMNS = ("Task", "Status", "Answers", "Tokens", "")
TOTAL = "Total"
_MINUTE, _HOUR = 60, 3600


def clock(seconds: float) -> str:
    """Time that has passed: 0:07, 12:30, 1:02:03."""
    whole = max(0, int(seconds))
    hours, minutes = divmod(whole // _MINUTE, 60)
    begin = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{begin}:{whole % _MINUTE:02}"


def left(seconds: float | None) -> str:
    """Time that is left, to the minute; '' while it is unknown."""
    if seconds is None:
        return ""
    if seconds < _MINUTE:
        return "less than 1 min left"
    minutes = ceil(seconds / _MINUTE)
    if minutes < 120:
        return f"about {minutes} min left"
    return f"about {ceil(seconds / _HOUR)} h left"


def tokens(used: Usage) -> str:
    """The tokens that were used; '' for none."""
    return tokens_text(used) if used.tokens else ""


def money(used: Usage) -> str:
    """What it cost so far; '' before anything was paid."""
    if not used.calls:
        return ""
    return cost_brief(used) if used.cost or not used.unpriced else "cost unknown"


def priced(used: Usage) -> str:
    """The line below the panel."""
    hint = price_hint(used)
    return f"Cost: {cost_text(used)}{f'.{hint}' if hint else ''}"


def repairs(code: int, test: int) -> str:
    """How often an answer was repaired; '' for never."""
    parts = [f"{n} {what}" for n, what in ((code, "code"), (test, "test")) if n]
    return f"repairs: {', '.join(parts)}" if parts else ""


def of_tasks(done: int, total: int) -> str:
    """How many are done."""
    return f"{done:,} of {total:,} task{'s' if total != 1 else ''}"


def ended(view: RunView) -> str:
    """The first line of the summary, with how many finished tasks no test has shown to be done."""
    done = [task for task in view.tasks if task.status is Status.COMPLETED]
    doubts = sum(bool(task.checks.doubt) for task in done)
    unsure = f" Not shown: {of_tasks(doubts, len(done))}." if doubts else ""
    if waits := sum(task.status is Status.IN_REVIEW for task in view.tasks):
        unsure += f" In review: {of_tasks(waits, view.total)}."
    how = "was cancelled" if view.cancelled else "stopped" if view.problem else "is done"
    return (
        f"Run {view.run} {how} after {clock(view.seconds)}: {of_tasks(view.done, view.total)} done "
        f"(including earlier runs).{unsure}"
    )


def more(count: int, what: str) -> str:
    """What is left out because there is no room."""
    return f"{count:,} more {what}{'s' if count != 1 else ''}"


_KINDS = ("files", "conventions", "decisions", "patterns", "successes", "failures", "runs")


def memory_lines(notes: Sequence[MemoryNote]) -> Iterator[str]:
    """Yield a heading a kind and a line a note, the newest first; ``notes`` come oldest first."""
    if not notes:
        yield "The project memory is empty."
    for kind in _KINDS:
        found = [note for note in notes if note.kind == kind]
        if found:
            yield f"{kind} ({len(found)})"
        for note in reversed(found):
            times = f" ({note.count} times)" if note.count > 1 else ""
            yield f"  {one_line(note.about)}: {one_line(note.text)}{times}"
