"""What a run may at most: the operator's ceilings, what models may cost, what owners accepted."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from fnmatch import fnmatchcase
from typing import TypeVar

from app.github.token_identity import Identity
from app.progress.text import progress_texts
from app.settings import WorkSettings
from app.store.database import Store
from app.store.runs import Run, StoredAnswers
from app.store.spending import Spender, StoredSpending
from handlers.issue_thread import Refusals
from runner.config.model import RepositoryConfig
from runner.errors import Outage
from runner.model.budget import Budget, BudgetModel, budget_of, prompt_at_most, unpriced
from runner.model.prices import Prices, prices_for
from runner.money import dollars
from runner.ports import Clock, Model
from runner.prompts.questions import Answer, Question
from runner.retries.policy import RetryOptions, RetryPolicy
from runner.state.options import Options


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The ceilings of the settings."""

    settings: WorkSettings

    @property
    def of_github(self) -> RetryPolicy:
        """How often GitHub is tried where no file of a repository says it."""
        most = self.settings
        usual = RetryOptions().within(most.cairn_max_tries, most.cairn_max_retry_seconds)
        return usual.of_github

    @property
    def allowed(self) -> tuple[str, ...]:
        """The models that may be asked, as patterns; none where any may."""
        own, named = self.settings.cairn_model, self.settings.cairn_allowed_models
        return tuple(dict.fromkeys((own, *named))) if named else ()

    def refused(self, models: Sequence[str]) -> list[str]:
        """The models that may not be asked here."""
        allowed = self.allowed
        return [
            model
            for model in models
            if allowed and not any(fnmatchcase(model, each) for each in allowed)
        ]

    def queue(self, asked: int | None) -> dict[str, object]:
        """How long a run may wait for its first turn, as part of its request; empty: for ever."""
        most = self.settings.cairn_max_queue_minutes
        known = [minutes for minutes in (asked, most) if minutes]
        return {"queue_minutes": min(known), "queue_limit": asked == min(known)} if known else {}

    def hold(self, options: Options, *, writes: bool) -> tuple[Options, tuple[str, ...]]:
        """Return the options with nothing above a ceiling, and what was cut, as it is now.

        A run that ``writes`` nothing to GitHub pushes nothing, and has nobody to ask.
        """
        most, limits, sandbox = self.settings, options.limits, options.sandbox
        asks = writes and "approved" in (most.cairn_push, options.push)
        apart = asks and options.pull_requests == "stacked"  # what was shown is what is pushed
        tries = options.retry.within(most.cairn_max_tries, None)
        held = replace(
            options,
            parallel=_lower(options.parallel, most.cairn_max_parallel),
            retry=tries.within(None, most.cairn_max_retry_seconds),
            push="approved" if asks else options.push,
            open_pull_requests=1 if asks else options.open_pull_requests,
            pull_requests="independent" if apart else options.pull_requests,
            limits=replace(
                limits,
                max_tokens=_lower(limits.max_tokens, most.cairn_max_tokens_per_task),
                max_seconds=_lower(
                    limits.max_seconds, most.cairn_max_minutes and 60.0 * most.cairn_max_minutes
                ),
            ),
            sandbox=replace(
                sandbox,
                memory=_lower(sandbox.memory, most.cairn_max_memory),
                cpus=_lower(sandbox.cpus, most.cairn_max_cpus),
                pids=_lower(sandbox.pids, most.cairn_max_pids),
                setup_network=sandbox.setup_network and most.cairn_allow_setup_network != "0",
                setup_changed=most.cairn_allow_setup_network == "changed",
            ),
        )
        now, then = held.sandbox, held.limits
        cut = {
            f"limits.parallel: {held.parallel}": held.parallel != options.parallel,
            f"limits.tokens_per_task: {then.max_tokens}": then.max_tokens != limits.max_tokens,
            f"limits.minutes: {then.max_seconds / 60:.0f}": then.max_seconds != limits.max_seconds,
            f"sandbox.memory: {now.memory >> 20}m": now.memory != sandbox.memory,
            f"sandbox.cpus: {now.cpus:g}": now.cpus != sandbox.cpus,
            f"sandbox.pids: {now.pids}": now.pids != sandbox.pids,
            "sandbox.network: none": now.setup_network != sandbox.setup_network,
            "pull_requests.push: approved": held.push != options.push,
            f"retry attempts: {most.cairn_max_tries}": tries != options.retry,
            f"retry waits: {most.cairn_max_retry_seconds} s": held.retry != tries,
        }
        return held, tuple(setting for setting, differs in cut.items() if differs)


Amount = TypeVar("Amount", int, float)


def _lower(asked: Amount, most: Amount | None) -> Amount:
    return asked if most is None else min(asked, most)


class MissingPermissions:
    """What owners have not accepted yet, said once in each repository.

    A process asks GitHub once for each repository: only a new version of the App asks for more.
    """

    def __init__(self, identity: Identity, refusals: Refusals) -> None:
        self._identity = identity
        self._refusals = refusals
        self._asked: set[int] = set()

    async def missing(self, run: Run) -> str:
        """Say what does not work in the repository of a run, and was not said there before.

        Raises ``Outage``.
        """
        if run.repository.id in self._asked:
            return ""
        lacking = await self._identity.lacking(run.repository.installation_id)
        place = {"repository_id": run.repository.id, "issue": 0}
        new = [
            each
            for each in sorted(lacking)
            if await self._refusals.first(**place, user_id=_PLACES[each], delivery=run.id)
        ]
        self._asked.add(run.repository.id)
        if not new:
            return ""
        page = await self._identity.page(run.repository.installation_id)
        return progress_texts.not_granted(new, page)


_PLACES = {"checks": 0, "actions": -1, "merge_queues": -2, "statuses": -3}
"""Under which number it is kept that a permission was said to be missing: nobody has these."""


_SOON = timedelta(minutes=5)
"""After which a run looks again whether the calls of others left something of the day's money."""


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
        """Ask if the limits allow it.

        Raises ``Outage`` (kind ``budget``) until the next day, or until others' calls may be over.
        """
        settings = self.settings
        model = question.model or settings.cairn_model
        most = self.prices.most(model, prompt_at_most(question, model), question.max_tokens)
        if most is None:
            theirs = _is_limited(settings)
            raise Outage(
                "budget",
                progress_texts.unpriced(model)
                if theirs
                else unpriced(model, "limits.cost_per_day"),
            )
        now = self.clock.now().astimezone(UTC)
        here = self.run.repository
        spender = Spender(now.date().isoformat(), here.installation_id, here.id)
        full = await self.spending.reserve(
            spender,
            most,
            together=settings.cairn_max_cost_per_day,
            own=settings.cairn_max_cost_per_account,
            here=self.most,
        )
        if full is not None:
            until = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
            if full.used - full.held + most <= full.limit:  # calls under way give some back
                until = min(until, now + _SOON)
            never = most > full.limit  # not even tomorrow
            amounts = map(dollars, (most, full.used, full.limit))
            text = progress_texts.spent_today(*amounts, full.whose, never)
            raise Outage("budget", text, until=None if never else until)
        paid = 0.0
        try:
            answer = await self.inner.ask(question)
            paid = most if answer.cost is None else answer.cost
        finally:
            with suppress(Outage):  # it stays reserved
                await self.spending.settle(spender, most, paid)
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
    return BudgetModel(
        model, budget, prices=prices, model=name, spent=spent, in_file=config.limit_name
    )


def _is_limited(settings: WorkSettings) -> bool:
    limits = (settings.cairn_max_cost_per_day, settings.cairn_max_cost_per_account)
    return any(limit is not None for limit in limits)
