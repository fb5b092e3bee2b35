"""A model that is asked only as long as the run's budget covers the dearest answer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from runner.adapters.prices import Prices
from runner.errors import Outage
from runner.ports import Answer, Model, Question

_CHARACTERS_PER_TOKEN = 3
"""Low on purpose: a reservation must not be smaller than what is used."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may use: ``cost`` in USD and ``tokens``; None where there is no limit."""

    cost: float | None = None
    tokens: int | None = None


class BudgetModel(Model):
    """Reserves before each call what it can use at most, and gives back what it did not use.

    ``model`` is asked when a question names none. ``spent`` are the answers the run has paid for.
    """

    def __init__(
        self,
        inner: Model,
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
        tokens, cost = self._most(question)
        self._check(tokens, cost)
        used = (0, 0.0)
        self._tokens += tokens
        self._cost += cost
        try:
            answer = await self._inner.ask(question)
            paid = cost if answer.cost is None else answer.cost
            used = (answer.prompt_tokens + answer.completion_tokens, paid)
        finally:
            self._tokens += used[0] - tokens
            self._cost += used[1] - cost
        return answer

    def _most(self, question: Question) -> tuple[int, float]:
        """Return the tokens and the money an answer can use at most."""
        asked = sum(len(message.content) for message in question.messages)
        prompt = math.ceil(asked / _CHARACTERS_PER_TOKEN)
        if self._budget.cost is None:
            return prompt + question.max_tokens, 0.0
        model = question.model or self._model
        cost = self._prices.cost(model, prompt, question.max_tokens)
        if cost is None:
            raise Outage(
                "budget",
                f"The price of model {model} is unknown, so no cost limit can be kept. Name its "
                "price in a file (CAIRN_PRICES), or give no --max-cost.",
            )
        return prompt + question.max_tokens, cost

    def _check(self, tokens: int, cost: float) -> None:
        limit = self._budget
        if limit.tokens is not None and self._tokens + tokens > limit.tokens:
            raise Outage(
                "budget",
                f"The next answer may use {tokens:,} tokens and {self._tokens:,} of "
                f"{limit.tokens:,} are used. Raise the limit to go on: "
                f"cairn resume --max-tokens {_more(self._tokens + tokens)}",
            )
        if limit.cost is not None and self._cost + cost > limit.cost:
            raise Outage(
                "budget",
                f"The next answer may cost ${cost:.4f} and ${self._cost:.4f} of "
                f"${limit.cost:.4f} are spent. Raise the limit to go on: "
                f"cairn resume --max-cost {2 * (self._cost + cost):.2g}",
            )


def _more(tokens: int) -> int:
    """Twice as much, in round thousands."""
    return math.ceil(2 * tokens / 1000) * 1000
