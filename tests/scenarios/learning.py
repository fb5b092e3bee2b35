"""A history in which one model does better, and what people see of it."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

import aiohttp

from app.store.database import open_store
from app.store.history import StoredHistory
from runner.history.records import Execution
from tests.fake_github.state import Issue
from tests.runner.analysis.histories import flawed
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.endings import progress
from tests.scenarios.projects import note, notes

FILE = ".github/cairn.yml"

CONFIG = "# Ours.\nmodel: oak-1  # cheap\nloop: hybrid\n"

TASKS = "".join(f"- [ ] 1.{number} Write `n{number}.md`\n" for number in range(1, 6))

CONFIGURED = notes(f"# Roadmap\n\n{TASKS}", **{FILE: CONFIG.encode()})


async def recorded(bot: Bot, executions: Sequence[Execution]) -> None:
    """Put attempts into the server's history."""
    store = await open_store(bot.settings.database_url.get_secret_value(), mask=str)
    try:
        for execution in executions:
            await StoredHistory(store).record(execution, details=False)
    finally:
        await store.close()


async def records(bot: Bot, run: str) -> Sequence[Execution]:
    """What the server's history has about a run."""
    store = await open_store(bot.settings.database_url.get_secret_value(), mask=str)
    try:
        return (await StoredHistory(store).of_run(run)).executions
    finally:
        await store.close()


def history(bot: Bot, number: int = 300) -> list[Execution]:
    """A history of this repository in which ``oak-1`` has a flaw."""
    now = bot.github.clock.now().timestamp()
    return flawed(now, repository_id=bot.view.state.id, repository=REPOSITORY, number=number)


def offers(bot: Bot) -> list[Issue]:
    """The pull requests that propose settings."""
    return [pull for pull in bot.pulls if pull.pull.head == "cairn/advice"]


async def works(bot: Bot, number: int) -> str:
    """Let a run do one task; what its comment says."""
    bot.model.says(note(f"n{number}.md"))
    await bot.comment(f"/execute --task 1.{number}")
    return progress(bot.says())


TOKEN = "let-me-in-0123456789"


PAGE = {"Authorization": f"Bearer {TOKEN}", "Accept": "text/html"}


async def page(bot: Bot, topic: str, accept: str = "text/html") -> str:
    """The text of a page about this repository."""
    front = bot.github.webhook_url.removesuffix("/webhook")
    url = f"{front}/repositories/{REPOSITORY}/{topic}"
    headers = PAGE | {"Accept": accept}
    async with aiohttp.ClientSession(headers=headers) as browser, browser.get(url) as answer:
        assert answer.status == 200
        return html.unescape(re.sub(r"<[^>]+>", " ", await answer.text()))
