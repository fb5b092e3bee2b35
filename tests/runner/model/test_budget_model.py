"""Budgets are reserved before a call is made (docs/design.md, "Promises")."""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from runner.errors import Outage, TaskError
from runner.model.budget import Budget, BudgetModel, prompt_at_most
from runner.model.prices import Price, Prices
from runner.prompts.questions import Answer, Message, Question
from tests.runner.scripted import ScriptedModel, answer

PRICES = Prices({"known": Price(input=1.0, output=10.0)})
QUESTION = Question((Message("user", "x" * 92),), 0.2, 1000)  # 100 tokens, $0.0101 at most


def within(inner: ScriptedModel, *, model: str = "known", spent: tuple[Answer, ...] = (), **most):
    """The model with a budget."""
    return BudgetModel(inner, Budget(**most), prices=PRICES, model=model, spent=spent)


async def test_asked_as_long_as_it_covers_the_dearest_answer() -> None:
    """What an answer did not use is there for the next one (15 tokens, one cent each)."""
    inner = ScriptedModel("one", "two", "three")
    model = within(inner, tokens=1120, cost=1.0)

    for _ in range(2):
        await model.ask(QUESTION)
    with pytest.raises(Outage, match=r"1,100 tokens, and 30 of 1,120 .* --max-tokens 3000") as said:
        await model.ask(QUESTION)

    assert said.value.kind == "budget"
    assert len(inner.questions) == 2


async def test_money_is_reserved() -> None:
    """The call that could go beyond the limit is not made."""
    inner = ScriptedModel("one", "two")
    model = within(inner, cost=0.025)

    await model.ask(QUESTION)
    await model.ask(QUESTION)
    with pytest.raises(Outage, match=r"up to \$0\.0101, and \$0\.0200 of \$0\.0250 is spent"):
        await model.ask(QUESTION)


async def test_an_unknown_price_stops_the_call() -> None:
    """With a money limit nothing is asked whose price nobody knows; without one it is."""
    with pytest.raises(Outage, match="The price of model other is unknown"):
        await within(ScriptedModel(), model="other", cost=9.0).ask(QUESTION)

    assert (await within(ScriptedModel("one"), model="other", tokens=9999).ask(QUESTION)).text


async def test_what_was_paid_before_counts() -> None:
    """A run that is taken up again goes on with what is left."""
    with pytest.raises(Outage, match=r"\$0\.0100 of \$0\.0150 is spent"):
        await within(ScriptedModel(), cost=0.015, spent=(answer("before"),)).ask(QUESTION)


async def test_two_at_once_share_it() -> None:
    """What one call has reserved, another waits for; a failed call gives it back."""

    class Holding(ScriptedModel):
        asked, go = asyncio.Event(), asyncio.Event()

        async def ask(self, question: Question) -> Answer:
            self.asked.set()
            await self.go.wait()
            return await super().ask(question)

    inner = Holding(Outage("model", "gone"), "two")
    model = within(inner, tokens=1500)
    first, second = (asyncio.ensure_future(model.ask(QUESTION)) for _ in range(2))
    await inner.asked.wait()
    inner.go.set()

    with pytest.raises(Outage, match="gone"):
        await first
    assert (await second).text == "two"


async def test_one_that_others_leave_no_room_for_is_refused() -> None:
    """It is refused once the last one under way has used what was there."""
    model = within(ScriptedModel("one", "two"), tokens=1110)

    both = await asyncio.gather(*(model.ask(QUESTION) for _ in range(2)), return_exceptions=True)

    first, second = both
    assert isinstance(first, Answer)
    assert isinstance(second, Outage)
    assert "15 of 1,110 are used" in second.message


@pytest.mark.parametrize("seed", range(5))
async def test_no_limit_is_exceeded_whatever_answers_use(seed: int) -> None:
    """Two hundred questions of ten tasks at once: not by one token, and not by one cent."""
    chance = random.Random(seed)  # noqa: S311
    paid: dict[int, float] = dict.fromkeys(range(10), 0.0)
    used = {"tokens": 0, "refused": 0}

    class Dear(ScriptedModel):
        async def ask(self, question: Question) -> Answer:
            await asyncio.sleep(0)
            prompt, most = prompt_at_most(question, "m"), question.max_tokens
            words = chance.choice([most, chance.randint(0, most)])
            cost = PRICES.cost("known", prompt, words)
            return replace(answer("x"), prompt_tokens=prompt, completion_tokens=words, cost=cost)

    model = within(Dear(), tokens=90_000, cost=0.8, task_cost=0.1, day_cost=0.7)

    async def work(task: int) -> None:
        for _ in range(20):
            asked = Question((Message("user", "x" * chance.randint(1, 900)),), 0.2, 1000)
            try:
                got = await model.ask(replace(asked, spent=paid[task]))
            except (Outage, TaskError):
                used["refused"] += 1
                continue
            paid[task] += got.cost or 0.0
            used["tokens"] += got.prompt_tokens + got.completion_tokens

    await asyncio.gather(*map(work, paid))

    assert used["refused"]
    assert used["tokens"] <= 90_000
    assert sum(paid.values()) <= 0.7 + 1e-9
    assert max(paid.values()) <= 0.1 + 1e-9


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"tokens": 1000}, "raise limits.tokens_per_run in .github/cairn.yml, for example to 3000"),
        ({"cost": 0.01}, "raise limits.cost_per_run in .github/cairn.yml, for example to 0.02"),
        ({"day_cost": 0.01}, "raise limits.cost_per_day in .github/cairn.yml"),
    ],
)
async def test_a_limit_of_the_file_names_its_key(limits: dict[str, Any], says: str) -> None:
    """Whoever has to raise it reads where."""
    model = BudgetModel(
        ScriptedModel(), Budget(**limits), prices=PRICES, model="known", in_file="limits.{}".format
    )

    with pytest.raises(Outage, match=re.escape(says)):
        await model.ask(QUESTION)


@pytest.mark.parametrize(
    ("limits", "advice"),
    [
        (
            {"task_cost": 0.01},
            "raise limits.cost_per_task in .github/cairn.yml, for example to 0.02",
        ),
        ({"day_cost": 0.01}, "raise limits.cost_per_day in .github/cairn.yml, for example to 0.02"),
    ],
)
async def test_a_limit_below_one_call_is_to_be_raised(limits: Any, advice: str) -> None:
    """No other task and no other day has room for it, so nothing goes on by itself."""
    tomorrow = datetime(2026, 12, 1, tzinfo=UTC)
    model = BudgetModel(
        ScriptedModel(),
        Budget(**limits),
        prices=PRICES,
        model="known",
        in_file="limits.{}".format,
        tomorrow=tomorrow,
    )

    with pytest.raises(Outage, match=re.escape(advice)) as said:
        await model.ask(replace(QUESTION, spent=0.0))
    assert said.value.until is None


@pytest.mark.parametrize(
    ("model", "text", "least"),
    [
        ("gpt-6-luna", "\u9fff" * 50, 150),
        ("other", "\u9fff" * 50, 150),
        ("other", "Zx9q" * 25, 100),
    ],
)
def test_no_vocabulary_makes_more_of_a_prompt(model: str, text: str, least: int) -> None:
    """Characters that a vocabulary does not have are a token for each of their bytes."""
    assert prompt_at_most(Question((Message("user", text),), 0.2, 1), model) >= least


async def test_a_task_that_cost_enough_fails_alone() -> None:
    """What belongs to no task is asked all the same."""
    model = within(ScriptedModel("one"), task_cost=0.02)

    with pytest.raises(TaskError, match=r"\$0\.0150 of the \$0\.0200 that limits\.cost_per_task"):
        await model.ask(replace(QUESTION, spent=0.015))
    assert (await model.ask(QUESTION)).text == "one"
