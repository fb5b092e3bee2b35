"""What a node may use besides the state: the ports, and what changes while it works."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

from runner.context.library import Index
from runner.errors import Outage, TaskError
from runner.loop.problems import StartCommands
from runner.loop.recorder import PastRuns
from runner.loop.workspace import File
from runner.ports import (
    Answers,
    ChatServer,
    Clock,
    Control,
    Decision,
    Decisions,
    Events,
    Journal,
    Memory,
    MemoryNote,
    Model,
    Repository,
    Reviews,
    Sandbox,
    SandboxSession,
    SandboxSpec,
    Serve,
    Skips,
    Spoken,
    Windows,
)
from runner.state.findings import Verification
from runner.state.revising import Revision, RevisionRequest
from runner.state.run_state import Attempt, RunState
from runner.text.mask import Mask

log = logging.getLogger(__name__)


class TaskSandbox:
    """The one sandbox session of the current task: opened when first needed, removed at its end.

    That of the first task may be the one in which it was seen that the tests start.

    Every verification starts in a fresh session: what an earlier answer left in the workspace, in
    HOME, in /tmp or as a process cannot reach it. The files stay where that is possible, and each
    of them is compared with the next tree. ``left`` is the tree the session was last filled with,
    ``holds`` its sha, '' once anything ran in it; ``session`` then renews it, or opens another one.
    ``blobs`` are contents that were read for it.
    ``verified`` keeps verifications by tree sha: a tree that was verified is not verified again.
    ``alone`` keeps what failing tests said when they were run several times without the change,
    ``flaky`` what those said that passed when they were run again. ``network`` is for commands that
    are led somewhere.
    """

    def __init__(self, verified: dict[str, Verification], *, network: bool = False) -> None:
        self._network = network
        self._session: SandboxSession | None = None
        self._task = self._image = ""
        self.holds = ""
        self.left: Mapping[str, File] = {}
        self.blobs: dict[str, bytes] = {}
        self.verified = verified
        self.alone: dict[tuple[str, str], frozenset[str]] = {}
        self.flaky: set[tuple[str, str, str]] = set()

    async def session(
        self, state: RunState, sandbox: Sandbox, image: str | None = None
    ) -> SandboxSession:
        """Return a session of the current task in which nothing ran; remove the previous one.

        ``image`` is the one that the current tree needs (None: the one that was asked for). A tree
        that needs another image gets another session. Raises ``Outage`` when there is no engine.
        """
        image = state.request.options.sandbox.image if image is None else image
        same = self._task in ("", state.current) and self._image == image
        if self._session and same and (self.holds or await self._session.renew()):
            self._task = state.current
            return self._session
        await self.close()
        self._session = await sandbox.open(
            replace(session_spec(state), image=image, network=self._network)
        )
        self._task, self._image = state.current, image
        return self._session

    async def close(self) -> None:
        """Remove the session, if there is one; without an engine, a later sweep removes it."""
        session, self._session = self._session, None
        self.holds, self.left, self.blobs = "", {}, {}
        if session is None:
            return
        try:
            await session.close()
        except Outage as outage:
            log.warning(
                "The sandbox of task %s could not be removed: %s", self._task, outage.message
            )


class StackTip:
    """The newest commit, to which parallel tasks add theirs, one at a time.

    ``newest`` is that commit and its branch, once one was added since the run was taken up;
    ``added`` are the attempts whose commits were. ``lock`` is held by whoever adds one.
    """

    def __init__(self) -> None:
        self.newest: tuple[str, str] | None = None
        self.added: dict[str, Attempt] = {}
        self.lock = asyncio.Lock()


class TaskWork:
    """What changes while a task is worked on; its nodes get it beside the state and the ports.

    ``sandbox`` is the task's own, or the run's; all tasks share ``tip`` and the verifications.
    """

    def __init__(
        self, tip: StackTip | None = None, verified: dict[str, Verification] | None = None
    ) -> None:
        self.tip = tip or StackTip()
        self.sandbox = TaskSandbox({} if verified is None else verified)

    def beside(self) -> TaskWork:
        """Return the work of a task of the run, with its own sandbox: the run's, if it is left."""
        work = TaskWork(self.tip, self.sandbox.verified)
        work.sandbox, self.sandbox = self.sandbox, work.sandbox
        return work


class NoDecisions:
    """The ``Decisions`` port for when nobody can decide later."""

    async def waiting(self, run: str) -> tuple[str, ...]:
        """Nothing was decided."""
        return ()

    async def take(self, run: str, task: str, step: str) -> Decision | None:
        """Nothing was decided."""
        return None


async def no_skips() -> frozenset[str]:
    """Every task counts."""
    return frozenset()


class NoReviews:
    """The ``Reviews`` port where no pull requests are reviewed."""

    async def asked(self, request: RevisionRequest) -> Revision:
        """There is none to revise."""
        raise TaskError("github", f"There is no pull request #{request.pull} here.")

    async def moved(self, revision: Revision) -> Revision:
        """There is none to revise."""
        raise TaskError("github", f"There is no pull request #{revision.pull} here.")


class NoChatServer:
    """The ``ChatServer`` port where no agents work."""

    def __call__(self, _model: str, _ask: Spoken, /) -> AbstractAsyncContextManager[Serve]:
        """There is none."""
        raise TaskError("environment", "No agent can work here.")


class NoMemory:
    """The ``Memory`` port where nothing is kept from run to run."""

    async def recall(self, words: Collection[str], paths: Collection[str]) -> tuple[str, ...]:
        """Nothing is known."""
        return ()

    async def remember(self, notes: Sequence[MemoryNote]) -> None:
        """Forget it."""


@dataclass(frozen=True)
class FileSearch:
    """What finds the files that a question shows.

    ``index`` keeps what is known of contents, shared by the runs of a process. ``windows`` say how
    much of them a model can read, and ``model`` is the one that is asked when a run names none: its
    tokens are counted.
    """

    index: Index = field(default_factory=Index)
    windows: Windows | None = None
    model: str = ""


@dataclass(frozen=True)
class EarlierRuns:
    """What is known from earlier runs: what they learned, and how they ended."""

    memory: Memory = field(default_factory=NoMemory)
    past: PastRuns = field(default_factory=PastRuns)


async def nobody_waits() -> bool:
    """Where one run has all the places there are."""
    return False


@dataclass(frozen=True)
class Deps:
    """The ports of one run.

    ``mask`` hides secrets in what a model is shown. ``start`` is what people type to start a run.
    ``outside`` are exceptions of the adapters, beside ``PortError``, that are no bugs. ``on_bug``
    hears of each bug that costs a task an answer (tests fail on it). ``apart`` is the text of a
    plan that is no file of the repository, by its path. ``others_wait`` says whether another run
    waits for the place of this one.
    """

    model: Model
    sandbox: Sandbox
    repository: Repository
    journal: Journal
    events: Events
    clock: Clock
    control: Control
    answers: Answers
    start: StartCommands
    decisions: Decisions = field(default_factory=NoDecisions)
    skips: Skips = no_skips
    earlier: EarlierRuns = field(default_factory=EarlierRuns)
    search: FileSearch = field(default_factory=FileSearch)
    reviews: Reviews = field(default_factory=NoReviews)
    chat_server: ChatServer = field(default_factory=NoChatServer)
    mask: Mask = field(default_factory=Mask)
    apart: Mapping[str, bytes] = field(default_factory=dict)
    outside: tuple[type[Exception], ...] = ()
    others_wait: Callable[[], Awaitable[bool]] = nobody_waits
    on_bug: Callable[[Exception], None] | None = None


def session_spec(state: RunState) -> SandboxSpec:
    """Return what a sandbox session of the current task may use."""
    options = state.request.options
    return SandboxSpec(
        run=state.request.id,
        task=state.current,
        image=options.sandbox.image,
        memory=options.sandbox.memory,
        disk=options.sandbox.disk,
        cpus=options.sandbox.cpus,
        pids=options.sandbox.pids,
        timeout=options.sandbox.test_timeout,
        retry=options.retry.of_sandbox,
    )
