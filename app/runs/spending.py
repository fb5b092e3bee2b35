"""A model that is asked only as long as the operator's limits of money for the day allow."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from app.progress.text import progress_texts
from app.settings import WorkSettings
from app.store.database import Store
from app.store.spending import StoredSpending
from runner.errors import Outage
from runner.model.budget import prompt_at_most
from runner.model.prices import Prices, prices_for
from runner.money import dollars
from runner.ports import Clock, Endpoint
from runner.prompts.questions import Answer, Question


@dataclass(frozen=True)
class DailyLimits(Endpoint):
    """Reserves before each call what it can cost at most, and gives back what it did not cost.

    A call whose end this process did not live to see stays reserved for the rest of the day.
    """

    inner: Endpoint
    spending: StoredSpending
    settings: WorkSettings
    prices: Prices
    clock: Clock
    installation: int

    async def ask(self, question: Question) -> Answer:
        """Ask if the limits allow it. Raises ``Outage`` (kind ``budget``) until the next day."""
        settings = self.settings
        model = question.model or settings.cairn_model
        most = self.prices.most(model, prompt_at_most(question), question.max_tokens)
        if most is None:
            raise Outage("budget", progress_texts.unpriced(model))
        now = self.clock.now().astimezone(UTC)
        day = now.date().isoformat()
        used = await self.spending.reserve(
            day,
            self.installation,
            most,
            together=settings.cairn_max_cost_per_day,
            own=settings.cairn_max_cost_per_account,
        )
        if used is not None:
            tomorrow = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
            text = progress_texts.spent_today(dollars(most), dollars(used))
            raise Outage("budget", text, until=tomorrow)
        paid = 0.0
        try:
            answer = await self.inner.ask(question)
            paid = most if answer.cost is None else answer.cost
        finally:
            with suppress(Outage):  # it stays reserved
                await self.spending.settle(day, self.installation, most - paid)
        return answer

    async def window(self, model: str) -> int | None:
        """Return the model's window; this costs nothing."""
        return await self.inner.window(model)

    async def shutdown(self, model: str) -> date | None:
        """Return the day from which the model no longer answers."""
        return await self.inner.shutdown(model)


def within_the_day(
    model: Endpoint, settings: WorkSettings, store: Store, clock: Clock, installation: int
) -> Endpoint:
    """Return the model within the operator's limits, if there are any."""
    if settings.cairn_max_cost_per_day is None and settings.cairn_max_cost_per_account is None:
        return model
    prices = prices_for(settings.openai_base_url, settings.cairn_prices)
    return DailyLimits(model, StoredSpending(store), settings, prices, clock, installation)
