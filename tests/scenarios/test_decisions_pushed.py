"""People push to the branch of a proposal: what they pushed is what is asked about from then on."""

from __future__ import annotations

from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, on
from tests.scenarios.proposing import PARTS, STUCK, decomposed, escalated, id_of, proposal_comment

pytestmark = on(STUCK)


def roadmap(bot: Bot, pull: Issue) -> bytes:
    """The roadmap as the proposal's branch has it."""
    return bot.view.file(pull.pull.head, "ROADMAP.md") or b""


async def push(bot: Bot, pull: Issue, files: dict[str, object]) -> None:
    """Let a person push to the proposal's branch."""
    await bot.github.push(REPOSITORY, files, branch=pull.pull.head)
    await bot.idle()


def rewritten(bot: Bot, pull: Issue) -> dict[str, object]:
    """The roadmap with another second task in the place of the proposed one."""
    return {"ROADMAP.md": roadmap(bot, pull).replace(PARTS[1].encode(), b"Write `three.md`")}


def heads(bot: Bot) -> list[str]:
    """The commits that have a check run with buttons that ask."""
    return [
        str(each["head_sha"]) for each in bot.view.checks if each["conclusion"] == "action_required"
    ]


async def test_a_push_edits_the_proposal(bot: Bot) -> None:
    """The pushed tasks are proposed anew, with buttons on the new head, and done when approved."""
    pull = await decomposed(bot)
    old = id_of(bot, pull)
    await push(bot, pull, rewritten(bot, pull))
    (asked,) = bot.proposes()
    theirs = pull.pull.sha

    assert "the pushed commit" in asked
    assert "three.md" in asked
    assert PARTS[1] not in asked
    assert theirs in heads(bot)
    await bot.reply(pull, f"/approve {old}")
    assert "superseded by a newer one" in "".join(bot.proposes())
    bot.model.says(note("one.md"), note("three.md"))
    await bot.reply(pull, f"/approve {id_of(bot, pull)}")

    bot.says()
    bot.proposes()
    assert bot.checkpoints()[-1] == "1.1.2 Write three.md"
    assert "Approved-by: writer" in bot.message(pull)
    assert theirs in bot.view.state.bare.text("rev-list", pull.pull.sha).split()


@MORE
async def test_a_push_of_something_else_cannot_be_approved(bot: Bot) -> None:
    """What to do is said, every approval is refused, and taking it back lets it be approved."""
    pull = await decomposed(bot)
    ours = pull.pull.sha
    await push(bot, pull, {"other.md": b"Mine.\n"})
    (told,) = bot.proposes()
    assert "cannot approve this now" in told
    assert "it changes files other than ROADMAP.md" in told
    assert pull.pull.sha in heads(bot)

    await bot.reply(pull, "/approve")
    assert "cannot approve this now" in "".join(bot.proposes())
    assert pull.pull.draft
    await bot.github.move_branch(REPOSITORY, pull.pull.head, ours)
    await bot.idle()
    assert "shows Cairn's own proposal again" in "".join(bot.proposes())
    bot.model.says(note("one.md"), note("two.md"))
    await bot.reply(pull, "/approve")

    bot.says()
    bot.proposes()
    assert bot.checkpoints()[-1].startswith("1.1.2")


@MORE
async def test_a_push_beside_the_task_cannot_be_approved(bot: Bot) -> None:
    """Other lines of the roadmap are not the proposal's to change; a rejection counts."""
    pull = await decomposed(bot)
    await push(bot, pull, {"ROADMAP.md": b"# Ours\n\n" + roadmap(bot, pull)})
    assert "it adds more to ROADMAP.md than tasks" in "".join(bot.proposes())

    await bot.reply(pull, "/reject")

    bot.says()
    bot.proposes()
    assert pull.state == "closed"


async def test_a_push_nobody_told_of(bot: Bot) -> None:
    """An approval of what the branch shows no more is refused, though the event was lost."""
    pull = await decomposed(bot)
    front, bot.github.webhook_url = bot.github.webhook_url, None
    await bot.github.push(REPOSITORY, rewritten(bot, pull), branch=pull.pull.head)
    bot.github.webhook_url = front

    bot.github.react(proposal_comment(bot, pull), "+1", by="writer")
    await bot.later(seconds=15)

    assert "three.md" in "".join(bot.proposes())
    assert pull.pull.draft
    bot.says()


async def test_a_push_to_an_escalation_moves_its_buttons(bot: Bot) -> None:
    """Whoever looks at the pull request decides on the newest head; what is proposed stays."""
    pull = await escalated(bot)
    old = id_of(bot, pull)
    await push(bot, pull, {"mine.md": b"Mine.\n"})

    assert pull.pull.sha in heads(bot)
    assert id_of(bot, pull) == old
    (check,) = (each for each in bot.view.checks if each["head_sha"] == pull.pull.sha)
    await bot.github.click(REPOSITORY, int(str(check["id"])), "approve", by="writer")
    await bot.idle()

    assert pull.pull.sha not in heads(bot)
    assert "Ready for people" in "".join(bot.proposes())
    assert not pull.pull.draft
    bot.says()
