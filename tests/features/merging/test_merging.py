"""Checkpoints that GitHub merges once they are approved: which, and what stops it."""

from __future__ import annotations

import pytest

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import answer, on
from tests.scenarios.stacks import merge


def project(roadmap: str, config: str = "pull_requests: {merge: auto}\n") -> dict[str, object]:
    """A calculator whose tests stand there already."""
    return {
        "ROADMAP.md": roadmap.encode(),
        ".github/cairn.yml": config.encode(),
        "calc/__init__.py": b"",
        "tests/test_add.py": b"def test_add():\n    from calc.add import add\n\n"
        b"    assert add(5, 3) == 8\n",
        "tests/test_sub.py": b"def test_sub():\n    from calc.sub import sub\n\n"
        b"    assert sub(5, 3) == 2\n",
    }


ROADMAP = "- [ ] 1.1 Add numbers in `calc/add.py`\n- [ ] 1.2 Subtract numbers in `calc/sub.py`\n"
ADD = answer({"calc/add.py": "def add(a, b):\n    return a + b\n"})
SUB = answer({"calc/sub.py": "def sub(a, b):\n    return a - b\n"})
ONE = ROADMAP.splitlines(keepends=True)[0]


def demand(bot: Bot, *, reviews: int = 1, allowed: bool = True) -> None:
    """Have the default branch demand reviews, where the repository may have auto-merge."""
    bot.view.state.approvals["main"] = reviews
    bot.view.state.allow_auto_merge = allowed


def armed(bot: Bot) -> list[bool]:
    """Whether GitHub is to merge each pull request by itself."""
    return [pull.pull.auto_merge is not None for pull in bot.pulls]


async def approve(bot: Bot, number: int) -> None:
    """Approve one, and wait until the bot has done all it can."""
    await bot.github.review(REPOSITORY, number, "APPROVED", by="writer")
    await bot.idle()


@on(project(ROADMAP))
async def test_approvals_are_all_it_takes(bot: Bot) -> None:
    """The lowest is armed; once GitHub has merged it, the next one is."""
    demand(bot)
    bot.model.says(ADD, SUB)
    await bot.comment("/execute")
    first, second = bot.pulls
    assert armed(bot) == [True, False]
    assert "GitHub merges this pull request by itself" in (first.body or "")
    assert "1 test that stood there shows" in (first.body or "")
    assert "by itself" not in (second.body or "")

    await approve(bot, first.number)

    assert first.pull.merged
    assert armed(bot) == [True, True]
    await approve(bot, second.number)
    assert second.pull.merged
    assert {"calc/add.py", "calc/sub.py"} <= bot.view.files("main").keys()
    bot.says()


OWN = answer(
    {
        "calc/mul.py": "def mul(a, b):\n    return a * b\n",
        "tests/test_mul.py": "from calc.mul import mul\n\n\n"
        "def test_mul():\n    assert mul(2, 3) == 6\n",
    }
)


@on(project("- [ ] 1.1 Multiply numbers in `calc/mul.py`\n"))
async def test_tests_of_the_change_alone_are_not_enough(bot: Bot) -> None:
    """Whoever wrote the code wrote them, too."""
    demand(bot)
    bot.model.says(OWN)

    await bot.comment("/execute")

    assert armed(bot) == [False]
    assert not bot.pulls[0].pull.draft
    assert "is done" in "".join(bot.says())


@pytest.mark.parametrize(
    ("reviews", "allowed"), [(0, True), (1, False)], ids=["no review", "not allowed"]
)
@on(project(ONE))
async def test_what_github_does_not_offer_is_left_to_people(
    bot: Bot, reviews: int, allowed: bool
) -> None:
    """Without a rule that demands a review, nobody would look."""
    demand(bot, reviews=reviews, allowed=allowed)
    bot.model.says(ADD)

    await bot.comment("/execute")

    assert armed(bot) == [False]
    await merge(bot, bot.pulls[0])
    bot.says()


@on(project(ONE, ""))
async def test_nobody_is_surprised(bot: Bot) -> None:
    """By default people merge."""
    demand(bot)
    bot.model.says(ADD)

    await bot.comment("/execute")

    assert armed(bot) == [False]
    bot.says()


@on(project(ROADMAP, "pull_requests: {merge: auto}\nlimits: {open_pull_requests: 1}\n"))
async def test_a_pause_stops_it_until_somebody_resumes(bot: Bot) -> None:
    """The run waits for the merge; paused by a person, nothing is merged by itself."""
    demand(bot)
    bot.model.says(ADD, SUB)
    await bot.comment("/execute")
    assert armed(bot) == [True]

    await bot.comment("/execute pause")

    assert armed(bot) == [False]
    assert "by itself" not in (bot.pulls[0].body or "")
    await approve(bot, bot.pulls[0].number)
    assert not bot.pulls[0].pull.merged
    await merge(bot, bot.pulls[0])
    await bot.comment("/execute resume")
    assert armed(bot) == [False, True]
    bot.says()


@on(project(ROADMAP))
async def test_who_disables_it_is_not_asked_again(bot: Bot) -> None:
    """A click of a person stands, whatever happens beside it."""
    demand(bot)
    bot.model.says(ADD, SUB)
    await bot.comment("/execute")
    bot.pulls[0].pull.auto_merge = None

    await bot.github.review(REPOSITORY, bot.pulls[0].number, "COMMENTED", "Fine.", by="writer")
    await bot.comment("/execute status")

    assert armed(bot) == [False, False]
    bot.says()


async def pushed(bot: Bot, text: str) -> None:
    """A person replaces what was written, and the new commit is verified."""
    branch = bot.pulls[0].pull.head
    await bot.github.push(REPOSITORY, {"calc/add.py": text.encode()}, branch=branch)
    await bot.later(minutes=10)


@on(project(ROADMAP))
async def test_a_push_decides_anew(bot: Bot) -> None:
    """What breaks the task takes it back, a repair gives it again; a person's click stands."""
    demand(bot)
    bot.model.says(ADD)
    await bot.comment("/execute --task 1.1")
    await pushed(bot, "def add(a, b):\n    return a - b\n")
    assert armed(bot) == [False]
    await pushed(bot, "def add(a, b):\n    return b + a\n")
    assert armed(bot) == [True]

    bot.pulls[0].pull.auto_merge = None
    await pushed(bot, "def add(a, b):\n    return a - b\n")
    await pushed(bot, "def add(a, b):\n    return a + b\n")
    assert armed(bot) == [False]
    bot.says()


@on(project(ROADMAP, "pull_requests: {merge: auto}\nlimits: {open_pull_requests: 1}\n"))
async def test_a_push_does_not_end_a_pause(bot: Bot) -> None:
    """That a newer commit is verified is no run that somebody asked for."""
    demand(bot)
    bot.model.says(ADD)
    await bot.comment("/execute")
    await bot.comment("/execute pause")
    await pushed(bot, "def add(a, b):\n    return b + a\n")
    assert armed(bot) == [False]
    bot.says()
