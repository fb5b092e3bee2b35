"""Repairs whose pull request has ended."""

from __future__ import annotations

from tests.fake_github.state import Issue
from tests.features.fix.test_fixing import BROKEN as WRONG
from tests.features.fix.test_fixing import fails, fix_of, repaired, said_on
from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, ADD_MODULE, CALC, DOUBLE, on
from tests.scenarios.stacks import merge, unread_comments

pytestmark = OUTSIDE


@on(CALC)
async def test_a_repair_that_was_used_or_declined(bot: Bot) -> None:
    """Nobody has to do anything with it any more, so nothing is said."""
    pull, fix = await repaired(bot)
    await merge(bot, fix)
    unread_comments(bot, fix)

    await merge(bot, pull)

    assert unread_comments(bot, fix) == ""
    assert unread_comments(bot, pull) == ""


@on(CALC)
async def test_a_checkpoint_is_merged_without_its_repair(bot: Bot) -> None:
    """In a stack: the repair is told, and the pull request above moves to `main` as ever."""
    bot.model.says(ADD, DOUBLE)
    await bot.github.push(REPOSITORY, {".github/cairn.yml": b"pull_requests: {ci_repairs: 0}\n"})
    await bot.comment("/execute")
    bot.says()
    one, two = bot.pulls
    await fails(bot, one, output={"title": "lint", "summary": "calc/add.py needs a docstring"})
    bot.model.says(ADD_MODULE.replace("    return", '    """Add."""\n    return'))
    await bot.reply(one, "/execute fix")
    unread_comments(bot, one)
    fix = fix_of(bot, one)

    await merge(bot, one, "squash")

    said = said_on(bot, fix)
    assert f"#{one.number} was merged without this repair" in said
    assert two.pull.base == "main"
    unread_comments(bot, two)
    bot.says()


async def repaired_on(bot: Bot, base: str) -> tuple[Issue, Issue]:
    """A person's pull request into another branch, and the open repair of it."""
    await bot.github.move_branch(REPOSITORY, base, bot.view.branches["main"])
    await bot.github.push(REPOSITORY, WRONG, branch="theirs")
    pull = await bot.github.open_pull(REPOSITORY, "Add", head="theirs", base=base)
    await fails(bot, pull)
    bot.model.says(ADD_MODULE)
    await bot.reply(pull, "/execute fix")
    said_on(bot, pull)
    return pull, fix_of(bot, pull)


@on(CALC)
async def test_merged_into_another_branch_without_its_repair(bot: Bot) -> None:
    """The repair names the branch the pull request went into, not the default one."""
    pull, fix = await repaired_on(bot, "release")

    await merge(bot, pull)

    said = said_on(bot, fix)
    assert f"#{pull.number} was merged without this repair" in said
    assert "change the base of this pull request to `release`" in said
    assert "`main`" not in said
    told = [d for d in bot.github.world.deliveries if d.event == "pull_request"][-1]
    await bot.github.redeliver(told)
    await bot.idle()
    assert unread_comments(bot, fix) == ""


@on(CALC)
async def test_merged_into_another_branch_that_deletes_it(bot: Bot) -> None:
    """GitHub moves the repair to that branch, and the comment names it."""
    pull, fix = await repaired_on(bot, "release")
    bot.view.state.delete_branch_on_merge = True

    await merge(bot, pull)

    assert fix.pull.base == "release"
    assert "Merge the repair into `release` if it is still needed" in said_on(bot, fix)


@on(CALC)
async def test_the_upper_one_was_merged_into_the_lower_one(bot: Bot) -> None:
    """Its repair belongs where its change now is: on the branch of the lower one."""
    bot.model.says(ADD, DOUBLE)
    await bot.github.push(REPOSITORY, {".github/cairn.yml": b"pull_requests: {ci_repairs: 0}\n"})
    await bot.comment("/execute")
    bot.says()
    one, two = bot.pulls
    await fails(bot, two, output={"title": "lint", "summary": "calc/double.py needs a docstring"})
    bot.model.says(
        "calc/double.py\n```python\nfrom calc.add import add\n\n\ndef double(a):\n"
        '    """Twice."""\n    return add(a, a)\n```\n'
    )
    await bot.reply(two, "/execute fix")
    unread_comments(bot, two)
    fix = fix_of(bot, two)

    await merge(bot, two)

    said = said_on(bot, fix)
    assert two.pull.base == one.pull.head
    assert f"change the base of this pull request to `{one.pull.head}`" in said
    bot.says()


@on(CALC)
async def test_closed_and_opened_again_and_merged(bot: Bot) -> None:
    """Each end is told; a repair that is merged or closed itself is told nothing more."""
    pull, fix = await repaired(bot)
    await bot.github.close(REPOSITORY, pull.number)
    await bot.idle()
    assert "was closed without a merge" in said_on(bot, fix)
    await bot.github.reopen(REPOSITORY, pull.number)
    await bot.idle()
    unread_comments(bot, fix)

    await merge(bot, pull)  # in the same second, as a program would

    assert f"#{pull.number} was merged without this repair" in said_on(bot, fix)
    assert unread_comments(bot, pull) == ""
