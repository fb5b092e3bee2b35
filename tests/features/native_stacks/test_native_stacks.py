"""``pull_requests.native_stack: auto``: chains are stacks of GitHub, where it has them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.fake_github.state import Issue, Stack
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import progress
from tests.scenarios.projects import note, notes, on
from tests.scenarios.stacks import (
    LINES,
    WORDS,
    body,
    check_own,
    place_check,
    stacked,
    ticks,
    unread_comments,
)

FOUR = f"{LINES}- [ ] 1.4 Write `ten.md`\n"
AUTO = {".github/cairn.yml": b"pull_requests: {native_stack: auto}\n"}


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write."""
    return notes(LINES, **AUTO)


def stacks(bot: Bot) -> list[Stack]:
    """Those that GitHub has now."""
    return list((bot.view.state.stacks or {}).values())


def members(bot: Bot) -> list[list[int]]:
    """The numbers of the open members of each stack, bottom to top."""
    return [[p.number for p in each.pulls if p.state == "open"] for each in stacks(bot)]


def asked(bot: Bot) -> list[str]:
    """What was asked for about stacks, and did something."""
    return [
        request.path.rpartition("/stacks")[2]
        for request in bot.github.requests
        if request.method == "POST" and "/stacks" in request.path and request.status < 300
    ]


def numbers(pulls: list[Issue]) -> list[int]:
    return [pull.number for pull in pulls]


async def test_from_the_second_one_on_they_are_a_stack(bot: Bot) -> None:
    """The third is put on top of it; merging the top merges all, as its description says."""
    one, two, six = await stacked(bot)

    assert asked(bot) == ["", "/1/add"]
    assert members(bot) == [numbers([one, two, six])]
    assert f"Merging this one also merges #{one.number} and #{two.number} below it." in body(six)
    assert [place_check(bot, pull) for pull in (one, two, six)] == ["success"] * 3
    assert [unread_comments(bot, pull) for pull in (one, two, six)] == [""] * 3

    await bot.github.merge_stack(REPOSITORY, six.number)
    await bot.idle()

    assert ticks(bot) == "xxx"
    assert asked(bot) == ["", "/1/add"]


@on(notes(LINES))
async def test_nothing_is_registered_unasked(bot: Bot) -> None:
    """Off is the default: GitHub is not even asked whether it has any."""
    await stacked(bot)

    assert [r for r in bot.github.requests if "/stacks" in r.path] == []


async def test_without_stacks_it_is_a_warning(bot: Bot) -> None:
    """On a server that has none, the run ends as ever and says so once."""
    bot.view.state.stacks = None
    bot.model.says(*(note(f"{word}.md") for word in WORDS))
    await bot.comment("/execute")

    said = progress(bot.says())
    assert "is done" in said
    assert said.count("no stack of GitHub's") == 1
    assert "404" in said
    assert f"Merge #{bot.pulls[0].number}" in body(bot.pulls[1])


@on(notes(FOUR, **AUTO))
async def test_what_is_refused_while_others_change_it_is_done_later(bot: Bot) -> None:
    """409 is nothing to tell people: the next look adds what is missing."""
    bot.model.says(*(note(f"{word}.md") for word in (*WORDS, "ten")))
    fault = bot.github.fail("POST", "*/stacks/1/add", status=409)
    await bot.comment("/execute")

    assert fault.hits == 1
    assert members(bot) == [numbers(bot.pulls)]
    assert "no stack" not in progress(bot.says())


@on(notes(FOUR, **AUTO))
async def test_what_people_dissolve_stays_dissolved(bot: Bot) -> None:
    """Neither an event nor another checkpoint on top brings the stack back."""
    bot.model.says(*(note(f"{word}.md") for word in WORDS))
    await bot.comment("/execute --max-tasks 3")
    one, two, six = bot.pulls
    bot.github.unstack(REPOSITORY, two.number)
    await bot.github.ready(REPOSITORY, six.number, draft=True)
    await bot.github.ready(REPOSITORY, six.number)
    await bot.idle()
    bot.model.says(note("ten.md"))
    await bot.comment("/execute")

    assert len(bot.pulls) == 4
    assert members(bot) == []
    assert f"Merge #{one.number}" in body(two)
    bot.says()


async def test_a_stack_of_people_grows_but_is_theirs(bot: Bot) -> None:
    """Who linked two of them gets the third one on top; only they dissolve it."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.view.state.stacks, kept = None, bot.view.state.stacks
    bot.model.says(note("two.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.view.state.stacks = kept
    one, two = bot.pulls
    await bot.github.link(REPOSITORY, one.number, two.number)
    await bot.idle()
    bot.model.says(note("six.md"))
    await bot.comment("/execute")
    six = bot.pulls[2]
    assert members(bot) == [numbers([one, two, six])]

    await bot.github.close(REPOSITORY, two.number)
    await bot.idle()

    assert "/1/unstack" not in asked(bot)
    assert "*Unstack*" in unread_comments(bot, six)
    bot.says()


@on(notes(FOUR, **AUTO))
async def test_above_a_closed_one_the_rest_is_healed_and_registered_anew(bot: Bot) -> None:
    """GitHub would merge none above it: nobody has to click anything."""
    bot.model.says(*(note(f"{word}.md") for word in (*WORDS, "ten")))
    await bot.comment("/execute")
    one, two, six, ten = bot.pulls

    await bot.github.close(REPOSITORY, two.number)
    await bot.idle()

    assert asked(bot)[3:] == ["/1/unstack"]
    assert members(bot) == []  # the third one still has the change of the closed one
    assert (six.pull.base, ten.pull.base) == (one.pull.head, six.pull.head)
    assert "*Unstack*" not in unread_comments(bot, six) + body(six)
    await bot.github.merge_pull(REPOSITORY, one.number, method="squash")
    await bot.idle()
    assert members(bot) == [numbers([six, ten])]
    await bot.github.merge_stack(REPOSITORY, ten.number)
    await bot.idle()
    assert "two.md" not in bot.view.files("main")
    assert ticks(bot) == "x xx"
    for pull in bot.pulls:
        unread_comments(bot, pull)
    bot.says()


@on(notes(FOUR, **AUTO))
async def test_after_a_part_was_merged_the_rest_stays_one(bot: Bot) -> None:
    """Another task joins what GitHub has rebased; nothing is registered twice."""
    bot.model.says(*(note(f"{word}.md") for word in WORDS))
    await bot.comment("/execute --max-tasks 3")
    one, two, six = bot.pulls
    await bot.github.merge_stack(REPOSITORY, one.number)
    await bot.idle()
    bot.model.says(note("ten.md"))
    await bot.comment("/execute")

    ten = bot.pulls[3]
    assert members(bot) == [numbers([two, six, ten])]
    assert asked(bot) == ["", "/1/add", "/1/add"]
    await bot.github.merge_stack(REPOSITORY, ten.number)
    await bot.idle()
    assert ticks(bot) == "xxxx"
    for pull in bot.pulls:
        unread_comments(bot, pull)
    bot.says()


@pytest.mark.sample(2, "a run for each moment at which the server stops")
@pytest.mark.parametrize(
    ("path", "skip"),
    [("*/stacks", 0), ("*/stacks/1/add", 0), ("*/stacks/1/unstack", 0), ("*/stacks", 1)],
)
async def test_stopped_while_it_registers(tmp_path: Path, path: str, skip: int) -> None:
    """GitHub does its part after the end: it is found, and finished, at the next look."""
    async with conversation(tmp_path, notes(FOUR, **AUTO)) as bot:
        bot.model.says(*(note(f"{word}.md") for word in (*WORDS, "ten")))
        fault = bot.github.fail("POST", path, skip=skip, hold=asyncio.Event())
        async with bot.started():
            work = asyncio.ensure_future(_two_registered(bot))
            await fault.reached.wait()
            work.cancel()
        fault.release()
        async with bot.started():
            await bot.idle()
            await _two_registered(bot, began=True)
            six, ten = bot.pulls[2:]
            assert members(bot) == [numbers([six, ten])]
            check_own(bot, six, 3)
        for pull in bot.pulls:
            unread_comments(bot, pull)
        bot.says()
        bot.check()


async def _two_registered(bot: Bot, *, began: bool = False) -> None:
    """Four in a stack; the second one is closed, the first one merged, the others a new stack."""
    if not began:
        await bot.comment("/execute")
    if bot.pulls[1].state == "open":
        await bot.github.close(REPOSITORY, bot.pulls[1].number)
        await bot.idle()
    if bot.pulls[0].state == "open":
        await bot.github.merge_pull(REPOSITORY, bot.pulls[0].number, method="squash")
        await bot.idle()
