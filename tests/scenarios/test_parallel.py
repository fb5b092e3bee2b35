"""``limits.parallel``: independent tasks side by side, published in the order they were begun."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import aiohttp
import pytest

from tests.fake_github.clock import WallClock
from tests.model_server.turns import Asked, Turn
from tests.postgresql import postgresql
from tests.scenarios.beside import LINES, TITLES, WORDS, Writer, config
from tests.scenarios.bot import REPOSITORY, Bot, conversation, run_of
from tests.scenarios.endings import progress
from tests.scenarios.left_behind import disagreements
from tests.scenarios.pages import TOKEN, page_of
from tests.scenarios.process import serving, working
from tests.scenarios.projects import note, notes, on
from tests.scenarios.stacks import changed_lines, merge, ticks, unread_comments

FILES = notes(LINES, **config("parallel: 2"))


@pytest.fixture
def files() -> Mapping[str, object]:
    """Four notes to write, two at a time."""
    return FILES


@pytest.fixture
async def bot(tmp_path: Path, files: Mapping[str, object]) -> AsyncIterator[Bot]:
    """A running bot whose pages can be read."""
    async with conversation(tmp_path, files, CAIRN_ADMIN_TOKEN=TOKEN) as bot, bot.started():
        yield bot
        await bot.idle()
        bot.check()
        assert disagreements(bot) == []


async def ask(bot: Bot, words: str = "/execute", issue: int = 0) -> None:
    """Comment without waiting for what comes of it."""
    number = issue or bot.issue.number
    assert await bot.github.comment(REPOSITORY, number, words, by="writer") == 202


async def ended(bot: Bot, run: str, task: str, node: str) -> None:
    """Read the events of a run, as its page does, until a step of a task has ended."""
    assert bot.github.webhook_url is not None
    url = bot.github.webhook_url.replace("/webhook", f"/runs/{run}/events")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as answer:
        async for line in answer.content:
            said = json.loads(line[6:]) if line.startswith(b"data: ") else {}
            if {**said, "event": "node_finished", "node": node, "task": task} == said:
                return
    raise AssertionError(f"{task} never came to the end of {node}")


def check_chain(bot: Bot, count: int = len(WORDS)) -> None:
    """One pull request a task, in order, each on the one before and with its own change."""
    assert bot.checkpoints() == TITLES[:count]
    assert [p.pull.base for p in bot.pulls] == ["main", *(p.pull.head for p in bot.pulls[:-1])]
    for number, pull in enumerate(bot.pulls, 1):
        task = f"1.{number} Write `{WORDS[number - 1]}.md`"
        assert sorted(changed_lines(bot, pull)) == [f"+- [x] {task}", "+A note.", f"-- [ ] {task}"]
    assert len(bot.view.branches) == count + 1


async def test_the_later_one_waits_with_its_commit(bot: Bot) -> None:
    """Both are asked for at once; who is ready first is published second, on top of the first."""
    bot.model.otherwise = writer = Writer("one", "two")
    await ask(bot)
    await writer.asked("one", "two")
    run = run_of(progress(bot.says()))
    assert bot.pulls == []
    writer.kept["two"].go.set()
    await ended(bot, run, "1.2", "verify_task")
    assert bot.pulls == []

    writer.kept["one"].go.set()
    await bot.idle()

    check_chain(bot)
    assert set(writer.calls.values()) == {1}
    assert "is done" in progress(bot.says()).split("\n")[0]


async def test_both_are_shown_as_in_progress(bot: Bot) -> None:
    """Whichever of them it was that moved last."""
    bot.model.otherwise = writer = Writer("one", "two")
    await ask(bot)
    await writer.asked("one", "two")
    run = run_of(progress(bot.says()))

    page = await page_of(bot, run)
    writer.kept["two"].go.set()
    await ended(bot, run, "1.2", "verify_task")
    later = await page_of(bot, run)

    for each in (page, later):
        assert re.findall(r"in progress|pending", each) == [*["in progress"] * 2, *["pending"] * 2]
    writer.kept["one"].go.set()
    await bot.idle()
    check_chain(bot)
    bot.says()


@on(notes(LINES, **config("parallel: 3, open_pull_requests: 2")))
async def test_not_more_is_opened_than_may_be_open(bot: Bot) -> None:
    """A task at work is going to open one, so no third is begun beside two."""
    bot.model.otherwise = writer = Writer()
    await bot.comment("/execute")
    assert "is waiting" in progress(bot.says())
    assert writer.calls == {"one": 1, "two": 1}

    for pull in bot.pulls:
        await merge(bot, pull)

    assert ticks(bot) == "xx  "
    assert bot.checkpoints() == TITLES
    bot.says()
    for pull in bot.pulls:
        unread_comments(bot, pull)


@on(notes("- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write more of `one.md`\n", **config("parallel: 2")))
async def test_tasks_that_name_the_same_file_go_one_after_the_other(bot: Bot) -> None:
    """The second one is asked about when the first one's file is there."""
    bot.model.says(note("one.md", "First."), note("one.md", "Second."))

    await bot.comment("/execute")

    assert "First." not in bot.prompts[0]
    assert "First." in bot.prompts[1]
    assert len(bot.pulls) == 2
    bot.says()


@pytest.mark.sample(1, "a conversation for each strategy")
@pytest.mark.parametrize("strategy", ["independent", "single"])
async def test_with_each_strategy(tmp_path: Path, strategy: str) -> None:
    """Independent ones stand side by side; a single one has a commit for each task, in order."""
    more = f"pull_requests: {{strategy: {strategy}}}\n"
    async with conversation(tmp_path, notes(LINES, **config("parallel: 2", more))) as bot:
        bot.model.otherwise = writer = Writer("one", "two")
        async with bot.started():
            await ask(bot)
            await writer.asked("one", "two")
            for word in ("two", "one"):
                writer.kept[word].go.set()
            await bot.idle()
        assert set(writer.calls.values()) == {1}
        if strategy == "independent":
            assert bot.checkpoints() == TITLES
            assert {pull.pull.base for pull in bot.pulls} == {"main"}
        else:
            (pull,) = bot.pulls
            assert ticks(bot, pull.pull.head) == "xxxx"
            log = bot.view.state.bare.text(
                "log", "--reverse", "--format=%s", f"main..{pull.pull.sha}"
            )
            assert log.splitlines() == TITLES
        bot.says()
        bot.check()


SAME = "- [ ] 1.1 Write about apples\n- [ ] 1.2 Write about pears\n"


@on(notes(SAME, **config("parallel: 2")))
async def test_what_does_not_fit_is_done_again_on_top(bot: Bot) -> None:
    """Nobody is asked: both wrote the same file, so the second task sees what the first wrote."""
    apples, both = "- apples\n", "- apples\n- pears\n"

    def fruit(asked: Asked) -> Turn:
        wanted = re.search(r"Write about (\w+)", asked.prompt)
        assert wanted is not None
        if wanted[1] == "apples":
            return note("fruit.md", apples)
        return note("fruit.md", both if "- apples" in asked.prompt else "- pears\n")

    bot.model.otherwise = fruit
    await bot.comment("/execute")

    assert "is done" in progress(bot.says())
    assert bot.checkpoints() == ["1.1 Write about apples", "1.2 Write about pears"]
    assert (
        bot.view.file(bot.pulls[1].pull.sha, "fruit.md") or b""
    ).decode().strip() == both.strip()
    assert bot.proposals == []
    assert len(bot.prompts) == 3


async def test_a_pause_keeps_what_both_were_told(bot: Bot) -> None:
    """The answers that were on their way are used after ``resume``, and not paid for again."""
    bot.model.otherwise = writer = Writer("one", "two")
    await ask(bot)
    await writer.asked("one", "two")
    await ask(bot, "/execute pause")
    assert bot.running is not None
    await bot.running.inbox.idle()
    for kept in writer.kept.values():
        kept.go.set()
    await bot.idle()
    assert any("is paused" in said for said in bot.says())
    assert bot.pulls == []

    await bot.comment("/execute resume")

    check_chain(bot)
    assert set(writer.calls.values()) == {1}
    bot.says()


@on(notes(LINES, **config("parallel: 2"), **{"docs/PLAN.md": b"- [ ] 2.1 Write `fig.md`\n"}))
async def test_whoever_waits_gets_the_place_once_no_task_is_at_work(
    tmp_path: Path, files: Mapping[str, object]
) -> None:
    """No task is begun beside the others, none of their answers is dropped."""
    async with conversation(tmp_path, files, cairn_concurrency=1) as bot:
        bot.model.otherwise = writer = Writer("one", "two")
        async with bot.started() as server:
            await ask(bot)
            await writer.asked("one", "two")
            await ask(bot, "/execute docs/PLAN.md")
            await server.inbox.idle()
            writer.kept["one"].go.set()
            writer.kept["two"].go.set()
            await bot.idle()
        assert [*writer.calls][2:] == ["fig", "six", "ten"]
        assert set(writer.calls.values()) == {1}
        assert len(bot.pulls) == 5
        bot.says()
        bot.check()


DEAR = {"CAIRN_MAX_PARALLEL": 1}


async def test_the_operator_has_the_last_word(tmp_path: Path) -> None:
    """Above the ceiling nothing goes side by side, and people are told."""
    async with conversation(tmp_path, FILES, **DEAR) as bot:
        bot.model.otherwise = writer = Writer("one")
        async with bot.started():
            await ask(bot)
            await writer.asked("one")
            writer.kept["one"].go.set()
            await bot.idle()
        assert "`limits.parallel: 1`" in progress(bot.says())
        check_chain(bot)
        bot.check()


async def finished(bot: Bot, writer: Writer, lost: int) -> None:
    """All is done once; at most ``lost`` answers that were on their way were asked for again."""
    said = bot.says()
    assert "is done" in progress(said).split("\n")[0], said
    check_chain(bot)
    assert sum(writer.calls.values()) <= len(WORDS) + lost
    assert ticks(bot, bot.pulls[-1].pull.head) == "xxxx"


THREE = notes(LINES, **config("parallel: 3"))
MOMENTS = 60
"""Requests to GitHub after which a server is ended: a run of four tasks makes fewer."""


@pytest.mark.sample(4, "a run for each request at which the server may be stopped")
@pytest.mark.parametrize("moment", range(MOMENTS))
async def test_stopped_at_any_request(tmp_path: Path, moment: int) -> None:
    """Three at a time, and the server stops at one of its requests: nothing lost, nothing twice."""
    async with conversation(tmp_path, THREE) as bot:
        bot.model.otherwise = writer = Writer()
        fault = bot.github.fail("*", "*", skip=moment, hold=asyncio.Event())
        async with bot.started():
            await ask(bot)
            done = asyncio.ensure_future(bot.idle())
            await asyncio.wait(
                [done, asyncio.ensure_future(fault.reached.wait())],
                return_when=asyncio.FIRST_COMPLETED,
            )
            done.cancel()
        fault.release()
        async with bot.started():
            await bot.idle()
        await finished(bot, writer, lost=3)
        bot.check()


@pytest.mark.long("kills servers that are processes of their own")
@pytest.mark.sample(2, "a run for each moment of a kill")
@pytest.mark.parametrize(
    ("method", "path", "skip"),
    [
        ("POST", "*/git/refs", 0),
        ("POST", "*/git/refs", 1),
        ("POST", "*/pulls", 0),
        ("POST", "*/pulls", 1),
        ("POST", "*/pulls", 2),
        ("POST", "*/git/commits", 1),
    ],
)
async def test_killed_while_one_is_published(
    tmp_path: Path, method: str, path: str, skip: int
) -> None:
    """``kill -9`` while GitHub does its part: the half of it that is there is found again."""
    async with conversation(tmp_path, THREE) as bot:
        bot.model.otherwise = writer = Writer()
        fault = bot.github.fail(method, path, skip=skip, hold=asyncio.Event())
        async with serving(bot) as server:
            await ask(bot)
            await fault.reached.wait()
            await server.end()
        fault.release()
        async with serving(bot) as server:
            await server.until(": ended")
        await finished(bot, writer, lost=0)
        bot.check()


@pytest.mark.nightly("PostgreSQL, a server, and workers that are killed")
@pytest.mark.timeout(600)
async def test_another_worker_goes_on_with_all_of_them(tmp_path: Path) -> None:
    """One is killed while it publishes the second of three: no answer is asked for again."""
    with postgresql() as cluster:
        url = cluster.database()
        async with conversation(tmp_path, THREE, WallClock(), DATABASE_URL=url) as bot:
            bot.model.otherwise = writer = Writer()
            fault = bot.github.fail("POST", "*/pulls", skip=1, hold=asyncio.Event())
            async with serving(bot, "--no-work") as server:
                async with working(bot, folder=tmp_path / "one") as one:
                    await ask(bot)
                    await fault.reached.wait()
                    await one.end()
                fault.release()
                async with working(bot, folder=tmp_path / "two") as two:
                    await two.until(": ended")
                await server.end()
            await finished(bot, writer, lost=0)
            bot.check()
