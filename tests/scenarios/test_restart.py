"""A server that is stopped or killed in the middle goes on at its next start as if it had not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import ANSWER, NOTE, check_finished, progress
from tests.scenarios.process import serving
from tests.scenarios.projects import answer

MOMENTS = {
    "stored": ("GET", "*/permission"),
    "commenting": ("POST", "*/issues/*/comments"),
    "reading": ("POST", "*.git/git-upload-pack"),
    "answered": ("GET", "*/git/ref/heads/cairn/*"),
    "committing": ("POST", "*/git/commits"),
    "branching": ("POST", "*/git/refs"),
    "opening": ("POST", "*/pulls"),
}
"""The call that is on its way when the server ends; its effect comes after that end."""

LONG = pytest.mark.long("starts servers as processes of their own, and kills them")


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Bot]:
    """A conversation whose server the test starts and ends."""
    async with conversation(tmp_path, NOTE) as bot:
        yield bot
        bot.check()


async def ask(bot: Bot) -> None:
    """Comment ``/execute``; the server must say that it has the delivery."""
    assert await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer") == 202


@pytest.mark.sample(1, "a run for each moment of a stop")
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_stopped_server_goes_on(talk: Bot, moment: str) -> None:
    """Stopped at any of these calls and started again, a run ends as if undisturbed."""
    fault = talk.holds(*MOMENTS[moment])
    talk.model.says(ANSWER)
    async with talk.started():
        await ask(talk)
        await fault.reached.wait()
    fault.release()

    async with talk.started():
        await talk.idle()

    check_finished(talk)


@pytest.mark.sample(1, "a run for each moment of a kill")
@pytest.mark.parametrize("moment", ["answered", "stored", "branching", "opening"])
async def test_a_killed_server_goes_on(talk: Bot, moment: str) -> None:
    """Killed at any of these calls and started again, a run ends as if undisturbed."""
    fault = talk.holds(*MOMENTS[moment])
    talk.model.says(ANSWER)
    async with serving(talk) as server:
        await ask(talk)
        await fault.reached.wait()
        await server.end()
    fault.release()

    async with serving(talk) as server:
        await server.until(": ended")

    check_finished(talk)


@LONG
async def test_a_question_under_way_is_asked_again(talk: Bot) -> None:
    """Of a server that is killed while the model answers, only that one question is repeated."""
    kept = Held(ANSWER)
    talk.model.says(kept, ANSWER)
    async with serving(talk) as server:
        await ask(talk)
        await kept.asked.wait()
        await server.end()
    kept.go.set()

    async with serving(talk) as server:
        await server.until(": ended")

    check_finished(talk)
    assert len(talk.model.requests) == 2


async def test_what_comes_while_nobody_works_is_worked(talk: Bot) -> None:
    """A delivery that was stored and never begun is worked at the next start."""
    fault = talk.holds(*MOMENTS["stored"])
    talk.model.says(ANSWER)
    async with talk.started():
        await ask(talk)
        await talk.github.comment(REPOSITORY, talk.issue.number, "/execute help", by="reader")
        await fault.reached.wait()
    fault.release()

    async with talk.started():
        await talk.idle()

    assert "`/execute cancel`" in check_finished(talk)


async def test_an_order_to_cancel_outlives_a_kill(talk: Bot) -> None:
    """A run that was told to stop does not go on at the next start."""
    kept = Held(ANSWER)
    talk.model.says(kept)
    async with talk.started() as server:
        await ask(talk)
        await kept.asked.wait()
        await talk.github.comment(REPOSITORY, talk.issue.number, "/execute cancel", by="writer")
        await server.inbox.idle()
    kept.go.set()

    async with talk.started():
        await talk.idle()

    assert "was cancelled" in "".join(talk.says())
    assert talk.pulls == []


@LONG
async def test_a_server_killed_while_tests_run_goes_on(tmp_path: Path) -> None:
    """The next start ends what the killed server's tests still do, and runs them again."""
    async with (
        gate(tmp_path / "gate") as (reached, gone),
        conversation(
            tmp_path, {"ROADMAP.md": b"- [ ] Write `one.py`\n", "test_gate.py": _AT_GATE % tmp_path}
        ) as bot,
    ):
        bot.model.says(answer({"one.py": "ONE = 1\n"}))
        async with serving(bot) as server:
            await ask(bot)
            await reached.wait()
            await server.end()
        assert not gone.is_set()

        async with serving(bot) as server:
            await gone.wait()
            await server.until(": ended")

        assert "is done" in progress(bot.says())
        assert [pull.title for pull in bot.pulls] == ["Write one.py"]
        bot.model.verify()


_AT_GATE = """\
import socket

def test_gate():
    with socket.socket(socket.AF_UNIX) as gate:
        gate.connect("%s/gate")
        gate.recv(1)
"""


@asynccontextmanager
async def gate(path: Path) -> AsyncIterator[tuple[asyncio.Event, asyncio.Event]]:
    """A socket that keeps the first who comes until he is ended: (he is here, he is gone)."""
    reached, gone = asyncio.Event(), asyncio.Event()

    async def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not reached.is_set():
            reached.set()
            await reader.read()
            gone.set()
        writer.close()

    async with await asyncio.start_unix_server(come, path):
        yield reached, gone


async def test_a_restart_does_not_end_a_pause_that_a_person_ordered(talk: Bot) -> None:
    """Only a person ends it, whatever the server does meanwhile."""
    kept = Held(ANSWER)
    talk.model.says(kept)
    async with talk.started():
        await ask(talk)
        await kept.asked.wait()
        await talk.github.comment(REPOSITORY, talk.issue.number, "/execute pause", by="writer")
        assert talk.running is not None
        await talk.running.inbox.idle()
        kept.go.set()
        await talk.idle()
        assert "is paused" in progress(talk.says())

    async with talk.started():
        await talk.idle()
        assert talk.pulls == []
        await talk.comment("/execute resume")

    talk.says()
    assert len(talk.pulls) == 1


@LONG
async def test_a_server_killed_while_its_run_is_paused_goes_on_when_resumed(talk: Bot) -> None:
    """A pause is rows: the kill takes nothing away, and the answer is not paid for again."""
    kept = Held(ANSWER)
    talk.model.says(kept)
    async with serving(talk) as server:
        await ask(talk)
        await kept.asked.wait()
        await talk.github.comment(REPOSITORY, talk.issue.number, "/execute pause", by="writer")
        kept.go.set()
        await server.until(": paused")
        await server.end()
    talk.says()

    async with serving(talk) as server:
        await talk.github.comment(REPOSITORY, talk.issue.number, "/execute resume", by="writer")
        await server.until(": ended")

    check_finished(talk)
    assert len(talk.model.requests) == 1
