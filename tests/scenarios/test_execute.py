"""From ``/execute`` to pull requests."""

from __future__ import annotations

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, DOUBLE


async def test_each_task_becomes_a_pull_request_on_the_one_before(bot: Bot) -> None:
    """Two tasks end as two stacked pull requests whose commits tick the roadmap."""
    bot.model.says(ADD, DOUBLE)

    assert await bot.comment("/execute") == 202

    (said,) = bot.says()
    first, second = bot.github.repo(REPOSITORY).pulls
    assert "is done" in said
    assert (first.pull.base, second.pull.base) == ("main", first.pull.head)


async def test_a_commit_is_the_change_set_and_one_byte_of_the_roadmap(bot: Bot) -> None:
    """A checkpoint holds the validated files and the tick, nothing else."""
    bot.model.says(ADD)

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    repo = bot.github.repo(REPOSITORY)
    (pull,) = repo.pulls
    before, after = repo.files("main"), repo.files(pull.pull.head)
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    assert changed == {"ROADMAP.md", "calc/add.py", "tests/test_add.py"}
    old, new = repo.file("main", "ROADMAP.md"), repo.file(pull.pull.head, "ROADMAP.md")
    assert old is not None
    assert new == old.replace(b"- [ ] 1.1", b"- [x] 1.1")
