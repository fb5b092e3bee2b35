"""What people see of a run: its pages, its events, its comment."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.marks import MORE
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot, conversation, run_of
from tests.scenarios.projects import note, notes

TOKEN = "let-me-in-0123456789"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}
HOSTILE = notes(
    "- [ ] 1.1 Write `one.md` as `<script>alert(1)</script>`\n- [ ] 1.2 Write `two.md`\n"
)


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Bot]:
    """A bot whose pages are open to who has the token; two tasks, one of them hostile."""
    async with conversation(tmp_path, HOSTILE, CAIRN_ADMIN_TOKEN=TOKEN) as bot, bot.started():
        yield bot
        await bot.idle()
        bot.check()


@pytest.fixture
async def browser(bot: Bot) -> AsyncIterator[aiohttp.ClientSession]:
    """A client of the bot's own pages that has the token."""
    front = bot.github.webhook_url.removesuffix("/webhook")
    async with aiohttp.ClientSession(front, headers=AUTHORIZED) as session:
        yield session


@asynccontextmanager
async def held(bot: Bot) -> AsyncIterator[str]:
    """A run that waits for GitHub to open the first pull request; its id."""
    go_on = asyncio.Event()
    fault = bot.github.fail("POST", f"/repos/{REPOSITORY}/pulls", hold=go_on)

    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await fault.reached.wait()
    comment = bot.view.comments(bot.issue.number)[-1]
    try:
        yield run_of(comment.body)
    finally:
        go_on.set()
        await bot.idle()
        bot.says()


async def _page(browser: aiohttp.ClientSession, path: str) -> str:
    async with browser.get(path, headers={"Accept": "text/html"}) as answer:
        assert answer.status == 200
        return await answer.text()


async def _json(browser: aiohttp.ClientSession, path: str) -> dict:
    async with browser.get(path) as answer:
        assert answer.status == 200
        return await answer.json()


async def test_the_page_of_a_working_run_shows_where_it_is(bot: Bot, browser) -> None:
    """While a run works its page names the task and node in hand, and what was used so far."""
    bot.model.says(note("one.md"), note("two.md"))
    async with held(bot) as run:
        seen = await _json(browser, f"/runs/{run}")
        page = await _page(browser, f"/runs/{run}")

    assert seen["status"] == "running"
    assert seen["current"]["node"] == "checkpoint"
    assert seen["tasks"][0]["current"]
    assert seen["tokens"] > 0
    assert "Cairn publishes the change" in page


@MORE
async def test_titles_of_a_roadmap_are_escaped(bot: Bot, browser) -> None:
    """No element that a roadmap writes becomes one of the page."""
    bot.model.says(note("one.md"), note("two.md"))
    async with held(bot) as run:
        page = await _page(browser, f"/runs/{run}")

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


async def test_the_events_of_a_run_are_told_until_it_ends(bot: Bot, browser) -> None:
    """A stream opened while the run works goes on to its end, and then says that it is over."""
    bot.model.says(note("one.md"), note("two.md"))
    async with held(bot) as run, browser.get(f"/runs/{run}/events") as stream:
        first = await stream.content.readuntil(b"\n\n")
    async with browser.get(f"/runs/{run}/events") as again:
        text = (await again.read()).decode()

    told = [json.loads(line) for line in re.findall(r"^data: (.+)$", text, re.MULTILINE)]
    assert b'"run_changed"' in first
    assert [t["status"] for t in told if t.get("event") == "run_changed"] == ["started", "ended"]
    assert text.endswith("event: end\ndata: {}\n\n")


async def test_the_page_of_an_ended_run_comes_from_its_journal(bot: Bot, browser) -> None:
    """After the end the page shows every task, its pull request and shares of 100 % in all."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute")

    (said,) = bot.says()
    seen = await _json(browser, f"/runs/{run_of(said)}")
    assert [task["status"] for task in seen["tasks"]] == ["completed", "completed"]
    assert [task["verified"] for task in seen["tasks"]] == [False, False]
    numbers = [task["url"].rsplit("/", 1)[-1] for task in seen["tasks"]]
    assert numbers == [str(pull.number) for pull in bot.pulls]
    assert round(sum(row["percent"] for row in seen["nodes"]), 1) == 100.0

    history = (await _json(browser, f"/repositories/{REPOSITORY}/history"))["statistics"]
    assert (history["attempts"]["seen"], history["attempts"]["good"]) == (2, 2)
    assert history["attempts"]["tokens"] == sum(task["tokens"] for task in seen["tasks"])
    assert "2 of 2 (100 %)" in await _page(browser, "/history")


async def test_a_proposal_links_to_the_page_of_its_task(tmp_path: Path) -> None:
    """Who decides can read every attempt of the task first, without a login."""
    address = "http://cairn.example"
    async with conversation(tmp_path, HOSTILE, CAIRN_PUBLIC_URL=address) as bot, bot.started():
        bot.model.otherwise = lambda asked: "No idea."
        await bot.comment("/execute --max-tasks 1")
        bot.says()
        proposed = "\n".join(bot.proposes())
        link = re.search(r"\[Every attempt of the task, with its tests\]\((\S+)\)", proposed)[1]
        front = bot.github.webhook_url.removesuffix("/webhook")
        jar = aiohttp.CookieJar(unsafe=True)
        reader = aiohttp.ClientSession(headers={"Accept": "text/html"}, cookie_jar=jar)
        async with reader, reader.get(link.replace(address, front)) as answer:
            page = await answer.text()
        await bot.idle()
        bot.check()

    assert answer.status == 200
    assert "/tasks/" in link
    assert "No idea." in page


async def test_readers_of_the_issue_open_the_run_by_its_link(tmp_path: Path) -> None:
    """The comment links to the run's page and its tasks, which need no login.

    The link shows no other run; a run of a private repository has none.
    """
    address = "http://cairn.example"
    async with conversation(tmp_path, HOSTILE, CAIRN_PUBLIC_URL=address) as bot, bot.started():
        bot.model.says(note("one.md"), note("two.md"))
        await bot.comment("/execute")
        (said,) = bot.says()
        link = re.search(r"\[The run's page\]\((\S+)\)", said)
        front = bot.github.webhook_url.removesuffix("/webhook")
        jar = aiohttp.CookieJar(unsafe=True)  # the server has no name here
        browser = aiohttp.ClientSession(headers={"Accept": "text/html"}, cookie_jar=jar)
        async with browser as reader:
            async with reader.get(link[1].replace(address, front)) as answer:
                page = await answer.text()
            task = re.search(r'href="(/runs/[^"]+/tasks/[^"]+)"', page)[1]
            async with reader.get(f"{front}{task}") as one:
                shown = await one.text()
            async with reader.get(f"{front}/runs/{run_of(said)}/artifacts/agent-1.json") as file:
                asked = await file.json()
            async with reader.get(f"{front}/runs") as other:
                listed = other.status

        checks = [each for each in bot.view.checks if each["name"] == "cairn/trust"]
        jar = aiohttp.CookieJar(unsafe=True)
        third = aiohttp.ClientSession(headers={"Accept": "text/html"}, cookie_jar=jar)
        async with third, third.get(checks[0]["details_url"].replace(address, front)) as details:
            checked = await details.text()

        bot.view.state.private = True
        await bot.comment("/execute")
        (private,) = bot.says()
        await bot.idle()
        bot.check()

    assert (answer.status, listed) == (200, 403)
    assert run_of(said) in page
    assert '<span class="added">+A note.</span>' in shown
    assert '<span class="added">+A note.</span>' in checked
    assert asked["reply"] == note("one.md")
    assert 'class="bar check"' in page
    assert "The run's page" not in private


async def test_links_end_when_their_repository_becomes_private(tmp_path: Path) -> None:
    """What everybody could open is shut to them at once."""
    address = "http://cairn.example"
    async with conversation(tmp_path, HOSTILE, CAIRN_PUBLIC_URL=address) as bot, bot.started():
        bot.model.says(note("one.md"), note("two.md"))
        await bot.comment("/execute")
        said = "\n".join(bot.says())
        front = bot.github.webhook_url.removesuffix("/webhook")
        links = re.findall(r"\[The run's page\]\((\S+)\)", said)
        seen = []
        for hidden in (False, True):
            if hidden:
                await bot.github.hide(REPOSITORY)
                await bot.idle()
            for link in links:
                jar = aiohttp.CookieJar(unsafe=True)
                browser = aiohttp.ClientSession(headers={"Accept": "text/html"}, cookie_jar=jar)
                async with browser, browser.get(link.replace(address, front)) as answer:
                    seen.append(answer.status)
        bot.check()

    assert seen == [200, 403]


@MORE
async def test_the_list_shows_every_run(bot: Bot, browser) -> None:
    """The list has the newest run first, with who asked, where, and what it used."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute --max-tasks 1")
    await bot.comment("/execute --task 1.2")

    newest, oldest = bot.says()[::-1]
    listed = (await _json(browser, "/runs"))["runs"]
    assert [row["run"] for row in listed] == [run_of(newest), run_of(oldest)]
    assert listed[0]["asked_by"] == "writer"
    assert listed[0]["issue_url"].endswith(f"/{REPOSITORY}/issues/{bot.issue.number}")
    assert listed[0]["tokens"] > 0


async def test_a_queued_run_has_its_one_comment_at_once(bot: Bot) -> None:
    """Who has to wait reads the position at once, and in the same comment how the run went."""
    bot.model.says(note("one.md"), note("two.md"))
    async with held(bot):
        await bot.github.comment(REPOSITORY, bot.issue.number, "/execute --task 1.2", by="writer")
        assert bot.running is not None
        await bot.running.inbox.idle()
        waiting = bot.view.comments(bot.issue.number)[-1]
        assert "is queued" in waiting.body
        assert "position 1 in the queue" in waiting.body
        number = waiting.id
    told = {comment.id: comment.body for comment in bot.view.comments(bot.issue.number)}

    assert "has ended" in told[number].split("\n")[0]  # the first run did its task, too
    assert sum("### Cairn run" in body for body in told.values()) == 2


async def test_everybody_says_the_same_position(tmp_path: Path) -> None:
    """Comment, status, page and API; it falls, and the comment follows within a minute."""
    with_token = {"CAIRN_CONCURRENCY": "1", "CAIRN_ADMIN_TOKEN": TOKEN}
    first, second = Held(note("one.md")), Held(note("one.md"))
    task = "- [ ] 1.1 Write `one.md`\n"
    async with conversation(tmp_path, notes(task), **with_token) as bot, bot.started() as running:
        front = str(bot.github.webhook_url).removesuffix("/webhook")
        bot.model.says(first, second, note("one.md"))
        names = ("octo/second", "octo/third")
        for name in names:
            bot.github.add_repository(name, notes(task), roles={"writer": "write"})
        issues = [bot.github.open_issue(name, "Please", by="writer") for name in names]
        await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
        await first.asked.wait()
        for name, issue in zip(names, issues, strict=True):
            await bot.github.comment(name, issue.number, "/execute", by="writer")
            await running.inbox.idle()
        number = issues[1].number
        (said,) = bot.github.says("octo/third", number)
        run = run_of(said)

        async def position() -> set[int]:
            await bot.github.comment("octo/third", number, "/execute status", by="writer")
            await running.inbox.idle()
            progress = next(
                each.body
                for each in bot.github.repo("octo/third").comments(number)
                if run in each.body
            )
            said = progress + bot.github.says("octo/third", number)[-1]
            told = [int(n) for n in re.findall(r"at position (\d+) in the queue", said)]
            assert len(told) == 2
            async with aiohttp.ClientSession(front, headers=AUTHORIZED) as browser:
                page = (await _json(browser, f"/runs/{run}"))["queue"]["position"]
                api = (await _json(browser, f"/work-orders/{run}-0"))["position"]
            return {*told, page, api}

        assert await position() == {2}
        first.go.set()
        await second.asked.wait()
        bot.github.clock.advance(60)
        await bot.rests.ring(bot.github.clock.now())
        await running.places.idle()
        assert await position() == {1}
        second.go.set()
        await bot.idle()
        bot.github.says(REPOSITORY, bot.issue.number)
        for name, issue in zip(names, issues, strict=True):
            bot.github.says(name, issue.number)
        bot.check()
