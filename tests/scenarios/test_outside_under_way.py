"""What happens while Cairn works on a task again because of a conflict: people, outages, kills."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from tests.marks import OUTSIDE
from tests.model_server import Held
from tests.model_server.faults import Fault
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.conflicting import (
    LINES,
    REPO,
    changed_by_a_person,
    check_left_to_people,
    check_resolved,
    first_line,
    made,
    mergeable,
    pages,
    parents,
    read,
    resolve_by_hand,
    says,
    shown,
    while_asked,
)
from tests.scenarios.process import serving
from tests.scenarios.projects import CALC, answer, on
from tests.scenarios.pushing import push
from tests.scenarios.stacks import body, ticks
from tests.scenarios.test_restart import LONG

pytestmark = OUTSIDE

BOTH = says("of both", "alpha")


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes, and a task for each."""
    return REPO


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Bot]:
    """A conversation whose server the test starts and ends."""
    async with conversation(tmp_path, REPO) as bot:
        yield bot
        bot.check()


# People


async def test_somebody_pushes_to_the_branch(bot: Bot) -> None:
    """Their commit stays the head of it, and the rest is left to them."""
    one, _ = await made(bot, 2)
    async with while_asked(bot, BOTH):
        await bot.github.push(REPOSITORY, {"theirs.md": "Mine.\n"}, branch=one.pull.head)
        theirs = one.pull.sha

    assert one.pull.sha == theirs
    check_left_to_people(bot, one, "alpha")
    read(bot)


async def test_somebody_resolves_it(bot: Bot) -> None:
    """Their resolution stays, whatever the model answers."""
    one, _ = await made(bot, 2)
    async with while_asked(bot, BOTH):
        await resolve_by_hand(bot, one)
        theirs = one.pull.sha

    assert one.pull.sha == theirs
    check_resolved(bot, one, "by hand")
    read(bot)


async def test_somebody_closes_it(bot: Bot) -> None:
    """Nothing is pushed to it, and the one above goes on without its change."""
    one, two = await made(bot, 2)
    before = one.pull.sha
    async with while_asked(bot, BOTH):
        await bot.github.close(REPOSITORY, one.number)

    assert (one.state, one.pull.sha) == ("closed", before)
    check_resolved(bot, two, "of a person")
    assert shown(bot, two) == {"beta.md", "ROADMAP.md"}
    read(bot)


async def test_the_default_branch_moves_elsewhere(bot: Bot) -> None:
    """A push to another file neither stops the attempt nor costs a second one."""
    (pull,) = await made(bot)
    async with while_asked(bot, BOTH):
        await bot.github.push(REPOSITORY, {"other.md": "Something else.\n"})

    check_resolved(bot, pull, "of both")
    assert len(bot.model.requests) == 2
    read(bot)


@pytest.mark.parametrize("now", [LINES.split("\n", 1)[1], LINES.replace("Change", "Improve")])
async def test_the_task_is_deleted_or_reworded(bot: Bot, now: str) -> None:
    """No pull request claims that what the roadmap asks for now is done."""
    (pull,) = await made(bot)
    async with while_asked(bot, BOTH):
        await bot.github.push(REPOSITORY, {"ROADMAP.md": now})

    assert mergeable(bot, pull)
    assert "x" not in ticks(bot, pull.pull.head)
    assert first_line(bot, pull.pull.sha) == "of both"
    assert "does not tick" in read(bot)


async def test_the_attempt_is_cancelled(bot: Bot) -> None:
    """Nothing is pushed, and no later push begins the same again."""
    (pull,) = await made(bot)
    before = pull.pull.sha
    async with while_asked(bot, BOTH):
        await bot.github.comment(REPOSITORY, pull.number, "/execute cancel", by="writer")

    await push(bot, LINES, files={"other.md": "Something else.\n"})
    assert (pull.pull.sha, len(bot.model.requests)) == (before, 2)
    check_left_to_people(bot, pull, "alpha")
    assert "was cancelled" in read(bot)


async def test_the_attempt_is_paused(bot: Bot) -> None:
    """It goes on with the answer that it has."""
    (pull,) = await made(bot)
    before = pull.pull.sha
    async with while_asked(bot, BOTH):
        await bot.github.comment(REPOSITORY, pull.number, "/execute pause", by="writer")
    assert pull.pull.sha == before

    await bot.reply(pull, "/execute resume")

    check_resolved(bot, pull, "of both")
    assert len(bot.model.requests) == 2
    read(bot)


# The model

SCALED = "def one(scale=1):\n    return {} * scale\n"
TEST = "from calc.base import one\n\n\ndef test_one():\n    assert one() == 10\n"
THEIR_TEST = "from calc.base import one\n\n\ndef test_scale():\n    assert one(3) == 3 * one()\n"
LOST = answer({"calc/base.py": "def one():\n    return 10\n"})


@on(
    {
        **CALC,
        "ROADMAP.md": b"- [ ] 1.1 Let `one()` in `calc/base.py` return 10, and test it\n",
        "calc/base.py": b"def one():\n    return 1\n",
    }
)
@pytest.mark.parametrize("right", [True, False])
async def test_it_loses_what_the_person_did(bot: Bot, right: bool) -> None:
    """The person's test and the task's both have to pass before anything is pushed."""
    bot.model.says(
        answer({"calc/base.py": "def one():\n    return 10\n", "tests/test_one.py": TEST})
    )
    await bot.comment("/execute")
    (pull,) = bot.pulls
    before, good = pull.pull.sha, answer({"calc/base.py": SCALED.format(10)})
    lost = [LOST, *(LOST.replace("10", str(number)) for number in (11, 12))]
    bot.model.says(*([LOST, good] if right else lost))
    theirs = {"calc/base.py": SCALED.format(1), "tests/test_scale.py": THEIR_TEST}

    await push(bot, bot.view.file("main", "ROADMAP.md"), files=theirs)

    assert mergeable(bot, pull) == right
    now = bot.view.file(pull.pull.sha, "calc/base.py")
    assert now == (SCALED.format(10) if right else "def one():\n    return 10\n").encode()
    assert (pull.pull.sha != before) == right
    read(bot)


async def test_it_only_repeats_what_the_person_did(bot: Bot) -> None:
    """A pull request that would change nothing any more is not pushed."""
    (pull,) = await made(bot)
    before = pull.pull.sha
    bot.model.otherwise = lambda _: says("of a person", "alpha")

    await changed_by_a_person(bot, "alpha")

    assert pull.pull.sha == before
    check_left_to_people(bot, pull, "alpha")
    assert "Nothing was pushed" in read(bot)


async def test_it_is_down_for_a_while(bot: Bot) -> None:
    """The attempt waits and goes on by itself; it is not a failed one."""
    (pull,) = await made(bot)
    bot.model.otherwise = lambda _: Fault.http_503()
    await changed_by_a_person(bot, "alpha")
    assert "It continues automatically" in read(bot)
    bot.model.otherwise = None
    bot.model.says(BOTH)

    await bot.later(minutes=120)

    check_resolved(bot, pull, "of both")
    read(bot)


async def test_its_key_is_refused(bot: Bot) -> None:
    """The attempt waits for a person, and counts once."""
    (pull,) = await made(bot)
    bot.model.says(Fault.http_status(401, "no such key"))
    await changed_by_a_person(bot, "alpha")
    assert "is paused" in read(bot)
    bot.model.says(BOTH)

    await bot.reply(pull, "/execute resume")

    check_resolved(bot, pull, "of both")
    assert "attempt 1 of 3" in read(bot)


# Ends and outages

CALLS = {
    "merging": ("POST", f"/repos/{REPOSITORY}/git/commits"),
    "commenting": ("POST", f"/repos/{REPOSITORY}/issues/*/comments"),
    "storing": ("POST", f"/repos/{REPOSITORY}/git/trees"),
    "moving": ("POST", "/api/graphql"),
    "describing": ("PATCH", f"/repos/{REPOSITORY}/pulls/*"),
    "checking": ("POST", f"/repos/{REPOSITORY}/check-runs"),
    "ending": ("PATCH", f"/repos/{REPOSITORY}/issues/comments/*"),
}
"""The calls that change something in the course of an attempt."""


def check_once(bot: Bot, first: str = "of both") -> None:
    """One more commit, on both branches, one comment, and the one above as it was."""
    one, two = bot.pulls
    check_resolved(bot, one, first)
    old = two.pull.base_sha and parents(bot, two.pull.sha)[0]
    assert parents(bot, one.pull.sha) == [old, bot.view.branches["main"]]
    assert len(bot.github.says(REPOSITORY, one.number)) == 1
    assert shown(bot, two) == {"beta.md", "ROADMAP.md"}
    assert read(bot) == ""
    assert body(one).count("Worked on again") == 1


@pytest.mark.sample(2, "a conversation for each call that may fail")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("call", CALLS)
async def test_github_fails_once(bot: Bot, call: str, after: bool) -> None:
    """Before or after the effect of any call: everything is there once in the end."""
    await made(bot, 2)
    fault = bot.github.fail(*CALLS[call], status=502, after=after)
    bot.model.says(BOTH)

    await changed_by_a_person(bot, "alpha")
    await bot.later(minutes=10)

    assert fault.hits == 1
    check_once(bot)


@pytest.mark.parametrize(
    "call",
    ["describing", *(pytest.param(one, marks=LONG) for one in ("commenting", "storing", "ending"))],
)
async def test_the_server_is_killed(talk: Bot, call: str) -> None:
    """Killed at any of these calls and started again, it asks nothing twice."""
    async with talk.started():
        await made(talk, 2)
    talk.model.says(BOTH)
    async with serving(talk) as server:
        fault = talk.holds(*CALLS[call])
        await talk.github.push(REPOSITORY, pages("of a person", "alpha"))
        await fault.reached.wait()
        await server.end()
    fault.release()

    async with talk.started():
        await talk.later(minutes=30)

    check_once(talk)
    assert len(talk.model.requests) == 3


@LONG
async def test_killed_while_the_model_answers(talk: Bot) -> None:
    """Only that question is asked again, and it counts as one attempt."""
    async with talk.started():
        await made(talk, 2)
    held = Held(BOTH)
    talk.model.says(held, BOTH)
    async with serving(talk) as server:
        await talk.github.push(REPOSITORY, pages("of a person", "alpha"))
        await held.asked.wait()
        await server.end()
    held.go.set()

    async with talk.started():
        await talk.idle()

    check_once(talk)
    assert len(talk.model.requests) == 4


async def test_a_failed_attempt_is_not_repeated_by_a_restart(talk: Bot) -> None:
    """Started again, pushed to elsewhere and told again: the same conflict costs nothing more."""
    async with talk.started():
        (pull,) = await made(talk)
        talk.model.says(*["I cannot do that."] * 2)
        await changed_by_a_person(talk, "alpha")
    read(talk)

    async with talk.started():
        await push(talk, LINES, files={"other.md": "Something else.\n"})
        for delivery in [each for each in talk.github.deliveries if each.event == "push"]:
            await talk.github.redeliver(delivery)
        await talk.idle()

    assert (len(talk.model.requests), read(talk)) == (3, "")
    check_left_to_people(talk, pull, "alpha")


async def test_pushed_while_nobody_listens(talk: Bot) -> None:
    """A push that the server never heard of is found after its start."""
    async with talk.started():
        (pull,) = await made(talk)
    await talk.github.push(REPOSITORY, pages("of a person", "alpha"))
    talk.model.says(BOTH)

    async with talk.started():
        await talk.later(minutes=120)

    check_resolved(talk, pull, "of both")
    read(talk)
