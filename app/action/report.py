"""Report what a workflow run did: outputs, annotations, the job summary and the exit code.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.action.compose import Acting
from app.action.work import Done
from app.compose.pages import recall
from app.progress.text import cell, named, progress_text
from app.store.runs import Run
from app.texts import action_texts as texts
from handlers.ports import ProposalView
from runner.money import total
from runner.people.run_view import TaskView, usage_by_node, view_of
from runner.people.statistics import as_written
from runner.people.texts import trust_texts
from runner.state.run_state import RunState, Status
from runner.text.sanitize import sanitize

ACTIONS = "github-actions[bot]"
"""Whom the workflow's own token speaks for."""

MOST_ANNOTATIONS = 10
"""Annotations of a kind that GitHub shows of one step."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotation: ``level`` is error, warning or notice; ``file`` and ``line`` say where."""

    level: str
    title: str
    message: str
    file: str = ""
    line: int = 0


class Console:
    """Writes to the job's log. From ``begin`` to ``end`` nothing in it is taken as a command:
    what models and repositories say passes through there.
    """

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._token = secrets.token_hex(16)
        self._stopped = False

    def begin(self, hidden: Iterable[str]) -> None:
        """Have values masked in everything the job prints, then stop commands."""
        for value in hidden:
            for line in filter(None, value.split("\n")):
                self._write(f"::add-mask::{_escaped(line)}\n")
        self._write(f"::stop-commands::{self._token}\n")
        self._stopped = True

    def end(self, notes: Sequence[Annotation]) -> None:
        """Take commands again, and annotate: at most ``MOST_ANNOTATIONS`` of a level."""
        if self._stopped:
            self._write(f"\n::{self._token}::\n")
        for note in _shown(notes):
            self._write(f"{command_of(note)}\n")


def command_of(note: Annotation) -> str:
    """The command that makes an annotation; one line whatever it says."""
    place = {"file": note.file, "line": str(note.line or ""), "title": note.title}
    properties = ",".join(f"{k}={_property(v)}" for k, v in place.items() if v)
    return f"::{note.level} {properties}::{_escaped(note.message)}"


def write_outputs(path: Path, values: dict[str, str]) -> None:
    """Set outputs of the step; the delimiter is random, so that no value can end its own."""
    with path.open("a", encoding="utf-8") as file:
        for name, value in values.items():
            end = f"end_{secrets.token_hex(16)}"
            file.write(f"{name}<<{end}\n{value}\n{end}\n")


def _shown(notes: Sequence[Annotation]) -> Iterable[Annotation]:
    for level in ("error", "warning", "notice"):
        same = [note for note in notes if note.level == level]
        if len(same) <= MOST_ANNOTATIONS:
            yield from same
            continue
        yield from same[: MOST_ANNOTATIONS - 1]
        yield Annotation(
            level, "Cairn", f"{len(same) - MOST_ANNOTATIONS + 1} more: see the summary of this run."
        )


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


_UNFINISHED = (Status.FAILED, Status.BLOCKED)


@dataclass(frozen=True, slots=True)
class ActionReport:
    """``runs`` are those that did anything, ``open`` the proposals that wait for people.

    ``about`` are sentences for the summary, ``report`` is where the file for people is.
    """

    runs: tuple[tuple[Run, RunState | None], ...]
    open: tuple[ProposalView, ...]
    about: tuple[str, ...]
    done: Done
    report: Path | None

    @property
    def exit_code(self) -> int:
        """4 paused or left undone, 1 a task failed, else 0: waiting for people is not a failure."""
        if self.done.left or any(run.status == "paused" for run, _ in self.runs):
            return 4
        return 1 if self.count(*_UNFINISHED) else 0

    def count(self, *statuses: Status) -> int:
        """How many tasks of the runs have this status; one that a recovery replaced counts once."""
        found: dict[str, Status] = {}
        for state in (state for _, state in self.runs if state):
            touched = {state.written(key) for key in (*state.attempts, *state.blocked_by)}
            found |= {t.key: status for t, status in as_written(state) if t.key in touched}
        return sum(status in statuses for status in found.values())

    def outputs(self) -> dict[str, str]:
        """The outputs of the Action, by name."""
        used = total(u for _, state in self.runs if state for u in usage_by_node(state).values())
        return {
            "run-id": " ".join(run.id for run, _ in self.runs),
            "completed": str(self.count(Status.COMPLETED)),
            "failed": str(self.count(*_UNFINISHED)),
            "deferred": str(self.count(Status.DEFERRED)),
            "waiting": str(len(self.open)),
            "pull-requests": "\n".join(self.pulls()),
            "report-path": str(self.report or ""),
            "cost": "" if used.known_cost is None else f"{used.known_cost:.6f}",
        }

    def pulls(self) -> list[str]:
        """The pull requests of the runs, checkpoints and proposals, each once."""
        made = [a.published.url for _, state in self.runs if state for a in state.attempts.values()]
        asked = [each.place.url for each in self.open]
        return list(dict.fromkeys(url for url in (*made, *asked) if url))

    def notes(self) -> list[Annotation]:
        """What is to be seen at once: failures, pauses, and who is waited for."""
        notes = [Annotation("warning", "Cairn", self.done.left)] if self.done.left else []
        for run, _ in self.runs:
            if run.status == "paused":
                notes.append(Annotation("warning", f"Cairn run {run.id} is paused", run.reason))
        for path, task in self._touched():
            if task.status in _UNFINISHED:
                title = f"Task {task.name} {task.word.text}"
                notes.append(Annotation("error", title, task.why, file=path, line=task.line))
        for each in self.open:
            text = f"{each.strategy} is proposed for task {each.name}: {each.place.url}"
            notes.append(Annotation("warning", "Cairn is waiting for a decision", text))
        return notes

    def _touched(self) -> Iterable[tuple[str, TaskView]]:
        """The tasks the runs took up, each once with its roadmap, as the newest run has them."""
        found: dict[str, tuple[str, TaskView]] = {}
        for view in (view_of(state) for _, state in self.runs if state):
            tasks = (t for t in view.tasks if t.touched or t.status is Status.BLOCKED)
            found |= {task.key: (view.roadmap, task) for task in tasks}
        return found.values()


async def report_of(acting: Acting, done: Done) -> ActionReport:
    """Look at what the runs did. Raises ``Outage``."""
    work = acting.work
    runs = []
    for id, state in acting.heard.runs.items():
        run = await work.runs.get(id)
        if run is not None:
            runs.append((run, state or await recall(run, work.parts.journal)))
    now = work.parts.around.clock.now()
    open_ = await work.stored.open_since(now)
    folder = work.parts.settings.cairn_data_dir / "executor" / str(acting.entry.repository.id)
    written = folder / "report.md"
    about = [texts.sandbox(reason=work.parts.sandbox.reason)]
    if acting.entry.bot == ACTIONS:
        about.append(texts.limits())
    return ActionReport(
        tuple(runs), tuple(open_), tuple(about), done, written if written.exists() else None
    )


MOST_SUMMARY_BYTES = 1_000_000
"""Bytes; GitHub takes 1 MiB of a step."""

_CELL = 200
_MOST_TASKS = 200


def summary(report: ActionReport) -> str:
    """Render it as Markdown, in at most ``MOST_SUMMARY_BYTES`` bytes."""
    parts = ["## Cairn", *report.about, *map(_plain, report.done.texts), _plain(report.done.left)]
    parts.append(_waiting(report.open))
    left = MOST_SUMMARY_BYTES - sum(len(part.encode()) + 2 for part in parts)
    for nth, (run, state) in enumerate(report.runs):
        text = progress_text(run.id, run.status, run.reason, state) + _trust(state)
        left -= len(text.encode()) + 2
        if left < _CELL:
            parts.append(f"… {len(report.runs) - nth} more runs")
            break
        parts.append(text)
    if not report.runs and not report.done.texts and not report.done.left:
        parts.append("There was nothing to do.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _trust(state: RunState | None) -> str:
    """How far the completed tasks of a run are verified, a line each; '' where none is."""
    tasks = view_of(state).tasks if state else ()
    lines = [
        f"- {named(task)}: {trust_texts.line(task.checks.trust)}"
        for task in tasks
        if task.checks.trust
    ]
    return (
        "\n\n" + "\n".join([f"### {trust_texts.heading()}", "", *lines[:_MOST_TASKS]])
        if lines
        else ""
    )


def _waiting(open_: Sequence[ProposalView]) -> str:
    """The proposals nobody has answered."""
    if not open_:
        return ""
    rows = ["| proposal | task | what | where |", "| --- | --- | --- | --- |"]
    rows += [
        f"| `{each.id}` | {cell(each.name, _CELL)} | {each.strategy} | {each.place.url} |"
        for each in open_[:100]
    ]
    head = (
        "### Waiting for a decision\n\nTo approve a proposal, react there with 👍 or reply "
        "`/approve`; to reject it, 👎 or `/reject`."
    )
    return head + "\n\n" + "\n".join(rows)


def _plain(text: str) -> str:
    return sanitize(text, plain=True)
