"""A model that is asked only as long as the limits of the day, and of its run, allow."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from app.progress.text import progress_texts
from app.settings import WorkSettings
from app.store.database import Store
from app.store.runs import Run, StoredAnswers
from app.store.spending import Spender, StoredSpending
from runner.config.model import RepositoryConfig
from runner.errors import Outage
from runner.model.budget import Budget, BudgetModel, budget_of, prompt_at_most, unpriced
from runner.model.prices import Prices, prices_for
from runner.money import dollars
from runner.ports import Clock, Model
from runner.prompts.questions import Answer, Question


@dataclass(frozen=True)
class DailyLimits(Model):
    """Reserves before each call what it can cost at most, and gives back what it did not cost.

    ``most`` is the limit of the repository's file. A call whose end this process did not live to
    see stays reserved for the rest of the day.
    """

    inner: Model
    spending: StoredSpending
    settings: WorkSettings
    prices: Prices
    clock: Clock
    run: Run
    most: float | None

    async def ask(self, question: Question) -> Answer:
        """Ask if the limits allow it. Raises ``Outage`` (kind ``budget``) until the next day."""
        settings = self.settings
        model = question.model or settings.cairn_model
        most = self.prices.most(model, prompt_at_most(question), question.max_tokens)
        if most is None:
            theirs = _is_limited(settings)
            raise Outage(
                "budget",
                progress_texts.unpriced(model)
                if theirs
                else unpriced(model, "limits.cost_per_day"),
            )
        now = self.clock.now().astimezone(UTC)
        spender = Spender(now.date().isoformat(), self.run.installation_id, self.run.repository_id)
        full = await self.spending.reserve(
            spender,
            most,
            together=settings.cairn_max_cost_per_day,
            own=settings.cairn_max_cost_per_account,
            here=self.most,
        )
        if full is not None:
            used, whose = full
            tomorrow = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
            text = progress_texts.spent_today(dollars(most), dollars(used), whose)
            raise Outage("budget", text, until=tomorrow)
        paid = 0.0
        try:
            answer = await self.inner.ask(question)
            paid = most if answer.cost is None else answer.cost
        finally:
            with suppress(Outage):  # it stays reserved
                await self.spending.settle(spender, most - paid)
        return answer


async def limited(
    model: Model,
    settings: WorkSettings,
    store: Store,
    clock: Clock,
    run: Run,
    config: RepositoryConfig,
) -> Model:
    """Return the model within the operator's and the repository's limits. Raises ``Outage``."""
    limits = config.limits
    prices = prices_for(settings.openai_base_url, settings.cairn_prices)
    if _is_limited(settings) or limits.cost_per_day is not None:
        spending = StoredSpending(store)
        model = DailyLimits(model, spending, settings, prices, clock, run, limits.cost_per_day)
    budget = budget_of(limits)
    if budget == Budget():
        return model
    spent = await StoredAnswers(store, clock).paid(run.id)
    name = config.model.name or settings.cairn_model
    return BudgetModel(model, budget, prices=prices, model=name, spent=spent, in_file=True)


def _is_limited(settings: WorkSettings) -> bool:
    limits = (settings.cairn_max_cost_per_day, settings.cairn_max_cost_per_account)
    return any(limit is not None for limit in limits)
