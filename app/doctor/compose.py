"""Part of the composition root: what ``cairn doctor`` looks at, put together as a run would."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import aiohttp

from app.github.client import API_VERSION, Connection, user_agent
from app.github.identity import AppIdentity
from app.local.compose import local_deps, open_model, sandbox_of, sandboxes
from app.local.files import hide_from_git
from app.local.options import FOLDER, LocalRun, every_plan, options_for, read_config
from app.settings import RunSettings, ServerSettings
from runner.config.model import RepositoryConfig
from runner.loop.deps import TaskWork
from runner.model.chat import OpenAIModel
from runner.nodes.preflight import CannotStart, cannot_start, has_tests, verifies
from runner.nodes.run import parse_roadmap
from runner.ports import Events, Fanout, SystemClock
from runner.sandbox.choose import MaskedSandbox, SandboxChoice, choose_sandbox
from runner.state.options import Request
from runner.state.run_state import RunState


def model_of(settings: RunSettings) -> OpenAIModel:
    """The model, without waiting: a doctor shows what is, not what may be later."""
    return open_model(settings, _at_once)


async def chosen_sandbox(
    folder: Path, run: RunSettings, server: ServerSettings | None
) -> SandboxChoice:
    """The sandbox the server would use, where there is one, else a run on this folder."""
    if server is None:
        return await sandbox_of(LocalRun(folder), run, run.cairn_sandbox)
    data = server.cairn_data_dir
    candidates = sandboxes(
        server,
        str(data.resolve()),
        wanted=server.cairn_sandbox,
        prepared=data / "prepared",
        unsafe=server.may_run_bare,
        path=os.environ.get("PATH", os.defpath),
    )
    return await choose_sandbox(server.cairn_sandbox, candidates=candidates)


async def looked_at(
    folder: Path,
    run: RunSettings,
    server: ServerSettings | None,
    config: RepositoryConfig | None = None,
    listener: Events | None = None,
) -> tuple[CannotStart | None, bool]:
    """What keeps the tests of the newest commit from starting where a run would start them.

    Also whether there are any to be run. Commands of the configuration are started. ``config``
    takes the place of the repository's own; ``listener`` hears what is done meanwhile.
    """
    choice, asked = await chosen_sandbox(folder, run, server), LocalRun(folder)
    async with local_deps(asked, run, listener or Fanout(), dry=True) as here:
        tip = (await here.repository.stack()).tip
        config = config or await read_config(here.deps, tip)
        base, found, tested = await here.repository.snapshot(tip), None, False
        deps = replace(here.deps, sandbox=MaskedSandbox(choice.sandbox, here.deps.mask))
        for path in await every_plan(here.repository, tip, config):
            request = Request("doctor", path, options_for(asked, config.of_plan(path)))
            state = (await parse_roadmap(RunState(request), here.deps, TaskWork())).state
            found = found or await cannot_start(state, deps, starts=True)
            tested = tested or not verifies(state) or await has_tests(state, here.deps, base)
    with suppress(OSError):  # nothing was installed, so the folder is not there
        await asyncio.to_thread(hide_from_git, folder / FOLDER)
    return found, tested


@asynccontextmanager
async def app_of(settings: ServerSettings) -> AsyncIterator[AppIdentity]:
    """The App at its GitHub; limits and failures are reported at once."""
    async with aiohttp.ClientSession() as session:
        yield AppIdentity(
            Connection(session, settings.github_api_url, SystemClock(), _at_once),
            app_id=str(settings.github_app_id),
            private_key=settings.github_app_private_key.get_secret_value(),
        )


@asynccontextmanager
async def stranger_at(settings: ServerSettings) -> AsyncIterator[aiohttp.ClientResponse]:
    """What GitHub answers to somebody without a name: for its clock, and whether it is GitHub.

    ``/rate_limit`` costs nothing (https://docs.github.com/en/rest/rate-limit/rate-limit).
    """
    headers = {"user-agent": user_agent(), "x-github-api-version": API_VERSION}
    url = f"{settings.github_api_url}/rate_limit"
    async with aiohttp.ClientSession(headers=headers) as session, session.get(url) as answer:
        yield answer


async def _at_once(_seconds: float) -> None:
    """Wait for nothing."""
    await asyncio.sleep(0)
