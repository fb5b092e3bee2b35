"""How pull requests come before people: labels, reviewers, drafts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.state import Issue
from tests.scenarios.bot import Bot
from tests.scenarios.projects import note, notes, on

ONE = "- [ ] 1.1 Write `one.md`\n"


def configured(text: str) -> dict[str, object]:
    """A note to write, and how its pull request is opened."""
    return notes(ONE, **{".github/cairn.yml": f"pull_requests: {text}\n".encode()})


@pytest.fixture
def files() -> Mapping[str, object]:
    """A note to write."""
    return notes(ONE)


async def opened(bot: Bot) -> Issue:
    """The pull request of the note."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute")
    (said,) = bot.says()
    assert "is done" in said
    (pull,) = bot.pulls
    return pull


def reviewers(pull: Issue) -> list[str]:
    """Who is asked to review it."""
    return [each.login for each in pull.pull.reviewers]


async def test_by_default_nobody_is_asked(bot: Bot) -> None:
    """There are no labels either, and it is no draft."""
    pull = await opened(bot)

    assert (reviewers(pull), pull.labels, pull.pull.draft) == ([], [], False)


@on(configured("{reviewers: [requester]}"))
async def test_whoever_asked_for_the_run_can_be_asked_to_review(bot: Bot) -> None:
    """The word stands for them."""
    assert reviewers(await opened(bot)) == ["writer"]


@on(configured("{labels: [robot, needs review], reviewers: [reader, octo/docs], draft: true}"))
async def test_what_is_configured_is_done(bot: Bot) -> None:
    """Labels are made where the repository has none of that name."""
    pull = await opened(bot)

    assert [label.name for label in pull.labels] == ["robot", "needs review"]
    assert reviewers(pull) == ["reader"]
    assert pull.pull.teams == ["docs"]
    assert pull.pull.draft


@on(configured("{reviewers: [stranger]}"))
async def test_who_cannot_review_stops_nothing(bot: Bot) -> None:
    """GitHub refuses whoever is no collaborator; the task is done all the same."""
    assert reviewers(await opened(bot)) == []


@on(configured("{reviewers: ['two words']}"))
async def test_what_is_no_login_is_an_error(bot: Bot) -> None:
    """It is told before anything starts."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "pull_requests.reviewers" in said
    assert bot.pulls == []
