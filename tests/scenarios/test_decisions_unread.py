"""Reactions that GitHub tells slowly, or not at all: people can decide all the same."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import on
from tests.scenarios.proposing import STUCK, TITLES, decomposed, proposal_comment, script_new_tasks

pytestmark = on(STUCK)
MARK = 15
"""Fresh proposals are asked about at whole multiples of so many seconds."""
FORBIDDEN = {
    "data": None,
    "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}],
}


def asked(bot: Bot) -> int:
    """How often GraphQL was asked for reactions."""
    bodies = [r.body for r in bot.github.requests if r.path.endswith("/graphql") and r.body]
    return sum("reactions(first" in body["query"] for body in bodies)


async def shortly_before_a_mark(bot: Bot) -> None:
    """Let the time come 0.1 s before proposals are due."""
    await bot.later(seconds=MARK)
    now = bot.github.clock.now()
    left = MARK - now.timestamp() % MARK
    bot.github.clock.advance(
        (timedelta(seconds=left) - timedelta(milliseconds=100)).total_seconds()
    )


async def test_a_slow_answer_is_asked_for_once(bot: Bot) -> None:
    """An answer that takes until after the next due moment is one request; a 👍 counts then."""
    pull = await decomposed(bot)
    await shortly_before_a_mark(bot)
    before = asked(bot)
    bot.github.fail("POST", "*/graphql", slow=0.3, times=1000)

    await bot.reply(pull, "Let me think about it.")
    spent = asked(bot) - before
    script_new_tasks(bot)
    bot.github.react(proposal_comment(bot, pull), "+1", by="writer")
    await bot.later(seconds=MARK)

    assert spent == 1
    assert asked(bot) - before <= 3
    bot.says()
    bot.proposes()
    assert TITLES[0] in bot.checkpoints()


@pytest.mark.sample(1, "a conversation for each case")
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"message": "Not Found"}),
        (404, "<html>Not Found</html>"),
        (403, {"message": "Forbidden by the proxy"}),
        (200, FORBIDDEN),
    ],
    ids=["404", "404 of a proxy", "403", "FORBIDDEN"],
)
async def test_where_reactions_cannot_be_read_people_are_told_once(
    bot: Bot, status: int, body: object
) -> None:
    """The proposal says what counts instead, once, and GitHub is not asked every 15 seconds."""
    headers = {"content-type": "text/html"} if isinstance(body, str) else {}
    fault = {"status": status, "body": body, "headers": headers, "times": 1000}
    pull = await decomposed(bot)
    before = asked(bot)
    bot.github.fail("POST", "*/graphql", **fault)

    for _ in range(20):
        await bot.later(seconds=MARK)

    (said,) = bot.proposes()
    assert "/approve" in said
    assert "review" in said
    assert "no effect" in said
    assert asked(bot) - before <= 2
    assert pull.pull.draft


@pytest.mark.nightly("test_a_failure_of_github_is_outlived")
async def test_reactions_count_as_soon_as_they_can_be_read(bot: Bot) -> None:
    """A permission that is granted later is found out by itself."""
    pull = await decomposed(bot)
    bot.github.fail("POST", "*/graphql", status=404, body={"message": "Not Found"}, times=1)
    await bot.later(seconds=MARK)
    bot.proposes()
    script_new_tasks(bot)

    bot.github.react(proposal_comment(bot, pull), "+1", by="writer")
    await bot.later(hours=1, seconds=1)

    bot.says()
    bot.proposes()
    assert TITLES[0] in bot.checkpoints()


@pytest.mark.nightly("test_a_draft_that_cannot_be_made_ready_is_published")
async def test_an_approval_where_graphql_is_not_there(bot: Bot) -> None:
    """Who approves is told what is missing, and how the proposal can be applied all the same."""
    pull = await decomposed(bot)
    bot.github.fail("POST", "*/graphql", status=404, body={"message": "Not Found"}, times=1000)

    await bot.reply(pull, "/approve")

    (said,) = [said for said in bot.says() if "is paused" in said]
    bot.proposes()
    assert "GraphQL API cannot be reached (404: Not Found)" in said
    assert f"/pull/{pull.number} as ready for review, merge it" in said

    await bot.github.ready(REPOSITORY, pull.number)
    await bot.github.merge_pull(REPOSITORY, pull.number, by="writer")
    script_new_tasks(bot)
    await bot.comment("/execute resume")

    bot.says()
    bot.proposes()
    assert bot.checkpoints()[-2:] == TITLES


async def test_a_rejection_where_graphql_is_not_there(bot: Bot) -> None:
    """The proposal is closed; only its branch stays."""
    pull = await decomposed(bot)
    bot.github.fail("POST", "*/graphql", status=404, body={"message": "Not Found"}, times=1000)

    await bot.reply(pull, "/reject")

    assert "has ended" in bot.says()[-1]
    bot.proposes()
    assert pull.state == "closed"
    assert pull.pull.head in bot.view.branches
