"""The composition root of the server: names the concrete classes and puts them together."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from aiohttp import web
from gidgethub.abc import GitHubAPI

from app.composition_local import open_model, sandboxes
from app.dispatch import Dispatch
from app.engine import Engine
from app.execution import RunPorts, StoredControl, execute
from app.github.identity import AppIdentity
from app.github.mirror import Mirror
from app.github.repository import GitHubRepository
from app.github.repository_config import read_config
from app.github.scopes import APP_EVENTS, PUBLISH, READ
from app.inbox import Inbox
from app.logs import mask_for, secrets_of
from app.pages.watching import Watching, watching
from app.progress import Place, Progress
from app.progress_queue import FirstWords
from app.run_service import RunService
from app.server import build_app
from app.settings import ServerSettings
from app.store.database import Store, open_store
from app.store.decisions import StoredDecisions
from app.store.deliveries import Deliveries
from app.store.journal import StoredAnswers, StoredJournal
from app.store.orders import Orders
from app.store.queue import Queue
from app.store.runs import Run, Runs
from app.waiting import Waiting
from app.worker import Outcome, Segment, Worker
from handlers.runs import RunRequested
from runner.adapters.clock import SystemClock
from runner.adapters.durable import take_folder
from runner.adapters.fanout import Fanout
from runner.adapters.openai_model import OpenAIModel
from runner.adapters.run_files import RunFiles
from runner.adapters.sandboxes import SandboxChoice, choose_sandbox
from runner.config import ConfigError, RepositoryConfig
from runner.deps import Deps
from runner.ports import Clock, Events, Sandbox


@dataclass(frozen=True)
class Server:
    """Everything that runs: the web application, the inbox of deliveries and the worker."""

    app: web.Application
    inbox: Inbox
    worker: Worker
    sandbox: SandboxChoice

    async def idle(self) -> None:
        """Wait until every stored delivery is worked and no run can go on."""
        await self.inbox.idle()
        await self.worker.idle()


@dataclass(frozen=True)
class Surroundings:
    """What tests replace: time, who hears of bugs, the sandbox or its PATH.

    ``sleep`` waits before another try (seconds), ``rest`` until a paused run may go on.
    """

    clock: Clock
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    on_bug: Callable[[Exception], None] | None = None
    sandbox_path: str = ""
    sandbox: Sandbox | None = None
    rest: Callable[[float], Awaitable[None]] = asyncio.sleep


@asynccontextmanager
async def server(
    settings: ServerSettings, around: Surroundings | None = None
) -> AsyncIterator[Server]:
    """Build the server, take up what an earlier process left, and close it in order.

    Raises ``StoreError`` when the database cannot be used, ``Outage`` when no sandbox works.
    """
    around = around or Surroundings(SystemClock())
    async with AsyncExitStack() as stack:
        parts = await _open_parts(settings, around, stack)
        runs = Runs(parts.store, around.clock)
        watch = parts.watching(runs)

        def begin(run: str) -> Segment:
            return parts.segment(run, runs, watch)

        engine = Engine(settings.database_url.get_secret_value(), lambda o: worker.step(o))
        orders = Orders(around.clock, engine.enqueue, at_once=settings.cairn_concurrency)
        queue = Queue(parts.store, around.clock, orders)
        worker = Worker(
            queue,
            begin,
            lost=engine.lost,
            clock=around.clock,
            rest=around.rest,
            on_bug=around.on_bug,
        )
        service = RunService(
            runs,
            queue,
            roadmap_of=parts.roadmap_of,
            first_words=parts.first_words(watch.waiting).say,
            look=worker.look,
        )
        bots = frozenset(settings.cairn_allowed_bots)
        dispatch = Dispatch(parts.identity, service, allowed_bots=bots)
        deliveries = Deliveries(parts.store, around.clock)
        inbox = Inbox(
            deliveries, dispatch, clock=around.clock, sleep=around.sleep, on_bug=around.on_bug
        )
        app = build_app(
            secret=settings.github_webhook_secret,
            deliveries=deliveries,
            on_delivery=inbox.put,
            events=APP_EVENTS,
            readiness={"database": parts.store.check, "sandbox": parts.sandbox.sandbox.check},
            routes=watch.routes,
        )
        app.on_shutdown.append(watch.on_shutdown)
        stack.push_async_callback(worker.stop)
        stack.push_async_callback(engine.stop)
        stack.push_async_callback(inbox.stop)
        await engine.start()
        await worker.start()
        await inbox.start()
        yield Server(app, inbox, worker, parts.sandbox)


@dataclass(frozen=True)
class _Parts:
    """What all runs of a server share."""

    settings: ServerSettings
    around: Surroundings
    store: Store
    identity: AppIdentity
    model: OpenAIModel
    journal: StoredJournal
    sandbox: SandboxChoice
    mirrors: dict[int, Mirror]
    mask: Callable[[str], str]

    def watching(self, runs: Runs) -> Watching:
        """The pages, and who hears of every run for them."""
        return watching(
            self.settings,
            store=self.store,
            runs=runs,
            journal=self.journal,
            clock=self.around.clock,
            mask=self.mask,
        )

    def first_words(self, waiting: Waiting) -> FirstWords:
        """Who makes the comment of a run that is asked for."""
        around = self.around
        return FirstWords(self.identity, waiting, clock=around.clock, sleep=around.sleep)

    async def segment(self, id: str, runs: Runs, watch: Watching) -> Segment:
        """Drive a run from where its journal stands, and tell who watches how it stopped."""
        run = await runs.get(id)
        if run is None:
            raise LookupError(f"there is no run {id}")
        ports = await self.ports(run, runs, watch.events)
        async with aclosing(execute(run, ports, runs)) as steps:
            async for step in steps:
                if isinstance(step, Outcome):
                    await watch.stopped(run, step)
                yield step

    async def ports(self, run: Run, runs: Runs, watchers: Events) -> RunPorts:
        """Put together what one run works with. Raises ``Outage`` when GitHub does not answer."""
        scope = {"installation_id": run.installation_id, "repository_id": run.repository_id}
        github = self.identity.client(**scope, permissions=PUBLISH)
        bot = await self.identity.bot_login()
        repository = GitHubRepository(
            github,
            full_name=run.repository,
            base=run.base_branch,
            roadmap=run.roadmap,
            run=run.id,
            bot_login=bot,
            server_url=self.settings.github_server_url,
            token=lambda: self.identity.installation_token(**scope, permissions=READ),
            mirror=self._mirror(run.repository_id),
            issue=run.issue,
        )
        place = Place(run.repository, run.issue or 0, bot)
        progress = Progress(
            run.id,
            place,
            github=github,
            clock=self.around.clock,
            sleep=self.around.sleep,
            comment=run.progress_comment_id,
        )
        files = RunFiles(self._folder("executor", run.repository_id), mask=self.mask)
        deps = Deps(
            model=self.model,
            sandbox=self.sandbox.sandbox,
            repository=repository,
            journal=self.journal,
            events=Fanout(files, watchers, progress),
            clock=self.around.clock,
            control=StoredControl(runs),
            answers=StoredAnswers(self.store, self.around.clock),
            decisions=StoredDecisions(self.store),
        )
        return RunPorts(deps, progress, lambda: self._config(github, run.repository))

    async def roadmap_of(self, request: RunRequested) -> str:
        """The roadmap a command means: the one it names, else the configured one."""
        if request.command.path:
            return request.command.path
        github = self.identity.client(
            installation_id=request.installation_id,
            repository_id=request.repository.id,
            permissions=READ,
        )
        try:
            config = await self._config(github, request.repository.full_name)
        except ConfigError:
            config = RepositoryConfig()  # the run itself tells people what is wrong
        return config.roadmap.path

    async def _config(self, github: GitHubAPI, repository: str) -> RepositoryConfig:
        return await read_config(github, repository, images=self.settings.cairn_allowed_images)

    def _mirror(self, repository_id: int) -> Mirror:
        if repository_id not in self.mirrors:
            self.mirrors[repository_id] = Mirror(self._folder("mirrors", repository_id))
        return self.mirrors[repository_id]

    def _folder(self, kind: str, repository_id: int) -> Path:
        return self.settings.cairn_data_dir / kind / str(repository_id)


async def _open_parts(
    settings: ServerSettings, around: Surroundings, stack: AsyncExitStack
) -> _Parts:
    folder = settings.cairn_data_dir
    stack.callback(os.close, take_folder(folder, name=f"the data folder {folder}"))
    store = await open_store(settings.database_url.get_secret_value())
    stack.push_async_callback(store.close)
    session = await stack.enter_async_context(aiohttp.ClientSession())
    choice = await _server_sandbox(settings, around)
    await choice.sandbox.sweep()
    model = open_model(settings, around.sleep)
    stack.push_async_callback(model.close)
    return _Parts(
        settings=settings,
        around=around,
        store=store,
        identity=AppIdentity(
            app_id=str(settings.github_app_id),
            private_key=settings.github_app_private_key.get_secret_value(),
            api_url=settings.github_api_url,
            session=session,
            clock=around.clock,
            sleep=around.sleep,
        ),
        model=model,
        journal=StoredJournal(store, around.clock),
        sandbox=choice,
        mirrors={},
        mask=mask_for(secrets_of(settings)),
    )


async def _server_sandbox(settings: ServerSettings, around: Surroundings) -> SandboxChoice:
    if around.sandbox is not None:
        return SandboxChoice(sandbox=around.sandbox, reason="The sandbox is a test's.")
    candidates = sandboxes(
        settings,
        str(settings.cairn_data_dir.resolve()),
        prepared=settings.cairn_data_dir / "prepared",
        unsafe=settings.cairn_allow_unsandboxed,
        path=around.sandbox_path or os.environ.get("PATH", os.defpath),
    )
    return await choose_sandbox(settings.cairn_sandbox, candidates=candidates)
