"""From ``/execute`` to pull requests."""

from __future__ import annotations

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, DOUBLE


async def test_each_task_becomes_a_pull_request_on_the_one_before(bot: Bot) -> None:
    """Two tasks end as two stacked pull requests whose commits tick the roadmap."""
    bot.model.says(ADD, DOUBLE)

    assert await bot.comment("/execute") == 202

    first, second = bot.github.repo(REPOSITORY).pulls
    (said,) = bot.says()
    print(said, first.body, bot.model.requests[0].prompt)
    assert "is done" in said
    assert (first.pull.base, second.pull.base) == ("main", first.pull.head)
    assert 0
