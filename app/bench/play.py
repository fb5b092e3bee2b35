"""Plays a task: an ordinary run in a checkout of its own, then the hidden tests."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.bench.box import checkout, judged
from app.bench.suites import texts_of
from app.bench.tasks import ROADMAP, BenchTask
from app.interrupts import Interrupts
from app.local.compose import kept_in
from app.local.options import FOLDER, LocalRun
from app.local.runs import state_of
from app.local.work import run_locally
from app.settings import RunSettings
from runner.code.languages import is_among_tests
from runner.errors import Outage
from runner.files.decisions import OVER
from runner.model.budget import Budget
from runner.money import total
from runner.people.trust import MADE, verdict_of
from runner.ports import Events
from runner.state.run_state import RunState

_ALONE = {"roles": {}, "recovery": False, "approval_mode": "review_only"}
"""The model that is measured answers all questions, and nobody is asked about a failed task."""


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """Who does the tasks: a model, and the agent that asks it."""

    model: str
    agent: str = "cairn"

    @property
    def folder(self) -> str:
        """A name for a folder."""
        return re.sub(r"[^\w.-]+", "-", f"{self.agent}-{self.model}")


@dataclass(frozen=True, kw_only=True)
class BenchResult:
    """What became of a task. Tokens, US dollars (None: unknown) and seconds are those of its run.

    ``made``: a change was committed. ``shown``: Cairn says that tests show the task to be done.
    ``right``: all tests say so, the hidden ones too, and none is ``broken`` that passed before.
    """

    task: str
    model: str
    agent: str
    run: str
    made: bool
    shown: bool
    right: bool
    broken: int
    calls: int
    tokens: int
    cost: float | None
    seconds: float
    why: str = field(default="")

    @property
    def claimed_and_wrong(self) -> bool:
        """Whether it is shown to be done and is not."""
        return self.shown and not self.right

    @property
    def word(self) -> str:
        """How it ended, in a word or two."""
        if self.shown:
            return "shown" if self.right else "claimed and wrong"
        if not self.made:
            return "not done"
        return "right, not shown" if self.right else "wrong, not shown"


@dataclass(frozen=True)
class Bench:
    """Where tasks are played, and by whom. Of ``project`` the shared tasks are copies."""

    project: Path
    place: Path
    who: Contestant
    sandbox: str
    settings: RunSettings

    async def play(
        self, task: BenchTask, budget: Budget, listener: Events, control: Interrupts
    ) -> BenchResult:
        """Do a task, or go on with it where it was left, and judge it.

        Raises ``Outage`` with what keeps the run from going on, and what a run raises.
        """
        folder = self.place / task.name
        if not folder.exists():
            files = {p: t.encode("utf-8", "surrogateescape") for p, t in task.files.items()}
            await checkout(folder, files, self.project if task.shared else None)
        kept = kept_in(folder / FOLDER)
        known = next(iter(kept.runs.all()), None)
        if known is None or known.state not in OVER:
            given = {"model": self.who.model, "agent": self.who.agent, **_ALONE}
            asked = LocalRun(folder, ROADMAP, given, sandbox=self.sandbox, budget=budget)
            asked = replace(asked, repeats=True)
            if known:  # a run keeps its options
                asked = replace(asked, run=known.id, given={})
            ended = await run_locally(asked, self.settings, listener, control)
            if ended.status == "paused":
                raise Outage(ended.kind, ended.reason, advised=ended.advised)
            state = ended.state
        else:
            state = await state_of(known, kept)
        return await self._judged(task, folder, state)

    async def _judged(self, task: BenchTask, folder: Path, state: RunState) -> BenchResult:
        attempts = list(state.attempts.values())
        done = [attempt for attempt in attempts if attempt.status in MADE]
        work = [each for each in state.tasks if each.kind == "work"]
        made = bool(done)
        failures = [attempt.failure.message for attempt in attempts if attempt.failure]
        passed = frozenset[str]()
        if made:
            tests: Mapping[str, str] = {}
            if task.shared:  # whatever the run made of those that it saw
                found = await asyncio.to_thread(texts_of, self.project)
                tests = {path: text for path, text in found.items() if is_among_tests(path)}
            hidden = {**tests, **task.hidden}
            expected = (*task.wanted, *task.kept)
            passed = await judged(folder, hidden, expected, self.sandbox, self.settings)
        broken = len(set(task.kept) - passed) if made else 0
        spent = total(attempt.spent.total for attempt in attempts)
        return BenchResult(
            task=task.name,
            model=self.who.model,
            agent=self.who.agent,
            run=state.request.id,
            made=made,
            shown=made
            and all(state.status(each) in MADE for each in work)
            and all(verdict_of(attempt).verified for attempt in done),
            right=made and not broken and passed >= set(task.wanted),
            broken=broken,
            calls=spent.calls,
            tokens=spent.tokens,
            cost=spent.known_cost,
            seconds=round(total(u for a in attempts for u in a.spent.usage.values()).seconds, 1),
            why=next(iter(failures), state.problem),
        )
