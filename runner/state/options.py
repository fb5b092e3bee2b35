"""What was asked for: one run and its options, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal

from runner.retries.policy import RetryOptions
from runner.roadmap.task import Task
from runner.state.proposal import ApprovalMode
from runner.state.publishing import PullRequests, Push
from runner.state.revising import RevisionRequest
from runner.state.task_size import TaskSize, size_of

Planning = Literal["auto", "always", "never"]
AgentName = Literal["cairn", "aider", "mini-swe-agent", "codex", "claude", "command"]


@dataclass(frozen=True, slots=True)
class RoutingLimits:
    """The largest task that is taken without a plan: its words, named files and nested lines."""

    words: int = 40
    files: int = 2
    lines: int = 6


def plans_first(task: Task, planning: Planning, limits: RoutingLimits = RoutingLimits()) -> bool:
    """Say whether a task is planned before its context is built."""
    if planning != "auto":
        return planning == "always"
    largest = TaskSize(limits.words, limits.files, limits.lines)
    return size_of(task).exceeds(largest)


LONGEST_NOTE = 4_000
"""Characters of what a person adds to a task."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which tasks a run works on, and at most how many.

    ``task`` is a key or a written id, ``phase`` the number or heading of a phase or section,
    ``tasks`` keys beyond which nothing is worked on (empty: no such bound). ``retry`` takes
    ``task`` up though it was declined, skipped or has a proposal; ``note`` is what a person adds to
    it then. ``again`` is the run whose change for ``task`` is only verified once more: no model is
    asked. ``revision`` works on ``task`` again in its open pull request. ``fix`` says that the task
    is a fault to repair.
    """

    max_tasks: int = 10
    task: str = ""
    tasks: tuple[str, ...] = ()
    phase: str = ""
    retry: bool = False
    note: str = ""
    again: str = ""
    revision: RevisionRequest | None = None
    fix: bool = False

    @property
    def by_name(self) -> bool:
        """Say whether its one task is worked on whatever was decided about it before."""
        return self.retry or self.revision is not None

    @property
    def repairs(self) -> bool:
        """Say whether it repairs a fault, or what makes checks fail."""
        return self.fix or bool(self.revision and self.revision.failing)


@dataclass(frozen=True, slots=True)
class AttemptLimits:
    """What one attempt may use (docs/design.md).

    ``max_tokens`` are those of questions and answers, ``max_answer_tokens`` those of one answer,
    ``context_tokens`` those that show the repository in one question (both 0: as the model's window
    allows), ``looks`` how often a model may ask to see more of it before it answers (None: as its
    window allows). ``max_seconds`` is wall time, ``max_bytes`` the size of all files together.
    """

    max_iterations: int = 100
    max_answer_tokens: int = 0
    context_tokens: int = 0
    looks: int | None = None
    max_tokens: int = 200_000
    max_seconds: float = 3600.0
    max_files: int = 50
    max_bytes: int = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which models are asked, and how.

    ``roles`` are the models of single roles (planning, repairing, classifying, stronger, second);
    ``seed`` and ``temperature`` (of first answers) are passed on where they are given;
    ``timeout`` is in
    seconds without a word. ``window`` is how many tokens a model reads and writes at once (0: as
    its endpoint or name say). ``api`` is OpenAI's API by which they are asked, ``effort`` is how
    long they think before they answer ('': as they are used to); ``more`` is sent with every
    question as it stands.
    """

    model: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    temperature: float | None = None
    timeout: int = 300
    window: int = 0
    api: Literal["chat", "responses"] = "chat"
    effort: str = ""
    more: Mapping[str, object] = field(default_factory=dict)

    @property
    def thinks(self) -> bool:
        """Whether tokens of an answer are known to go into thoughts that nobody sees."""
        return self.effort not in ("", "none")

    def named(self, default: str) -> list[str]:
        """Every model that may be asked, each once; the one that writes code first."""
        names = (self.model or default, *self.roles.values())
        return [name for name in dict.fromkeys(names) if name]


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """Who writes code: ``cairn`` asks the model itself, others are programs that do so in the box.

    ``agent_command`` is the command line of the agent ``command``; ``agent_seconds`` is what one of
    its turns may take.
    """

    agent: AgentName = "cairn"
    agent_command: tuple[str, ...] = ()
    agent_seconds: float = 900.0


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How a change is verified.

    ``verify_commands`` verify instead of the tests that are found, ``verify_report`` is the pattern
    of the JUnit reports they write; failing tests are run again ``verify_reruns`` times.
    ``verify_tick`` is the verdict with which a checkout's box is ticked, ``verify_require`` the one
    that a change needs, or the loop tries again. ``verify_ask``: where nothing shows a change to do
    its task, a model is asked for a test that may. ``verify_folder`` is where the commands work
    ('': at the top). ``verify_regression``: the change is a repair, and a test is to fail before it
    and pass after it.
    """

    verify_mode: Literal["auto", "tests", "syntax", "agent", "off"] = "auto"
    verify_commands: tuple[tuple[str, ...], ...] = ()
    verify_report: str = ""
    verify_reruns: int = 1
    verify_tick: Literal["shown", "unbroken", "any"] = "shown"
    verify_require: Literal["shown", "unbroken", "none"] = "unbroken"
    verify_ask: bool = True
    verify_folder: str = ""
    verify_regression: bool = False


PREPARED_ROOM = 20 << 30
"""So many bytes everything that setup made may take together, if nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """Where the code of the repository runs, and how that is prepared.

    Sizes are in bytes; ``test_timeout`` (seconds) is for one test run. ``setup`` are the commands
    that install what the tests need, ``setup_files`` patterns of files they read besides the
    usual ones, ``setup_network`` is for them alone, with ``setup_changed`` also where
    the files that say what is installed are not those of the base branch; ``project`` is whose the
    result is.
    """

    image: str = ""
    memory: int = 1 << 30
    disk: int = 512 << 20
    cpus: float = 1.0
    pids: int = 256
    test_timeout: float = 300.0
    setup: tuple[tuple[str, ...], ...] = ()
    setup_files: tuple[str, ...] = ()
    setup_network: bool = False
    setup_changed: bool = True
    project: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalOptions:
    """What a person is asked about.

    ``recovery`` False leaves a failed task failed; ``approval_mode`` says who is asked about a
    proposal, ``pause_destructive`` that a change set which destroys something waits for a person.
    ``protect`` are path patterns not to be written, ``pause_protected`` those a person is asked
    about.
    """

    recovery: bool = True
    approval_mode: ApprovalMode = "interactive"
    pause_destructive: bool = False
    protect: tuple[str, ...] = ()
    pause_protected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """What is remembered of a run.

    ``history_days`` is how long records are kept; ``history_details`` says whether nodes get
    rows of their own.
    """

    history: bool = True
    history_days: int = 90
    history_details: bool = True


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    """The projects of a repository, and which of them the run's plan belongs to.

    ``name`` and ``folder`` are empty where it is the whole repository's. ``plans`` are the paths or
    patterns of the plans of all of them, by name.
    """

    name: str = ""
    folder: str = ""
    plans: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Options:
    """How a run works.

    ``parallel`` is how many independent tasks may be worked on at the same time, ``patterns`` says
    whether tasks that a pattern fits are done without a model, ``grouping`` how
    many small neighbours may be worked on as one. ``routing`` says which tasks are planned first
    with ``auto``, ``memory_notes`` how many notes of earlier runs a question may show (0: none, and
    nothing is remembered). ``pull_requests`` says how pull requests build on each other,
    ``open_pull_requests`` how many may wait for people at once (0: any number). ``push`` says
    whether a change is pushed before a person approved it.
    """

    parallel: int = 1
    patterns: bool = True
    loop: str = "hybrid"
    grouping: int = 1
    planning: Planning = "auto"
    routing: RoutingLimits = field(default_factory=RoutingLimits)
    memory_notes: int = 12
    pull_requests: PullRequests = "stacked"
    open_pull_requests: int = 0
    push: Push = "at_once"
    scope: Scope = field(default_factory=Scope)
    limits: AttemptLimits = field(default_factory=AttemptLimits)
    models: ModelOptions = field(default_factory=ModelOptions)
    agents: AgentOptions = field(default_factory=AgentOptions)
    verify: VerifyOptions = field(default_factory=VerifyOptions)
    sandbox: SandboxOptions = field(default_factory=SandboxOptions)
    approvals: ApprovalOptions = field(default_factory=ApprovalOptions)
    remembers: HistoryOptions = field(default_factory=HistoryOptions)
    retry: RetryOptions = field(default_factory=RetryOptions)
    projects: ProjectOptions = field(default_factory=ProjectOptions)


def with_given(options: Options, given: Mapping[str, Any]) -> Options:
    """Return the options with what the command line gives: fields of any group, by their names."""
    changes: dict[str, Any] = {}
    for each in fields(options):
        held: Any = getattr(options, each.name)
        if each.name in given:
            changes[each.name] = given[each.name]
        elif is_dataclass(held) and not isinstance(held, type):
            inner = {f.name: given[f.name] for f in fields(held) if f.name in given}
            changes[each.name] = replace(held, **inner)
    return replace(options, **changes)


@dataclass(frozen=True, slots=True)
class Request:
    """One run as it was asked for; ``id`` names it everywhere."""

    id: str
    roadmap: str = "ROADMAP.md"
    options: Options = field(default_factory=Options)
