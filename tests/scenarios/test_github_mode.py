"""What is not written: nothing without GitHub, and no protected path without a person."""

from __future__ import annotations

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes, on

_TWO = "- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md` like `one.md`\n"
_ASKING = notes(
    "- [ ] 1.1 Write `migrations/one.md`\n",
    **{".github/cairn.yml": b"pause_protected: [migrations/]\n"},
)
_MUTE = notes(_TWO, **{".github/cairn.yml": b"github_mode: disabled\n"})
_PUSHED = notes(
    "- [x] 1.1 Write `one.md`\n",
    **{".github/cairn.yml": b"github_mode: disabled\ntriggers: {push: execute}\n"},
)


@on(_MUTE)
async def test_a_run_that_writes_nothing(bot: Bot) -> None:
    """Its tasks are planned, verified and build on each other; GitHub keeps what it had."""
    before = bot.view.branches
    bot.model.says(note("one.md", "First."), note("two.md", "Second."))

    await bot.comment("/execute")
    await bot.comment("/execute status")
    await bot.comment("/execute", by="reader")

    assert "First." in bot.prompts[-1]
    assert (bot.pulls, bot.view.branches, bot.view.checks) == ([], before, [])
    assert bot.says() == []
    assert _sent(bot) <= _READING


@on(_MUTE)
async def test_a_push_writes_no_plan(bot: Bot) -> None:
    """Nobody asked for anything, so nothing is written: no issue, no comment."""
    await bot.github.push(REPOSITORY, {"ROADMAP.md": _TWO.encode() + b"- [ ] 1.3 Write `x.md`\n"})
    await bot.idle()

    assert _sent(bot) <= _READING
    assert list(bot.view.issues) == [bot.issue.number]


@on(_PUSHED)
async def test_a_push_is_worked_without_a_word(bot: Bot) -> None:
    """What it brings is planned and verified, and there is no issue to tell it on."""
    bot.model.says(note("two.md"))
    await bot.github.push(REPOSITORY, {"ROADMAP.md": _TWO.replace("[ ] 1.1", "[x] 1.1").encode()})
    await bot.idle()

    assert "two.md" in bot.prompts[-1]
    assert _sent(bot) <= _READING
    assert list(bot.view.issues) == [bot.issue.number]


@on(_ASKING)
async def test_a_protected_path_waits_for_a_person(bot: Bot) -> None:
    """What people want to be asked about is not written before they agree, and then as shown."""
    bot.model.says(note("migrations/one.md"))
    await bot.comment("/execute")
    (pull,) = bot.proposals
    (asked,) = bot.proposes()
    assert "writes files that need approval: migrations/one.md" in asked
    assert bot.changed(pull).keys() == {"migrations/one.md"}
    bot.says()

    await bot.reply(pull, "/approve")

    (said,) = bot.says()
    assert "✅ | **1.1**" in said
    assert f"/pull/{bot.pulls[-1].number}." in "".join(bot.proposes())
    assert pull.state == "closed"
    assert bot.changed(bot.pulls[-1]).keys() == {"migrations/one.md", "ROADMAP.md"}


@on(_ASKING)
async def test_a_push_to_a_change_set_is_what_is_asked_about(bot: Bot) -> None:
    """An approval of ours is refused; what was pushed is shown, agreed to, and taken over."""
    bot.model.says(note("migrations/one.md"))
    await bot.comment("/execute")
    (pull,) = bot.proposals
    bot.proposes()
    front, bot.github.webhook_url = bot.github.webhook_url, None
    await bot.github.push(REPOSITORY, {"migrations/one.md": b"Theirs.\n"}, branch=pull.pull.head)
    bot.github.webhook_url = front

    await bot.reply(pull, "/approve")
    asked = "".join(bot.proposes())
    assert "is what writer pushed to this branch" in asked
    assert len(bot.pulls) == 1
    await bot.reply(pull, "/approve")

    bot.says()
    made = bot.pulls[-1]
    assert bot.changed(made)["migrations/one.md"] == b"Theirs.\n"
    assert "Co-authored-by: writer" in bot.message(made)
    assert f"is now part of #{made.number}" in "".join(bot.proposes())
    assert pull.state == "closed"
    assert not [c for c in bot.view.checks if c["head_sha"] == pull.pull.sha and c["actions"]]


_READING = {"git-upload-pack", "access_tokens"}
"""What is no GET and changes nothing."""


def _sent(bot: Bot) -> set[str]:
    """The last parts of the paths of everything but GET that reached GitHub."""
    return {r.path.rpartition("/")[2] for r in bot.github.requests if r.method != "GET"}
