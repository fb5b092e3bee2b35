"""Puts a run on a checkout together, and what it shares with the server: sandboxes, model.

Apart from the server's, so that the command line does not import what only a server needs.

"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app.local.options import FOLDER, ON_A_CHECKOUT, LocalRun
from app.local.runs import LocalStore
from app.logs import mask_for, secrets_of
from app.settings import RunSettings, SettingsError, SettingsProblem
from app.traces import traced
from runner.context.library import Index
from runner.files.decisions import FileDecisions, FileRuns
from runner.files.events_file import EventsFile
from runner.files.facts_file import FactsFile
from runner.files.history_file import NAME, FileHistory
from runner.files.journal import AnswerFiles, FileJournal, JournalView
from runner.files.results import MEMORY, FileMemory, RunFiles
from runner.git.local_repository import LocalRepository
from runner.history.recording import RunOrigin
from runner.history.records import StartedBy
from runner.loop.announcing import Announcer, EventSink
from runner.loop.deps import Deps, EarlierRuns, FileSearch
from runner.loop.recorder import Isolated, PastRuns, Recorder
from runner.model import chat_server
from runner.model.budget import Budget, BudgetModel
from runner.model.chat import OpenAIModel
from runner.model.prices import Prices, prices_for
from runner.ports import Control, Events, Fanout, Model, Sandbox, SystemClock
from runner.sandbox.choose import MaskedSandbox, SandboxChoice, choose_sandbox
from runner.sandbox.process import ProcessSandbox
from runner.state.events import Event, ModelAnswered
from runner.text.mask import Mask

log = logging.getLogger(__name__)


# Where programs are that PATH leads to and what they have fetched, for there is no network to fetch
# it again; none of our own settings. Code in this sandbox could use these folders anyway, so that
# attempts share caches is no hole (docs/security.md says it); compilers key them by content.
_TOOLCHAINS = (
    *("JAVA_HOME", "GOROOT", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT", "RBENV_ROOT", "SDKMAN_DIR"),
    *("ASDF_DIR", "ASDF_DATA_DIR", "VIRTUAL_ENV", "CONDA_PREFIX", "DOTNET_ROOT", "ANDROID_HOME"),
    *("CARGO_HOME", "GOPATH", "GOMODCACHE", "GOCACHE"),
)
# A sandbox has a home of its own, so what is in the user's by default must be named.
_IN_HOME = {
    "RUSTUP_HOME": ".rustup",
    "CARGO_HOME": ".cargo",
    "GOPATH": "go",
    "GOCACHE": ".cache/go-build",
    "PYENV_ROOT": ".pyenv",
    "NVM_DIR": ".nvm",
}
_ENVIRONMENTS = (".venv", "venv")
"""Where a checkout has its virtual environment, as most tools make it."""


HERE = "command_line"
"""How a run on a checkout was started."""


@dataclass(frozen=True)
class LocalCheckout:
    """A run's ports on a checkout or a folder, the place itself, and what it keeps of its runs.

    ``within`` is the ``model`` within the limits of the command line. ``isolation`` says which
    sandbox was chosen, and why. ``told`` holds back what is written about a new run.
    """

    deps: Deps
    repository: LocalRepository
    kept: LocalStore
    model: OpenAIModel
    within: Model
    isolation: str
    told: Withheld


class Withheld:
    """Tells a listener of a run once a model has answered: one that does not exist leaves nothing.

    ``hold`` is False where the run has begun before.
    """

    def __init__(self, listener: Events, *, hold: bool) -> None:
        self._listener = listener
        self._held: list[Event] | None = [] if hold else None
        self._due: list[Callable[[], object]] = []

    def once_begun(self, act: Callable[[], object]) -> None:
        """Do this when the listener is told; never where that is forgotten."""
        self._due.append(act)

    async def emit(self, event: Event) -> None:
        """Tell of it now or later."""
        if self._held is None:
            await self._listener.emit(event)
            return
        self._held.append(event)
        if isinstance(event, ModelAnswered):
            await self.release()

    async def release(self) -> None:
        """Tell what was held back, and from now on everything at once."""
        due, self._due = self._due, []
        for act in due:
            act()
        held, self._held = self._held or (), None
        for event in held:
            await self._listener.emit(event)

    def forget(self) -> None:
        """Never tell what was held back, and do nothing of what was to follow."""
        self._held, self._due = None, []


def kept_in(folder: Path) -> LocalStore:
    """What a folder (``.executor``) keeps about its runs."""
    journal = folder / "journal"
    return LocalStore(
        FileRuns(journal),
        JournalView(journal),
        FileDecisions(folder / "decisions.jsonl"),
        FileHistory(folder / NAME),
    )


@asynccontextmanager
async def local_deps(
    asked: LocalRun,
    settings: RunSettings,
    listener: Events,
    *,
    control: Control | None = None,
    dry: bool = False,
) -> AsyncIterator[LocalCheckout]:
    """Put together a run on a checkout; the sandbox may be ``process``, with a warning.

    A ``dry`` one opens no sandbox, so that it needs none that works. Raises ``Outage``, and
    ``SettingsError`` for a file of prices that cannot be read.
    """
    folder, mask = asked.kept, mask_for(secrets_of(settings))
    wanted = "process" if dry else asked.sandbox or settings.cairn_sandbox  # always there
    choice = await sandbox_of(asked, settings, wanted)
    repository = await repository_in(asked.folder, branch=asked.branch, keep=not dry)
    answers = AnswerFiles(folder / "journal", mask=mask.values)
    model = open_model(settings, mask=mask)
    journal = FileJournal(folder / "journal", mask=mask.values)
    kept = kept_in(folder)
    within = await _within(asked, model, answers, settings)
    files, history = RunFiles(folder, mask=mask), FileHistory(folder / NAME, mask=mask)
    recorder = Recorder(
        history,
        RunOrigin(asked.folder.resolve().name, started=StartedBy(await repository.person(), HERE)),
        SystemClock(),
        references=files.files_of,
    )
    stack = AsyncExitStack()
    told = () if dry else await _told(settings, asked, mask, stack)
    withheld = Withheld(Fanout(Isolated(files), Isolated(recorder)), hold=not asked.run)
    facts = None if dry else FactsFile(folder / "index.bin")
    safe: list[Events] = [withheld, *(Isolated(each) for each in told)]
    deps = Deps(
        model=within,
        sandbox=MaskedSandbox(choice.sandbox, mask),
        repository=repository,
        journal=journal,
        events=Fanout(*safe, listener),
        clock=SystemClock(),
        control=control or NeverStopped(),
        answers=answers,
        decisions=kept.inbox,
        earlier=EarlierRuns(
            FileMemory(folder / MEMORY, mask=mask), PastRuns(history, SystemClock())
        ),
        search=FileSearch(Index(facts), model, settings.cairn_model),
        chat_server=chat_server,
        mask=mask,
        start=ON_A_CHECKOUT,
    )
    try:
        yield LocalCheckout(deps, repository, kept, model, within, choice.reason, withheld)
    finally:
        await stack.aclose()
        history.close()
        await journal.close()
        await model.close()


async def _told(
    settings: RunSettings, asked: LocalRun, mask: Mask, stack: AsyncExitStack
) -> tuple[Events, ...]:
    """Who tells others of the run: a file for the operator's own systems, notices for people."""
    sinks: list[EventSink] = []
    if settings.cairn_events_file:
        sinks.append(EventsFile(settings.cairn_events_file))
    if settings.cairn_notify:
        from app.jobs.notices import at_once  # with SQLAlchemy, for whoever sets this

        sinks += await stack.enter_async_context(at_once(settings.cairn_notify))
    name = asked.folder.resolve().name
    told = (Announcer(sinks, name, SystemClock(), mask=mask),) if sinks else ()
    return *told, *await stack.enter_async_context(traced(settings, mask))


async def repository_in(folder: Path, *, branch: str = "", keep: bool = False) -> LocalRepository:
    """The git checkout or the plain folder; only to be read, unless ``keep``."""
    if checkout := await checkout_in(folder, branch):
        return checkout
    from runner.git.folder_repository import FolderRepository

    return FolderRepository(folder, store=folder / FOLDER / "folder.git", branch=branch, keep=keep)


async def checkout_in(folder: Path, branch: str = "") -> LocalRepository | None:
    """The git checkout a folder is; None for a plain folder."""
    checkout = LocalRepository(folder, branch=branch or None)
    return checkout if await checkout.is_there() else None


async def sandbox_of(asked: LocalRun, settings: RunSettings, wanted: str) -> SandboxChoice:
    """Choose the sandbox of a run on this folder. Raises ``Outage`` when none works."""
    candidates = sandboxes(
        settings,
        str(asked.folder.resolve()),
        wanted=wanted,
        prepared=asked.kept / "prepared",
        unsafe=wanted == "process" or not asked.copied,
        path=_path_in(asked.folder),
        checkout=None if asked.copied else asked.folder,
    )
    return await choose_sandbox(wanted, candidates=candidates)


async def _within(
    asked: LocalRun, model: Model, answers: AnswerFiles, settings: RunSettings
) -> Model:
    """The model within the run's budget, of which answers may have used some before."""
    if asked.budget == Budget():
        return model
    spent = await answers.paid(asked.run) if asked.run else ()
    name, prices = settings.cairn_model, prices_of(settings)
    return BudgetModel(
        model, asked.budget, prices=prices, model=name, spent=spent, repeats=asked.repeats
    )


def sandboxes(
    settings: RunSettings,
    owner: str,
    *,
    wanted: str,
    prepared: Path,
    unsafe: bool,
    path: str,
    checkout: Path | None = None,
) -> list[Sandbox]:
    """In order of preference; ``process`` only where no isolation is allowed (``unsafe``).

    What is not ``wanted`` by name is left out where that saves importing it.
    ``prepared`` is where results of setup commands are kept by those that have no engine for it,
    ``checkout`` the folder whose installed packages are there without an engine.
    """
    toolchains, room = _toolchains(), settings.cairn_prepared_size
    plain = ProcessSandbox(
        owner=owner,
        path=path,
        toolchains=toolchains,
        prepared=prepared,
        checkout=checkout,
        room=room,
    )
    if wanted == "process" and unsafe:
        return [plain]
    from runner.sandbox.bubblewrap import BubblewrapSandbox
    from runner.sandbox.machine import shown_machine

    image, hosts = settings.cairn_sandbox_image, _index_hosts(settings)
    shown = partial(shown_machine, path, checkout, toolchains) if checkout else None
    isolated: list[Sandbox] = [
        BubblewrapSandbox(
            owner=owner, image=image, prepared=prepared, shown=shown, hosts=hosts, room=room
        )
    ]
    if wanted != "bubblewrap":
        from runner.sandbox.docker import DockerSandbox

        isolated.insert(0, DockerSandbox(owner=owner, image=image, hosts=hosts, room=room))
    return [*isolated, plain] if unsafe else isolated


def _index_hosts(settings: RunSettings) -> tuple[str, ...]:
    from runner.sandbox.indexes import named_by_operator

    own = [host.lower() for host in settings.cairn_setup_hosts]
    return (*own, *named_by_operator(os.environ))


def _path_in(folder: Path) -> str:
    """PATH, with the programs of the folder's own virtual environment where none is active."""
    path = os.environ.get("PATH", os.defpath)
    if os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX"):
        return path
    own = (folder.resolve() / name / "bin" for name in _ENVIRONMENTS)
    there = [str(programs) for programs in own if (programs / "python3").exists()]
    return os.pathsep.join([*there[:1], path])


def _toolchains() -> dict[str, str]:
    """Variables that lead to compilers and packages: those that are set, else the usual folders."""
    home = Path(os.environ.get("HOME") or os.sep)
    usual = {name: home / folder for name, folder in _IN_HOME.items()}
    there = {name: str(folder) for name, folder in usual.items() if folder.is_dir()}
    return there | {name: os.environ[name] for name in _TOOLCHAINS if os.environ.get(name)}


def open_model(
    settings: RunSettings,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    *,
    mask: Callable[[str], str] | None = None,
) -> OpenAIModel:
    """The model of the settings; ``sleep`` waits (seconds) before it is asked again.

    ``mask`` hides secrets in what is asked (None: the one that knows those of the settings).
    """
    key = settings.openai_api_key
    return OpenAIModel(
        model=settings.cairn_model,
        api_key=key.get_secret_value() if key else "none",
        base_url=settings.openai_base_url,
        prices=prices_of(settings),
        sleep=sleep,
        mask=mask or mask_for(secrets_of(settings)),
    )


def prices_of(settings: RunSettings) -> Prices:
    """The prices of the endpoint. Raises ``SettingsError`` for a file that cannot be read."""
    try:
        return prices_for(settings.openai_base_url, settings.cairn_prices)
    except ValueError as error:
        message = str(error).removeprefix("CAIRN_PRICES: ")
        raise SettingsError(
            [SettingsProblem("CAIRN_PRICES", f"is not usable: {message}")]
        ) from error


class NeverStopped:
    """The ``Control`` port where nobody can ask for a stop but by Ctrl-C."""

    async def check(self, run: str) -> None:
        """Nobody ever asks."""
