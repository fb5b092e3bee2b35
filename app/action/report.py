"""What a workflow run did, as one value, and from it: outputs, annotations, exit code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.action import texts
from app.action.commands import Note
from app.action.work import Done
from app.composition.action import Acting
from app.pages.watching import recall
from app.progress.panel import total
from app.store.proposals import StoredProposal
from app.store.runs import Run
from runner.recovery.numbers import as_written
from runner.roadmap.task import Task
from runner.state import RunState, Status

_UNFINISHED = (Status.FAILED, Status.BLOCKED)


@dataclass(frozen=True, slots=True)
class Report:
    """``runs`` are those that did anything, ``open`` the proposals that wait for people.

    ``about`` are sentences for the summary, ``report`` is where the file for people lies.
    """

    runs: tuple[tuple[Run, RunState | None], ...]
    open: tuple[StoredProposal, ...]
    about: tuple[str, ...]
    done: Done
    report: Path | None

    @property
    def exit_code(self) -> int:
        """4 paused or left undone, 1 a task failed, else 0: waiting for people is no failure."""
        if self.done.left or any(run.status == "paused" for run, _ in self.runs):
            return 4
        return 1 if self.count(*_UNFINISHED) else 0

    def count(self, *statuses: Status) -> int:
        """How many tasks of the runs stand so; one that a recovery replaced counts once."""
        found: dict[str, Status] = {}
        for state in (state for _, state in self.runs if state):
            touched = {state.written(key) for key in (*state.attempts, *state.blocked_by)}
            found |= {t.key: status for t, status in as_written(state) if t.key in touched}
        return sum(status in statuses for status in found.values())

    def outputs(self) -> dict[str, str]:
        """The outputs of the Action, by name."""
        cost = sum(total(state).cost for _, state in self.runs if state)
        return {
            "run-id": " ".join(run.id for run, _ in self.runs),
            "completed": str(self.count(Status.COMPLETED)),
            "failed": str(self.count(*_UNFINISHED)),
            "deferred": str(self.count(Status.DEFERRED)),
            "waiting": str(len(self.open)),
            "pull-requests": "\n".join(self.pulls()),
            "report-path": str(self.report or ""),
            "cost": f"{cost:.6f}",
        }

    def pulls(self) -> list[str]:
        """The pull requests of the runs, checkpoints and proposals, each once."""
        made = [a.url for _, state in self.runs if state for a in state.attempts.values()]
        asked = [each.url for each in self.open]
        return list(dict.fromkeys(url for url in (*made, *asked) if url))

    def notes(self) -> list[Note]:
        """What is to be seen at once: failures, pauses, and who is waited for."""
        notes = [Note("warning", "Cairn", self.done.left)] if self.done.left else []
        for run, _ in self.runs:
            if run.status == "paused":
                notes.append(Note("warning", f"Cairn run {run.id} is paused", run.reason))
        notes += [
            _failed(state, task) for state, task in self._touched() if _is_failed(state, task)
        ]
        for each in self.open:
            text = f"{each.strategy} is proposed for task {each.name}: {each.url}"
            notes.append(Note("warning", "Cairn waits for a decision", text))
        return notes

    def _touched(self) -> Iterable[tuple[RunState, Task]]:
        """The tasks the runs took up, each once, as the newest run has them."""
        found: dict[str, tuple[RunState, Task]] = {}
        for state in (state for _, state in self.runs if state):
            found |= {key: (state, state.task_of(key)) for key in state.attempts}
            found |= {t.key: (state, t) for t in state.tasks if t.key in state.blocked_by}
        return found.values()


async def report_of(acting: Acting, done: Done) -> Report:
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
    about = [texts.SANDBOX.format(reason=work.parts.sandbox.reason)]
    if acting.entry.bot == texts.ACTIONS:
        about.append(texts.LIMITS)
    return Report(
        tuple(runs), tuple(open_), tuple(about), done, written if written.exists() else None
    )


def _is_failed(state: RunState, task: Task) -> bool:
    return state.status(task) in _UNFINISHED


def _failed(state: RunState, task: Task) -> Note:
    attempt = state.attempts.get(task.key)
    failure = attempt.failure if attempt else None
    why = failure.message if failure else "It waits for a task that is not done."
    title = f"Task {task.name} {state.status(task)}"
    return Note("error", title, why, file=state.request.roadmap, line=task.line)
