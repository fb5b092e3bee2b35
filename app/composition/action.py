"""The composition root of the Action: the server's parts, on a token and without a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

import aiohttp

from app.action import texts
from app.action.budget import WithinBudget
from app.action.entry import Entry, enter
from app.action.errors import Refused
from app.action.inputs import Inputs, laid_over
from app.action.listening import Heard, Keeper
from app.composition.parts import Parts, Surroundings, open_parts
from app.composition.work import Working, working
from app.github.token_identity import TokenIdentity
from app.logs import mask_for, secrets_of
from app.settings import ActionSettings
from runner.adapters.budget_model import Budget, BudgetModel
from runner.adapters.prices import prices_for
from runner.errors import Outage

__all__ = ["Acting", "Surroundings", "acting", "entered"]


@dataclass(frozen=True)
class Acting:
    """What works in one workflow run; ``heard`` tells what it did."""

    entry: Entry
    work: Working
    heard: Heard


@asynccontextmanager
async def entered(
    name: str, settings: ActionSettings, around: Surroundings, *, branch: str
) -> AsyncIterator[Entry]:
    """Go in by the token. Raises ``Refused`` or ``Outage``; nothing is changed."""
    async with aiohttp.ClientSession() as session:
        identity = TokenIdentity(
            settings.github_token,
            api_url=settings.github_api_url,
            session=session,
            clock=around.clock,
            sleep=around.sleep,
            mask=mask_for(secrets_of(settings)),
        )
        yield await enter(identity, name, branch=branch)


@asynccontextmanager
async def acting(
    entry: Entry, settings: ActionSettings, inputs: Inputs, around: Surroundings
) -> AsyncIterator[Acting]:
    """Take up what earlier workflow runs left, and work until it is closed.

    Raises ``StoreError``, ``Outage`` or ``Refused``.
    """
    heard = Heard()
    async with AsyncExitStack() as stack:
        parts = await _opened(settings, around, stack, entry)
        parts = replace(parts, overlay=lambda config: laid_over(inputs, config))
        parts = _within(parts, settings, inputs)
        keeper = Keeper(lambda: entry.state.save(settings.cairn_data_dir))
        await stack.enter_async_context(keeper)
        yield Acting(entry, await stack.enter_async_context(working(parts, (heard, keeper))), heard)


async def _opened(
    settings: ActionSettings, around: Surroundings, stack: AsyncExitStack, entry: Entry
) -> Parts:
    """Open the parts; a machine that cannot isolate what runs on it is a reason to do nothing."""
    try:
        return await open_parts(settings, around, stack, lambda _session, _mask: entry.identity)
    except Outage as outage:
        if outage.kind != "sandbox":
            raise
        raise Refused(texts.UNISOLATED.format(reason=outage.message)) from outage


def _within(parts: Parts, settings: ActionSettings, inputs: Inputs) -> Parts:
    """Put the budget around the model."""
    if inputs.budget is None:
        return parts
    name, prices = settings.cairn_model, prices_for(settings.openai_base_url, settings.cairn_prices)
    if prices.cost(name, 1, 1) is None:
        raise Refused(texts.PRICELESS.format(model=name))
    bounded = BudgetModel(parts.model, Budget(cost=inputs.budget), prices=prices, model=name)
    return replace(parts, model=WithinBudget(bounded, inputs.budget))
