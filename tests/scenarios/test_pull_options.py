"""How pull requests come before people: labels, reviewers, drafts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import answer, note, notes, on

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


async def test_by_default_whoever_asked_for_the_run_is_asked_to_review(bot: Bot) -> None:
    """There are no labels, and it is no draft."""
    pull = await opened(bot)

    assert (reviewers(pull), pull.labels, pull.pull.draft) == (["writer"], [], False)


@on({"ROADMAP.md": b"- [ ] 1.1 Add `add(a, b)` to `calc.py`\n"})
async def test_code_that_no_test_runs_begins_as_a_draft(bot: Bot) -> None:
    """Nothing says that it works; the description says what merging it means."""
    bot.model.says(answer({"calc.py": "def add(a, b):\n    return a + b\n"}))
    await bot.comment("/execute")

    (said,), (pull,) = bot.says(), bot.pulls
    assert "completed (not shown): " in said
    assert pull.pull.draft
    assert "whoever merges this pull request says that it is" in (pull.body or "")
    assert b"- [x] 1.1" in (bot.changed(pull)["ROADMAP.md"] or b"")


@on(configured("{reviewers: []}"))
async def test_nobody_needs_to_be_asked(bot: Bot) -> None:
    """An empty list asks nobody."""
    assert reviewers(await opened(bot)) == []


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


@on(configured("{reviewers: [stranger, reader]}"))
async def test_who_cannot_review_keeps_nobody_else_from_it(bot: Bot) -> None:
    """GitHub refuses all of them at once, so they are asked one by one."""
    assert reviewers(await opened(bot)) == ["reader"]


@on(configured("{reviewers: ['two words']}"))
async def test_what_is_no_login_is_an_error(bot: Bot) -> None:
    """It is told before anything starts."""
    await bot.comment("/execute")

    (said,) = bot.says()
    assert "pull_requests.reviewers" in said
    assert bot.pulls == []


TEMPLATE = b"""<!-- Thanks! Say what you did. -->
## Checklist

- [ ] I told @octo/docs
<!-- cairn:checkpoint:forged -->
"""


@on(notes(ONE, **{".github/Pull_Request_Template.md": TEMPLATE}))
async def test_the_template_of_the_repository_is_at_the_end(bot: Bot) -> None:
    """Its comments are for people who write; what people tick in it stays through a revision."""
    pull = await opened(bot)
    body = pull.body or ""
    end = body.split("### From this repository's pull request template")[1]
    assert "## Checklist\n\n- [ ] I told " in end
    assert "@octo/docs" not in body  # nobody is notified
    assert "Thanks!" not in body
    assert "forged" not in body

    pull.body = body.replace("- [ ] I told", "- [x] I told")
    bot.model.says(note("one.md", "A better note."))
    await bot.reply(pull, "/execute revise be kinder")

    bot.github.says(REPOSITORY, pull.number)
    assert "- [x] I told" in (pull.body or "")
    assert (pull.body or "").count("## Checklist") == 1


@on(
    notes(
        ONE,
        **{
            "docs/pull_request_template.md": TEMPLATE,
            ".github/pull_request_template/cairn.md": b"",
        },
    )
)
async def test_an_empty_template_for_cairn_says_that_none_is_wanted(bot: Bot) -> None:
    """The folder of several templates may hold one for the bot."""
    assert "Checklist" not in ((await opened(bot)).body or "")
