"""``cairn replay``: play a run of this folder again with the answers that it was given."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from app.interrupts import Interrupts
from app.local.compose import LocalCheckout, kept_in, local_deps
from app.local.options import LocalRun
from app.local.runs import named, readable, state_of, task_called
from app.local.work import limited
from app.settings import RunSettings
from app.texts import checkout_texts as texts
from runner.context.memory import of_task
from runner.errors import Outage, PortError
from runner.files.decisions import KnownRun, Stored
from runner.files.journal import every_row
from runner.files.kept import KeptFiles
from runner.files.results import MEMORY, FileMemory, RunFiles
from runner.git.past_repository import PastRepository
from runner.graph import START
from runner.loop.deps import EarlierRuns, NoReviews
from runner.loop.driver import drive
from runner.loop.journal import Cursors, decode_run, encode_run, references
from runner.loop.recorder import Isolated
from runner.loop.schedule import advanced
from runner.loop.task_pool import Ended
from runner.nodes import NODES
from runner.people.trust import verdict_of
from runner.ports import Answers, Decision, Events, Fanout, Journal, JournalRow, Model, SystemClock
from runner.prompts.questions import Answer, Question
from runner.state.options import Request, with_given
from runner.state.revising import Revision
from runner.state.run_state import Attempt, RunState, Status

log = logging.getLogger(__name__)

NEW = "replay"
"""The kind of the outage that a question without a recorded answer is."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What to play again: a run, or one ``task`` of it ('': all), from ``node`` ('': all of it).

    ``given`` are options (fields of ``Options``) that are others this time; with ``ask`` a new
    question is asked.
    """

    run: str
    task: str = ""
    node: str = ""
    given: Mapping[str, object] = field(default_factory=dict)
    ask: bool = False


def compared(before: RunState, start: RunState, after: RunState) -> list[dict[str, Any]]:
    """Say how each task ends that was played since the ``start``, and how it did ``before``.

    ``files`` are those that the two changes leave with other contents, or that only one touches.
    """
    found = []
    played = [key for key, now in after.attempts.items() if now != start.attempts.get(key)]
    for task in sorted(map(after.task_of, played), key=lambda task: task.place.line):
        old, new = before.attempts.get(task.key), after.attempts[task.key]
        then = old.answered.changes.files if old else {}
        now = new.answered.changes.files
        files = sorted(path for path in {**then, **now} if then.get(path) != now.get(path))
        ends = {"before": end_of(old) if old else None, "after": end_of(new)}
        same = not files and ends["before"] == ends["after"]
        found.append({"task": task.key, "id": task.name, **ends, "files": files, "same": same})
    return found


def end_of(attempt: Attempt) -> dict[str, object]:
    """How an attempt ended: its status, what tests say, and the nodes it went through."""
    kind, path = verdict_of(attempt).kind, list(attempt.spent.path)
    return {"status": str(attempt.status), "verdict": kind, "nodes": path}


class Recorded:
    """The ``Answers`` and ``Model`` of a replay: what ``runs`` were answered is answered again.

    The ``model`` is asked all else; without one a new question stops the replay.
    """

    def __init__(self, kept: Answers, runs: Sequence[str], model: Model | None) -> None:
        self._kept = kept
        self._runs = runs
        self._model = model
        self.recalled = 0
        self.asked: list[Answer] = []
        self.new: Question | None = None

    async def recall(self, run: str, question: str) -> Answer | None:
        """Return the answer that one of the runs was given."""
        for each in (run, *self._runs):
            if answer := await self._kept.recall(each, question):
                self.recalled += 1
                return answer
        return None

    async def keep(self, run: str, question: str, answer: Answer) -> None:
        """Store a new answer."""
        await self._kept.keep(run, question, answer)

    async def ask(self, question: Question) -> Answer:
        """Ask a new question, or raise ``Outage``."""
        if self._model is None:
            self.new = question
            raise Outage(NEW, "its answer is not recorded")
        log.info(texts.asks_new())
        answer = await self._model.ask(question)
        self.asked.append(answer)
        return answer


class PastDecisions:
    """The ``Decisions`` port of a replay: each one that the run took is taken again.

    As then, a proposal is there before it is decided about.
    """

    def __init__(self, stored: Sequence[Stored]) -> None:
        self._left = [each.decision for each in stored if each.step]
        self._steps: dict[tuple[str, str], Decision | None] = {}
        self._parked: set[str] = set()

    async def waiting(self, run: str) -> tuple[str, ...]:
        """Return the tasks with a decision to come."""
        return tuple(dict.fromkeys(d.task for d in self._left if d.task in self._parked))

    async def take(self, run: str, task: str, step: str) -> Decision | None:
        """Return the oldest one about the task that no other step took."""
        if (task, step) not in self._steps:
            about = (each for each in self._left if each.task == task)
            found = next(about, None) if task in self._parked else None
            if found:
                self._left.remove(found)
            (self._parked.discard if found else self._parked.add)(task)
            self._steps[task, step] = found
        return self._steps[task, step]


class PastReviews(NoReviews):
    """The ``Reviews`` port of a replay: nobody has pushed to a pull request since."""

    async def moved(self, revision: Revision) -> Revision:
        """Return it as it is."""
        return revision


async def play(
    wanted: Replay, asked: LocalRun, settings: RunSettings, listener: Events, control: Interrupts
) -> tuple[Ended, dict[str, Any]]:
    """Play a run again, in a run of its own that touches no branch and no file of the project.

    Returns how that ended, and what is different, for programs. Raises ``PortError``.
    """
    asked = await _where(wanted.run, asked)
    kept = kept_in(asked.kept)
    every = kept.runs.all(replays=True)
    of = named(every, wanted.run)
    if of.state == "working":
        raise PortError("file", texts.still_works(of.id))
    before = await state_of(of, kept)
    task = task_called(before, wanted.task) if wanted.task else ""
    if wanted.task and not task:
        raise PortError("file", texts.not_in_run(wanted.task, before))
    rows = every_row(asked.kept / "journal" / of.id, of.id)
    given = {**wanted.given, **({"task": task} if task else {})}
    options = with_given(before.request.options, given)
    request = replace(before.request, id=secrets.token_hex(5), options=options)
    asked = replace(asked, sandbox=asked.sandbox or of.sandbox)
    async with local_deps(asked, settings, listener, control=control) as here:
        await here.repository.prepare()
        with readable(of.id):
            start = await _copied(cut(rows, task, wanted.node), request, here.deps.journal)
        if not start.stack.tip:
            raise PortError("file", texts.nothing_to_replay(of.id))
        there = str(asked.folder) if asked.copied else ""
        gone = partial(texts.commit_gone, of.id, there)
        past = PastRepository(here.repository, start.stack, gone)
        past.leave(
            [key for key, word in start.statuses.items() if word is Status.AWAITING_APPROVAL]
        )
        await past.snapshot(start.stack.tip)
        here = await limited(asked, settings, start.stack.tip, here)
        runs = [of.id, *_played_by(of, every)]
        recorded = Recorded(here.deps.answers, runs, here.deps.model if wanted.ask else None)
        began = SystemClock().now().timestamp()
        new = KnownRun(request.id, roadmap=request.roadmap, began=began, replay_of=of.id)
        kept.runs.put(new)
        with tempfile.TemporaryDirectory() as folder, control.patient():
            memory = await _memory(asked.kept, runs, start, Path(folder))
            files = RunFiles(asked.kept, mask=here.deps.mask, reports=False)
            stored = [each for each in kept.inbox.stored() if each.run in runs]
            deps = replace(
                here.deps,
                model=recorded,
                answers=recorded,
                repository=past,
                decisions=PastDecisions(stored),
                reviews=PastReviews(),
                events=Fanout(Isolated(files), listener),
                earlier=EarlierRuns(memory, here.deps.earlier.past),
            )
            ended = await drive(request, NODES, deps)
    stopped = ended.reason if ended.status == "paused" else ""
    if ended.kind == NEW and recorded.new:
        model = recorded.new.model or settings.cairn_model
        stopped = _new_question(recorded.new, ended.state, runs, here, asked.kept, model)
    # it is never continued: its answers are played again
    kept.runs.put(replace(new, state="stopped" if stopped else "ended", reason=stopped))
    tasks, costs = compared(before, start, ended.state), [answer.cost for answer in recorded.asked]
    return ended, {
        "run": request.id,
        "replay_of": of.id,
        "folder": str(asked.folder) if asked.copied else None,
        "recorded": recorded.recalled,
        "asked": len(costs),
        "cost": None if None in costs else sum(filter(None, costs)),
        "stopped": stopped or None,
        "same": not stopped and all(task["same"] for task in tasks),
        "tasks": tasks,
    }


async def _where(run: str, asked: LocalRun) -> LocalRun:
    """Find a run here, or copy it from the server that the environment names."""
    here = kept_in(asked.kept).runs.all(replays=True)
    served = {"DATABASE_URL", "CAIRN_DATA_DIR"} & os.environ.keys()
    if not served or any(each.id.startswith(run) for each in here):
        return asked
    from app.local.server_runs import copy_of  # with SQLAlchemy

    return replace(asked, folder=await copy_of(run, asked.kept), copied=True)


def _played_by(run: KnownRun, every: Sequence[KnownRun]) -> Iterator[str]:
    """The runs that a replay played, and those that these played."""
    known = {each.id: each for each in every}
    while run.replay_of in known:
        run = known[run.replay_of]
        yield run.id


def cut(rows: Sequence[JournalRow], task: str, node: str) -> list[JournalRow]:
    """Return the newest row of every cursor where a run, or a task of it, first came to a node.

    Without a node that is where the task was taken up; without either, where the roadmap was read.
    Raises ``PortError`` if it never came there. Other tasks that were at work then are left out.
    """
    if not (task or node) or node == START:
        return [*rows[:1]]
    own = [row for row in rows if task in ("", row.task)]
    at = next((row for row in own if node in ("", row.node)), None)
    if at is None:
        raise PortError("file", texts.never_there(node, dict.fromkeys(row.node for row in own)))
    found = {row.task: row for row in rows[: rows.index(at) + 1]}
    beside = {row.task for row in found.values() if row.data.get("status") == "in_progress"}
    return [row for key, row in found.items() if not task or key in ("", task) or key not in beside]


async def _copied(rows: Sequence[JournalRow], request: Request, journal: Journal) -> RunState:
    """Save the rows as those of another run; return how that stands."""
    for row in rows:
        held: dict[str, bytes] = {}
        if not row.task:
            known = {sha: await journal.content(sha) for sha in references(row.data)}
            data, held = encode_run(replace(decode_run(row.data, known), request=request))
            row = replace(row, data=data)
        await journal.save(replace(row, run=request.id), held)
    return advanced(await Cursors(journal).recall(request, now=0.0))


async def _memory(kept: Path, runs: Sequence[str], start: RunState, folder: Path) -> FileMemory:
    """What was known of the project when the run came there, apart from what is known now."""
    files = [kept / "runs" / run / MEMORY for run in runs]
    if known := next((file for file in files if file.exists()), None):
        shutil.copy(known, folder / MEMORY)
    else:
        log.warning(texts.memory_unknown(runs[-1]))
    memory = FileMemory(folder / MEMORY, mask=str)
    for key in start.attempts:
        await memory.remember(of_task(start, key))
    return memory


def _new_question(
    question: Question,
    state: RunState,
    runs: Sequence[str],
    here: LocalCheckout,
    kept: Path,
    model: str,
) -> str:
    """Say which question has no recorded answer, and in what it differs from the nearest one.

    Nothing knows what was asked but the files of the runs; a question counts by all that it is.
    """
    asked = [each for run in runs for each in KeptFiles(kept).exchanges(run, state.current)]
    there = [each.exchange for each in asked if each.node == state.node]
    new = here.deps.mask(question.text).splitlines()
    lines = set(new)
    near = max(there, key=lambda e: len(lines & set(e.prompt.splitlines())), default=None)
    old = near.prompt.splitlines() if near else []
    return texts.new_question(
        state,
        near.model if near else "",
        model,
        next((line for line in new if line not in set(old)), ""),
        next((line for line in old if line not in lines), ""),
        bool(asked),
        any(any((kept / "journal" / run / "answers").glob("*.json")) for run in runs),
    )
