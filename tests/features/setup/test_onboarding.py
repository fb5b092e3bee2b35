"""A new repository: one pull request proposes what it lacks, and nobody is flooded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from tests.features.setup.test_setup_offer import BRANCH, FILE, SETUP, TELLING, TOLD
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.projects import on

UNPLANNED = {name: content for name, content in TOLD.items() if name != "ROADMAP.md"}
"""Tests that cannot start, and no roadmap."""


@pytest.fixture
async def bot(tmp_path: Path, files: Mapping[str, object]) -> AsyncIterator[Bot]:
    """A running bot; nothing that this file tells of asks a model."""
    async with conversation(tmp_path, files) as bot, bot.started():
        yield bot
        await bot.idle()
        assert bot.prompts == []
        bot.check()


def label(bot: Bot, title: str) -> None:
    """Open an issue that is to become a task."""
    issue = bot.github.open_issue(REPOSITORY, title, by="reader")
    issue.labels = [bot.github.world.label(bot.view.state, "roadmap")]


async def install(bot: Bot, *more: str) -> None:
    """Install the App on the repository (and others), and let it do all it can."""
    await bot.github.install(REPOSITORY, *more)
    await bot.idle()


@pytest.mark.sample(1, "a conversation for each case")
@on(UNPLANNED)
@pytest.mark.parametrize("how", ["installed", "added", "asked"])
async def test_one_pull_request_proposes_all_of_it(bot: Bot, how: str) -> None:
    """Configuration and roadmap are one proposal, whoever asked for it, and there is no second."""
    label(bot, "Write `one.md`")
    for _ in range(2):
        if how == "installed":
            await install(bot)
        elif how == "added":
            await bot.github.select(REPOSITORY, selected=True)
            await bot.idle()
        else:
            await bot.comment(SETUP)

    (pull,) = bot.pulls
    assert (pull.pull.head, pull.pull.base) == (BRANCH, "main")
    assert pull.title == "Set Cairn up: a configuration and a first roadmap"
    assert bot.changed(pull).keys() == {FILE, "ROADMAP.md"}
    assert pull.body is not None
    assert "Nothing starts before it is merged" in pull.body
    said = "".join(bot.says())
    assert (f"/pull/{pull.number}" in said) == (how == "asked")

    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()
    assert len(bot.pulls) == 1


@on(TOLD)
async def test_a_repository_with_a_roadmap_is_offered_its_configuration(bot: Bot) -> None:
    """It has work for Cairn, so what its tests need is proposed; closed, it stays closed."""
    await install(bot)
    (pull,) = bot.pulls
    assert bot.changed(pull).keys() == {FILE}

    await bot.github.close(REPOSITORY, pull.number)
    await bot.github.select(REPOSITORY, selected=True)
    await bot.idle()

    assert bot.pulls == [pull]


@pytest.mark.sample(1, "a conversation for each case")
@pytest.mark.parametrize(
    ("more", "labelled"),
    [({}, False), ({FILE: b"approval_mode: auto\n"}, True)],
    ids=["nothing to do", "configured already"],
)
async def test_where_nothing_is_to_be_done_nothing_is_proposed(
    tmp_path: Path, more: Mapping[str, object], labelled: bool
) -> None:
    """No roadmap and no labelled issue, or somebody has set it up: Cairn is silent."""
    async with conversation(tmp_path, {**UNPLANNED, **more}) as bot, bot.started():
        if labelled:
            label(bot, "Write `one.md`")
        await install(bot)

        assert bot.pulls == []
        assert set(bot.view.issues) == {1, 2} if labelled else {1}
        bot.check()


@on(TOLD | {"tests/test_told.py": TELLING.encode()})
async def test_an_organization_is_not_flooded(bot: Bot) -> None:
    """An installation on very many repositories proposes nothing; asked in one, it does."""
    others = [f"octo/other-{number}" for number in range(20)]
    for name in others:
        bot.github.add_repository(name, {"ROADMAP.md": b"- [ ] 1.1 Write `one.md`\n"})

    await install(bot, *others)
    assert bot.pulls == []
    assert all(bot.github.repo(name).pulls == [] for name in others)

    await bot.comment(SETUP)
    assert len(bot.pulls) == 1
    bot.says()
