"""Reviews as they happen: at other moments, on other lines, by others than one expects."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.marks import OUTSIDE
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, note
from tests.scenarios.test_revising import BETTER, checkpoint, replies, request_changes, said

pytestmark = OUTSIDE

MINE = note("one.md", "A note for me.")


@pytest.fixture
def files() -> Mapping[str, object]:
    """Two notes to write."""
    return NOTES


async def test_while_the_run_works_on_the_next_task(bot: Bot) -> None:
    """The review is not lost, nor is the task."""
    held = Held(note("two.md"))
    bot.model.says(note("one.md"), held)
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await held.asked.wait()
    bot.model.when(contains="Be kinder").says(BETTER)

    await bot.github.review(REPOSITORY, bot.pulls[0].number, "CHANGES_REQUESTED", "Be kinder.")
    held.go.set()
    await bot.idle()

    assert f"Added {bot.pulls[0].pull.sha}" in said(bot, bot.pulls[0])
    assert bot.checkpoints() == ["1.1 Write one.md", "1.2 Write two.md"]
    assert bot.view.file(bot.pulls[0].pull.sha, "one.md") == b"A better note.\n"
    bot.says()
    bot.github.says(REPOSITORY, bot.pulls[1].number)


async def test_two_reviewers_at_once(bot: Bot) -> None:
    """Both are answered, whether in one revision or in two."""
    bot.github.set_role(REPOSITORY, "keeper", "maintain")
    pull = await checkpoint(bot)
    held = Held(BETTER)
    bot.model.says(held)
    bot.model.when(contains="For me").says(MINE)
    await bot.github.review(
        REPOSITORY, pull.number, "CHANGES_REQUESTED", on=[("one.md", 1, 1, "Kinder.")]
    )
    await held.asked.wait()
    await bot.github.review(
        REPOSITORY, pull.number, "CHANGES_REQUESTED", by="keeper", on=[("one.md", 1, 1, "For me.")]
    )
    held.go.set()
    await bot.idle()

    bot.github.says(REPOSITORY, pull.number)
    assert len(replies(bot, pull)) >= 2
    assert bot.view.file(pull.pull.sha, "one.md") == b"A note for me.\n"


@pytest.mark.parametrize("how", ["merged", "closed"])
async def test_when_it_is_over(bot: Bot, how: str) -> None:
    """Nobody is asked, and the reviewer is told what to do instead."""
    pull = await checkpoint(bot)
    if how == "merged":
        await bot.github.merge_pull(REPOSITORY, pull.number)
    else:
        await bot.github.close(REPOSITORY, pull.number)
    await bot.idle()
    bot.github.says(REPOSITORY, pull.number)
    asked = len(bot.model.requests)

    await request_changes(bot, pull, "Be kinder.")

    assert len(bot.model.requests) == asked
    told = said(bot, pull)
    assert "no longer open" in told
    assert "new task" in told
    bot.says()


async def test_praise_starts_nothing(bot: Bot) -> None:
    """An approval with words, and a comment, are no order."""
    pull = await checkpoint(bot)

    await bot.github.review(REPOSITORY, pull.number, "APPROVED", "Very nice! Could be kinder.")
    await bot.github.review(REPOSITORY, pull.number, "COMMENTED", "Why not in French?")
    await bot.idle()

    assert bot.github.says(REPOSITORY, pull.number) == []
    assert len(bot.model.requests) == 1


async def test_suggestions_that_overlap(bot: Bot) -> None:
    """Two for the same line cannot both be applied: the model is asked with both."""
    pull = await checkpoint(bot)
    bot.model.says(MINE)

    await request_changes(
        bot,
        pull,
        on=[
            ("one.md", 1, 1, "```suggestion\nA kind note.\n```"),
            ("one.md", 1, 1, "```suggestion\nA short note.\n```"),
        ],
    )

    assert f"Added {pull.pull.sha}" in said(bot, pull)
    assert "A kind note." in bot.prompts[1]
    assert "A short note." in bot.prompts[1]
    assert len(replies(bot, pull)) == 2


async def test_a_review_of_an_older_commit(bot: Bot) -> None:
    """Its words count, though the lines have moved since."""
    pull = await checkpoint(bot)
    before = pull.pull.sha
    await bot.github.push(REPOSITORY, {"three.md": "Mine.\n"}, branch=pull.pull.head)
    await bot.idle()
    bot.github.says(REPOSITORY, pull.number)
    bot.model.says(BETTER)

    await bot.github.review(
        REPOSITORY, pull.number, "CHANGES_REQUESTED", of=before, on=[("one.md", 1, 1, "Kinder.")]
    )
    await bot.idle()

    assert f"Added {pull.pull.sha}" in said(bot, pull)
    assert bot.view.file(pull.pull.sha, "three.md") == b"Mine.\n"
    assert bot.view.file(pull.pull.sha, "one.md") == b"A better note.\n"
    replies(bot, pull)


async def test_the_model_asks_back(bot: Bot) -> None:
    """Its question goes to the reviewers, in words that can be answered."""
    pull = await checkpoint(bot)
    before = pull.pull.sha
    question = "Which language do you want the note to be in: English or French?"
    bot.model.says(question, question)
    bot.model.otherwise = lambda _: question

    await request_changes(bot, pull, "In the other language, please.")

    told = "\n".join(bot.github.says(REPOSITORY, pull.number))
    assert pull.pull.sha == before
    assert "English or French?" in told


async def test_the_limit_is_told_once_for_each_review(bot: Bot) -> None:
    """After three, the fourth is answered with what to do, and asks no model."""
    pull = await checkpoint(bot)
    for number in range(3):
        bot.model.says(note("one.md", f"Version {number}."))
        await request_changes(bot, pull, f"Change {number}.")
        assert f"revision {number + 1} of 3" in said(bot, pull)
    asked = len(bot.model.requests)

    await request_changes(bot, pull, "Once more.")

    assert len(bot.model.requests) == asked
    assert "3" in said(bot, pull)


async def test_dismissed_before_it_was_read(bot: Bot) -> None:
    """A command without words after all threads are resolved has nothing to do."""
    pull = await checkpoint(bot)
    await bot.github.review(REPOSITORY, pull.number, "COMMENTED", on=[("one.md", 1, 1, "Kinder!")])
    pull.threads[0].resolved = True

    await bot.reply(pull, "/execute revise")

    assert "nothing to change" in said(bot, pull)
    assert len(bot.model.requests) == 1


@pytest.mark.parametrize(
    "body", ["LGTM", "👍", "nit: none", "Rejecting this. We do not want notes."]
)
async def test_words_that_ask_for_nothing_clear(bot: Bot, body: str) -> None:
    """Whatever comes of it is told, and nothing else is changed."""
    pull = await checkpoint(bot)
    before = pull.pull.sha
    bot.model.otherwise = lambda _: note("one.md")

    await request_changes(bot, pull, body)

    told = said(bot, pull)
    assert pull.pull.sha == before
    assert "Added" not in told


@pytest.mark.parametrize("how", ["merged", "closed"])
async def test_it_ends_while_the_model_answers(bot: Bot, how: str) -> None:
    """Nothing is pushed, nobody is told to try again, and no change of the roadmap is claimed."""
    pull = await checkpoint(bot)
    held = Held(BETTER)
    bot.model.says(held)
    await bot.github.review(REPOSITORY, pull.number, "CHANGES_REQUESTED", "Be kinder.")
    await held.asked.wait()
    if how == "merged":
        await bot.github.merge_pull(REPOSITORY, pull.number)
    else:
        await bot.github.close(REPOSITORY, pull.number)
    held.go.set()
    await bot.idle()

    told = "\n".join(bot.github.says(REPOSITORY, pull.number))
    assert f"Pull request {pull.number} was {how}" in told
    assert "try again" not in told
    assert "tick in line" not in told
    bot.says()
