"""CI fails on the merge of a checkpoint: people are asked whether to take it back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from tests.fake_github.state import Comment, Issue
from tests.features.undo.test_undoing import merged, shown, undoing
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.process import serving
from tests.scenarios.projects import NOTES, note, on


@pytest.fixture
def files() -> Mapping[str, object]:
    """Two notes to write."""
    return NOTES


async def red(bot: Bot, commit: str = "", *, name: str = "ci") -> None:
    """A check fails on the newest commit of the default branch, or another one."""
    sha = commit or bot.view.branches["main"]
    await bot.github.check(REPOSITORY, sha, "failure", name=name)
    await bot.idle()


async def broken(bot: Bot, **how: str) -> Issue:
    """The merge of a checkpoint with which CI fails, as it did not before."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    await bot.github.merge_pull(REPOSITORY, pull.number, **how)
    await bot.idle()
    bot.github.says(REPOSITORY, pull.number)
    await red(bot)
    return pull


def offer(bot: Bot, pull: Issue) -> tuple[Comment, str]:
    """The comment that asks, and the id of what it proposes."""
    (said,) = bot.github.says(REPOSITORY, pull.number)
    assert "**`ci` fails on `main` since this was merged:**" in said
    comment = pull.comments[-1]
    return comment, said.split("reply `/approve ")[1][:8]


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
@pytest.mark.sample(1, "a conversation for each case")
async def test_a_reaction_takes_it_back(bot: Bot, method: str) -> None:
    """A pull request reverses it; until somebody merges that, nothing has changed."""
    pull = await broken(bot, method=method)
    comment, _ = offer(bot, pull)
    before = bot.view.branches["main"]
    bot.github.react(comment, "+1", by="writer")

    await bot.later(minutes=1)

    (said,) = bot.github.says(REPOSITORY, pull.number)
    undo = undoing(bot)
    assert f"/pull/{undo.number} takes back task 1.1" in said
    assert shown(bot, undo).keys() == {"ROADMAP.md", "one.md"}
    assert bot.view.branches["main"] == before
    assert len(bot.prompts) == 1


async def test_a_reply_takes_it_back(bot: Bot) -> None:
    """Once: what is decided is not decided again, and the same red is not asked about again."""
    pull = await broken(bot)
    _, name = offer(bot, pull)

    await bot.reply(pull, f"/approve {name}")

    assert any("takes back task 1.1" in said for said in bot.github.says(REPOSITORY, pull.number))
    undoing(bot)
    await red(bot, name="lint")
    await bot.reply(pull, f"/reject {name}")
    (said,) = bot.github.says(REPOSITORY, pull.number)
    assert "was approved by `writer` (reply)" in said


async def test_a_click_leaves_it(bot: Bot) -> None:
    """*Reject* at the check on the merge: no pull request, and the buttons are gone."""
    pull = await broken(bot)
    offer(bot, pull)
    [check] = [each for each in bot.view.checks if each["name"] == "cairn/recovery"]
    assert check["head_sha"] == bot.view.branches["main"]

    await bot.github.click(REPOSITORY, check["id"], "reject", by="writer")
    await bot.idle()

    assert [each.number for each in bot.pulls] == [pull.number]
    [check] = [each for each in bot.view.checks if each["name"] == "cairn/recovery"]
    assert check["conclusion"] == "neutral"
    bot.github.says(REPOSITORY, pull.number)


async def test_who_may_not_decide(bot: Bot) -> None:
    """A stranger's reaction counts for nothing, and other tasks cannot be put in its place."""
    pull = await broken(bot)
    comment, name = offer(bot, pull)
    bot.github.react(comment, "+1", by="outsider")

    await bot.later(minutes=1)
    await bot.reply(pull, f"/edit {name}\n- [ ] Another\n")

    said = bot.github.says(REPOSITORY, pull.number)
    assert "takes a task back, and puts no others in its place" in said[-1]
    assert len(bot.pulls) == 1


async def test_what_is_not_of_the_merge(bot: Bot) -> None:
    """A check that failed before, and one on a commit of a person: nobody is asked."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    await red(bot)
    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()
    bot.github.says(REPOSITORY, pull.number)
    await red(bot)
    await bot.github.push(REPOSITORY, {"other.md": b"Other.\n"})
    await red(bot, name="lint")

    assert bot.github.says(REPOSITORY, pull.number) == []


@on({**NOTES, ".github/cairn.yml": b"fixes: {offer_undo: false}\n"})
async def test_a_repository_can_turn_it_off(bot: Bot) -> None:
    """Then a red default branch is people's alone."""
    pull = await broken(bot)

    assert bot.github.says(REPOSITORY, pull.number) == []


async def test_a_status_and_a_cancelled_offer(bot: Bot) -> None:
    """CI that only sets statuses counts as well; ``/execute cancel`` ends the question."""
    (pull, _) = await merged(bot, note("one.md"), note("two.md"))
    last = bot.pulls[-1]
    await bot.github.status(REPOSITORY, bot.view.branches["main"], "failure", context="ci")
    await bot.idle()
    _, name = offer(bot, last)

    await bot.reply(last, "/execute cancel")
    await bot.reply(last, f"/approve {name}")

    assert "Nothing was done" in bot.github.says(REPOSITORY, last.number)[-1]
    assert [each.number for each in bot.pulls] == [pull.number, last.number]


@pytest.fixture
async def talk(tmp_path: Path, files: Mapping[str, object]) -> AsyncIterator[Bot]:
    """A conversation whose server the test starts and ends."""
    async with conversation(tmp_path, files) as bot:
        yield bot
        bot.check()


@pytest.mark.long("starts a server as a process of its own, and kills it")
async def test_killed_while_it_asks(talk: Bot) -> None:
    """There is one comment, and the answer to it counts."""
    async with talk.started():
        talk.model.says(note("one.md"))
        await talk.comment("/execute --max-tasks 1")
        talk.says()
        (pull,) = talk.pulls
        await talk.github.merge_pull(REPOSITORY, pull.number)
        await talk.idle()
        talk.github.says(REPOSITORY, pull.number)
    async with serving(talk) as server:
        fault = talk.holds("POST", f"*/issues/{pull.number}/comments")
        await talk.github.check(REPOSITORY, talk.view.branches["main"], "failure")
        await fault.reached.wait()
        await server.end()
    fault.release()

    async with talk.started():
        await talk.idle()
        _, name = offer(talk, pull)
        await talk.reply(pull, f"/approve {name}")

    assert any("takes back" in said for said in talk.github.says(REPOSITORY, pull.number))
    undoing(talk)
