"""Checks run again, repairs left behind, and pull requests nobody needs: in odd moments."""

from __future__ import annotations

import asyncio

from tests.fake_github.world import Happening
from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, note, notes, on
from tests.scenarios.proposing import STUCK, decomposed
from tests.scenarios.pushing import push
from tests.scenarios.stacks import LINES, body, merge, stacked, unread_comments
from tests.scenarios.test_rerun import check, for_people, trust

pytestmark = OUTSIDE

FIRST = "Merge this one first"


async def rerun_all(bot: Bot, number: int, *, by: str = "writer") -> None:
    """Click *Re-run all checks* where a check is, and wait."""
    await bot.github.rerun_all(REPOSITORY, number, by=by)
    await bot.idle()


async def retold(bot: Bot, **laid: object) -> None:
    """Send the newest *Re-run all checks* again as a new event, with parts laid over its suite."""
    told = [d for d in bot.github.world.deliveries if d.event == "check_suite"][-1].payload
    event = {**told, "check_suite": {**told["check_suite"], **laid}}
    await bot.github.tell(Happening("check_suite", "rerequested", event, bot.view.state))
    await bot.idle()


def shas(bot: Bot) -> list[str]:
    """The commits that Cairn verified, one for each time."""
    assert {each["status"] for each in trust(bot)} == {"completed"}
    return [each["head_sha"] for each in trust(bot)]


@on(notes(LINES))
async def test_all_checks_in_the_middle_of_a_stack(bot: Bot) -> None:
    """Only that one is verified again, and it says the same; its neighbours are left alone."""
    _, two, _ = await stacked(bot)
    before, heads = dict(check(bot, two)), [p.pull.sha for p in bot.pulls]
    assert shas(bot) == heads

    await rerun_all(bot, before["id"])

    assert shas(bot) == [*heads, two.pull.sha]
    assert for_people(check(bot, two)) == for_people(before)
    assert [p.pull.sha for p in bot.pulls] == heads
    assert [unread_comments(bot, pull) for pull in bot.pulls] == ["", "", ""]


@on(notes(LINES))
async def test_all_checks_after_the_one_below_was_merged(bot: Bot) -> None:
    """It moved to `main` and has another commit: the old commit's checks start nothing."""
    one, two, _ = await stacked(bot)
    old = check(bot, two)["id"], two.pull.sha
    await merge(bot, one, "squash")
    unread_comments(bot, two)
    before = shas(bot)

    await rerun_all(bot, old[0])

    assert (two.pull.base, two.pull.sha != old[1]) == ("main", True)
    assert shas(bot) == before


@on(NOTES)
async def test_all_checks_of_an_old_commit(bot: Bot) -> None:
    """Somebody pushed since: what is no longer the head is not verified."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    old = check(bot, pull)["id"]
    await bot.github.push(REPOSITORY, {"why.md": b"Because.\n"}, branch=pull.pull.head)
    await bot.idle()
    before = shas(bot)

    await rerun_all(bot, old)

    assert shas(bot) == before
    await rerun_all(bot, check(bot, pull)["id"])
    assert shas(bot) == [*before, pull.pull.sha]
    unread_comments(bot, pull)


@on(NOTES)
async def test_all_checks_of_what_is_over(bot: Bot) -> None:
    """Merged or closed: there is nothing to verify, and nobody gets a comment."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute")
    one, two = bot.pulls
    numbers = [check(bot, pull)["id"] for pull in (one, two)]
    await bot.github.close(REPOSITORY, two.number)
    await merge(bot, one)
    bot.says()
    [unread_comments(bot, pull) for pull in (one, two)]
    before = shas(bot)

    for number in numbers:
        await rerun_all(bot, number)

    assert shas(bot) == before
    assert [unread_comments(bot, pull) for pull in (one, two)] == ["", ""]


@on(NOTES)
async def test_all_checks_twice_at_once_and_told_again(bot: Bot) -> None:
    """Two people click, and GitHub repeats itself: no check is left running, all say the same."""
    bot.github.set_role(REPOSITORY, "keeper", "maintain")
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    before = dict(check(bot, pull))

    await asyncio.gather(
        bot.github.rerun_all(REPOSITORY, before["id"], by="writer"),
        bot.github.rerun_all(REPOSITORY, before["id"], by="keeper"),
        bot.github.rerun(REPOSITORY, before["id"], by="keeper"),
    )
    await bot.idle()
    done = shas(bot)
    told = [d for d in bot.github.world.deliveries if d.event == "check_suite"][-1]
    await bot.github.redeliver(told)
    await bot.idle()

    assert 2 <= len(done) <= 4
    assert shas(bot) == done
    assert {tuple(for_people(each)) for each in trust(bot)} == {tuple(for_people(before))}


@on(NOTES)
async def test_all_checks_of_others(bot: Bot) -> None:
    """Another app's suite on our commit, and ours on a person's branch: neither is for Cairn."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch="theirs")
    theirs = await bot.github.open_pull(REPOSITORY, "Mine", head="theirs")
    await bot.github.check(REPOSITORY, pull.pull.sha, "success")
    await bot.idle()
    ci = [c for c in bot.view.checks if c["name"] == "ci"][-1]

    await bot.github.rerun_all(REPOSITORY, ci["id"], by="writer")
    await bot.idle()
    assert len(trust(bot)) == 1
    await rerun_all(bot, check(bot, pull)["id"])
    assert len(trust(bot)) == 2
    await retold(bot, head_sha=theirs.pull.sha, head_branch="theirs", pull_requests=[])

    assert shas(bot) == [pull.pull.sha] * 2
    assert unread_comments(bot, theirs) == ""
    unread_comments(bot, pull)


@on(NOTES)
async def test_a_persons_pull_request_at_the_same_commit(bot: Bot) -> None:
    """They opened one of their own from our commit: it is verified once, for ours."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    await bot.github.move_branch(REPOSITORY, "theirs", pull.pull.sha)
    theirs = await bot.github.open_pull(REPOSITORY, "The same", head="theirs")
    await bot.idle()

    await rerun_all(bot, check(bot, pull)["id"])
    assert len(shas(bot)) == 2
    await bot.github.close(REPOSITORY, pull.number)
    await bot.idle()
    await rerun_all(bot, check(bot, pull)["id"])

    assert len(shas(bot)) == 2
    assert unread_comments(bot, theirs) == ""
    unread_comments(bot, pull)
    bot.says()


@on(STUCK)
async def test_all_checks_of_a_proposal(bot: Bot) -> None:
    """Its buttons stay: nothing is verified, nothing is decided."""
    pull = await decomposed(bot)
    (buttons,) = [c for c in bot.view.checks if c["actions"]]
    checks = len(bot.view.checks)

    await rerun_all(bot, int(str(buttons["id"])))

    assert len(bot.view.checks) == checks
    assert pull.state == "open"
    await bot.github.click(REPOSITORY, int(str(buttons["id"])), "reject", by="writer")
    await bot.idle()
    assert bot.says()
    bot.proposes()


def roadmap(boxes: str) -> str:
    """The roadmap of three notes with these boxes."""
    words = zip(boxes, ("one", "two", "six"), strict=True)
    return "".join(f"- [{box}] 1.{n} Write `{w}.md`\n" for n, (box, w) in enumerate(words, 1))


async def status(bot: Bot) -> dict[int, str]:
    """What ``/execute status`` says of each pull request."""
    await bot.comment("/execute status")
    said = bot.says()[-1]
    rows = [line for line in said.split("\n") if line.startswith("| #")]
    return {int(row.split("|")[1].strip(" #")): row.split("|")[3].strip() for row in rows}


@on(notes(LINES))
async def test_ticked_by_hand_and_unticked_again(bot: Bot) -> None:
    """The lowest is not needed while its box is ticked; after that it comes first again."""
    one, two, six = await stacked(bot)
    assert FIRST in body(one)
    first = await status(bot)

    await push(bot, roadmap("x  "))
    ticked = await status(bot)
    assert FIRST not in body(one)
    assert "is already ticked on `main`" in body(one)
    assert ticked[one.number] == "not needed: see its description"
    assert "not needed" not in ticked[two.number] + ticked[six.number]
    await push(bot, roadmap("   "))

    assert FIRST in body(one)
    assert "is already ticked" not in body(one)
    assert await status(bot) == first
    [unread_comments(bot, pull) for pull in bot.pulls]


@on(notes(LINES))
async def test_the_middle_one_is_not_needed(bot: Bot) -> None:
    """The lowest still comes first; only the middle one is said to be not needed."""
    one, two, six = await stacked(bot)

    await push(bot, roadmap(" x "))

    said = await status(bot)
    assert FIRST in body(one)
    assert [FIRST in body(pull) for pull in (two, six)] == [False, False]
    assert said[two.number] == "not needed: see its description"
    assert "not needed" not in said[one.number] + said[six.number]
    [unread_comments(bot, pull) for pull in bot.pulls]


@on(notes(LINES))
async def test_none_of_them_is_needed(bot: Bot) -> None:
    """Somebody did it all by hand: nobody is asked to merge anything, wherever it stands."""
    await stacked(bot)

    await push(bot, roadmap("xxx"), files={f"{w}.md": b"Mine.\n" for w in ("one", "two", "six")})

    assert [FIRST in body(pull) for pull in bot.pulls] == [False] * 3
    assert set((await status(bot)).values()) == {"not needed: see its description"}
    [unread_comments(bot, pull) for pull in bot.pulls]


@on(NOTES)
async def test_a_single_one_is_not_needed(bot: Bot) -> None:
    """Not a stack at all: the status says so all the same, and closing it is the end of it."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls

    await push(bot, "- [x] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n")

    assert await status(bot) == {pull.number: "not needed: see its description"}
    assert FIRST not in body(pull)
    await bot.github.close(REPOSITORY, pull.number)
    await bot.idle()
    assert await status(bot) == {}
    unread_comments(bot, pull)


@on(notes(LINES))
async def test_above_one_that_is_not_needed(bot: Bot) -> None:
    """Nobody is asked to merge first what its own description asks to close."""
    one, two, six = await stacked(bot)

    await push(bot, roadmap("x  "))

    said = await status(bot)
    assert "Close this pull request" in body(one)
    assert f"Merge #{one.number} first" not in body(two)
    close = f"Close #{one.number} first: its task is done without it."
    assert f"**Stacked on #{one.number}.** {close}" in body(two)
    assert f"{close} Merge #{two.number} first." in body(six)
    assert said[two.number] == f"once #{one.number} is closed"
    assert said[six.number] == f"after #{two.number}, once #{one.number} is closed"
    place = [c for c in bot.view.checks if c["name"] == "cairn/stack"]
    waits = [c for c in place if c["head_sha"] == two.pull.sha][-1]
    assert f"Close #{one.number} first" in waits["output"]["summary"]
    [unread_comments(bot, pull) for pull in bot.pulls]
