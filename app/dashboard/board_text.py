"""The text of the dashboard issue: a plan that people can tick. A pure function of the board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from app.dashboard.board import Board, BudgetShown, RunOnBoard, TaskMark
from app.dashboard.issue import noted
from app.dashboard.plan_text import START, UPDATED, WITHOUT_WORK, beside, folded, order, rest
from app.progress.text import cell, mermaid_label, named
from handlers.ports import ProposalView
from handlers.texts import stack_replies
from handlers.ticks import Tick, checkbox
from runner.loop.schedule import upcoming, with_blocked
from runner.money import cost_text, tokens_text
from runner.roadmap.task import Roadmap, Task
from runner.state.options import Options, Request, Scope
from runner.state.run_state import RunState, Status
from runner.state.status_words import RUNS, TASKS, Tone

_MOST_TASKS = 200
_MOST_PROPOSALS = 20
_MOST_RUNS = 10
_MOST_DRAWN = 40
_LINE = 200
_TICK = "**To start a task**, tick its box. Cairn starts it if you have the *write* permission."
_AGAIN = frozenset({Status.FAILED, Status.DEFERRED, Status.BLOCKED, Status.DECLINED})
"""A tick tries these again; a skipped one too."""


def board_text(board: Board) -> str:
    """Render the issue's text."""
    roadmap, state = board.roadmap, _state(board)
    tasks = upcoming(state)
    parts = [
        f"### Plan of `{roadmap.path.replace('`', chr(39))}`",
        standing_text(board),
        noted(board.note),
        cell(roadmap.asks, 2 * _LINE),
        _hint(board, tasks),
        _waiting(board.proposals),
        _at_work(board.runs),
        *_phases(board),
        stack_replies.left_behind(board.reviewed),
        _drawn(board),
        folded("Order of the open tasks", order(tasks, roadmap)) if tasks else "",
        beside(state),
        *rest(state, roadmap),
        _spent(board.spent),
    ]
    return "\n\n".join(part for part in parts if part)


def plan_of(board: Board) -> str:
    """The plan alone: what is to be done in which order, and what is in review."""
    state = _state(board)
    tasks, roadmap = upcoming(state), board.roadmap
    no_work = bool(roadmap.asks) or not any(task.kind == "work" for task in roadmap.tasks)
    parts = [
        f"### Plan of `{roadmap.path.replace('`', chr(39))}`",
        standing_text(board),
        board.note,
        cell(roadmap.asks, 2 * _LINE),
        f"{START}{UPDATED}" if tasks else WITHOUT_WORK if no_work else "",
        order(tasks, roadmap),
        stack_replies.left_behind(board.reviewed),
        beside(state),
        *rest(state, roadmap),
    ]
    return "\n\n".join(part for part in parts if part)


def standing_text(board: Board) -> str:
    """How many tasks there are, and how many of them are to do, in review and done."""
    work = [task for task in board.roadmap.tasks if task.kind == "work"]
    marks = [_mark(board, task).status for task in work]
    review, done = marks.count(Status.IN_REVIEW), marks.count(Status.COMPLETED)
    todo = len(work) - review - done
    said = [f"{todo:,} to do", *([f"{review:,} in review"] if review else []), f"{done:,} done"]
    return f"{len(work):,} task{'s' * (len(work) != 1)}: {', '.join(said)}."


def _state(board: Board) -> RunState:
    """A run that would take all that is open, as it would begin now."""
    roadmap = board.roadmap
    options = Options(scope=Scope(max_tasks=len(roadmap.tasks)))
    statuses = {key: mark.status for key, mark in board.marks.items() if _counts(mark)}
    state = RunState(Request("", roadmap.path, options), roadmap=roadmap, statuses=statuses)
    return with_blocked(state)


def _counts(mark: TaskMark) -> bool:
    """Whether a new run leaves the task alone."""
    return mark.held or mark.status not in (
        Status.PENDING,
        Status.FAILED,
        Status.DEFERRED,
        Status.BLOCKED,
    )


def _mark(board: Board, task: Task) -> TaskMark:
    return board.marks.get(task.key, TaskMark(Status.PENDING))


def _hint(board: Board, tasks: Sequence[Task]) -> str:
    if not tasks:
        no_work = bool(board.roadmap.asks) or not any(t.kind == "work" for t in board.roadmap.tasks)
        return WITHOUT_WORK if no_work else ""
    all_of_it = f"{checkbox(Tick('all'))} **Start all open tasks**, in their order"
    return f"{all_of_it}\n\n{_TICK} {START}{UPDATED * board.pushed}"


def _waiting(proposals: Sequence[ProposalView]) -> str:
    """What waits for a decision, each with a box that approves it."""
    if not proposals:
        return ""
    lines = [
        f"{checkbox(Tick('approve', each.id))} Approve `{each.id}` (*{each.strategy}*) for "
        f"**{cell(each.name, 80)}**{_where(each)}"
        for each in proposals[:_MOST_PROPOSALS]
    ]
    more = len(proposals) - _MOST_PROPOSALS
    return "\n".join(["#### Waiting for your decision", "", *lines, *_more(more)])


def _where(proposal: ProposalView) -> str:
    return f": #{proposal.place.number}" if proposal.place.number else ""


def _at_work(runs: Sequence[RunOnBoard]) -> str:
    """The runs that are not over."""
    if not runs:
        return ""
    lines = [_run(run) for run in runs[:_MOST_RUNS]]
    return "\n".join(["#### Runs", "", *lines, *_more(len(runs) - _MOST_RUNS)])


def _run(run: RunOnBoard) -> str:
    parts = [f"- Run `{run.id}` {RUNS[run.status].sentence}"]
    if run.position:
        parts.append(f", at position {run.position:,} of the queue")
    if run.issue:
        parts.append(f"; its progress is on #{run.issue}")
    why = f". {cell(run.reason, _LINE)}" if run.reason and run.status != "running" else ""
    return "".join(parts) + why


def _phases(board: Board) -> Iterator[str]:
    """The tasks under their headings, each with its state, and a box where a tick can start it."""
    work = [task for task in board.roadmap.tasks if task.kind == "work"]
    for title, tasks in groupby(work[:_MOST_TASKS], key=_phase):
        lines = [_task(task, _mark(board, task)) for task in tasks]
        yield "\n".join([f"#### {title}", "", *lines])
    if len(work) > _MOST_TASKS:
        yield f"… {len(work) - _MOST_TASKS:,} more tasks"


def _phase(task: Task) -> str:
    headings = task.place.headings
    return cell(headings[-1].text, _LINE) if headings else "Tasks"


def _task(task: Task, mark: TaskMark) -> str:
    word, where = TASKS[mark.status], f": #{mark.number}" if mark.number else ""
    if mark.status is Status.PENDING:
        return f"{checkbox(Tick('start', task.key))} {named(task)}"
    if mark.status in _AGAIN or mark.status is Status.SKIPPED:
        again = checkbox(Tick("retry", task.key))
        return f"{again} {word.sign} {named(task)} ({word.text}{where}; tick to try it again)"
    if mark.status is Status.COMPLETED:
        return f"- {word.sign} {named(task)}"
    return f"- {word.sign} {named(task)} ({word.text}{where})"


_COLOURS: dict[Tone, str] = {
    "done": "fill:#a6e3b0,stroke:#2a8a43,color:#000",
    "failed": "fill:#f2b0b0,stroke:#b02a2a,color:#000",
    "now": "fill:#ffe08a,stroke:#b08800,color:#000",
    "waiting": "fill:#f2d9a0,stroke:#b08800,color:#000",
    "other": "fill:#e0e0e0,stroke:#888,color:#000",
}


def _drawn(board: Board) -> str:
    """The tasks that are not done and what they wait for, as a graph that GitHub draws."""
    roadmap = board.roadmap
    shown = [t for t in roadmap.tasks if t.kind == "work" and not _is_done(board, t)][:_MOST_DRAWN]
    names = {task.key: f"t{number}" for number, task in enumerate(shown, 1)}
    edges = [
        f"    {names[key]} --> {names[task.key]}"
        for task in shown
        for key in task.depends_on
        if key in names
    ]
    if not edges:
        return ""
    nodes = [f'    {names[t.key]}["{_label(t)}"]:::{_tone(board, t)}' for t in shown]
    classes = [f"    classDef {tone} {colour}" for tone, colour in _COLOURS.items()]
    source = "\n".join(["flowchart LR", *nodes, *edges, *classes])
    return folded("Graph of the open tasks", f"```mermaid\n{source}\n```")


def _is_done(board: Board, task: Task) -> bool:
    return _mark(board, task).status is Status.COMPLETED


def _tone(board: Board, task: Task) -> Tone:
    return TASKS[_mark(board, task).status].tone


def _label(task: Task) -> str:
    """Letters, digits and a few signs: nothing that mermaid or Markdown reads as its own."""
    return mermaid_label(f"{task.id or ''} {task.title}")


def _spent(spent: BudgetShown | None) -> str:
    if spent is None:
        return ""
    said = [
        f"Open pull requests of Cairn: {spent.open:,} of at most {spent.most:,}.",
        f"One task may use {spent.tokens_per_task:,} tokens.",
    ]
    if spent.used.calls:
        runs = "newest run" if spent.runs == 1 else f"{spent.runs:,} newest runs"
        used = f"{tokens_text(spent.used)}; cost: {cost_text(spent.used)}"
        said.append(f"Used by the {runs}: {used}.")
    return f"**Budget.** {' '.join(said)}"


def _more(number: int) -> Iterable[str]:
    return [f"- … {number:,} more"] if number > 0 else []


def where_the_rest_is(roadmap: Roadmap, branch: str) -> str:
    """A link to the roadmap, for a text that is cut."""
    path = roadmap.path.replace(")", "%29").replace(" ", "%20")
    return f"All tasks are in [{cell(roadmap.path, _LINE)}](../blob/{branch}/{path})."
