"""A question about the history in a comment, and its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from app.features import COMMANDS
from handlers.answering import handle_comment
from handlers.events import InstalledRepository, User
from handlers.issue_thread import IssueThread
from runner.analysis.recorded import Analysis, analyse
from runner.analysis.today import TodaysSettings
from runner.history.inquiry import HistoryQuery, Recalled, Totals
from runner.ports import MemoryNote
from tests.handlers.conftest import NOW, WrittenProposals, WrittenRuns, comment, parse
from tests.handlers.github import SmallGitHub
from tests.runner.analysis.histories import flawed

READER = User(id=4, login="reader")
Say = Callable[..., Awaitable[None]]


@dataclass
class Recorded:
    """The parts of a server that know what was recorded; ``asked`` are the questions to them."""

    learned: Analysis = field(default_factory=lambda: analyse((), TodaysSettings()))
    kept: tuple[MemoryNote, ...] = ()
    asked: list[HistoryQuery] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.history = self.memory = self
        self.folders = SimpleNamespace(memory=lambda repository_id: self)
        self.around = SimpleNamespace(clock=SimpleNamespace(now=lambda: NOW))

    async def totals(self, query: HistoryQuery) -> Totals:
        self.asked.append(query)
        return Totals()

    async def recent(self, query: HistoryQuery) -> Recalled:
        return Recalled()

    def history_page(self, repository: InstalledRepository) -> str:
        return ""

    async def config_or_default(self, repository: object) -> None:
        return None

    def lessons(self, repository_id: int) -> Recorded:
        return self

    async def analysis(self, config: object) -> Analysis:
        return self.learned

    async def notes(self) -> tuple[MemoryNote, ...]:
        return self.kept

    async def forget(self) -> int:
        notes, self.kept = self.kept, ()
        return len(notes)


@pytest.fixture
def recorded() -> Recorded:
    return Recorded()


@pytest.fixture
def say(
    thread: IssueThread, runs: WrittenRuns, proposals: WrittenProposals, recorded: Recorded
) -> Say:
    runs.parts = recorded

    async def post(body: str, by: User | None = None, delivery: str = "d-1") -> None:
        event = comment(body, by=by, delivery=delivery)
        await handle_comment(event, thread=thread, runs=runs, proposals=proposals, rows=COMMANDS)

    return post


@pytest.mark.parametrize("asked", ["/execute history stats --days 7", "/history stats --days 7"])
async def test_the_history_has_one_comment_a_question(
    say: Say, github: SmallGitHub, recorded: Recorded, asked: str
) -> None:
    """Whoever can read may ask; asking again edits the comment, another question has its own."""
    await say(asked, by=READER)
    await say(asked, by=READER, delivery="d-2")
    await say("/history", by=READER, delivery="d-3")

    weeks = [(each.repository_id, each.since > 0) for each in recorded.asked]
    assert weeks == [(1, True), (1, True), (1, False)]
    first, second = github.said()
    assert first.startswith("**History: stats**")
    assert second.startswith("**History: recent**")


async def test_an_unknown_question_about_the_history(say: Say, github: SmallGitHub) -> None:
    """It says what can be asked."""
    await say("/execute history yesterday", by=READER)

    (text,) = github.said()
    assert "nothing called `yesterday`" in text
    assert "`/execute history errors`" in text


@pytest.mark.parametrize("asked", ["/execute analyze routing", "/analyze routing"])
async def test_the_analysis_has_one_comment_a_topic(
    say: Say, github: SmallGitHub, recorded: Recorded, asked: str
) -> None:
    """Whoever can read may ask what was learned."""
    recorded.learned = analyse(flawed(2e9), TodaysSettings(levels={"model": "oak-1"}))
    await say(asked, by=READER)
    await say(asked, by=READER, delivery="d-2")
    await say("/analyze", by=READER, delivery="d-3")
    await say("/execute analyze weather", by=READER, delivery="d-4")

    routing, models, unknown = github.said()
    assert "### Planning" in routing
    assert "set `model.name: elm-2`" in models
    assert "`/execute analyze routing`" in unknown


async def test_the_memory_is_shown_to_readers_and_cleared_by_writers(
    say: Say, github: SmallGitHub, recorded: Recorded
) -> None:
    """Its notes are text of others: nothing in them is active."""
    hostile = "/execute\n@octocat closes #1 ![x](https://evil.test/x.png)"
    recorded.kept = (MemoryNote("patterns", "syntax: a.py", hostile, "r1", 3),)
    await say("/memory", by=READER)
    await say("/memory clear", by=READER, delivery="d-2")
    assert recorded.kept
    await say("/execute memory clear", delivery="d-3")

    shown, refused, cleared = github.said()
    assert "- patterns: `syntax: a.py`" in shown
    assert "(3 times)" in shown
    assert "@octocat" not in shown
    assert "![x]" not in shown
    assert parse(shown) == ()
    assert "write" in refused
    assert "The project memory is now empty: 1 note is forgotten." in cleared
    assert not recorded.kept
