"""A model that is asked only as long as the run's budget covers the dearest answer.

What a model's tokens cost, in USD per million of them.

Prices are facts that age, so the built-in table is small, dated, and used for OpenAI's own
endpoint only; every other endpoint (and every newer price) needs a file of its own, named by
``CAIRN_PRICES``. An unknown price is unknown: None, never a guess.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from runner.errors import Outage
from runner.ports import Endpoint
from runner.prompts.questions import Answer, Embedded, Question

OPENAI_HOST = "api.openai.com"
_MILLION = 1_000_000
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
"""OpenAI answers with the dated name of a model (``gpt-5-mini-2025-08-07``)."""


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens of the prompt (``input``) and of the answer (``output``)."""

    input: float
    output: float


BUILT_IN: Mapping[str, Price] = {
    # https://platform.openai.com/docs/pricing, standard tier, as of 2026-03
    "gpt-5.4": Price(2.50, 15.00),
    "gpt-5.1": Price(1.25, 10.00),
    "gpt-5": Price(1.25, 10.00),
    "gpt-5-mini": Price(0.25, 2.00),
    "gpt-5-nano": Price(0.05, 0.40),
    "gpt-4.1": Price(2.00, 8.00),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1-nano": Price(0.10, 0.40),
    "gpt-4o": Price(2.50, 10.00),
    "gpt-4o-mini": Price(0.15, 0.60),
    "o3": Price(2.00, 8.00),
    "o4-mini": Price(1.10, 4.40),
    "text-embedding-3-small": Price(0.02, 0.0),
    "text-embedding-3-large": Price(0.13, 0.0),
    "text-embedding-ada-002": Price(0.10, 0.0),
}


@dataclass(frozen=True)
class Prices:
    """A price table; a dated model name falls back to the undated one."""

    table: Mapping[str, Price] = field(default_factory=dict)

    def cost(self, model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return what one exchange costs in USD, None when the model's price is unknown."""
        price = self.table.get(model) or self.table.get(_DATED.sub("", model))
        if price is None:
            return None
        return (prompt_tokens * price.input + completion_tokens * price.output) / _MILLION


def prices_for(base_url: str, file: Path | None = None) -> Prices:
    """Return the prices of an endpoint; what ``file`` says wins over what is built in.

    Raises ``ValueError`` with what to do when the file cannot be read or understood.
    """
    built_in = BUILT_IN if urlsplit(base_url).hostname == OPENAI_HOST else {}
    return Prices({**built_in, **(_read(file) if file else {})})


def _read(file: Path) -> dict[str, Price]:
    # imported here: pydantic is slow to import and most commands never read a price file
    from pydantic import TypeAdapter, ValidationError

    form = '{"MODEL": {"input": USD per million tokens, "output": USD per million tokens}}'
    try:
        table = TypeAdapter(dict[str, Price]).validate_json(file.read_bytes())
    except OSError as error:
        raise ValueError(f"CAIRN_PRICES: cannot read {file}: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ValueError(
            f"CAIRN_PRICES: {file}: {place}: {first['msg']}; the form is {form}"
        ) from error
    negative = [name for name, price in table.items() if min(price.input, price.output) < 0]
    if negative:
        raise ValueError(f"CAIRN_PRICES: {file}: {negative[0]}: a price cannot be negative")
    return table


_CHARACTERS_PER_TOKEN = 3
"""Low on purpose: a reservation must not be smaller than what is used."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may use: ``cost`` in USD and ``tokens``; None where there is no limit."""

    cost: float | None = None
    tokens: int | None = None


@dataclass(slots=True)
class _Call:
    """What a call used; nothing until it says so."""

    tokens: int = 0
    cost: float = 0.0


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
        prompt = _tokens(message.content for message in question.messages)
        most = self._price(question.model or self._model, prompt, question.max_tokens)
        with self._reserved(prompt + question.max_tokens, most) as call:
            answer = await self._inner.ask(question)
            call.tokens = answer.prompt_tokens + answer.completion_tokens
            call.cost = most if answer.cost is None else answer.cost
        return answer

    async def embed(self, texts: Sequence[str], *, model: str) -> Embedded:
        """Embed if the budget allows it. Raises ``Outage`` (kind ``budget``) when it does not."""
        tokens = _tokens(texts)
        most = self._price(model, tokens, 0)
        with self._reserved(tokens, most) as call:
            found = await self._inner.embed(texts, model=model)
            call.tokens = found.tokens
            call.cost = most if found.cost is None else found.cost
        return found

    @contextmanager
    def _reserved(self, tokens: int, cost: float) -> Iterator[_Call]:
        """Keep that much for one call; what it did not use in the end is there for others."""
        self._check(tokens, cost)
        self._tokens += tokens
        self._cost += cost
        call = _Call()
        try:
            yield call
        finally:
            self._tokens += call.tokens - tokens
            self._cost += call.cost - cost

    def _price(self, model: str, prompt: int, completion: int) -> float:
        """Return the money a call can cost at most, where that counts."""
        if self._budget.cost is None:
            return 0.0
        cost = self._prices.cost(model, prompt, completion)
        if cost is None:
            raise Outage("budget", unknown_price(model))
        return cost

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


def unknown_price(model: str) -> str:
    """Say why a limit of money cannot be kept, and what to do."""
    return (
        f"The price of model {model} is unknown, so no cost limit can be kept. Name its price in a "
        "file (CAIRN_PRICES), or leave out --max-cost."
    )


def _tokens(texts: Iterable[str]) -> int:
    return math.ceil(sum(map(len, texts)) / _CHARACTERS_PER_TOKEN)


def _more(tokens: int) -> int:
    """Twice as much, in round thousands."""
    return math.ceil(2 * tokens / 1000) * 1000
