"""What all runs of a server share, and what one run works with."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from gidgethub import GitHubException
from gidgethub.abc import GitHubAPI

from app.github.api import RepositoryApi
from app.github.config import Configurations, Overlay, as_it_is, each_once
from app.github.failing import FailingChecks
from app.github.mirror import Mirror
from app.github.place import FollowUps, StackMemory, no_page
from app.github.repository import GitHubRepository
from app.github.token_identity import (
    CHECK,
    CONVERSE,
    CONVERSE_ON_LINES,
    LOGS,
    PUBLISH,
    READ,
    STATUSES,
    Identity,
    Permissions,
)
from app.jobs.member import Alone, Membership, Turn
from app.jobs.worker import SegmentEngine
from app.progress.comment import Progress
from app.proposals.service import Look, ShownProposals
from app.runs.begun import RunPorts
from app.runs.lessons import Lessons
from app.runs.limits import Ceilings, MissingPermissions, limited
from app.runs.outward import Outward
from app.runs.requests import origin_of, row_of
from app.server.links import RunLinks
from app.settings import WorkSettings
from app.store.audit import AuditLog
from app.store.database import Store
from app.store.deliveries import StoredRefusals
from app.store.files import SharedMemory, SharedRunFiles, StoredFiles
from app.store.history import StoredHistory
from app.store.proposals import StoredDecisions, StoredProposals
from app.store.runs import (
    PERSON,
    Run,
    RunRequest,
    StoredAnswers,
    StoredJournal,
    StoredRuns,
    StoredSkips,
)
from handlers.events import Event, InstalledRepository, ReviewCommented, User
from handlers.grammar import IN_ACTION, ON_GITHUB, Commands
from handlers.issue_thread import IssueThread, may_write
from handlers.ports import Rules, RunRequested
from runner.config.model import RepositoryConfig
from runner.config.reading import ConfigError
from runner.context.library import Index
from runner.errors import Outage
from runner.files.kept import KeptFiles
from runner.files.results import MEMORY, FileMemory, RunFiles
from runner.git.objects import GitObjects
from runner.loop import stacking
from runner.loop.deps import Deps, EarlierRuns, FileSearch, NoReviews
from runner.loop.recorder import Isolated, PastRuns, Recorder
from runner.model import chat_server
from runner.ports import Clock, Endpoint, Events, Fanout, Model, Sandbox
from runner.roadmap.plans import form_of
from runner.sandbox.choose import SandboxChoice
from runner.text.mask import Mask

_MOST_ASKED = 30
"""Runs of an issue among which one that was asked for is looked for."""

LEAST_FREE = 64 << 20
"""Bytes without which a server is not ready for work."""


class Folders:
    """One mirror and one project memory a repository, whichever of its runs asks.

    ``shared``: other processes with folders of their own use this database, too.
    """

    def __init__(
        self,
        data: Path,
        *,
        mask: Callable[[str], str],
        turn: Callable[[str], Turn],
        shared: Store | None = None,
        least_free: int = LEAST_FREE,
    ) -> None:
        self._turn = turn
        self._least_free = least_free
        self._store = shared
        self._data = data
        self._mask = mask
        self._mirrors: dict[int, Mirror] = {}
        self._memories: dict[int, FileMemory | SharedMemory] = {}
        self._shared: dict[int, StoredFiles] = {}
        self._stacks: dict[int, StackMemory] = {}

    async def check(self) -> None:
        """Raise ``Outage`` when there is too little room for what runs write."""
        free = (await asyncio.to_thread(shutil.disk_usage, self._data)).free
        if free < self._least_free:
            raise Outage("disk", f"{self._data} has only {free >> 20} MB left. Make room there.")

    def mirror(self, repository_id: int) -> Mirror:
        """The bare mirror that snapshots are read from."""
        if repository_id not in self._mirrors:
            self._mirrors[repository_id] = Mirror(self._data / "mirrors" / str(repository_id))
        return self._mirrors[repository_id]

    def objects(self, repository_id: int) -> GitObjects:
        """What the mirror holds."""
        return self.mirror(repository_id).objects

    async def kept(self, repository_id: int, run: str) -> KeptFiles:
        """What a run of the repository left behind. Raises ``Outage``."""
        if files := self._stored(repository_id):
            await files.fetch(run)
        return KeptFiles(self._left_behind(repository_id))

    def stacks(self, repository_id: int) -> StackMemory:
        """What is known of the stacks of the repository; one turn at a time changes them."""
        if repository_id not in self._stacks:
            self._stacks[repository_id] = StackMemory(self._turn(f"stacks {repository_id}"))
        return self._stacks[repository_id]

    def memory(self, repository_id: int) -> FileMemory | SharedMemory:
        """What runs of the repository left to know."""
        if repository_id not in self._memories:
            path = self._left_behind(repository_id) / MEMORY
            own, files = FileMemory(path, mask=self._mask), self._stored(repository_id)
            turn = self._turn(f"memory {repository_id}")
            self._memories[repository_id] = SharedMemory(own, files, turn) if files else own
        return self._memories[repository_id]

    async def run_files(self, repository_id: int, run: str) -> RunFiles | SharedRunFiles:
        """Writes what a run leaves behind; it may have begun elsewhere. Raises ``Outage``."""
        own = RunFiles(self._left_behind(repository_id), mask=self._mask)
        if files := self._stored(repository_id):
            await files.fetch()  # what is known now is kept with a run that begins
            await files.fetch(run)
            return SharedRunFiles(own, files)
        return own

    def _stored(self, repository_id: int) -> StoredFiles | None:
        if self._store is None:
            return None
        if repository_id not in self._shared:
            folder = self._left_behind(repository_id)
            self._shared[repository_id] = StoredFiles(self._store, repository_id, folder)
        return self._shared[repository_id]

    def _left_behind(self, repository_id: int) -> Path:
        return self._data / "executor" / str(repository_id)


@dataclass(frozen=True)
class Role:
    """What a process does on a database of many.

    ``serves``: it receives webhooks and shows pages; ``works``: on runs, on ``slots`` of them at
    the same time (None: as the settings say). ``outdated`` hears that a newer Cairn has changed the
    database.
    """

    serves: bool = True
    works: bool = True
    slots: int | None = None
    outdated: Callable[[], None] = lambda: None


ROLE = Role()
"""That of a process that does everything."""


@dataclass(frozen=True)
class Surroundings:
    """What tests replace: time, the receiver of bugs, the sandbox or its PATH, the engine.

    ``sleep`` waits before another try (seconds), ``rest`` until a paused run may continue or a
    comment may be edited again; ``commands`` are known besides those of Cairn.
    """

    clock: Clock
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    on_bug: Callable[[Exception], None] | None = None
    sandbox_path: str = ""
    sandbox: Sandbox | None = None
    rest: Callable[[float], Awaitable[None]] = asyncio.sleep
    commands: Commands = ()
    engine: Callable[[str], SegmentEngine] | None = None


@dataclass(frozen=True)
class ServerParts:
    """What all runs of a server share."""

    settings: WorkSettings
    around: Surroundings
    store: Store
    identity: Identity
    model: Model
    endpoint: Endpoint
    journal: StoredJournal
    sandbox: SandboxChoice
    folders: Folders
    index: Index
    mask: Mask
    configs: Configurations
    outward: Outward
    permissions: MissingPermissions
    others: Membership = field(default_factory=Alone)
    overlay: Overlay = as_it_is
    links: RunLinks | None = None

    def page_link(self, run: RunRequest, task: str = "") -> str:
        """The address of a run's page, or a task's, for readers of its issue; '' for none."""
        private = run.repository.private
        return self.links.link(run.id, private=private, task=task) if self.links else ""

    def history_page(self, repository: InstalledRepository) -> str:
        """The address of a repository's history for who can read the repository; '' for none."""
        name, private = repository.full_name, repository.private
        return self.links.history(name, private=private) if self.links else ""

    @property
    def allowed_bots(self) -> frozenset[str]:
        """The bots whose words count."""
        return frozenset(self.settings.cairn_allowed_bots)

    @property
    def slots(self) -> int | None:
        """How many runs work at the same time; None: what all processes have together."""
        return self.settings.cairn_concurrency if isinstance(self.others, Alone) else None

    @property
    def runs(self) -> StoredRuns:
        """Every run that was asked for."""
        return StoredRuns(self.store, self.around.clock)

    @property
    def audit(self) -> AuditLog:
        """Who did what."""
        return AuditLog(self.store, self.around.clock)

    @property
    def history(self) -> StoredHistory:
        """What every attempt of every run did."""
        return StoredHistory(self.store)

    @property
    def skips(self) -> StoredSkips:
        """The tasks people want left out."""
        return StoredSkips(self.store, self.around.clock)

    @cached_property
    def refusals(self) -> StoredRefusals:
        """Who was already refused something."""
        return StoredRefusals(self.store, self.around.clock)

    async def ports(
        self,
        run: Run,
        watchers: Events,
        poll: Look,
        after: FollowUps | None = None,
    ) -> RunPorts:
        """Put together what one run works with. Raises ``Outage`` when GitHub does not answer."""
        repository, id = await self.repository(run, after), run.repository.id
        progress = await self.progress(run, run.progress_comment_id)
        history, files = self.history, await self.folders.run_files(id, run.id)
        recorder = Recorder(history, origin_of(run), self.around.clock, references=files.files_of)
        safe = (Isolated(each, self.around.on_bug) for each in (files, recorder))
        past = PastRuns(history, self.around.clock, id)
        deps = Deps(
            model=self.model,
            sandbox=self.sandbox.sandbox,
            repository=repository,
            journal=self.journal,
            events=Fanout(*safe, watchers, progress, self.outward.of_run(run.repository.full_name)),
            clock=self.around.clock,
            control=self.runs,
            answers=StoredAnswers(self.store, self.around.clock),
            start=ON_GITHUB if self.identity.is_app else IN_ACTION,
            decisions=StoredDecisions(self.store),
            skips=partial(self.skips.of, id, run.roadmap),
            earlier=EarlierRuns(self.folders.memory(id), past),
            search=FileSearch(self.index, self.endpoint, self.settings.cairn_model),
            reviews=repository.reviews if run.request.get("revision") else NoReviews(),
            chat_server=chat_server,
            mask=self.mask,
            apart=await self.apart(run),
            outside=(GitHubException,),
            on_bug=self.around.on_bug,
        )
        stored = StoredProposals(self.store, self.around.clock)
        return RunPorts(
            deps,
            self.endpoint,
            progress,
            shown=ShownProposals(run, stored, self.around.clock, poll),
            repository=repository,
            lessons=self.lessons(id),
            config=partial(self._config_of, run, repository.client),
            missing=partial(self.permissions.missing, run),
            is_wanted=partial(self.is_wanted, run),
            ceilings=Ceilings(self.settings),
            within=partial(limited, self.model, self.settings, self.store, self.around.clock),
            app=self.identity.is_app,
        )

    async def progress(self, run: RunRequest, comment: int | None = None) -> Progress:
        """What shows a run in its comment (by id, if it has one)."""
        unasked = bool(run.request.get("verify") or run.request.get("unasked"))

        async def has_no_comment() -> bool:
            """Nobody asked for it in a conversation, or we write nothing there."""
            return unasked or await self.read_only(run.repository)

        return Progress(
            run,
            self.identity.client(run.repository, CONVERSE),  # also where it may only talk
            bot=await self.identity.bot_login(),
            clock=self.around.clock,
            rest=self.around.rest,
            comment=comment,
            read_only=has_no_comment,
            link=partial(self.page_link, run),
        )

    async def is_wanted(self, run: Run) -> bool:
        """Whether who started a run may still write, or somebody continued it. Raises ``Outage``.

        Bots have no role: what they may start, the operator's list says.
        """
        login, user = str(run.request.get("by") or ""), int(run.request.get("by_id") or 0)
        if not user or login.endswith("[bot]") or run.cause == PERSON:
            return True
        client = self.identity.client(run.repository, CONVERSE)
        return await may_write(client, run.repository.full_name, User(id=user, login=login))

    def lessons(self, repository_id: int) -> Lessons:
        """What the history of a repository teaches."""
        clock, model = self.around.clock, self.settings.cairn_model
        return Lessons(self.history, clock, repository_id=repository_id, model=model)

    async def repository(self, run: RunRequest, after: FollowUps | None = None) -> GitHubRepository:
        """The repository as one run sees it. Raises ``Outage`` when GitHub does not answer.

        ``after`` queues what follows when the branches of pull requests are changed here.
        """
        here, app = run.repository, self.identity.is_app
        return GitHubRepository(
            self.identity.client(here, PUBLISH),
            checker=self.identity.client(here, CHECK) if app else None,
            failing=partial(self.failing, here) if app else None,
            full_name=here.full_name,
            base=here.default_branch,
            roadmap=run.roadmap,
            run=run.id,
            bot_login=await self.identity.bot_login(),
            url=f"{self.settings.github_server_url.rstrip('/')}/{here.full_name}",
            token=partial(self.identity.installation_token, here, READ),
            mirror=self.folders.mirror(here.id),
            memory=self.folders.stacks(here.id),
            after=after,
            now=self.around.clock.now,
            page=no_page if run.request.get("verify") else partial(self.page_link, run),
        )

    def api(self, repository: InstalledRepository, permissions: Permissions) -> RepositoryApi:
        """The API of a repository."""
        return RepositoryApi(self.identity.client(repository, permissions), repository.full_name)

    async def thread(self, event: Event) -> IssueThread:
        """The conversation that an event is part of. Raises ``Outage``."""
        on_lines, here = isinstance(event, ReviewCommented), event.repository
        return IssueThread(
            github=self.identity.client(here, CONVERSE_ON_LINES if on_lines else CONVERSE),
            repository=here,
            issue=event.issue,
            own_login=await self.identity.bot_login(here.installation_id),
            refusals=self.refusals,
            read_only=partial(self.read_only, here),
        )

    async def roadmap_now(self, request: RunRequested, path: str) -> bytes:
        """A roadmap as a new run would read it; empty if it does not exist. Raises ``Outage``."""
        row = row_of(request, path)
        if (apart := await self.apart(row)) or form_of(path).apart:
            return apart.get(path, b"")
        repository = await self.repository(row)
        now = await stacking.roadmap_now(repository, await repository.stack(), path)
        return now.content if now else b""

    async def apart(self, run: RunRequest) -> dict[str, bytes]:
        """The text of the issue that is a run's plan, as it was when somebody last asked for it."""
        if not form_of(run.roadmap).apart:
            return {}
        runs = await self.runs.newest(run.repository.id, run.roadmap, most=_MOST_ASKED)
        found = [each.request["told"] for each in (run, *runs) if each.request.get("told")]
        return {run.roadmap: str(found[0]).encode("utf-8", "replace")} if found else {}

    async def rules_of(self, repository: InstalledRepository) -> Rules:
        """Who may decide about proposals there, as its configuration says now."""
        group = (await self.config_or_default(repository)).permissions
        return Rules(need=group.decide, own_runs=group.own_runs)

    async def read_only(self, repository: InstalledRepository) -> bool:
        """Whether we write nothing there, as its configuration says now. Raises ``Outage``."""
        try:
            config = await self.config(repository)
        except ConfigError:
            return False  # people are told what is wrong with it
        return config.github_mode == "disabled"

    async def most_attempts(self, repository: InstalledRepository) -> int:
        """How often a repository lets a pull request be worked on again. Raises ``Outage``."""
        try:
            config = await self.config(repository)
        except ConfigError:
            return 0  # no run could begin, and people are told why
        return config.pull_requests.revisions

    async def config(self, repository: InstalledRepository) -> RepositoryConfig:
        """The configuration of a repository. Raises ``ConfigError``, ``Outage``."""
        github = self.identity.client(repository, READ)
        return await self.config_at(github, repository.full_name)

    async def config_or_default(self, repository: InstalledRepository) -> RepositoryConfig:
        """The configuration of a repository; the default if it has errors. Raises ``Outage``."""
        try:
            return await self.config(repository)
        except ConfigError:
            return RepositoryConfig()  # the run itself tells people what is wrong

    async def roadmap_of(self, request: RunRequested) -> str:
        """The roadmap a command means: the one it or its project names, or the configured one."""
        named, here = request.command.path or "", request.repository
        if {*"./#"} & {*named}:
            return named
        config = await self.config_or_default(here)
        if project := config.project(named):
            return await self.plan(here, project.plan_setting)
        return named or config.roadmap.path

    async def plans(
        self, repository: InstalledRepository, config: RepositoryConfig
    ) -> tuple[str, ...]:
        """The files that may be plans: the repository's own, and those of its projects."""
        own = [await self.plan(repository, setting) for setting in config.plans]
        return each_once(config.roadmap.path, own)

    async def plan(self, repository: InstalledRepository, setting: str) -> str:
        """The file that a path or pattern of the configuration means now. Raises ``Outage``."""
        github = self.identity.client(repository, READ)
        return await self.configs.plan(github, repository.full_name, setting)

    async def failing(self, repository: InstalledRepository) -> FailingChecks:
        """What fails on commits of a repository. Raises ``Outage``."""
        apis = (self.api(repository, kind) for kind in (CHECK, LOGS, STATUSES))
        return FailingChecks(*apis, bot_login=await self.identity.bot_login())

    async def _config_of(self, run: RunRequest, github: GitHubAPI) -> RepositoryConfig:
        """The configuration as it is for a run. Raises ``ConfigError``, ``Outage``."""
        config = await self.config_at(github, run.repository.full_name)
        return config if form_of(run.roadmap).apart else config.of_plan(run.roadmap)

    async def config_at(self, github: GitHubAPI, repository: str) -> RepositoryConfig:
        """The configuration of a repository. Raises ``ConfigError``, ``Outage``."""
        return self.overlay(await self.configs.read(github, repository))
