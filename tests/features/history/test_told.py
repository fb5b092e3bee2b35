"""The history as it grows, and its page for who may read the repository."""

from __future__ import annotations

import re
from pathlib import Path

import aiohttp

from tests.action.conftest import ci
from tests.action.job_kit import REPOSITORY, Workflows
from tests.model_server import Fault
from tests.scenarios.bot import REPOSITORY as HERE
from tests.scenarios.bot import Bot, conversation
from tests.scenarios.endings import ANSWER, ONE_NOTE, check_finished
from tests.scenarios.projects import NOTES, note, on

__all__ = ["ci"]


@ONE_NOTE
async def test_an_error_counts_as_recovered_when_its_task_is_done(bot: Bot) -> None:
    """As long as the run waits, nothing has recovered."""
    bot.model.says(Fault.http_429(retry_after=7200), ANSWER)
    await bot.comment("/execute")
    bot.says()

    await bot.comment("/execute history errors")
    assert "rate limit errors: 1 seen, 0 recovered (0 %)." in bot.says()[0]
    await bot.later(minutes=121)
    check_finished(bot)
    await bot.comment("/execute history errors")
    assert "rate limit errors: 1 seen, 1 recovered (100 %)." in "".join(bot.says())


async def test_readers_open_the_plots_by_a_link_until_the_repository_is_private(
    tmp_path: Path,
) -> None:
    """The answer has the link, which needs no login; then it is shut at once."""
    address, seen = "http://cairn.example", []
    async with conversation(tmp_path, NOTES, CAIRN_PUBLIC_URL=address) as bot, bot.started():
        bot.model.says(note("one.md"), note("two.md"))
        await bot.comment("/execute")
        bot.says()
        await bot.comment("/execute history")
        (told,) = bot.says()
        plots = re.search(r"\[A page with plots\]\((\S+)\)", told)[1]
        place = plots.replace(address, bot.github.webhook_url.removesuffix("/webhook"))
        for hidden in (False, True):
            if hidden:
                await bot.github.hide(HERE)
                await bot.idle()
            jar = aiohttp.CookieJar(unsafe=True)  # the server has no name here
            browser = aiohttp.ClientSession(headers={"Accept": "text/html"}, cookie_jar=jar)
            async with browser, browser.get(place) as answer:
                seen.append((answer.status, await answer.text()))
        bot.check()

    (first, drawn), (second, _) = seen
    assert (first, second) == (200, 403)
    assert "2 attempts at tasks, 2 of 2 (100 %) completed." in told
    assert "2 attempts at tasks, 2 of 2 (100 %) completed." in drawn


@on(NOTES)
async def test_the_history_outlives_a_workflow_run(ci: Workflows) -> None:
    """Two nights on two machines are both recorded, and a comment on a third one has them."""
    ci.model.says(note("one.md"), note("two.md"))
    for _ in range(2):
        await ci.run("schedule", {"schedule": "0 4 * * *"}, WITH_MAX_TASKS="1")
    issue = ci.github.open_issue(REPOSITORY, "How is it going?", by="reader")

    await ci.run("issue_comment", await ci.comment(issue, "/execute history", by="reader"))

    told = ci.says(issue)
    assert "2 attempts at tasks, 2 of 2 (100 %) completed." in told
    assert "1.1: Write one.md" in told
    assert "1.2: Write two.md" in told
