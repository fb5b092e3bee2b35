"""A model that is asked only as long as the run's budget covers the most expensive answer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from runner.errors import Outage
from runner.model.prices import Prices, unknown_price
from runner.money import dollars
from runner.ports import Endpoint
from runner.prompts.questions import Answer, Question

_CHARACTERS_PER_TOKEN = 3
"""Low on purpose: a reservation must not be smaller than what is used."""


def prompt_at_most(question: Question) -> int:
    """How many tokens the prompt of a question may have."""
    characters = sum(len(message.content) for message in question.messages)
    return math.ceil(characters / _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may use: ``cost`` in USD and ``tokens``; None where there is no limit."""

    cost: float | None = None
    tokens: int | None = None


class BudgetModel(Endpoint):
    """Reserves before each call what it can use at most, and gives back what it did not use.

    ``model`` is asked when a question names none. ``spent`` are the answers the run has paid for.
    """

    def __init__(
        self,
        inner: Endpoint,
        budget: Budget,
        *,
        prices: Prices,
        model: str,
        spent: Iterable[Answer] = (),
    ) -> None:
        self._inner = inner
        self._budget = budget
        self._prices = prices
        self._model = model
        self._tokens, self._cost = 0, 0.0
        for answer in spent:
            self._tokens += answer.prompt_tokens + answer.completion_tokens
            self._cost += answer.cost or 0.0

    async def ask(self, question: Question) -> Answer:
        """Ask if the budget allows it. Raises ``Outage`` (kind ``budget``) when it does not."""
        limit, model = self._budget, question.model or self._model
        prompt = prompt_at_most(question)
        most = (
            self._prices.most(model, prompt, question.max_tokens) if limit.cost is not None else 0.0
        )
        if most is None:
            raise Outage("budget", unknown_price(model))
        tokens = prompt + question.max_tokens
        self._check(tokens, most)
        self._tokens += tokens
        self._cost += most
        used, paid = 0, 0.0  # what it did not use is free for others
        try:
            if question.on_reserved:
                await question.on_reserved(tokens, None if limit.cost is None else most)
            answer = await self._inner.ask(question)
            used = answer.prompt_tokens + answer.completion_tokens
            paid = most if answer.cost is None else answer.cost
        finally:
            self._tokens += used - tokens
            self._cost += paid - most
        return answer

    async def window(self, model: str) -> int | None:
        """Return the model's window; this costs nothing."""
        return await self._inner.window(model)

    async def shutdown(self, model: str) -> date | None:
        """Return the day from which the model no longer answers."""
        return await self._inner.shutdown(model)

    def _check(self, tokens: int, cost: float) -> None:
        limit = self._budget
        if limit.tokens is not None and self._tokens + tokens > limit.tokens:
            raise Outage(
                "budget",
                f"The next answer may use {tokens:,} tokens and {self._tokens:,} of "
                f"{limit.tokens:,} are used. To continue, raise or remove the limit: "
                # twice as much, in round thousands
                f"cairn resume --max-tokens {math.ceil((self._tokens + tokens) / 500) * 1000} "
                "(or --max-tokens none)",
                advised=True,
            )
        if limit.cost is not None and self._cost + cost > limit.cost:
            raise Outage(
                "budget",
                f"The next answer may cost {dollars(cost)} and {dollars(self._cost)} of "
                f"{dollars(limit.cost)} are spent. To continue, raise or remove the limit: "
                f"cairn resume --max-cost {2 * (self._cost + cost):.2g} "
                "(or --max-cost none)",
                advised=True,
            )
