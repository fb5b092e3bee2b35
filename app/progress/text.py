"""The text of the progress comment: a table and a graph of the tasks. A pure function of the state.

GitHub draws the mermaid graph:
https://docs.github.com/get-started/writing-on-github/working-with-advanced-formatting/creating-diagrams
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from math import ceil
from types import MappingProxyType
from typing import Any

from gidgethub import GitHubException

from app.progress.waiting import Turn
from handlers.texts import stack_replies
from runner.errors import Outage
from runner.money import cost_text, tokens_text
from runner.people.report import report
from runner.people.run_view import DONE, RunView, TaskView, view_of
from runner.roadmap.task import Task
from runner.state.run_state import Attempt, RunState, Status
from runner.state.status_words import DECISIONS, RUNS
from runner.text.fit import MOST_STORED, fit
from runner.text.sanitize import sanitize

MAX_ROWS = 100
_TITLE = 200
_WHY = 400
_MOST_WARNINGS = 5
GAP = "\u200b"
_HEAD = "| | task | status | answers | tokens | |\n| --- | --- | --- | ---: | ---: | --- |"


def task_table(view: RunView, most: int) -> str:
    """One line a task in at most ``most`` characters; what the run has touched comes first."""
    work = view.standing
    rows: dict[str, str] = {}
    left = most - len(_HEAD) - 100  # the line that says what is left out
    for task in sorted(work, key=_weight)[:MAX_ROWS]:
        row = _row(task)
        if len(row) >= left:
            break
        left -= len(row) + 1
        rows[task.key] = row
    lines = [rows[task.key] for task in work if task.key in rows]
    if len(lines) < len(work):
        lines.append(f"| | … {len(work) - len(lines):,} more of {len(work):,} tasks | | | | |")
    return "\n".join([_HEAD, *lines])


def cell(text: str, most: int) -> str:
    """Foreign text in a table's cell: on one line, cut, sanitized, no HTML and no new cell."""
    line = " ".join(text.split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return sanitize(line, plain=True).replace("|", "\\|").replace("<", f"<{GAP}")


def named(task: Task | TaskView) -> str:
    """A task as people know it."""
    return _called(task.name, task.title)


def _called(name: str, title: str) -> str:
    return f"**{cell(name, 80)}** {cell(title, _TITLE)}"


def _weight(task: TaskView) -> tuple[bool, int]:
    """The current task, then the newest this run has touched, then the others in their order."""
    return not task.current, 1 if task.turn is None else -task.turn


def _row(task: TaskView) -> str:
    tokens = task.effort.used.tokens
    where = " ".join([task.made or cell(task.why, _WHY), *_marked(task)]).strip()
    cells = [
        task.word.sign,
        named(task),
        _standing(task),
        str(task.effort.answers or ""),
        f"{tokens:,}" if tokens else "",
        where,
    ]
    return f"| {' | '.join(cells)} |"


def _marked(task: TaskView) -> list[str]:
    """The warnings of an accepted change, each behind its mark."""
    return [f"⚠️ {cell(text, _WHY)}" for text in task.checks.warnings[:_MOST_WARNINGS]]


def _standing(task: TaskView) -> str:
    """A status in words, and why no test shows that the task is done."""
    why = task.checks.doubt
    return f"{task.stands}: {cell(why, _WHY)}" if why else task.stands


MOST = 30
"""Tasks that are drawn, the newest."""

_LABEL = 40
_UNSAFE = re.compile(r"[^\w .,:/()+-]+")
_CLASSES = (
    "classDef done fill:#a6e3b0,stroke:#2a8a43,color:#000",
    "classDef failed fill:#f2b0b0,stroke:#b02a2a,color:#000",
    "classDef now fill:#ffe08a,stroke:#b08800,color:#000,stroke-width:3px",
    "classDef waiting fill:#f2d9a0,stroke:#b08800,color:#000",
    "classDef other fill:#e0e0e0,stroke:#888,color:#000",
)


def graph(view: RunView) -> str:
    """Return the mermaid source; '' before the first task is picked."""
    touched = sorted((t for t in view.standing if t.touched), key=lambda task: task.turn or 0)
    if not touched:
        return ""
    names: dict[str, str] = {}
    lines = ["flowchart LR"]
    for number, task in enumerate(touched[-MOST:], 1):
        place = task.place
        lines += _below(place.below, names)
        lines.append(f"    t{number}{_shape(task)}")
        lines.append(f"    {names[place.below]} --> t{number}")
        if place.branch:
            names[place.branch] = f"t{number}"
    return "\n".join([*lines, *(f"    {line}" for line in _CLASSES)])


def _below(branch: str, names: dict[str, str]) -> list[str]:
    """Draw the branch a task builds on where no task of this run made it."""
    if branch in names:
        return []
    names[branch] = f"b{len(names)}"
    return [f'    {names[branch]}(["{mermaid_label(branch)}"])']


def _shape(task: TaskView) -> str:
    label = mermaid_label(f"{task.id or ''} {task.title}")
    return f'["{label}"]:::{task.word.tone}'


def mermaid_label(text: str) -> str:
    """Letters, digits and a few signs: nothing that mermaid or Markdown reads as its own."""
    plain = " ".join(_UNSAFE.sub(" ", text).split())
    return plain if len(plain) <= _LABEL else plain[: _LABEL - 1] + "…"


_DETAIL = 20_000
_PLACE = 1_000
"""Characters that the rest needs beside detail, table, graph and panel, at most."""


NOT_GRANTED: Mapping[str, str] = MappingProxyType(
    {
        "actions": "The App may not read the logs of GitHub Actions here: its permission *Actions* "
        "has not been accepted yet. So Cairn repairs failing jobs only with what their checks say",
        "checks": "The App may not write checks in this repository: its permission *Checks* has "
        "not been accepted yet. So pull requests have no checks `cairn/trust` and `cairn/stack`, "
        "proposals have no buttons, and Cairn does not see the failing checks of others",
        "merge_queues": "The App does not hear of merge queues: its permission *Merge queues* has "
        "not been accepted yet. So a queue that requires `cairn/trust` or `cairn/stack` never "
        "gets that check",
        "statuses": "The App may not read commit statuses here: its permission *Commit statuses* "
        "has not been accepted yet. So Cairn does not see CI failures on its pull requests that "
        "are reported as statuses",
    }
)
"""What does not work without an optional permission."""


def not_granted(permissions: Sequence[str], page: str = "") -> str:
    """Say what does not work without permissions that no owner has accepted; '' for none.

    ``page`` is where an owner accepts them.
    """
    where = f"[the installation's page]({page})" if page else "the installation's page"
    lost = [NOT_GRANTED[each] for each in permissions]
    if not lost:
        return ""
    if len(lost) == 1:
        return f"{lost[0]}; everything else works. An owner can accept it on {where}. {_ONCE}"
    listed = "\n".join(f"- {each}." for each in lost)
    return f"{listed}\n\nEverything else works. An owner can accept them on {where}. {_ONCE}"


_ONCE = "Cairn says this once."


def why(error: BaseException) -> str:
    """Say for people what stopped a run; of a bug they learn no more than that."""
    if isinstance(error, Outage):
        return error.message
    if isinstance(error, GitHubException):
        return f"GitHub refused: {error}"
    return "an internal error stopped it; see the operator's log for details"


def pause(reason: str, until: datetime | None) -> str:
    """Say why a run is paused, and when it continues if that is known."""
    when = f" It continues automatically at {until:%H:%M} UTC." if until else ""
    return f"**Paused:** {reason.rstrip('.')}.{when}"


def marker(run: str) -> str:
    """The hidden mark by which the comment is found again."""
    return f"<!-- cairn:progress:{run} -->"


def progress_text(
    run: str,
    status: str,
    detail: str,
    state: RunState | None,
    turn: Turn | None = None,
    link: str = "",
) -> str:
    """Render the comment; ``detail`` is a sentence (why paused, what is wrong).

    ``link`` is the address of the run's page for readers of the comment, if it has one.
    """
    parts = [f"### Cairn run `{run}` {_sentence(status, state)}"]
    if detail:
        # a folded part or a comment that foreign text opens would swallow what follows
        parts.append(fit(sanitize(detail).replace("<", f"<{GAP}"), _DETAIL))
    if status == "paused":
        parts.append(RUNS[status].advice)
    if turn is not None:
        parts.append(_queue(turn))
    if link:
        parts.append(_page(link))
    if state is not None and state.tasks:
        known = _known(state, over=status != "running" and not _is_open(state))
        behind = stack_replies.left_behind(state.stack.left)
        left = MOST_STORED - _PLACE - sum(map(len, parts)) - len(known) - len(behind)
        parts += [*_work(view_of(state), left), behind, known]
    return fit("\n\n".join(part for part in parts if part), MOST_STORED) + f"\n\n{marker(run)}"


def _page(link: str) -> str:
    return (
        f"[The run's page]({link}) shows each task with its changes, tests, and what the model was "
        "asked and said."
    )


def _sentence(status: str, state: RunState | None) -> str:
    """How a run stands; one that has ended is done only if all it took up is."""
    if status == "ended" and state is not None and state.attempts:
        touched = [task for task in view_of(state).tasks if task.touched and not task.gone]
        if touched and all(task.status in DONE for task in touched):
            return "is done"
    return RUNS[status].sentence


def _queue(turn: Turn) -> str:
    before = turn.position - 1
    first = "1 run goes first" if before == 1 else f"{before:,} runs go first"
    wait = f"; about {_minutes(turn.seconds)} to wait" if turn.seconds is not None else ""
    return (
        f"It is at position {turn.position:,} in the queue: {first}{wait}. It starts "
        "automatically. `/execute status` shows how it is doing, `/execute cancel` removes it."
    )


def _minutes(seconds: float) -> str:
    minutes = max(1, ceil(seconds / 60))
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"


def _work(view: RunView, most: int) -> list[str]:
    """Where it is, the tasks, their graph, and what was used; the table gives way to the rest."""
    now, drawn, used, recovered = _now(view), _drawn(view), _usage(view), _recovered(view)
    table = task_table(view, most - len(now) - len(drawn) - len(used) - len(recovered))
    return [now, table, recovered, drawn, used]


def _now(view: RunView) -> str:
    return f"Now at {_called(*view.now)}, `{view.node}`." if view.now else ""


def _recovered(view: RunView) -> str:
    """How often each strategy was proposed, applied, and led to finished tasks; '' for never."""
    if not view.recoveries:
        return ""
    lines = [
        "| recovery | tried | applied | led to finished tasks |",
        "| --- | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {strategy} | {done['attempted']} | {done['applied']} | {done['successful']} |"
        for strategy, done in view.recoveries.items()
    ]
    replaced = view.replaced
    both = f"\n\n{_folded('Tasks that were replaced', replaced)}" if replaced else ""
    return "\n".join(lines) + both


def _drawn(view: RunView) -> str:
    source = graph(view)
    return _folded("Graph of this run", f"```mermaid\n{source}\n```") if source else ""


def _usage(view: RunView) -> str:
    rows = view.nodes
    if not rows:
        return ""
    lines = ["| node | tokens | % | duration | calls |", "| --- | ---: | ---: | ---: | ---: |"]
    lines += [
        f"| {row.node} | {row.usage.tokens:,} | {row.percent:.1f} "
        f"| {row.usage.seconds:.1f} s | {row.usage.calls} |"
        for row in rows
    ]
    used = view.used
    cost = f"; cost: {cost_text(used)}" if used.calls else ""
    return _folded(f"Time and cost: {tokens_text(used)}{cost}", "\n".join(lines))


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


_MOST_ENTRIES = 10
_ENTRY = 200


def _is_open(state: RunState) -> bool:
    """Whether a task is in hand, or waits for people to decide."""
    waits = Status.AWAITING_APPROVAL
    return bool(state.current) or any(a.status is waits for a in state.attempts.values())


def _known(state: RunState, *, over: bool) -> str:
    """What the run's report has beside the tasks, each with its reference; '' for nothing.

    The success rate is told only when the run is ``over`` for now: until then a task in hand, or
    one that waits for a decision, would count as one that failed.
    """
    if not state.attempts:
        return ""
    data: Mapping[str, Any] = report(state)
    calls = {task.key: cell(task.name, 80) for task in (*state.tasks, *state.replaced.tasks)}
    links = {attempt.task: _reference(attempt) for attempt in state.attempts.values()}
    lists = {
        "Errors": map(_error, data["errors"]),
        "Decisions": map(_decision, data["decisions"]),
        "Changes of the roadmap": map(_modification, data["roadmap_modifications"]),
        "Deferred": ({"task": key, "text": "was put off"} for key in data["deferrals"]),
    }
    parts = [_entries(title, each, calls, links) for title, each in lists.items()]
    told = "\n\n".join(part for part in parts if part)
    rate = f"Success rate: {100 * data['success_rate']:.0f} % of the tasks it took up."
    folded = _folded("Errors, decisions and changes of the roadmap", told) if told else ""
    return "\n\n".join(part for part in (rate if over else "", folded) if part)


def _entries(
    title: str,
    entries: Iterable[Mapping[str, str]],
    calls: Mapping[str, str],
    links: Mapping[str, str],
) -> str:
    """A list with a title, the newest entries of many; '' for an empty one."""
    lines = [
        f"- **{calls.get(each['task'], '')}** {each['text']} {links.get(each['task'], '')}".rstrip()
        for each in entries
    ]
    if not lines:
        return ""
    more = len(lines) - _MOST_ENTRIES
    left = [f"- … {more:,} more, see the run's report"] if more > 0 else []
    return "\n".join([f"**{title}**", "", *left, *lines[-_MOST_ENTRIES:]])


def _reference(attempt: Attempt) -> str:
    """Where to read more: the proposal, else the pull request, else the commit."""
    proposal = attempt.proposal
    place = proposal.place.url if proposal else ""
    return place or attempt.published.url or attempt.published.commit[:12]


def _error(each: Mapping[str, Any]) -> Mapping[str, str]:
    kind = str(each.get("error") or each["type"]).replace("_", " ")
    return {"task": each["task"], "text": f"{kind} ({each['severity']}): {_text(each['message'])}"}


def _decision(each: Mapping[str, Any]) -> Mapping[str, str]:
    by = f" by {_text(each['by'])}" if each["by"] else ""
    why = f": {_text(each['why'])}" if each["why"] else ""
    return {
        "task": each["task"],
        "text": f"{each['strategy']}: {DECISIONS[each['verdict']]}{by}{why}",
    }


def _modification(each: Mapping[str, Any]) -> Mapping[str, str]:
    return {"task": each["task"], "text": f"{each['edit']} in line {each['line']}"}


def _text(text: str) -> str:
    return cell(str(text), _ENTRY)
