"""What the plan of a roadmap says: which tasks are to be done, in which order, and what is odd."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.progress.text import cell, named
from runner.loop.schedule import ready, upcoming, with_blocked
from runner.people.sentences import blocked_reason
from runner.roadmap.lint import lint
from runner.roadmap.order import apart
from runner.roadmap.task import Roadmap, Task
from runner.state.options import Options, Request, Scope
from runner.state.run_state import RunState
from runner.text.fit import fit

_LONGEST = 59_000
_MOST_ROWS = 100
_MOST_LINES = 30
_LINE = 300
_SIDE_BY_SIDE = 10
START = (
    "**To start**, comment on this issue: `/execute` works through the tasks in this order (at "
    "most 10, unless `--max-tasks` allows more), `/execute --task ID` works on one task, and "
    "`/execute --dry-run` only lists them. `/execute help` explains the rest."
)
UPDATED = " Cairn updates this text with every push that changes the roadmap."
WITHOUT_WORK = (
    "The roadmap has no tasks that Cairn can work on yet. Comment `/execute` on this issue, and "
    "Cairn opens a pull request that proposes checkboxes."
)


def plannable(roadmap: Roadmap | None) -> bool:
    """Say whether there is anything to plan: open work, or what could become some."""
    if roadmap is None:
        return False
    is_open = any(task.kind == "work" and not task.checked for task in roadmap.tasks)
    return is_open or bool(roadmap.candidates or roadmap.asks)


def gone_text(path: str, note: str = "") -> str:
    """The text after the roadmap was deleted."""
    head = f"### Plan\n\nThe default branch no longer has a `{_code(path)}`."
    return "\n\n".join(part for part in (head, note) if part)


def off_text() -> str:
    """The text after people turned the dashboard off."""
    return (
        "### Plan\n\nThis dashboard is turned off (`dashboard: false` in `.github/cairn.yml`), so "
        "Cairn does not update this issue any more; you can close it. `/execute` works on the "
        "roadmap as before."
    )


def config_text(problems: Iterable[str]) -> str:
    """The text while the configuration has errors."""
    listed = _lines([f"- {cell(problem, _LINE)}" for problem in problems])
    return f"### Plan\n\n`.github/cairn.yml` has errors, so Cairn does not start:\n\n{listed}"


def plan_text(roadmap: Roadmap, note: str = "") -> str:
    """Render the plan; ``note`` says what the last push started (Markdown, already sanitized)."""
    options = Options(scope=Scope(max_tasks=len(roadmap.tasks)))
    state = with_blocked(RunState(Request("", roadmap.path, options), roadmap=roadmap))
    tasks = upcoming(state)
    parts = [
        f"### Plan of `{_code(roadmap.path)}`",
        _standing(roadmap, tasks),
        note,
        cell(roadmap.asks, 2 * _LINE),
        f"{START}{UPDATED}" if tasks else WITHOUT_WORK if _has_no_work(roadmap) else "",
        order(tasks, roadmap),
        beside(state),
        *rest(state, roadmap),
    ]
    return fit("\n\n".join(part for part in parts if part), _LONGEST)


def _has_no_work(roadmap: Roadmap) -> bool:
    return bool(roadmap.asks) or not any(task.kind == "work" for task in roadmap.tasks)


def _standing(roadmap: Roadmap, tasks: Sequence[Task]) -> str:
    work = [task for task in roadmap.tasks if task.kind == "work"]
    done = sum(task.checked for task in work)
    return f"{len(work):,} task{'s' * (len(work) != 1)}: {len(tasks):,} to do, {done:,} done."


def order(tasks: Sequence[Task], roadmap: Roadmap) -> str:
    """The tasks in the order a run takes them, each with the open ones it waits for."""
    if not tasks:
        return ""
    names = {task.key: task.name for task in roadmap.tasks if not task.checked}
    rows = ["| | task | line | after |", "| ---: | --- | ---: | --- |"]
    for number, task in enumerate(tasks[:_MOST_ROWS], 1):
        after = [names[key] for key in task.depends_on[:_MOST_LINES] if key in names]
        rows.append(
            f"| {number} | {named(task)} | {task.place.line} | {cell(', '.join(after), 80)} |"
        )
    if len(tasks) > _MOST_ROWS:
        rows.append(f"| | … {len(tasks) - _MOST_ROWS:,} more | | |")
    return "\n".join(rows)


def beside(state: RunState) -> str:
    """Some tasks that wait for nothing and are likely to write different files."""
    chosen: list[Task] = []
    for task in ready(state)[:_MOST_ROWS]:
        if len(chosen) < _SIDE_BY_SIDE and all(apart(task, other) for other in chosen):
            chosen.append(task)
    if len(chosen) < 2:
        return ""
    names = ", ".join(cell(task.name, 80) for task in chosen)
    return f"These do not depend on each other and could be done at the same time: {names}."


def rest(state: RunState, roadmap: Roadmap) -> list[str]:
    """What is not in the order, and why; and what to look at in the file."""
    waits = [t for t in roadmap.tasks if t.key in state.blocked_by]
    unasked = [t for t in roadmap.tasks if t.kind == "work" and not t.checked and not t.runnable]
    checks = [task for task in roadmap.tasks if task.kind == "check" and not task.checked]
    return [
        _listed("Blocked", [f"- {named(t)}: {blocked_reason(state, t)}" for t in waits]),
        _listed("Left out unless named: optional, crossed out or placeholder", _each(unasked)),
        _listed("Left out: checks of other work", _each(checks)),
        _listed(
            "Left out: no checkbox",
            [f"- line {c.line}: {cell(c.title, _LINE)}" for c in roadmap.candidates],
        ),
        _listed(
            "Warnings",
            [f"- line {w.line}: {cell(w.message, _LINE)}" for w in lint(roadmap)],
        ),
    ]


def _each(tasks: Sequence[Task]) -> list[str]:
    return [f"- line {task.place.line}: {named(task)}" for task in tasks]


def folded(title: str, text: str) -> str:
    """A part of the text that people open."""
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _listed(title: str, lines: Sequence[str]) -> str:
    return folded(f"{title} ({len(lines):,})", _lines(lines)) if lines else ""


def _lines(lines: Sequence[str]) -> str:
    more = len(lines) - _MOST_LINES
    return "\n".join([*lines[:_MOST_LINES], *([f"- … {more:,} more"] if more > 0 else [])])


def _code(text: str) -> str:
    return text.replace("`", "'")
