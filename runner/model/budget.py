"""A model that is asked only as long as the run's budget covers the most expensive answer."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from runner.context.tokens import at_most, counter
from runner.errors import Outage, TaskError
from runner.model.prices import Prices, unknown_price
from runner.money import dollars
from runner.ports import Model
from runner.prompts.questions import Answer, Question

if TYPE_CHECKING:
    from runner.config.model import LimitsGroup

_AROUND_A_MESSAGE = 8
"""Tokens that say whose message it is, and where it ends."""


def prompt_at_most(question: Question, model: str) -> int:
    """How many tokens the prompt of a question may have; never fewer than the model counts."""
    count = counter(model, otherwise=at_most)
    return sum(count(each.content) + _AROUND_A_MESSAGE for each in question.messages)


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may use: ``cost`` in USD and ``tokens``; None where there is no limit.

    ``task_cost`` is the limit of one attempt at a task, ``day_cost`` that of all runs of a day.
    ``before`` is what was spent under the limit of cost before the run (USD).
    """

    cost: float | None = None
    tokens: int | None = None
    task_cost: float | None = None
    day_cost: float | None = None
    before: float = 0.0

    @property
    def money(self) -> str:
        """The key of the first of its limits of money; '' for none."""
        named = {"run": self.cost, "task": self.task_cost, "day": self.day_cost}
        of = next((of for of, limit in named.items() if limit is not None), "")
        return of and f"cost_per_{of}"


def unpriced(model: str, limit: str = "limits.cost_per_run") -> str:
    """Say why a limit of money in a file cannot be kept, and what to do."""
    return (
        f"The price of model {model} is unknown, so Cairn cannot keep to {limit}. Put its price "
        "into the file that CAIRN_PRICES names (on a server, its operator has to), or remove the "
        "limit."
    )


def budget_of(limits: LimitsGroup, *, day: bool = False) -> Budget:
    """What a repository's file allows a run; ``day``: also what its limit of the day does."""
    return Budget(
        limits.cost_per_run,
        limits.tokens_per_run,
        limits.cost_per_task,
        limits.cost_per_day if day else None,
    )


class BudgetModel(Model):
    """Reserves before each call what it can use at most, and gives back what it did not use.

    A call that finds no room waits as long as others are under way: they may give some back.
    ``model`` is asked when a question names none. ``spent`` are the answers the run has paid for,
    ``today`` is what all runs cost before in this day, which ends at ``tomorrow``. Of limits of
    the repository's file, ``in_file`` returns the name of each by its key; without it they are of
    the command line, which ``repeats`` what it limits where that is no run to be resumed.
    """

    def __init__(
        self,
        inner: Model,
        budget: Budget,
        *,
        prices: Prices,
        model: str,
        spent: Iterable[Answer] = (),
        in_file: Callable[[str], str] | None = None,
        full: str = "",
        repeats: bool = False,
        today: float = 0.0,
        tomorrow: datetime | None = None,
    ) -> None:
        self._inner = inner
        self._budget = budget
        self._prices = prices
        self._model = model
        self._in_file, self._full = in_file, full
        self._today, self._tomorrow = today, tomorrow
        self._tokens, self._cost, self._repeats = 0, budget.before, repeats
        self._under_way, self._ended = 0, asyncio.Event()
        for answer in spent:
            self._tokens += answer.prompt_tokens + answer.completion_tokens
            self._cost += answer.cost or 0.0

    async def ask(self, question: Question) -> Answer:
        """Ask if the budget allows it. Raises ``Outage`` (kind ``budget``) when it does not."""
        limit, model = self._budget, question.model or self._model
        prompt = prompt_at_most(question, model)
        most = self._prices.most(model, prompt, question.max_tokens) if limit.money else 0.0
        if most is None:
            why = (
                unpriced(model, self._in_file(limit.money))
                if self._in_file
                else unknown_price(model, repeats=self._repeats)
            )
            raise Outage("budget", why)
        tokens = prompt + question.max_tokens
        while True:
            try:
                self._check(tokens, most, question.spent)
                break
            except Outage:
                if not self._under_way:
                    raise
            await self._ended.wait()
        self._under_way += 1
        self._tokens += tokens
        self._cost += most
        self._today += most
        used, paid = 0, 0.0  # what it did not use is free for others
        try:
            if question.on_reserved:
                await question.on_reserved(tokens, most if limit.money else None)
            answer = await self._inner.ask(replace(question, on_reserved=None))
            used = answer.prompt_tokens + answer.completion_tokens
            paid = most if answer.cost is None else answer.cost
        finally:
            self._under_way -= 1
            self._tokens += used - tokens
            self._cost += paid - most
            self._today += paid - most
            ended, self._ended = self._ended, asyncio.Event()
            ended.set()
        return answer

    def _check(self, tokens: int, cost: float, task: float | None) -> None:
        """Raise ``Outage``, or ``TaskError`` where only the task has used up what it may."""
        limit = self._budget
        if limit.tokens is not None and self._tokens + tokens > limit.tokens:
            # twice as much, in round thousands
            enough = math.ceil((self._tokens + tokens) / 500) * 1000
            raise Outage(
                "budget",
                f"The next answer may use up to {tokens:,} tokens, and {self._tokens:,} of "
                f"{limit.tokens:,} are used. " + self._advice("tokens_per_run", str(enough)),
                advised=self._in_file is None,
            )
        for key, most, used, until in (
            ("cost_per_day", limit.day_cost, self._today, self._tomorrow),
            ("cost_per_run", limit.cost, self._cost, None),
            ("cost_per_task", limit.task_cost, 0.0, None),
        ):
            if most is not None and used + cost > most:
                raise Outage(
                    "budget",
                    self._full
                    or f"The next answer may cost up to {dollars(cost)}, and {dollars(used)} of "
                    f"{dollars(most)} is spent. "
                    + self._advice(key, f"{2 * (used + cost):.2g}"),
                    until=until if cost <= most else None,  # no day has room for it
                    advised=not (self._in_file or self._full),
                )
        if limit.task_cost is not None and task is not None and task + cost > limit.task_cost:
            key = "cost_per_task"
            named = self._in_file(key) if self._in_file else f"limits.{key}"
            raise TaskError(
                "budget",
                f"the next answer may cost up to {dollars(cost)}, and {dollars(task)} of the "
                f"{dollars(limit.task_cost)} that {named} allows is spent",
            )

    def _advice(self, key: str, enough: str) -> str:
        if self._in_file:
            named = self._in_file(key)
            return f"To continue, raise {named} in .github/cairn.yml, for example to {enough}."
        what = key.removesuffix("_per_run")
        if self._repeats:
            return f"Type the same command with a higher limit, such as --max-{what} {enough}."
        return (
            "To continue, raise or remove the limit: "
            f"cairn resume --max-{what} {enough} (or --max-{what} none)"
        )
