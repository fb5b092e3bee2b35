"""A task that does not say what to do: people are asked first, where there are some."""

from __future__ import annotations

from tests.scenarios.bot import Bot
from tests.scenarios.projects import NOTES, note, on

VAGUE = {**NOTES, "ROADMAP.md": b"# Roadmap\n\n- [ ] 1.1 Improve performance\n"}


@on(VAGUE)
async def test_people_are_asked_what_a_vague_task_means_before_a_model_is(bot: Bot) -> None:
    """Nothing is spent until somebody says what is meant."""
    await bot.comment("/execute")

    bot.says()
    (comment,) = bot.proposes()
    assert bot.prompts == []
    assert "ESCALATE" in comment
    assert '"Improve" says neither what nor where' in comment
    assert "only people can answer that. Retry the task with your answer" in comment

    bot.model.says(note("one.md"))
    await bot.comment("/execute retry 1.1\n\nWrite `one.md`.")

    assert any("completed" in each for each in bot.says())
    assert "A person adds: Write `one.md`." in bot.prompts[0]
    bot.proposes()


NOBODY = {**VAGUE, ".github/cairn.yml": b"approval_mode: review_only\n"}


@on(NOBODY)
async def test_where_nobody_is_asked_the_model_gets_the_vague_task(bot: Bot) -> None:
    """It may find something to do; its first question is enough to propose another text."""
    bot.model.says(
        "What is too slow?", '{"title": "Write `one.md`", "acceptance": ["It is there"]}'
    )

    await bot.comment("/execute")

    bot.says()
    (comment,) = bot.proposes()
    assert "REWRITE" in comment
    assert len(bot.prompts) == 2
