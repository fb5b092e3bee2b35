"""The issue that shows a repository's plan: its text, and how it is found, made and edited."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from app.github.api import RepositoryApi
from app.github.comments import marked, marker, with_markers
from app.progress.text import cell, cut, named
from runner.loop.schedule import ready, upcoming, with_blocked
from runner.people.sentences import blocked_reason
from runner.roadmap.lint import lint
from runner.roadmap.order import apart
from runner.roadmap.task import Roadmap, Task
from runner.state.options import Options, Request, Scope
from runner.state.run_state import RunState

_MARK = marker("plan", "roadmap")


class PlanIssue:
    """One a repository, by our App (``bot_login``); a closed one stays closed and is kept true."""

    def __init__(self, api: RepositoryApi, *, bot_login: str) -> None:
        self._api = api
        self._bot_login = bot_login

    async def find(self) -> int | None:
        """Return its number, or None. Raises ``Outage`` or ``TaskError``."""
        found = await self._find()
        return int(found["number"]) if found else None

    async def shows(self) -> str | None:
        """Return the name of what it shows; None without an issue or a note."""
        found = await self._find()
        return marked(found["body"], "planned") if found else None

    async def show(self, title: str, text: str, *, create: bool, planned: str = "") -> int | None:
        """Give it a text and return its number; None if there is none and none is wanted.

        ``planned`` names the roadmap the text is about. People may give it another title.
        """
        body = with_markers([_MARK, marker("planned", planned)], text)
        found = await self._find()
        if found is None:
            return await self._make(title, body) if create else None
        number = int(found["number"])
        if found["body"] != body:
            await self._api.change(f"issues/{number}", {"body": body}, f"edit #{number}")
        return number

    async def _make(self, title: str, body: str) -> int:
        made = await self._api.post("issues", {"title": title, "body": body}, "open the plan")
        return int(made["number"])

    async def _find(self) -> Any:
        # the oldest first: it was made with the first push, before most pull requests of ours
        query = {
            "state": "all",
            "creator": self._bot_login,
            "sort": "created",
            "direction": "asc",
            "per_page": "100",
        }
        async for each in self._api.items(f"issues?{urlencode(query)}", "list our issues"):
            author = (each["user"] or {}).get("login")
            if author == self._bot_login and (each["body"] or "").startswith(_MARK):
                return each
        return None


TITLE = "Cairn: plan of the roadmap"
_LONGEST = 59_000
_MOST_ROWS = 100
_MOST_LINES = 30
_LINE = 300
_SIDE_BY_SIDE = 10
_START = (
    "**To start**, comment on this issue: `/execute` works through the tasks in this order (at "
    "most 10, unless `--max-tasks` allows more), `/execute --task ID` works on one task, and "
    "`/execute --dry-run` only lists them. `/execute help` explains the rest. Cairn updates this "
    "text with every push that changes the roadmap."
)
_NORMALISE = (
    "Cairn cannot run any of it yet. Comment `/execute` on this issue, and Cairn opens a pull "
    "request that proposes checkboxes."
)


def plannable(roadmap: Roadmap | None) -> bool:
    """Say whether there is anything to plan: open work, or what could become some."""
    if roadmap is None:
        return False
    is_open = any(task.kind == "work" and not task.checked for task in roadmap.tasks)
    return is_open or bool(roadmap.candidates or roadmap.asks)


def gone_text(path: str, note: str = "") -> str:
    """The text after the roadmap was deleted."""
    head = f"### Plan\n\nThere is no `{_code(path)}` on the default branch any more."
    return "\n\n".join(part for part in (head, note) if part)


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
        _START if tasks else _NORMALISE if _has_no_work(roadmap) else "",
        _order(tasks, roadmap),
        _beside(state),
        *_rest(state, roadmap),
    ]
    return cut("\n\n".join(part for part in parts if part), _LONGEST)


def _has_no_work(roadmap: Roadmap) -> bool:
    return bool(roadmap.asks) or not any(task.kind == "work" for task in roadmap.tasks)


def _standing(roadmap: Roadmap, tasks: Sequence[Task]) -> str:
    work = [task for task in roadmap.tasks if task.kind == "work"]
    done = sum(task.checked for task in work)
    return f"{len(work):,} task{'s' * (len(work) != 1)}: {len(tasks):,} to do, {done:,} done."


def _order(tasks: Sequence[Task], roadmap: Roadmap) -> str:
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


def _beside(state: RunState) -> str:
    """Some tasks that wait for nothing and are likely to write different files."""
    chosen: list[Task] = []
    for task in ready(state)[:_MOST_ROWS]:
        if len(chosen) < _SIDE_BY_SIDE and all(apart(task, other) for other in chosen):
            chosen.append(task)
    if len(chosen) < 2:
        return ""
    names = ", ".join(cell(task.name, 80) for task in chosen)
    return f"These do not depend on each other and could be done at the same time: {names}."


def _rest(state: RunState, roadmap: Roadmap) -> list[str]:
    """What is not in the order, and why; and what to look at in the file."""
    waits = [t for t in roadmap.tasks if t.key in state.blocked_by]
    unasked = [t for t in roadmap.tasks if t.kind == "work" and not t.checked and not t.runnable]
    checks = [task for task in roadmap.tasks if task.kind == "check" and not task.checked]
    return [
        _folded("Blocked", [f"- {named(t)}: {blocked_reason(state, t)}" for t in waits]),
        _folded("Left out unless named: optional, crossed out or placeholder", _each(unasked)),
        _folded("Left out: checks of other work", _each(checks)),
        _folded(
            "Left out: no checkbox",
            [f"- line {c.line}: {cell(c.title, _LINE)}" for c in roadmap.candidates],
        ),
        _folded(
            "Warnings",
            [f"- line {w.line}: {cell(w.message, _LINE)}" for w in lint(roadmap)],
        ),
    ]


def _each(tasks: Sequence[Task]) -> list[str]:
    return [f"- line {task.place.line}: {named(task)}" for task in tasks]


def _folded(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    head = f"<details><summary>{title} ({len(lines):,})</summary>"
    return f"{head}\n\n{_lines(lines)}\n\n</details>"


def _lines(lines: Sequence[str]) -> str:
    more = len(lines) - _MOST_LINES
    return "\n".join([*lines[:_MOST_LINES], *([f"- … {more:,} more"] if more > 0 else [])])


def _code(text: str) -> str:
    return text.replace("`", "'")
