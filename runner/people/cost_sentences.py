"""Why a run cost what it cost: its tasks, the most expensive first.

The terminal, the comment and the page of the history show the same table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from runner.history.records import Execution
from runner.money import Usage, cost_cell, cost_text, tokens_text, total
from runner.people.history_sentences import HistoryTable, cut, ending, task_name
from runner.text.counting import counted

_MOST_ROWS = 15
_SPENT_ON: Final = {
    "plan_task": "planning",
    "execute_task": "writing",
    "repair_code": "repairing code",
    "repair_test": "repairing after tests",
    "classify_failure": "finding out why it failed",
    "propose_recovery": "a way to continue",
}


def run_cost(executions: Sequence[Execution]) -> HistoryTable | None:
    """Return what each task of one run cost and why; None if the run asked no model.

    Shares are of the money, or of the tokens if a price is unknown.
    """
    whole = total(one.used for one in executions)
    if not whole.calls:
        return None
    tasks = sorted(_by_task(executions), key=lambda task: -_weight(_used(task), whole))
    rows = [_row(task, whole) for task in tasks[:_MOST_ROWS]]
    if rest := tasks[_MOST_ROWS:]:
        used = total(map(_used, rest))
        rows.append((f"{len(rest)} more tasks", *_amounts(used, whole), "", ""))
    title = f"Cost of run {executions[-1].key.run}: {tokens_text(whole)}, {cost_text(whole)}"
    head = ("Task", "Cost", "Share", "Tokens", "Calls", "Spent on", "Why")
    return HistoryTable(title, head, tuple(rows), (1, 2, 3, 4))


def _by_task(executions: Sequence[Execution]) -> list[list[Execution]]:
    found: dict[str, list[Execution]] = defaultdict(list)
    for one in executions:
        found[one.key.task].append(one)
    return list(found.values())


def _used(task: Sequence[Execution]) -> Usage:
    return total(one.used for one in task)


def _weight(used: Usage, whole: Usage) -> float:
    return float(used.tokens) if whole.unpriced or not whole.cost else used.cost


def _row(task: Sequence[Execution], whole: Usage) -> tuple[str, ...]:
    used = _used(task)
    return (task_name(task[-1]), *_amounts(used, whole), _spent_on(task, used), _why(task))


def _amounts(used: Usage, whole: Usage) -> tuple[str, str, str, str]:
    share = _weight(used, whole) / (_weight(whole, whole) or 1)
    return cost_cell(used), f"{share:.0%}".replace("%", " %"), f"{used.tokens:,}", str(used.calls)


def _spent_on(task: Sequence[Execution], used: Usage) -> str:
    """The share of each activity, the largest first; only the numbers are ours to compare."""
    spent: dict[str, float] = defaultdict(float)
    for node in (node for one in task for node in one.nodes):
        if node.usage.calls:
            spent[_SPENT_ON.get(node.node, node.node)] += _weight(node.usage, used)
    whole = sum(spent.values())
    if not whole:
        return "-"
    largest = sorted(spent.items(), key=lambda each: -each[1])
    return ", ".join(f"{name} {100 * part / whole:.0f} %" for name, part in largest)


def _why(task: Sequence[Execution]) -> str:
    """What made it ask more than once, and how it ended."""
    return "; ".join([*_tries(task), *_reasons(task), _ended(task[-1])])


def _tries(task: Sequence[Execution]) -> Iterator[str]:
    if len(task) > 1:
        yield counted(len(task), "attempt")
    answers = sum(one.calls.answers for one in task)
    if answers:
        yield counted(answers, "answer")
    if any(one.route.route == "planned" for one in task):
        yield "planned first"
    if looks := sum(one.calls.looks for one in task):
        yield counted(looks, "look at more files", "looks at more files")


def _reasons(task: Sequence[Execution]) -> Iterator[str]:
    errors = list(dict.fromkeys(error for one in task for error in one.calls.errors))
    if errors:
        *others, last = (error.replace("_", " ") for error in errors)
        names = f"{', '.join(others)} and {last}" if others else last
        yield f"after {names} errors"


def _ended(newest: Execution) -> str:
    said = ending(newest)
    message = newest.end.message if newest.end.over and not newest.end.made else ""
    return f"{said}: {cut(message)}" if message else said
