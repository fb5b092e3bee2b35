"""``limits.open_pull_requests``: a run rests while people have enough to review."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes, on
from tests.scenarios.pushing import push
from tests.scenarios.stacks import LINES, changed_lines, merge, unread_comments

FEW = {".github/cairn.yml": b"limits: {open_pull_requests: 2}\n"}
SINGLE = {
    ".github/cairn.yml": b"limits: {open_pull_requests: 1}\npull_requests: {strategy: single}\n"
}
APART = {
    ".github/cairn.yml": b"limits: {open_pull_requests: 1}\n"
    b"pull_requests: {strategy: independent}\n"
}
FOUR = f"{LINES}- [ ] 1.4 Write `ten.md`\n"


@pytest.fixture
def files() -> Mapping[str, object]:
    """Four notes to write, of which two may be open."""
    return notes(FOUR, **FEW)


async def full(bot: Bot) -> str:
    """Two pull requests are open, and the run rests; what its comment says."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute")
    (said,) = bot.says()
    assert len(bot.pulls) == 2
    return said


@pytest.mark.sample(1, "a conversation for each case")
@pytest.mark.parametrize("method", ["merge", "squash"])
async def test_a_run_continues_when_one_is_merged(bot: Bot, method: str) -> None:
    """It says why it rests, asks no model meanwhile, and opens one more for each merged one."""
    said = await full(bot)
    assert "is waiting" in said
    assert "2 pull requests of Cairn are open, which is the limit" in said
    assert "`limits.open_pull_requests`" in said
    assert len(bot.prompts) == 2

    bot.model.says(note("six.md"))
    await merge(bot, bot.pulls[0], method)

    (said,) = bot.says()
    assert "is waiting" in said
    assert bot.checkpoints()[2:] == ["1.3 Write six.md"]
    assert bot.pulls[2].pull.base == bot.pulls[1].pull.head

    bot.model.says(note("ten.md"))
    await merge(bot, bot.pulls[1], method)

    (said,) = bot.says()
    assert "is done" in said
    assert bot.checkpoints()[3:] == ["1.4 Write ten.md"]
    for pull in bot.pulls:
        unread_comments(bot, pull)


async def test_a_run_that_rests_can_be_paused(bot: Bot) -> None:
    """Then a merge alone does not let it continue: somebody has to say so."""
    await full(bot)

    await bot.comment("/execute pause")
    said = bot.says()
    assert "is paused" in said[0]
    assert "paused by writer" in said[0]
    await merge(bot, bot.pulls[0])
    await bot.comment("/execute pause")
    assert "No run on this issue is running or queued" in bot.says()[-1]
    assert len(bot.pulls) == 2

    bot.model.says(note("six.md"))
    await bot.comment("/execute resume")

    assert bot.checkpoints()[2:] == ["1.3 Write six.md"]
    bot.says()


async def test_a_run_continues_when_one_is_closed(bot: Bot) -> None:
    """A no makes room, too; the next task builds on what is left."""
    await full(bot)
    bot.model.says(note("six.md"))

    await bot.github.close(REPOSITORY, bot.pulls[1].number)
    await bot.idle()

    (said,) = bot.says()
    assert "Write two.md | declined" in said
    assert bot.checkpoints()[2:] == ["1.3 Write six.md"]


@MORE
async def test_another_run_rests_as_well(bot: Bot) -> None:
    """The limit is about the pull requests of all runs."""
    await full(bot)
    await bot.comment("/execute cancel")
    bot.says()

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "which is the limit" in said
    assert len(bot.prompts) == 2


async def test_a_resting_run_can_be_cancelled(bot: Bot) -> None:
    """It is not stuck on the people who do not review."""
    await full(bot)

    await bot.comment("/execute cancel")

    said = "".join(bot.says())
    assert "was cancelled" in said
    await merge(bot, bot.pulls[0])
    assert len(bot.pulls) == 2


@on(notes(LINES, **SINGLE))
async def test_a_single_pull_request_takes_all_tasks(bot: Bot) -> None:
    """It is one, however many tasks it has."""
    bot.model.says(note("one.md"), note("two.md"), note("six.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "is done" in said
    assert len(bot.pulls) == 1


@MORE
@on(notes(LINES, **APART))
async def test_independent_ones_count_too(bot: Bot) -> None:
    """Each is one more to review."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute")
    (said,) = bot.says()
    assert "1 pull request of Cairn is open, which is the limit" in said
    bot.model.says(note("two.md"))

    await merge(bot, bot.pulls[0])

    bot.says()
    assert bot.checkpoints() == ["1.1 Write one.md", "1.2 Write two.md"]
    assert bot.pulls[1].pull.base == "main"


SIX = f"{FOUR}- [ ] 1.5 Write `elf.md`\n- [ ] 1.6 Write `fox.md`\n"
MORE_OPEN = {".github/cairn.yml": b"limits: {open_pull_requests: 4}\n"}


@MORE
@on(notes(SIX, **MORE_OPEN))
async def test_a_tick_of_the_same_run_on_another_branch_is_not_taken_along(bot: Bot) -> None:
    """People open the fourth again: the sixth builds on the fifth and ticks its own task only."""
    bot.model.says(*(note(f"{word}.md") for word in ("one", "two", "six", "ten", "elf", "fox")))
    await bot.comment("/execute")
    fourth = bot.pulls[3]
    await bot.github.close(REPOSITORY, fourth.number)
    await bot.idle()
    fifth = bot.pulls[4]
    await bot.github.reopen(REPOSITORY, fourth.number)
    await bot.idle()
    await push(bot, SIX.replace("`fox.md`", "`fox.md` in two words"))

    await merge(bot, bot.pulls[0])
    await merge(bot, bot.pulls[1])

    bot.says()
    sixth = bot.pulls[5]
    assert sixth.pull.base == fifth.pull.head
    assert fourth.state == "open"
    assert "+- [x] 1.6 Write `fox.md` in two words" in changed_lines(bot, sixth)
    assert not [line for line in changed_lines(bot, sixth) if " 1.4 " in line]
    for pull in bot.pulls:
        unread_comments(bot, pull)
