"""Reading the page of a run in a conversation, as the operator does."""

from __future__ import annotations

import aiohttp

from tests.scenarios.bot import Bot

TOKEN = "an-admin-token-of-a-test"
"""The ``CAIRN_ADMIN_TOKEN`` of a conversation whose pages the test can read."""


async def page_of(bot: Bot, run: str) -> str:
    """The page of a run, as the operator reads it."""
    assert bot.github.webhook_url is not None
    url = bot.github.webhook_url.replace("/webhook", f"/runs/{run}")
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "text/html"}
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as answer:
        return await answer.text()
