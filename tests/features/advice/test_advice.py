"""Settings that do better are proposed as a pull request."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runner.config.model import parse_config
from tests.model_server import Asked
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import progress
from tests.scenarios.learning import (
    CONFIG,
    CONFIGURED,
    FILE,
    TOKEN,
    history,
    offers,
    page,
    recorded,
    works,
)
from tests.scenarios.projects import note, on


@on(CONFIGURED)
async def test_better_settings_are_proposed_and_used_after_the_merge(bot: Bot) -> None:
    """One pull request, with the numbers, that changes one word of the file."""
    await recorded(bot, history(bot))

    said = await works(bot, 1)

    (pull,) = offers(bot)
    assert f"/pull/{pull.number}" in said
    assert bot.changed(pull).keys() == {FILE}
    content = (bot.changed(pull)[FILE] or b"").decode()
    better = parse_config(content.encode()).model.name or ""
    assert better == "elm-2"
    assert content == CONFIG.replace("oak-1", better)
    body = pull.body or ""
    assert f"set `model.name: {better}`" in body
    assert " points (+" in body
    assert "oak-1" in body
    assert bot.model.requests[-1].model == "oak-1"

    assert len(_digits(body)) == 2

    await works(bot, 2)
    assert offers(bot) == [pull]
    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()
    await works(bot, 3)

    assert bot.model.requests[-1].model == better
    assert len(offers(bot)) == 1


def flaw(asked: Asked) -> str:
    """``oak-1`` never writes the file that a task asks for; the other models do."""
    task = re.search(r"Write `(n\d\.md)`", asked.prompt)
    return note(task[1]) if task and asked.model != "oak-1" else "I would rather not."


@pytest.mark.nightly("test_the_flaw_is_found")
async def test_a_flaw_is_seen_advised_and_gone_after_the_merge(tmp_path: Path) -> None:
    """300 attempts: page and pull request agree; the next task is finished."""
    async with conversation(tmp_path, CONFIGURED, CAIRN_ADMIN_TOKEN=TOKEN) as bot, bot.started():
        executions = history(bot)
        await recorded(bot, executions)
        bot.model.otherwise = flaw

        await bot.comment("/execute --task 1.1")
        before = progress(bot.says())

        assert "completed" not in before
        assert len(offers(bot)) == 1  # the run waits for people, the advice does not wait for it
        (pull,) = offers(bot)
        advice = next(iter(_digits(pull.body or "")))
        assert advice in await page(bot, "learned")

        await bot.reply(bot.proposals[0], "/reject")
        bot.proposes()
        bot.says()
        own = [one for one in executions if one.models.writing == "oak-1"]
        done = sum(one.end.finished for one in own)
        seen = await page(bot, "history")
        assert f"oak-1: {done} of {len(own) + 1} " in seen

        await bot.github.merge_pull(REPOSITORY, pull.number)
        await bot.idle()
        await bot.comment("/execute --task 1.2")

        assert "completed" in progress(bot.says())
        assert bot.model.requests[-1].model == "elm-2"
        bot.check()


def _digits(text: str) -> set[str]:
    """The differences that a text names, each with its interval."""
    return set(re.findall(r"[+-]\d+ points \([+-]\d+ to [+-]\d+\)", text))


@on(CONFIGURED)
async def test_a_closed_proposal_is_a_no(bot: Bot) -> None:
    """The same change is not proposed again, and nothing is proposed without a clear difference."""
    await works(bot, 1)
    assert offers(bot) == []
    await recorded(bot, history(bot))
    await works(bot, 2)
    (pull,) = offers(bot)

    await bot.github.close(REPOSITORY, pull.number)
    await bot.idle()
    said = await works(bot, 3)

    assert offers(bot) == [pull]
    assert f"/pull/{pull.number}" not in said


@on(CONFIGURED | {FILE: b"model: oak-1\nadaptive: {advise: false}\n"})
async def test_nobody_wants_proposals(bot: Bot) -> None:
    """``adaptive.advise: false`` keeps Cairn from proposing settings."""
    await recorded(bot, history(bot))

    await works(bot, 1)

    assert offers(bot) == []
