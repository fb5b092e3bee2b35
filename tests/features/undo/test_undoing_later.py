"""Taking back in odd moments: twice, too late, or in the middle of a stack."""

from __future__ import annotations

from tests.features.undo.test_undoing import merged, shown
from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, note, notes, on
from tests.scenarios.pushing import push
from tests.scenarios.stacks import (
    LINES,
    merge,
    stacked,
    ticks,
)

pytestmark = OUTSIDE


@on(NOTES)
async def test_undone_done_again_and_undone(bot: Bot) -> None:
    """Undone before its undoing is merged or after: each says how it is; the newest work goes."""
    await merged(bot, note("one.md"), note("two.md"))
    await bot.comment("/execute undo 1.1")
    bot.says()
    undo = bot.pulls[-1]
    await merge(bot, undo)
    await bot.comment("/execute undo 1.1")
    (said,) = bot.says()
    assert "Task 1.1 is not finished on `main`" in said
    bot.model.says(note("one.md", "Better."))
    await bot.comment("/execute")
    bot.says()
    await merge(bot, bot.pulls[-1])
    bot.says()

    await bot.comment("/execute undo 1.1")

    (said,) = bot.says()
    assert f"/pull/{bot.pulls[-1].number}" in said
    assert bot.pulls[-1] is not undo
    assert shown(bot, bot.pulls[-1]) == {
        "ROADMAP.md": b"- [ ] 1.1 Write `one.md`\n- [x] 1.2 Write `two.md`\n",
        "one.md": None,
    }


@on(NOTES)
async def test_undo_of_what_a_person_deleted(bot: Bot) -> None:
    """The file is gone already: only the box is left to clear, or it is said that nothing is."""
    await merged(bot, note("one.md"), note("two.md"))
    await bot.github.push(REPOSITORY, {"one.md": None})
    await bot.idle()

    await bot.comment("/execute undo 1.1")

    (said,) = bot.says()
    assert "/pull/" in said
    assert shown(bot, bot.pulls[-1]).keys() == {"ROADMAP.md"}


@on(NOTES)
async def test_undo_closed_and_asked_again(bot: Bot) -> None:
    """Closing what takes it back is a change of mind; asking again is another one."""
    await merged(bot, note("one.md"), note("two.md"))
    await bot.comment("/execute undo 1.1")
    first = bot.pulls[-1]
    await bot.github.close(REPOSITORY, first.number)
    await bot.idle()

    await bot.comment("/execute undo 1.1")

    said = bot.says()[-1]
    undo = [p for p in bot.pulls if p.state == "open"]
    assert len(undo) == 1
    assert f"/pull/{undo[0].number}" in said


@on(notes(LINES))
async def test_undo_in_the_middle_of_a_stack(bot: Bot) -> None:
    """Two are merged, the third is open on top: taking back the second leaves it as it is."""
    one, two, six = await stacked(bot)
    await merge(bot, one)
    await merge(bot, two, "squash")
    await bot.comment("/execute undo 1.2")
    bot.says()
    undo = bot.pulls[-1]
    assert shown(bot, undo).keys() == {"ROADMAP.md", "two.md"}
    await merge(bot, undo)
    for pull in bot.pulls:
        bot.github.says(REPOSITORY, pull.number)

    await merge(bot, six)

    assert ticks(bot) == "x x"
    assert bot.view.file("main", "two.md") is None
    assert bot.view.file("main", "six.md") is not None
    bot.says()


@on(NOTES)
async def test_undo_again_after_a_person_pushed(bot: Bot) -> None:
    """It is in conflict by now; made anew it would lose what they pushed, so it is left alone."""
    await merged(bot, note("one.md"), note("two.md"))
    await bot.comment("/execute undo 1.1")
    bot.says()
    undo = bot.pulls[-1]
    await bot.github.push(REPOSITORY, {"why.md": b"Because.\n"}, branch=undo.pull.head)
    await bot.idle()
    pushed = undo.pull.sha
    await push(bot, "- [x] 1.1 Write `one.md`\n- [x] 1.2 Write `two.md` in French\n")

    await bot.comment("/execute undo 1.1")

    (said,) = bot.says()
    assert "Somebody has pushed to it, so Cairn leaves it alone" in said
    assert undo.pull.sha == pushed


@on(NOTES)
async def test_what_cairn_proposes_is_not_blocked_either(bot: Bot) -> None:
    """A checkpoint has its own checks; what takes a task back shows none and gets neutral ones."""
    bot.view.state.required["main"] = ("cairn/stack", "cairn/trust")
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    (pull,) = bot.pulls
    found = {c["name"]: c for c in bot.view.checks if c["head_sha"] == pull.pull.sha}
    assert found["cairn/trust"]["output"]["title"] != "Nothing for Cairn to check"
    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()

    await bot.comment("/execute undo 1.1")
    await bot.idle()  # what the opening of the pull request caused

    bot.says()
    head = bot.pulls[-1].pull.sha
    names = sorted(str(c["name"]) for c in bot.view.checks if c["head_sha"] == head)
    assert names == ["cairn/stack", "cairn/trust"]
