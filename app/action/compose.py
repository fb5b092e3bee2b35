"""Put the Action together: the server's parts, used with one token and without a socket."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
from gidgethub import BadRequest

from app.action.job import ActionRefused, Inputs, laid_over
from app.action.saved_state import StateBranch
from app.compose.parts import open_parts
from app.compose.work import Working, working
from app.github.api import RepositoryApi
from app.github.client import SUSPENDED, Connection
from app.github.token_identity import INSTALLATION, TokenIdentity
from app.jobs.notices import at_once
from app.local.compose import open_model
from app.logs import mask_for, secrets_of
from app.runs.limits import Ceilings
from app.runs.parts import ServerParts, Surroundings
from app.settings import ActionSettings
from app.texts import action_texts as texts
from app.traces import traced
from handlers.events import InstalledRepository, Repo
from runner.errors import Outage, TaskError
from runner.model.budget import Budget, BudgetModel
from runner.model.prices import prices_for
from runner.money import dollars
from runner.ports import Events
from runner.state.events import Advanced, Event, NodeFinished
from runner.state.run_state import RunState

_PROBE = "Cairn asks whether it may open pull requests"


@dataclass(frozen=True, slots=True)
class ActionAccess:
    """A repository we may work in; ``shape`` is what the API says of it."""

    identity: TokenIdentity
    api: RepositoryApi
    repository: InstalledRepository
    shape: dict[str, Any]
    bot: str
    state: StateBranch


async def enter(identity: TokenIdentity, name: str, *, branch: str) -> ActionAccess:
    """Check that we may work here before anything changes. Raises ``ActionRefused``, ``Outage``."""
    api = RepositoryApi(identity.github, name)
    try:
        bot = await identity.bot_login()
        if not bot.endswith("[bot]"):
            raise ActionRefused(texts.person(login=bot))
        shape = await identity.github.getitem("/repos/{+name}", {"name": name})
        repository = Repo.model_validate(shape).under(INSTALLATION)
        state = StateBranch(api, branch=branch, bot_login=bot)
        await state.probe()
        # a pull request that cannot be: 422 says that we may open others, 403 that we may not
        path, base = "/repos/{+name}/pulls", repository.default_branch
        try:
            data = {"title": _PROBE, "head": base, "base": base}
            await identity.github.post(path, {"name": repository.full_name}, data=data)
        except BadRequest as refusal:
            if refusal.status_code != 422:
                said = f"{texts.no_pulls()} (GitHub says: {refusal})"
                raise ActionRefused(said) from refusal
    except TaskError as refused:
        raise ActionRefused(texts.lacks(refused.message)) from refused
    except BadRequest as refused:
        raise ActionRefused(texts.lacks(f"GitHub says: {refused}")) from refused
    except Outage as outage:
        if outage.kind not in ("permission", "credential", SUSPENDED):
            raise
        raise ActionRefused(texts.lacks(outage.message)) from outage
    return ActionAccess(identity, api, repository, shape, bot, state)


log = logging.getLogger(__name__)

_WORTH = frozenset({"checkpoint", "propose_recovery", "apply_recovery"})


class Heard:
    """The runs that did anything, in order, each with the newest state that is known."""

    def __init__(self) -> None:
        self.runs: dict[str, RunState | None] = {}

    async def emit(self, event: Event) -> None:
        """Take in what happened."""
        known = self.runs.get(event.run)
        self.runs[event.run] = event.state if isinstance(event, Advanced) else known


class Keeper:
    """Saves after every checkpoint and proposal, beside the run, so that a killed job loses little.

    Used with ``async with``. A failed save is reported and tried again with the next.
    """

    def __init__(self, save: Callable[[], Awaitable[None]]) -> None:
        self._save = save
        self._due: set[str] = set()
        self._wanted = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        self._worker = asyncio.create_task(self._work())

    async def __aexit__(self, *error: object) -> None:
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    async def emit(self, event: Event) -> None:
        """A node that is worth keeping is kept as soon as its row is saved."""
        if isinstance(event, NodeFinished) and event.node in _WORTH:
            self._due.add(event.task)
        elif isinstance(event, Advanced) and event.task in self._due:
            self._due.discard(event.task)
            self._wanted.set()

    async def _work(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                await self._save()
            except (Outage, TaskError) as error:
                log.warning("The state was not kept: %s", error.message)


__all__ = ["Acting", "Surroundings", "acting", "entered"]


@dataclass(frozen=True)
class Acting:
    """What works in one workflow run; ``heard`` knows what it did."""

    entry: ActionAccess
    work: Working
    heard: Heard


@asynccontextmanager
async def entered(
    name: str, settings: ActionSettings, around: Surroundings, *, branch: str
) -> AsyncIterator[ActionAccess]:
    """Go in by the token. Raises ``ActionRefused`` or ``Outage``; nothing is changed."""
    async with aiohttp.ClientSession() as session:
        mask, url = mask_for(secrets_of(settings)), settings.github_api_url
        tries = Ceilings(settings).of_github
        over = Connection(session, url, around.clock, around.sleep, mask, retry=tries)
        identity = TokenIdentity(over, settings.github_token)
        yield await enter(identity, name, branch=branch)


@asynccontextmanager
async def acting(
    entry: ActionAccess, settings: ActionSettings, inputs: Inputs, around: Surroundings
) -> AsyncIterator[Acting]:
    """Take up what earlier workflow runs left, and work until it is closed.

    Raises ``StoreError``, ``Outage`` or ``ActionRefused``.
    """
    heard = Heard()
    async with AsyncExitStack() as stack:
        try:
            parts = await open_parts(settings, around, stack, lambda *_: entry.identity)
        except Outage as outage:
            if outage.kind != "sandbox":
                raise
            # a machine that cannot isolate what runs on it is a reason to do nothing
            raise ActionRefused(texts.unisolated(reason=outage.message)) from outage
        parts = replace(parts, overlay=lambda config: laid_over(inputs, config))
        parts = await _within(parts, settings, inputs)
        notices = await stack.enter_async_context(at_once(settings.cairn_notify))
        sinks = (*parts.outward.sinks, *notices)
        parts = replace(parts, outward=replace(parts.outward, sinks=sinks))
        keeper = Keeper(lambda: entry.state.save(settings.cairn_data_dir))
        await stack.enter_async_context(keeper)
        traces = await stack.enter_async_context(traced(settings, parts.mask))
        also: tuple[Events, ...] = (heard, keeper, *traces)
        yield Acting(entry, await stack.enter_async_context(working(parts, also)), heard)


async def _within(parts: ServerParts, settings: ActionSettings, inputs: Inputs) -> ServerParts:
    """Put the budget around the model."""
    if inputs.budget is None:
        return parts
    name, prices = settings.cairn_model, prices_for(settings.openai_base_url, settings.cairn_prices)
    if prices.cost(name, 1, 1) is None:
        model = open_model(settings)
        try:  # of a wrong name nobody knows the price
            wrong = await model.unlisted(name)
        finally:
            await model.close()
        raise ActionRefused(f"{wrong} {texts.priceless(model=name)}".lstrip())
    spent = texts.spent(limit=dollars(inputs.budget))
    budget = Budget(cost=inputs.budget)
    bounded = BudgetModel(parts.model, budget, prices=prices, model=name, full=spent)
    return replace(parts, model=bounded)
