"""What a node may use besides the state: the ports, and the box of the task in hand."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from runner.context.library import Index
from runner.errors import Outage
from runner.loop.problems import ON_GITHUB, StartCommands
from runner.ports import (
    Answers,
    Clock,
    Control,
    Decision,
    Decisions,
    Embedder,
    Events,
    Journal,
    Memory,
    MemoryNote,
    Model,
    Repository,
    Sandbox,
    SandboxSession,
    SandboxSpec,
    Skips,
)
from runner.state.findings import Verification
from runner.state.run_state import Attempt, RunState
from runner.text.mask import Mask

log = logging.getLogger(__name__)


class TaskSandbox:
    """The one box of the task in hand: opened when first needed, gone when the task ends.

    Every verification starts in a fresh box: what an earlier answer left in the workspace, in HOME,
    in /tmp or as a process cannot reach it. ``holds`` is the tree sha the box was last filled with,
    '' once anything ran in it; ``box`` then opens another one. ``verified`` keeps verifications by
    tree sha: a tree that was verified is not verified again.
    """

    def __init__(self, sandbox: Sandbox, verified: dict[str, Verification]) -> None:
        self._sandbox = sandbox
        self._box: SandboxSession | None = None
        self._task = self._image = ""
        self.holds = ""
        self.verified = verified

    async def box(self, state: RunState, image: str | None = None) -> SandboxSession:
        """Return a box of the task in hand in which nothing ran; the one before is removed.

        ``image`` is the one the tree in hand needs (None: the one that was asked for): a tree that
        needs another image gets another box. Raises ``Outage`` when there is no engine.
        """
        image = state.request.options.sandbox.image if image is None else image
        kept = self.holds and (self._task, self._image) == (state.current, image)
        if self._box is None or not kept:
            await self.close()
            self._box = await self._sandbox.open(replace(box_spec(state), image=image))
            self._task, self._image = state.current, image
        return self._box

    async def close(self) -> None:
        """Remove the box, if there is one; when the engine is gone, a later sweep removes it."""
        box, self._box, self.holds = self._box, None, ""
        if box is None:
            return
        try:
            await box.close()
        except Outage as outage:
            log.warning("The box of task %s could not be removed: %s", self._task, outage.message)


class StackTip:
    """The line of commits that tasks side by side add to, one at a time.

    ``tip`` is the newest commit that was added since the run was taken up, and its branch;
    ``added`` are the attempts whose commits were.
    """

    def __init__(self) -> None:
        self.tip: tuple[str, str] | None = None
        self.added: dict[str, Attempt] = {}
        self.held = asyncio.Lock()


class NoDecisions:
    """The ``Decisions`` port where nobody is there to decide later."""

    async def waiting(self, run: str) -> tuple[str, ...]:
        """Nothing was decided."""
        return ()

    async def take(self, run: str, task: str, step: str) -> Decision | None:
        """Nothing was decided."""
        return None


class NoSkips:
    """The ``Skips`` port where nothing is left out."""

    async def skipped(self) -> frozenset[str]:
        """Every task counts."""
        return frozenset()


class NoMemory:
    """The ``Memory`` port where nothing is kept from run to run."""

    async def recall(self, words: Collection[str], paths: Collection[str]) -> tuple[str, ...]:
        """Nothing is known."""
        return ()

    async def remember(self, notes: Sequence[MemoryNote]) -> None:
        """Forget it."""


@dataclass(frozen=True)
class Deps:
    """The ports of one run.

    ``index`` keeps what is known of contents, shared by the runs of a process. ``model_name`` is
    the model that is asked when a run names none: its tokens are counted. ``mask`` hides secrets in
    what a model is shown. ``start`` is what people type to start a run here.
    """

    model: Model
    sandbox: Sandbox
    repository: Repository
    journal: Journal
    events: Events
    clock: Clock
    control: Control
    answers: Answers
    decisions: Decisions = field(default_factory=NoDecisions)
    skips: Skips = field(default_factory=NoSkips)
    memory: Memory = field(default_factory=NoMemory)
    index: Index = field(default_factory=Index)
    embedder: Embedder | None = None
    model_name: str = ""
    start: StartCommands = ON_GITHUB
    mask: Mask = field(default_factory=Mask)
    verified: dict[str, Verification] = field(default_factory=dict)
    line: StackTip = field(default_factory=StackTip)
    bench: TaskSandbox = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bench", TaskSandbox(self.sandbox, self.verified))

    def alone(self) -> Deps:
        """Return the same ports with a box of their own, for one task."""
        return replace(self)


def box_spec(state: RunState) -> SandboxSpec:
    """Return what a box of the task in hand may use."""
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
    )
