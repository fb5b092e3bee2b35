"""The numbers of the live view and of the summary after a run."""

from __future__ import annotations

from runner.money import Usage, cost_brief
from runner.text.counting import counted

REPORT = "The full report: .executor/report.md"
COLUMNS = ("Node", "Tokens", "%", "Duration", "Calls")
TASK_COLUMNS = ("Task", "Status", "Answers", "Tokens", "")
TOTAL = "Total"


def clock(seconds: float) -> str:
    """Time that has passed: 0:07, 12:30, 1:02:03."""
    whole = max(0, int(seconds))
    hours, minutes = divmod(whole // 60, 60)
    begin = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{begin}:{whole % 60:02}"


def tokens(used: Usage) -> str:
    """The tokens that were used; '' for none."""
    return counted(used.tokens, "token") if used.tokens else ""


def money(used: Usage) -> str:
    """What it cost so far; '' before anything was paid."""
    if not used.calls:
        return ""
    return cost_brief(used) if used.cost or not used.unpriced else "cost unknown"
