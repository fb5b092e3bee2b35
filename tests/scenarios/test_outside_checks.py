"""Checks as people use them: Re-run in odd moments, merge queues, strange checks and names."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from tests.fake_github import payloads
from tests.fake_github.bare import Person
from tests.fake_github.state import Issue
from tests.marks import OUTSIDE
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, ADD_MODULE, CALC, NOTES, note, notes, on
from tests.scenarios.stacks import LINES, merge, stacked

pytestmark = OUTSIDE

BROKEN = {"calc/add.py": b"def add(a, b):\n    return a - b\n"}
ERRORS = {"title": "1 error", "summary": "one.md: the note says nothing"}


@pytest.fixture
def files() -> Mapping[str, object]:
    """Two notes to write."""
    return NOTES


async def checkpoint(bot: Bot, made: str = note("one.md")) -> Issue:
    """The first task as an open pull request, its comment read."""
    bot.model.says(made)
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    return bot.pulls[0]


async def theirs(bot: Bot, files: Mapping[str, object], branch: str = "theirs") -> Issue:
    """A person's pull request."""
    await bot.github.push(REPOSITORY, files, branch=branch)
    pull = await bot.github.open_pull(REPOSITORY, "Mine", head=branch)
    await bot.idle()
    return pull


def ours(bot: Bot, sha: str, name: str = "cairn/trust") -> list[Any]:
    """Cairn's checks of a name on a commit, the oldest first."""
    return [c for c in bot.view.checks if (c["head_sha"], c["name"]) == (sha, name)]


def pending(bot: Bot, name: str = "cairn/trust") -> list[Any]:
    """Checks of a name that have not ended."""
    return [c for c in bot.view.checks if c["name"] == name and c["status"] != "completed"]


async def rerun(bot: Bot, check: Any, *, by: str = "writer") -> None:
    """Click *Re-run*, and wait."""
    await bot.github.rerun(REPOSITORY, int(str(check["id"])), by=by)
    await bot.idle()


async def test_rerun_of_the_place_in_the_stack(bot: Bot) -> None:
    """It stays true, and the head is verified again, as with the other check; nothing is said."""
    pull = await checkpoint(bot)
    (check,) = ours(bot, pull.pull.sha, "cairn/stack")

    await rerun(bot, check)

    assert ours(bot, pull.pull.sha, "cairn/stack")[-1]["conclusion"] == "success"
    assert len(ours(bot, pull.pull.sha)) == 2
    assert pending(bot) == []
    assert bot.github.says(REPOSITORY, pull.number) == []


@on(notes(LINES))
async def test_rerun_of_a_place_that_waits(bot: Bot) -> None:
    """A pull request in the middle stays pending, whoever clicks."""
    _, two, _ = await stacked(bot)

    await rerun(bot, ours(bot, two.pull.sha, "cairn/stack")[-1])

    newest = ours(bot, two.pull.sha, "cairn/stack")[-1]
    assert newest["conclusion"] is None
    assert newest["output"]["title"].startswith("Waits for #")


@on(CALC)
async def test_rerun_clicked_twice_at_once(bot: Bot) -> None:
    """Both clicks end with the same result, and no check is left running."""
    pull = await checkpoint(bot, ADD)
    number = ours(bot, pull.pull.sha)[0]["id"]

    await asyncio.gather(
        bot.github.rerun(REPOSITORY, number, by="writer"),
        bot.github.rerun(REPOSITORY, number, by="octo"),
    )
    await bot.idle()

    assert pending(bot) == []
    assert {c["conclusion"] for c in ours(bot, pull.pull.sha)} == {"success"}
    assert bot.github.says(REPOSITORY, pull.number) == []


@on(CALC)
async def test_rerun_on_an_old_commit(bot: Bot) -> None:
    """Somebody has pushed since: the old commit says nothing new, and the head stays as it is."""
    pull = await checkpoint(bot, ADD)
    (old,) = ours(bot, pull.pull.sha)
    await bot.github.push(REPOSITORY, BROKEN, branch=pull.pull.head)
    await bot.idle()
    assert ours(bot, pull.pull.sha)[-1]["conclusion"] == "failure"

    await rerun(bot, old)

    assert pending(bot) == []
    assert ours(bot, pull.pull.sha)[-1]["conclusion"] == "failure"
    assert ours(bot, old["head_sha"])[-1]["conclusion"] == "success"
    assert len(bot.prompts) == 1


@on(CALC)
async def test_rerun_while_a_revision_works(bot: Bot) -> None:
    """The click does not disturb it; in the end the new head says how far it is verified."""
    pull = await checkpoint(bot, ADD)
    (check,) = ours(bot, pull.pull.sha)
    held = Held(ADD_MODULE.replace("a + b", "b + a"))
    bot.model.says(held)
    await bot.github.review(REPOSITORY, pull.number, "CHANGES_REQUESTED", "The other way round.")
    await held.asked.wait()

    await bot.github.rerun(REPOSITORY, check["id"], by="writer")
    held.go.set()
    await bot.idle()

    assert pending(bot) == []
    assert pull.pull.sha != check["head_sha"]
    assert ours(bot, pull.pull.sha)[-1]["conclusion"] in ("success", "neutral")
    assert len(bot.github.says(REPOSITORY, pull.number)) == 1


@on(CALC)
@pytest.mark.parametrize("name", ["cairn/trust", "cairn/stack"])
async def test_rerun_after_the_merge(bot: Bot, name: str) -> None:
    """There is nothing to verify any more: no check begins, and nothing is said."""
    pull = await checkpoint(bot, ADD)
    check = ours(bot, pull.pull.sha, name)[-1]
    await merge(bot, pull)
    checks, asked = len(bot.view.checks), len(bot.github.requests)

    await rerun(bot, check)

    assert len(bot.view.checks) == checks
    assert [r.path for r in bot.github.requests[asked:] if "/check-runs" in r.path] == []
    assert ours(bot, pull.pull.sha, name)[-1]["conclusion"] == "success"
    assert bot.github.says(REPOSITORY, pull.number) == []


@on(CALC)
async def test_rerun_without_the_permission(bot: Bot) -> None:
    """An owner took *Checks* away since: nothing can be shown, and nothing breaks."""
    pull = await checkpoint(bot, ADD)
    (check,) = ours(bot, pull.pull.sha)
    bot.github.installation(REPOSITORY).permissions["checks"] = "read"

    await rerun(bot, check)

    assert ours(bot, pull.pull.sha)[-1]["conclusion"] == "success"
    await bot.reply(pull, "/execute status")
    assert len(bot.github.says(REPOSITORY, pull.number)) == 1


async def test_rerun_of_a_check_with_nothing_to_check(bot: Bot) -> None:
    """On a person's pull request it stays neutral; a rule that waits for it is not held up."""
    bot.view.state.required["main"] = ("cairn/trust",)
    pull = await theirs(bot, {"mine.md": b"Mine.\n"})
    (check,) = ours(bot, pull.pull.sha)

    await rerun(bot, check)

    assert pending(bot) == []
    assert {c["conclusion"] for c in ours(bot, pull.pull.sha)} == {"neutral"}
    assert bot.github.says(REPOSITORY, pull.number) == []


async def grouped(bot: Bot, *pulls: Issue) -> str:
    """A merge queue puts these into one group and asks for checks; the group's commit."""
    bare, world = bot.view.state.bare, bot.github.world
    base = tip = bot.view.branches["main"]
    who = Person("GitHub", "noreply@github.com", bot.github.clock.now())
    for pull in pulls:
        tree = bare.merged_tree(tip, pull.pull.sha)
        assert tree is not None
        tip = bare.commit(tree, [tip, pull.pull.sha], f"Merge #{pull.number}", author=who)
    bare.update(f"refs/heads/gh-readonly-queue/main/pr-{pulls[-1].number}-{base}", tip)
    group = {
        "head_sha": tip,
        "base_sha": base,
        "head_ref": f"refs/heads/gh-readonly-queue/main/pr-{pulls[-1].number}-{base}",
        "base_ref": "refs/heads/main",
    }
    parts = (world, "merge_group", "checks_requested", bot.view.state, world.user("writer"))
    await bot.github.tell(payloads.happening(*parts, merge_group=group))
    await bot.idle()
    return tip


@on(notes(LINES))
@pytest.mark.parametrize("count", [1, 2, 3])
async def test_a_group_of_ours(bot: Bot, count: int) -> None:
    """One of ours alone, or several in one group: the group's commit gets both checks."""
    pulls = (await stacked(bot))[:count]

    tip = await grouped(bot, *pulls)

    for name in ("cairn/trust", "cairn/stack"):
        (check,) = ours(bot, tip, name)
        assert check["status"] == "completed"
        assert check["conclusion"] == "neutral"


async def test_a_group_of_ours_and_of_a_person(bot: Bot) -> None:
    """The group's commit gets both checks; those on the pull requests stay as they are."""
    pull = await checkpoint(bot)
    mine = await theirs(bot, {"mine.md": b"Mine.\n"})
    checks = len(bot.view.checks)

    tip = await grouped(bot, pull, mine)

    shown = {check["name"]: check["conclusion"] for check in bot.view.checks[checks:]}
    assert shown == {"cairn/trust": "neutral", "cairn/stack": "neutral"}
    assert len(ours(bot, tip)) == len(ours(bot, tip, "cairn/stack")) == 1


async def test_a_group_that_is_gone(bot: Bot) -> None:
    """The queue gave the commit up before we came: nothing is shown, and nothing breaks."""
    await checkpoint(bot)
    before = len(bot.view.checks)
    parts = (bot.github.world, "merge_group", "checks_requested", bot.view.state)
    by = bot.github.world.user("writer")

    await bot.github.tell(payloads.happening(*parts, by, merge_group={"head_sha": "1" * 40}))
    await bot.idle()

    assert len(bot.view.checks) == before
    await bot.comment("/execute status")
    assert len(bot.says()) == 1


@on(CALC)
async def test_a_red_result_is_not_painted_over(bot: Bot) -> None:
    """A queue that asks about the head of the pull request itself does not hide a failure."""
    pull = await checkpoint(bot, ADD)
    await bot.github.push(REPOSITORY, BROKEN, branch=pull.pull.head)
    await bot.idle()
    bot.github.says(REPOSITORY, pull.number)

    await bot.github.queue(REPOSITORY, pull.number)
    await bot.idle()

    assert ours(bot, pull.pull.sha)[-1]["conclusion"] == "failure"


async def red(bot: Bot, pull: Issue, conclusion: str | None = "failure", **how: Any) -> None:
    """The repository's CI ends on a pull request."""
    how = {"output": ERRORS} | how
    await bot.github.check(REPOSITORY, pull.pull.sha, conclusion, **how)
    await bot.idle()


EVIL = "lint `x` | @octo/team [go](http://evil.example) <img src=x> closes #1\n## Big"
