"""What the loop needs of the outside, as narrow as its use. Adapters raise ``PortError`` only."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal, Protocol, runtime_checkable

from runner.errors import Outage
from runner.history.inquiry import HistoryQuery, Recalled, Totals
from runner.history.records import Execution
from runner.prompts.questions import Answer, Call, Message, Question
from runner.retries.policy import ONCE, RetryPolicy
from runner.roadmap.task import NewTask
from runner.state.changes import Snapshot
from runner.state.events import Event
from runner.state.publishing import Checkpoint, Proposed, Published, Stack
from runner.state.publishing import HumanCommits as Handed
from runner.state.revising import Revision, RevisionRequest


class Model(Protocol):
    async def ask(self, question: Question) -> Answer:
        """Ask once (transport retries inside).

        Raises ``Outage`` (unreachable, rate limit, bad credential, unknown model) or ``TaskError``
        (this question is refused: too long, content filter).
        """


class Windows(Protocol):
    async def window(self, model: str) -> int | None:
        """Return how many tokens a model reads and writes at once ('': the default model's).

        None if nobody knows.
        """


class Endpoint(Model, Windows, Protocol):
    """Where all of these are asked for, and what costs money is paid for out of one purse."""

    async def shutdown(self, model: str) -> date | None:
        """Return the day from which a model no longer answers ('': the default model).

        None if no such day is known.
        """


@dataclass(frozen=True, slots=True)
class CommandResult:
    """A command that ended (or was ended). Streams are cut at the sandbox's output limit.

    ``image`` says whether its programs are those of an image, and not this machine's own.
    """

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    truncated: bool = False
    image: bool = True


Ran = Callable[[Sequence[str], CommandResult, float], Awaitable[None]]
"""Is told of a command that ended, with its result and its seconds."""


async def unheard(_command: Sequence[str], _result: CommandResult, _seconds: float) -> None:
    """Nobody is told."""


class SandboxSession(Protocol):
    """One opened sandbox: a workspace folder and commands that run in it."""

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        """Run a command in the workspace; ``timeout`` in seconds (None: the sandbox's own).

        A command that fails or is not found (127) is a result, not an error. Raises ``Outage``
        when the engine is gone.
        """

    async def renew(self) -> bool:
        """Become as if just opened, but for the files in the workspace, which stay.

        False where that cannot be done; then it has to be closed. Raises ``Outage``.
        """

    async def close(self) -> None:
        """Remove the sandbox and everything in it; doing it twice is harmless."""


TOO_SMALL = "The workspace is too small for the files; raise the sandbox's disk limit."


@runtime_checkable
class HostSession(SandboxSession, Protocol):
    """A session whose workspace is a folder of this machine, which Cairn itself writes."""

    @property
    def prepared(self) -> bool:
        """Whether there is something that setup or the checkout installed."""

    async def fill(self, files: Mapping[str, tuple[str, bytes]]) -> None:
        """Make the workspace equal to a tree (path → git mode and content), and read it back.

        Raises ``TaskError`` when the workspace cannot hold the tree; it is left empty.
        """


Serve = Callable[[Any, Any], Awaitable[None]]
"""Answers one connection, an ``asyncio.StreamReader`` and ``StreamWriter`` the caller closes."""


@runtime_checkable
class LedSession(SandboxSession, Protocol):
    """A session whose commands can be led to a server of Cairn's, and to nothing else."""

    def led(self, serve: Serve) -> AbstractAsyncContextManager[str]:
        """Have ``serve`` answer what its commands connect to; gives that ``HOST:PORT``.

        Raises ``Outage`` where it cannot be done.
        """


def led(session: SandboxSession, serve: Serve) -> AbstractAsyncContextManager[str]:
    """Lead the commands of a session to ``serve``. Raises ``Outage`` where it is not led."""
    if not isinstance(session, LedSession):
        raise Outage("sandbox", "In this sandbox an agent cannot reach the model.")
    return session.led(serve)


class Spoken(Protocol):
    async def __call__(
        self,
        messages: tuple[Message, ...],
        *,
        temperature: float,
        max_tokens: int | None,
        call: Call | None = None,
    ) -> tuple[str, str]:
        """Return the text of the model's answer and its finish reason; see ``Question.call``.

        Raises ``PortError``; then there is none, and asking again is no use.
        """


class ChatServer(Protocol):
    def __call__(self, model: str, ask: Spoken, /) -> AbstractAsyncContextManager[Serve]:
        """Speak OpenAI's API, with one ``model``, to a program; ``ask`` answers for it."""


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """What a sandbox may use. ``memory`` and ``disk`` (the workspace's size) in bytes.

    ``retry`` says how often it is tried to open one.
    """

    run: str
    task: str
    image: str = ""
    network: bool = False
    memory: int = 1 << 30
    disk: int = 512 << 20
    cpus: float = 1.0
    pids: int = 256
    output: int = 4 << 20
    timeout: float = 300.0
    retry: RetryPolicy = ONCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Commands that install what a project's tests need; their result is kept and used again.

    ``inputs`` is a digest of the files they read, ``project`` says whose they are (each project
    keeps few results), ``network`` is for these commands only, ``timeout`` (seconds) for each.
    ``variables`` are set for them.
    """

    commands: tuple[tuple[str, ...], ...]
    inputs: str
    project: str = ""
    network: bool = False
    timeout: float = 1800.0
    variables: tuple[tuple[str, str], ...] = ()


Fill = Callable[[SandboxSession], Awaitable[None]]
"""Puts the tree into a session."""


class Sandbox(Protocol):
    @property
    def name(self) -> str:
        """docker, bubblewrap or process."""

    @property
    def installed(self) -> bool:
        """Whether commands find what the user has installed here and in the checkout."""

    async def check(self) -> None:
        """Raise ``Outage`` with what to do when the engine does not work."""

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        """Create a sandbox. Raises ``Outage`` when the engine is down or the image is missing."""

    async def prepare(self, spec: SandboxSpec, setup: Setup, fill: Fill, ran: Ran = unheard) -> str:
        """Return the image that holds what the commands made, for ``SandboxSpec.image``.

        They run once for an image, commands and inputs, in a session that ``fill`` has filled with
        the tree; ``ran`` is told of each that ended. Raises ``TaskError`` (kind ``environment``)
        when a command fails, ``Outage`` when the engine does.
        """

    async def kept(self) -> int:
        """Return how many bytes the results of setup commands take."""

    async def sweep(self) -> int:
        """Remove what killed workers left behind; return how many there were."""


class Repository(Protocol):
    async def stack(self) -> Stack:
        """Find where to start. Raises ``Outage`` when the repository cannot be read."""

    async def snapshot(self, commit: str) -> Snapshot:
        """Return the exact tree of a commit, from git objects."""

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        """Return contents by blob sha, byte for byte."""

    async def tags(self, commit: str) -> tuple[str, ...]:
        """Return the names of the tags on a commit and on what it is made from.

        Only those that are here already: none are fetched. Raises ``Outage``.
        """

    async def publish_checkpoint(self, checkpoint: Checkpoint) -> Published:
        """Commit exactly the change set and publish it; doing it twice leaves one.

        Raises ``TaskError`` when this change set is refused, ``Outage`` otherwise.
        """

    async def publish_proposal(self, proposed: Proposed) -> Published:
        """Put a proposal before people; doing it twice leaves one.

        Another fingerprint for the same task is a new comment on the same pull request. On a
        checkout there is nothing to show: the report and the command line do.
        Raises ``TaskError`` when it is refused, ``Outage`` otherwise.
        """

    async def end_proposal(self, task: str, *, ready: bool, why: str) -> None:
        """Say how a proposal ended: its pull request is ready for people, or closed."""

    async def human_commits(self, task: str, tip: str) -> Handed | None:
        """Return what people pushed to the branch of a task's proposal and no run has used yet.

        ``tip`` is the commit a run builds on. On a checkout there are no such branches. Raises
        ``Outage``.
        """


class Reviews(Protocol):
    """What reviewers ask of a checkpoint, and the branch it is on."""

    async def asked(self, request: RevisionRequest) -> Revision:
        """Return what a revision is about, as it is now.

        Raises ``TaskError`` if the pull request cannot be revised, ``Outage``.
        """

    async def moved(self, revision: Revision) -> Revision:
        """Return the same revision on the newest commit of its branch. Raises as ``asked``.

        A repair of anybody's pull request cannot move: ``BranchMoved``.
        """


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One journal row: after ``seq`` steps of this cursor the next node is ``node``.

    ``task`` is empty for the run's own cursor. ``data`` is JSON; contents are held by reference
    (``{"$blob": sha}``) and handed over beside it.
    """

    run: str
    task: str
    seq: int
    node: str
    data: dict[str, object]


class Journal(Protocol):
    """What happened, row by row. Key (run, task, seq); the first writer of a key wins."""

    async def save(self, row: JournalRow, contents: dict[str, bytes]) -> JournalRow:
        """Store the row (once) and its contents; return the row that is stored."""

    async def recall(self, run: str) -> list[JournalRow]:
        """Return the newest row of every cursor of the run."""

    async def content(self, sha: str) -> bytes:
        """Return a content that was saved with a row."""


class Answers(Protocol):
    """The model's answers as they came: what was paid for once is not asked for again."""

    async def recall(self, run: str, question: str) -> Answer | None:
        """Return the answer to a question of the run, if there was one."""

    async def keep(self, run: str, question: str, answer: Answer) -> None:
        """Store an answer; the first one of a question stays."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person said about a parked task; ``by`` is who, ``why`` what they added.

    ``fingerprint`` names the proposal it answers ('' for any of the task), ``channel`` how it was
    said (reaction, reply, review, check, merge, close, prompt ...), ``at`` when (ISO, UTC).
    ``tasks`` are those of an ``edit``, which replaces the proposed ones and approves. ``defer`` is
    what becomes of a proposal that nobody answered. ``pushed`` decides nothing: somebody pushed to
    the proposal's branch.
    """

    task: str
    verdict: Literal["approve", "reject", "skip", "edit", "defer", "pushed"]
    by: str
    why: str = ""
    channel: str = ""
    at: str = ""
    fingerprint: str = ""
    tasks: tuple[NewTask, ...] = ()


class Decisions(Protocol):
    """The inbox of decisions: the first one stored about a proposal is the one that counts."""

    async def waiting(self, run: str) -> tuple[str, ...]:
        """Return the tasks of the run with a decision not applied yet, the oldest first."""

    async def take(self, run: str, task: str, step: str) -> Decision | None:
        """Return the decision that ``step`` of the task applies: always the same for one step.

        None when there is none (yet). A decision goes to one step only.
        """


Skips = Callable[[], Awaitable[frozenset[str]]]
"""Returns the keys of the tasks that people want left out, also later. Raises ``Outage``."""


MemoryKind = Literal[
    "files", "decisions", "runs", "failures", "successes", "conventions", "patterns"
]


@dataclass(frozen=True, slots=True)
class MemoryNote:
    """One thing worth knowing in later runs; a newer note of the same kind and subject replaces it.

    ``about`` is a path, a task's key or a reason; ``text`` one line for a model to read. ``count``
    says how many runs saw a pattern.
    """

    kind: MemoryKind
    about: str
    text: str
    run: str = ""
    count: int = 1


class Memory(Protocol):
    """What is known of the project across runs. Neither method raises: knowing is not the work."""

    async def recall(self, words: Collection[str], paths: Collection[str]) -> tuple[str, ...]:
        """Return texts that share search terms with a task, the most useful first.

        ``paths`` are those of the tree: a note about a file that is gone says nothing.
        """

    async def remember(self, notes: Sequence[MemoryNote]) -> None:
        """Keep notes; the same ones once more change nothing."""


class History(Protocol):
    """What all runs did. Every method raises ``Outage`` when it cannot be read or written."""

    async def record(self, execution: Execution, *, details: bool = True) -> None:
        """Keep a record; a newer one of the same attempt takes its place and keeps its time.

        ``details`` says whether nodes and commands get rows of their own.
        """

    async def totals(self, query: HistoryQuery) -> Totals:
        """Return what the records add up to, by day."""

    async def recent(self, query: HistoryQuery) -> Recalled:
        """Return the newest records, without their nodes and commands."""

    async def of_run(self, run: str) -> Recalled:
        """Return the records of a run with their nodes and commands, the oldest first."""

    async def forget(self, repository_id: int, before: int) -> None:
        """Delete everything about a repository from before a day (counted from 1970, UTC)."""


class Events(Protocol):
    async def emit(self, event: Event) -> None:
        """Report an event; never raises, so that reporting cannot stop the work."""


class Clock(Protocol):
    def now(self) -> datetime:
        """The time, in UTC."""

    def monotonic(self) -> float:
        """Seconds for durations; never goes backwards."""


class Control(Protocol):
    async def check(self, run: str) -> None:
        """Raise ``Stopped`` when a person asked to pause or cancel the run."""


class SystemClock(Clock):
    """The machine's own time."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds from a point that never changes while the process lives."""
        return time.monotonic()


class Fanout:
    """Several ``Events`` ports as one, called in order."""

    def __init__(self, *listeners: Events) -> None:
        self._listeners = listeners

    async def emit(self, event: Event) -> None:
        """Call each listener."""
        for listener in self._listeners:
            await listener.emit(event)
