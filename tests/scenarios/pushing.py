"""What the conversations about pushes share: pushing, and looking at the plan."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.fake_github import payloads
from tests.fake_github.state import Issue
from tests.fake_github.world import Happening
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import notes

CONFIG = ".github/cairn.yml"
OLD = "- [ ] 1.1 Write `one.md`\n"
NEW = f"{OLD}- [ ] 1.2 Write `two.md`\n- [ ] 1.3 Write `three.md`\n"


def triggered(trigger: str, roadmap: str | bytes = OLD, **more: object) -> dict[str, object]:
    """A repository of notes that says what a push starts."""
    return notes(roadmap, **{CONFIG: f"triggers:\n  push: {trigger}\n".encode()}, **more)


async def push(bot: Bot, roadmap: str | bytes | None, **more: Any) -> int:
    """Push a roadmap to the default branch, and wait until the bot has done all it can."""
    files: dict[str, object] = {more.pop("path", "ROADMAP.md"): roadmap, **more.pop("files", {})}
    status = await bot.github.push(REPOSITORY, files, **more)
    await bot.idle()
    return status


async def deliver_push(bot: Bot, start: str | None, *, by: str = "writer", **parts: Any) -> None:
    """Send the push event of the default branch as it is now, with parts of it laid over."""
    world, repo = bot.github.world, bot.view.state
    main = bot.view.branches["main"]
    event = payloads.push(world, repo, "refs/heads/main", start, main, world.user(by))
    laid = Happening(event.event, None, {**event.payload, **parts}, repo)
    await bot.github.tell(laid)
    await bot.idle()


@asynccontextmanager
async def undelivered(bot: Bot) -> AsyncIterator[None]:
    """Let nothing reach the bot for a while."""
    url, bot.github.webhook_url = bot.github.webhook_url, None
    yield
    bot.github.webhook_url = url


def plans(bot: Bot) -> list[Issue]:
    """The issues that the bot opened."""
    mine = bot.github.app.bot
    return [i for i in bot.view.issues.values() if i.user is mine and i.pull is None]


def plan(bot: Bot) -> str:
    """What the plan says."""
    (issue,) = plans(bot)
    return issue.body or ""


def plan_comments(bot: Bot) -> list[str]:
    """What the bot says on the plan's issue and was not read yet."""
    (issue,) = plans(bot)
    return bot.github.says(REPOSITORY, issue.number)


def write_requests(bot: Bot) -> list[str]:
    """Methods and paths of everything that changed something on GitHub."""
    return [
        f"{request.method} {request.path}"
        for request in bot.github.requests
        if request.method != "GET"
        and "access_tokens" not in request.path
        and "git-upload-pack" not in request.path
    ]
