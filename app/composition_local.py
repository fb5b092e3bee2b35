"""Puts a run on a checkout together, and what it shares with the server: sandboxes, model.

Apart from the server's, so that the command line does not import what only a server needs.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from app.local_run import LocalRun
from app.logs import mask_for, secrets_of
from app.settings import Problem, RunSettings, SettingsError
from runner.adapters.answer_files import AnswerFiles
from runner.adapters.bubblewrap_sandbox import BubblewrapSandbox
from runner.adapters.clock import SystemClock
from runner.adapters.docker_sandbox import DockerSandbox
from runner.adapters.fanout import Fanout
from runner.adapters.file_journal import FileJournal
from runner.adapters.local_repository import LocalRepository
from runner.adapters.openai_model import OpenAIModel
from runner.adapters.prices import Prices, prices_for
from runner.adapters.process_sandbox import ProcessSandbox
from runner.adapters.run_files import RunFiles
from runner.adapters.sandboxes import choose_sandbox
from runner.deps import Deps
from runner.ports import Events, Sandbox

log = logging.getLogger(__name__)


@asynccontextmanager
async def local_deps(
    asked: LocalRun, settings: RunSettings, listener: Events, *, dry: bool = False
) -> AsyncIterator[tuple[Deps, LocalRepository]]:
    """Put together a run on a checkout; the sandbox may be ``process``, which is said.

    A ``dry`` one opens no sandbox, so that it needs none that works. Raises ``Outage``, and
    ``SettingsError`` for a file of prices that cannot be read.
    """
    folder = asked.folder / ".executor"
    wanted = "process" if dry else asked.sandbox or settings.cairn_sandbox
    candidates = sandboxes(
        settings,
        str(asked.folder.resolve()),
        prepared=folder / "prepared",
        unsafe=True,
        path=os.environ.get("PATH", os.defpath),
    )
    choice = await choose_sandbox(wanted, candidates=_fitting(wanted, candidates, settings))
    if not dry:
        log.info(choice.reason)
    repository = LocalRepository(asked.folder, branch=asked.branch or None)
    model = open_model(settings)
    journal = FileJournal(folder / "journal")
    files = RunFiles(folder, mask=mask_for(secrets_of(settings)))
    deps = Deps(
        model=model,
        sandbox=choice.sandbox,
        repository=repository,
        journal=journal,
        events=Fanout(files, listener),
        clock=SystemClock(),
        control=NoOrders(),
        answers=AnswerFiles(folder / "journal"),
    )
    try:
        yield deps, repository
    finally:
        await journal.close()
        await model.close()


def sandboxes(
    settings: RunSettings, owner: str, *, prepared: Path, unsafe: bool, path: str
) -> list[Sandbox]:
    """In order of preference; ``process`` only where no isolation is allowed (``unsafe``).

    ``prepared`` is where results of setup commands are kept by those that have no engine for it.
    """
    image = settings.cairn_sandbox_image
    isolated: list[Sandbox] = [
        DockerSandbox(owner=owner, image=image),
        BubblewrapSandbox(owner=owner, image=image, prepared=prepared),
    ]
    plain = ProcessSandbox(owner=owner, path=path, prepared=prepared)
    return [*isolated, plain] if unsafe else isolated


def open_model(
    settings: RunSettings, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> OpenAIModel:
    """The model of the settings; ``sleep`` waits (seconds) before it is asked again."""
    key = settings.openai_api_key
    return OpenAIModel(
        model=settings.cairn_model,
        api_key=key.get_secret_value() if key else "none",
        base_url=settings.openai_base_url,
        prices=_prices(settings),
        sleep=sleep,
    )


def _prices(settings: RunSettings) -> Prices:
    try:
        return prices_for(settings.openai_base_url, settings.cairn_prices)
    except ValueError as error:
        said = str(error).removeprefix("CAIRN_PRICES: ")
        raise SettingsError([Problem("CAIRN_PRICES", f"is not usable: {said}")]) from error


def _fitting(wanted: str, candidates: list[Sandbox], settings: RunSettings) -> list[Sandbox]:
    """Leave bubblewrap out where it would find only this machine's own programs, unasked.

    These are seldom the ones a project is tested with; a folder of ``scripts/sandbox-root`` is.
    """
    if wanted != "auto" or Path(settings.cairn_sandbox_image).is_absolute():
        return candidates
    return [candidate for candidate in candidates if candidate.name != "bubblewrap"]


class NoOrders:
    """The ``Control`` port where nobody can give orders but by Ctrl-C."""

    async def check(self, run: str) -> None:
        """Nothing is ever ordered."""
