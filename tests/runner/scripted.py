"""Scripted ports: they answer as told, keep what they were asked, and forgive no surprise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar

from handlers.grammar import ON_GITHUB
from runner.errors import Stopped, StopRequest
from runner.loop.deps import Deps
from runner.ports import Decision, JournalRow
from runner.prompts.questions import Answer, Question
from runner.state.events import Event
from tests.model_server.script import APART
from tests.runner.memory_repository import MemoryRepository
from tests.runner.recording_box import RecordingSandbox

E = TypeVar("E", bound=Event)

Reply = str | Answer | Exception


class Killed(Exception):
    """The process died here: nothing of the product may catch it."""


def answer(text: str, finish_reason: str = "stop") -> Answer:
    """An answer of 10 + 5 tokens for one cent."""
    return Answer(text, finish_reason, 10, 5, "scripted", cost=0.01, seconds=2.0)


class ScriptedModel:
    """Gives its replies in turn; fails when asked too often, and at the end if some are left.

    A question for a test apart (kept in ``apart``) gets the next of ``tests``, or no test.
    """

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.questions: list[Question] = []
        self.apart: list[Question] = []
        self.tests: list[str] = []

    def says(self, *replies: Reply) -> None:
        """Add replies."""
        self._replies += replies

    async def ask(self, question: Question) -> Answer:
        if APART in question.messages[-1].content:
            self.apart.append(question)
            return answer(self.tests.pop(0) if self.tests else "NONE")
        self.questions.append(question)
        assert self._replies, f"asked too often:\n{question.messages[-1].content}"
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return answer(reply) if isinstance(reply, str) else reply

    def assert_all_said(self) -> None:
        """Fail when replies are left over."""
        assert not self._replies, f"{len(self._replies)} replies were not asked for"


class MemoryJournal:
    """Rows as JSON texts; ``dies_after`` saves it raises ``Killed``, once the row is stored."""

    def __init__(self, *, dies_after: int | None = None) -> None:
        self.rows: dict[tuple[str, str, int], str] = {}
        self.contents: dict[str, bytes] = {}
        self.saves = 0
        self.dies_after = dies_after

    async def save(self, row: JournalRow, contents: dict[str, bytes]) -> JournalRow:
        self.contents |= contents
        stored = self.rows.setdefault((row.run, row.task, row.seq), _dumped(row))
        self.saves += 1
        if self.saves == self.dies_after:
            raise Killed
        return _loaded(row.run, row.task, row.seq, stored)

    async def recall(self, run: str) -> list[JournalRow]:
        newest = {task: seq for (of, task, seq) in sorted(self.rows) if of == run}
        return [_loaded(run, task, seq, self.rows[run, task, seq]) for task, seq in newest.items()]

    async def content(self, sha: str) -> bytes:
        return self.contents[sha]

    def nodes(self, task: str) -> list[str]:
        """The next nodes of one cursor, row by row."""
        rows = sorted((seq, text) for (_, of, seq), text in self.rows.items() if of == task)
        return [json.loads(text)["node"] for _, text in rows]


class MemoryDecisions:
    """Decisions by task, the oldest first."""

    def __init__(self, *open_: Decision) -> None:
        self.open = list(open_)
        self.taken: dict[tuple[str, str], Decision] = {}

    async def waiting(self, run: str) -> tuple[str, ...]:
        return tuple(decision.task for decision in self.open)

    async def take(self, run: str, task: str, step: str) -> Decision | None:
        found = next((d for d in self.open if d.task == task), None)
        if (task, step) not in self.taken and found:
            self.open.remove(found)
            self.taken[task, step] = found
        return self.taken.get((task, step))


class MemoryAnswers:
    """Answers by run and question."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Answer] = {}

    async def recall(self, run: str, question: str) -> Answer | None:
        return self.kept.get((run, question))

    async def keep(self, run: str, question: str, answer: Answer) -> None:
        self.kept.setdefault((run, question), answer)


class LateJournal(MemoryJournal):
    """A journal as a driver sees it that looked before another one wrote its rows."""

    def __init__(self, other: MemoryJournal) -> None:
        super().__init__()
        self.rows, self.contents = other.rows, other.contents

    async def recall(self, run: str) -> list[JournalRow]:
        return []


def _dumped(row: JournalRow) -> str:
    return json.dumps({"node": row.node, "data": row.data})


def _loaded(run: str, task: str, seq: int, text: str) -> JournalRow:
    return JournalRow(run, task, seq, **json.loads(text))


class StandingClock:
    """Noon, always; each look at ``monotonic`` finds a second gone."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 8, 1, 12, tzinfo=UTC)

    def monotonic(self) -> float:
        self._seconds += 1.0
        return self._seconds


class ScriptedControl:
    """Asks for a stop at the checks they are written for, counted from 1."""

    def __init__(self, requests: Mapping[int, StopRequest] | None = None) -> None:
        self._requests = requests or {}
        self.checks = 0

    async def check(self, run: str) -> None:
        self.checks += 1
        if request := self._requests.get(self.checks):
            raise Stopped(request)


class Recorder:
    """Keeps every event."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    async def emit(self, event: Event) -> None:
        self.events.append(event)

    def of(self, kind: type[E]) -> list[E]:
        """The events of one class."""
        return [event for event in self.events if isinstance(event, kind)]


def deps(
    *,
    model: ScriptedModel | None = None,
    repository: MemoryRepository | None = None,
    sandbox: RecordingSandbox | None = None,
    journal: MemoryJournal | None = None,
    control: ScriptedControl | None = None,
    answers: MemoryAnswers | None = None,
    decisions: MemoryDecisions | None = None,
) -> Deps:
    """The ports of one run; what is not given has nothing to tell."""
    return Deps(
        model=model or ScriptedModel(),
        sandbox=sandbox or RecordingSandbox(),
        repository=repository or MemoryRepository({}),
        journal=journal or MemoryJournal(),
        events=Recorder(),
        clock=StandingClock(),
        control=control or ScriptedControl(),
        answers=answers or MemoryAnswers(),
        start=ON_GITHUB,
        decisions=decisions or MemoryDecisions(),
        on_bug=_raised,
    )


def _raised(bug: Exception) -> None:
    raise bug


def block(path: str, content: str) -> str:
    """One file as a model answers it."""
    return f"{path}\n```\n{content}\n```\n"
