"""A model that asks a question instead of giving files."""

from __future__ import annotations

from tests.scenarios.bot import Bot
from tests.scenarios.projects import NOTES, note, on

pytestmark = on(NOTES)
WHICH = "Before I write it: which title should the note have?\n1. Notes\n2. A note\n"


async def test_it_goes_on_with_what_it_assumes(bot: Bot) -> None:
    """It is told once that nobody answers, and to say what it assumes; that is an answer."""
    bot.model.says(WHICH, f"I assume that the title is 'A note'.\n\n{note('one.md')}")

    await bot.comment("/execute --max-tasks 1")

    (said,) = bot.says()
    (pull,) = bot.pulls
    assert "completed" in said
    assert "nobody can answer it now" in bot.prompts[1]
    assert "which title should the note have?" in bot.prompts[1]
    assert "> I assume that the title is 'A note'." in (pull.body or "")


async def test_asked_again_its_question_goes_to_people(bot: Bot) -> None:
    """The second question ends the attempt: people see it with its options, and pay no more."""
    bot.model.says(WHICH, WHICH)

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    (comment,) = bot.proposes()
    assert len(bot.prompts) == 2
    assert "ESCALATE" in comment
    assert "the model asks: Before I write it: which title should the note have?" in comment
    assert "1. Notes 2. A note" in comment
    assert "only people can answer that. Retry the task with your answer" in comment


async def test_people_answer_it(bot: Bot) -> None:
    """What stands below ``/execute retry`` is a part of the task in the next attempt."""
    bot.model.says(WHICH, WHICH, note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    bot.proposes()

    await bot.comment("/execute retry 1.1\n\nTake the second title,\nas in `two.md`.")

    said = bot.says()
    assert any("completed" in each for each in said)
    assert "A person adds: Take the second title,\nas in `two.md`." in bot.prompts[2]
    assert bot.checkpoints()[-1] == "1.1 Write one.md"
    assert any("writer asked to try the task again" in each for each in bot.proposes())
