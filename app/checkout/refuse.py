"""What keeps a run on a checkout from beginning: said in a sentence before anything is changed."""

from __future__ import annotations

import os

from app.checkout.asked import LocalRun
from app.checkout.text import no_answer, not_writable, nothing_changed
from app.composition.checkout import Here, checkout_in, prices_of
from app.roadmap.files import beside
from app.settings import RunSettings
from runner.adapters.budget_model import unknown_price
from runner.config import CONFIG_PATH, RepositoryConfig
from runner.errors import Outage, PortError
from runner.flights import Ended
from runner.nodes.run import parse_roadmap
from runner.ports import Stack
from runner.problems import ON_A_CHECKOUT, missing_roadmap
from runner.state import Request, RunState, Status


async def check_folder(asked: LocalRun) -> None:
    """Raise ``PortError`` for a folder that cannot be written, or is no project's."""
    if not os.access(asked.folder, os.W_OK | os.X_OK):
        raise PortError("file", not_writable(asked.folder))
    await check_place(asked)


async def check_place(asked: LocalRun) -> None:
    """Raise ``PortError`` for a plain folder without a roadmap, or a branch of one.

    It is looked at before it is read whole: it could be somebody's home.
    """
    folder, path = asked.folder, asked.roadmap or RepositoryConfig().roadmap.path
    if asked.run or asked.branch or (folder / CONFIG_PATH).is_file() or (folder / path).is_file():
        return
    if await checkout_in(folder) is None:
        raise PortError("file", missing_roadmap(path, ON_A_CHECKOUT, beside(folder)))


async def check_model(here: Here) -> None:
    """Raise ``PortError`` when nothing answers where the model should be, or the key is wrong."""
    try:
        await here.model.offered()
    except Outage as outage:
        wrong_key = outage.kind == "credential"
        said = nothing_changed(outage.message) if wrong_key else no_answer(outage.message)
        raise PortError("credential", said) from outage


async def check_roadmap(request: Request, stack: Stack, here: Here) -> None:
    """Raise ``PortError`` when the commit a run would build on has no roadmap with such work."""
    entries = (await here.repository.snapshot(stack.tip)).entries
    if request.roadmap not in entries:
        raise PortError("file", missing_roadmap(request.roadmap, ON_A_CHECKOUT, entries))
    state = (await parse_roadmap(RunState(request), here.deps)).state
    if state.problem and without_work(state) == 2:
        raise PortError("file", state.problem)


def without_work(state: RunState) -> int:
    """The exit code of a run that has nothing to do.

    0 when all that was asked for was done before, 3 when it waits for a person, 2 when there is
    no such work.
    """
    wanted = state.request.options.task
    asked = [t for t in state.tasks if t.kind == "work" and (not wanted or wanted in (t.key, t.id))]
    statuses = {state.status(task) for task in asked}
    if Status.AWAITING_APPROVAL in statuses:
        return 3
    return 0 if statuses == {Status.COMPLETED} else 2


def check_prices(request: Request, asked: LocalRun, settings: RunSettings) -> None:
    """Raise ``PortError`` when a limit of money is set and the price of a model is unknown."""
    if asked.budget.cost is None:
        return
    options, prices = request.options, prices_of(settings)
    names = {options.model or settings.cairn_model, *options.models.values(), options.embeddings}
    for name in sorted(names - {""}):
        if prices.cost(name, 1, 1) is None:
            raise PortError("budget", f"{unknown_price(name)} Nothing was changed.")


def refused(ended: Ended) -> PortError | None:
    """What a new run is refused for: its very first question named a model that is not there."""
    spent = any(attempt.spent.calls for attempt in ended.state.attempts.values())
    if ended.status != "paused" or ended.kind != "model_name" or spent:
        return None
    return PortError(ended.kind, nothing_changed(ended.reason))
