"""The repository's configuration, ``.github/cairn.yml`` of the default branch: every key.

An unknown key is refused with its line. An absent file, an empty file and an empty group all mean
the defaults.
"""

from __future__ import annotations

import logging
import shlex
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from runner.checks.paths import DEFAULT_PROTECT, frees_built_in
from runner.config.reading import (
    ConfigError,
    ConfigProblem,
    Unreadable,
    check_size,
    not_a_file,
    problems_of,
    read_yaml,
)
from runner.config.values import (
    GIB,
    KIB,
    MIB,
    Command,
    Image,
    Items,
    Label,
    Reviewer,
    Size,
    Word,
    gitignore,
    inside,
    project_folder,
    project_name,
    report_pattern,
)
from runner.retries.policy import RetryPolicy
from runner.state.changes import SUBMODULE, SYMLINK, TreeEntry
from runner.state.error_types import ErrorType
from runner.state.options import AgentName, Planning
from runner.state.proposal import ApprovalMode
from runner.state.publishing import PullRequests, Push
from runner.text.sanitize import as_typed

log = logging.getLogger(__name__)

__all__ = [
    "CONFIG_PATH",
    "ConfigError",
    "ConfigProblem",
    "RepositoryConfig",
    "check_size",
    "config_entry",
    "config_schema",
    "not_a_file",
    "parse_config",
]

CONFIG_PATH = ".github/cairn.yml"
GitHubMode = Literal["best_effort", "fail_fast", "disabled"]


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class RoadmapGroup(_Group):
    """Which roadmap a run reads when none is named."""

    path: Annotated[Word, AfterValidator(inside)] = Field(
        default="ROADMAP.md",
        description="Path of the roadmap or plan in the repository, or a pattern "
        "(`specs/*/tasks.md`): Cairn then works on the match that has open tasks. Without a "
        "`ROADMAP.md`, it works on the plan of another tool (docs/plans.md) that has open tasks.",
    )
    label: Word = Field(
        default="roadmap",
        description="Label of the open issues that `/execute setup` turns into tasks of a first "
        "roadmap, if there is none.",
    )


EXTRA_BODY = (
    "chat_template_kwargs",
    "enable_thinking",
    "min_p",
    "reasoning",
    "reasoning_format",
    "repetition_penalty",
    "think",
    "thinking",
    "thinking_budget",
    "top_k",
    "top_p",
)
"""How long a model thinks and how it draws its words, by names of several servers.

Nothing that may raise what an answer costs (its number, its length, the class of service).
"""


def _only_thoughts(more: dict[str, object]) -> dict[str, object]:
    if unknown := sorted(more.keys() - set(EXTRA_BODY)):
        raise ValueError(f"may not have {', '.join(unknown)}; it may have {', '.join(EXTRA_BODY)}")
    return more


class ModelGroup(_Group):
    """Which models are asked for what; each falls back to ``name``, that to the server's own."""

    name: Word | None = Field(default=None, description="The model that writes code.")
    planning: Word | None = Field(default=None, description="The model that plans.")
    repairing: Word | None = Field(default=None, description="The model that repairs.")
    classifying: Word | None = Field(
        default=None, description="The model that says why a task failed and what to do."
    )
    stronger: Word | None = Field(
        default=None,
        description="The model asked once two answers have failed. Another one that is only as "
        "good helps, too, where it makes other mistakes.",
    )
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1, description="Seed of every answer.")
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="Temperature of first answers (default: 0.2)."
    )
    timeout: int = Field(
        default=300,
        ge=10,
        le=7200,
        description="Seconds without output from the model after which it is asked again. A whole "
        "answer may take four times as long; what has come by then is continued.",
    )
    window: int | None = Field(
        default=None,
        ge=1024,
        le=100_000_000,
        description="The model's context window: tokens of a question and its answer together. Set "
        "it if Cairn cannot tell from the server or the model's name.",
    )
    api: Literal["chat", "responses"] = Field(
        default="chat",
        description="Which of OpenAI's APIs is used to ask models: chat completions, which every "
        "server has, or responses.",
    )
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = Field(
        default=None,
        description="How long a model thinks before it answers (`reasoning_effort`), if it "
        "supports that. Thoughts count as part of the answer, so answers may then be twice as "
        "long.",
    )
    extra_body: Annotated[dict[str, object], AfterValidator(_only_thoughts)] = Field(
        default_factory=dict,
        description="Sent as it is with every question, for servers that use other names for the "
        "effort or the sampling. It may have "
        + ", ".join(f"`{name}`" for name in EXTRA_BODY)
        + ".",
    )

    @property
    def roles(self) -> dict[str, str]:
        """Models by role, those that are named."""
        named = {
            "planning": self.planning,
            "repairing": self.repairing,
            "classifying": self.classifying,
            "stronger": self.stronger,
        }
        return {role: model for role, model in named.items() if model}


def _named(value: Any) -> Any:
    """One name alone is that of the model, or agent, that writes."""
    return {"name": value} if isinstance(value, str) else value


class AgentGroup(_Group):
    """Who writes the code of a task."""

    name: AgentName = Field(
        default="cairn",
        description="cairn asks the model itself. aider, mini-swe-agent, codex and claude are "
        "programs that work in the sandbox, which must have them, and ask the model through Cairn. "
        "command is any other program.",
    )
    command: Command = Field(
        default=(),
        description="The command line to start, if the agent is command. It works in the folder "
        "it is started in; CAIRN_TASK_FILE names the file that says what to do, CAIRN_MODEL the "
        "model.",
    )
    minutes: int = Field(
        default=15, ge=1, le=240, description="Minutes that one turn of the agent may take."
    )

    @model_validator(mode="after")
    def _with_command(self) -> AgentGroup:
        if (self.name == "command") != bool(self.command):
            raise ValueError(
                "has a `command`, which only the agent `command` may have; remove it"
                if self.command
                else "needs a `command`, the command line to start"
            )
        return self


class IssuesGroup(_Group):
    """Issues that are tasks themselves."""

    label: Word | Literal[""] = Field(
        default="",
        description="Label that makes an issue a task, if somebody with *write* puts it on: Cairn "
        "works on the issue and opens a pull request that closes it. Empty: none does.",
    )


class TriggersGroup(_Group):
    """What starts work besides a comment."""

    push: Literal["execute", "plan", "off"] = Field(
        default="plan",
        description="A push that changes the roadmap: execute runs the new or changed open tasks, "
        "plan shows them in an issue, off does nothing. The Action's default is execute.",
    )


class PermissionsGroup(_Group):
    """Who may decide about proposals."""

    decide: Literal["write", "maintain", "admin"] = Field(
        default="maintain", description="The lowest permission that may approve or reject."
    )
    own_runs: bool = Field(
        default=True,
        description="Whoever started a run may also decide in it, with the write permission.",
    )


class PullRequestsGroup(_Group):
    """How checkpoints come before people."""

    strategy: PullRequests = Field(
        default="stacked",
        description="stacked: one pull request per task, each on the one before. independent: each "
        "on the default branch, or on the branch of the task it depends on. single: one pull "
        "request per run, with a commit for each task.",
    )
    push: Push = Field(
        default="at_once",
        description="approved: no code that a model wrote is pushed before somebody who may decide "
        "has approved it, and a run has one pull request open at a time (docs/security.md). No "
        "effect on a checkout, where nothing is pushed.",
    )
    revisions: int = Field(
        default=3,
        ge=0,
        le=20,
        description="How often Cairn may change one pull request because reviewers ask, how often "
        "because of conflicts, and how often `/execute fix` may try to repair one; 0: never.",
    )
    ci_repairs: int = Field(
        default=1,
        ge=0,
        le=5,
        description="How often Cairn may change one pull request because checks of other apps (CI) "
        "fail on it; 0: never.",
    )
    draft: Literal["auto"] | bool = Field(
        default="auto",
        description="Open pull requests as drafts, where the repository can have drafts. auto: if "
        "no test shows changed code to do its task; not for text, or in a stack of GitHub.",
    )
    merge: Literal["never", "auto"] = Field(
        default="never",
        description="auto: enable GitHub's auto-merge on a pull request that builds on no open one "
        "and whose task is shown by tests that stood there, if its branch demands a review. GitHub "
        "then merges it once it is approved and meets all rules of the branch. Cairn itself never "
        "merges. No effect in the Action or on a checkout.",
    )
    native_stack: Literal["off", "auto"] = Field(
        default="off",
        description="auto: make pull requests that build on each other a stack of GitHub's own (a "
        "public preview), where GitHub offers that. A refusal is a warning.",
    )
    labels: Items[Label] = Field(
        default=(), max_length=20, description="Labels that new pull requests get."
    )
    reviewers: Items[Reviewer] = Field(
        default=("requester",),
        max_length=15,
        description="Who is asked to review new pull requests: logins, teams like org/team, and "
        "the word requester for whoever asked for the run. An empty list asks nobody.",
    )


Dollars = Annotated[float, Field(gt=0, le=1_000_000)]


class LimitsGroup(_Group):
    """How much a run may do."""

    tasks: int = Field(
        default=1000,
        ge=1,
        le=1000,
        description="The most tasks that one run may work on.",
    )
    open_pull_requests: int = Field(
        default=5,
        ge=1,
        le=1000,
        description="The most pull requests of Cairn that may be open at the same time, for one "
        "roadmap. A run that has reached the limit continues when one is merged or closed.",
    )
    parallel: int = Field(
        default=1,
        ge=1,
        le=16,
        description="How many tasks one run may work on at the same time: those that depend on "
        "nothing unfinished and name no file in common. Each has a sandbox of its own.",
    )
    iterations: int = Field(
        default=100, ge=1, le=1000, description="The most steps of one attempt at a task."
    )
    tokens_per_task: int = Field(
        default=200_000,
        ge=1000,
        le=100_000_000,
        description="Tokens of questions and answers that one task may use.",
    )
    tokens_per_run: int | None = Field(
        default=None,
        ge=1000,
        le=1_000_000_000,
        description="Tokens of questions and answers that one run may use. The most that an answer "
        "can use is reserved: a run pauses before a question that could exceed a limit.",
    )
    cost_per_task: Dollars | None = Field(
        default=None,
        description="USD that one attempt at a task may cost; then the task fails. If not even its "
        "first question fits, the run pauses.",
    )
    cost_per_run: Dollars | None = Field(
        default=None, description="USD that one run may cost; then it pauses."
    )
    cost_per_day: Dollars | None = Field(
        default=None,
        description="USD that all runs of the repository together may cost in a day (UTC); then "
        "they pause until the next day.",
    )
    context_tokens: int | None = Field(
        default=None,
        ge=500,
        le=200_000,
        description="The most tokens of the repository that one question shows; by default a "
        "quarter of the model's window, at most 32,000, and 4,000 if the window is not known.",
    )
    answer_tokens: int | None = Field(
        default=None,
        ge=256,
        le=200_000,
        description="Tokens of one answer; a longer answer is continued at most twice. By default "
        "8,192; less for small windows, 16,384 for windows of 128,000 and more.",
    )
    looks: Literal["auto"] | Annotated[int, Field(ge=0, le=3)] = Field(
        default="auto",
        description="How often a model may ask to see more of the repository in one attempt. auto: "
        "three times if its window is known and has at least 32,000 tokens, else never.",
    )
    files: int = Field(default=50, ge=1, le=3000, description="Files that one task may change.")
    patch_size: Annotated[Size, Field(ge=KIB, le=100 * MIB)] = Field(
        default=MIB, description="Size of all files that one task writes, like 512k or 1m."
    )
    minutes: int = Field(default=60, ge=1, le=1440, description="Minutes that one task may take.")
    queue_minutes: int | None = Field(
        default=None,
        ge=1,
        le=10_080,
        description="Minutes that a run may wait in the queue for its first turn. A run that has "
        "waited longer does not start any more: it says so and times out. By default it waits as "
        "long as it takes.",
    )


class SandboxGroup(_Group):
    """Where a task's code runs, and what it may use there."""

    image: Image | None = Field(
        default=None, description="Container image; the server's own if it is not set."
    )
    memory: Annotated[Size, Field(ge=64 * MIB, le=64 * GIB)] = Field(
        default=GIB, description="Memory, like 512m or 1g."
    )
    cpus: float = Field(default=1.0, ge=0.1, le=64, description="Processors.")
    pids: int = Field(default=256, ge=16, le=32768, description="Processes at the same time.")
    timeout: int = Field(
        default=300, ge=1, le=7200, description="Seconds that one command may take."
    )
    setup: Annotated[Items[Command], Field(max_length=20)] = Field(
        default=(),
        description="Commands that install what the tests need; the result is reused until a lock "
        "file changes.",
    )
    setup_files: Annotated[
        Items[Annotated[Word, AfterValidator(gitignore)]], Field(max_length=50)
    ] = Field(
        default=(),
        description="Files that setup reads besides lock files and manifests, as gitignore "
        "patterns.",
    )
    network: Literal["none", "setup"] = Field(
        default="none", description="setup lets the setup commands, and only them, use the network."
    )

    @field_validator("image")
    @classmethod
    def _allowed(cls, value: str | None, info: ValidationInfo) -> str | None:
        """Refuse an image the operator does not allow (a checkout allows any)."""
        allowed = (info.context or {}).get("images")
        if value is None or allowed is None or value in allowed:
            return value
        other = f"Allowed: {', '.join(allowed)}" if allowed else "None is allowed; remove the key"
        raise ValueError(f"image, `{value}`, is not allowed here. {other}")


Seconds = Annotated[float, Field(ge=0, le=120)]


class RetryGroup(_Group):
    """How often one thing outside is tried, and how long Cairn waits in between."""

    attempts: int = Field(default=4, ge=1, le=10, description="The most tries; 1: only one.")
    first: Seconds = Field(
        default=1.0, description="Seconds before the second try, doubled for each further one."
    )
    longest: Seconds = Field(
        default=30.0,
        description="The most seconds between two tries, not below `first`, unless a server asks "
        "to wait longer.",
    )
    jitter: Seconds = Field(
        default=1.0, description="The most seconds that are added to a wait at random."
    )

    @model_validator(mode="after")
    def _in_order(self) -> RetryGroup:
        if self.first > self.longest:
            raise ValueError(
                f"waits {self.first:g} s first and {self.longest:g} s at most; lower `first` or "
                "raise `longest`"
            )
        return self

    def policy(self, never: tuple[ErrorType, ...]) -> RetryPolicy:
        """It as the loop knows it."""
        return RetryPolicy(self.attempts, self.first, self.longest, self.jitter, never)


class SandboxRetryGroup(RetryGroup):
    """How often it is tried to open a sandbox: an engine that is away seldom comes back soon."""

    attempts: int = Field(default=2, ge=1, le=10, description="The most tries; 1: only one.")


class RetriesGroup(_Group):
    """What is tried again that failed."""

    model: RetryGroup = RetryGroup()
    github: RetryGroup = RetryGroup()
    sandbox: SandboxRetryGroup = SandboxRetryGroup()
    never: Annotated[Items[ErrorType], Field(max_length=12)] = Field(
        default=(),
        description="Types of errors after which nothing is tried again, neither a call nor an "
        f"answer of the model: {', '.join(get_args(ErrorType))}.",
    )


class VerifyGroup(_Group):
    """How a change is verified before it becomes a checkpoint."""

    mode: Literal["auto", "tests", "syntax", "agent", "off"] = Field(
        default="auto",
        description="auto: run the tests that are found; agent: if there are none, the model "
        "proposes a command; syntax and off mark results as not verified.",
    )
    commands: Annotated[Items[Command], Field(max_length=20)] = Field(
        default=(),
        description="Commands that verify a change, instead of the tests that are found; each must "
        "exit with code 0.",
    )
    report: Annotated[str, AfterValidator(report_pattern)] = Field(
        default="",
        max_length=200,
        description="JUnit reports that the commands write, like build/test-*.xml.",
    )
    reruns: int = Field(
        default=1,
        ge=0,
        le=2,
        description="How often old tests that fail are run again, to find flaky ones.",
    )
    tick: Literal["shown", "unbroken", "any"] = Field(
        default="shown",
        description="The verdict that `cairn run` needs to tick a box. With a lesser one, the "
        "change is committed and its task stays in review until `cairn accept` or `cairn undo`. A "
        "pull request always ticks the box: whoever merges it says that the task is done.",
    )
    require: Literal["shown", "unbroken", "none"] = Field(
        default="unbroken",
        description="What a change must have; if it does not, Cairn tries again. shown: a test "
        "that fails without it and passes with it, if there are tests. unbroken: the tests run, "
        "and it breaks none. none: it breaks no test; tests that cannot run are no obstacle.",
    )
    ask: bool = Field(
        default=True,
        description="If nothing breaks and nothing shows that a task is done, ask the model once "
        "for a test, from the task and without the code. A test that passes with the change and "
        "fails without it is committed with the change; any other is only shown.",
    )


class FixesGroup(_Group):
    """Repairs: of failing checks, and of issues (`/execute fix`)."""

    regression_test: Literal["off", "ask", "require"] = Field(
        default="ask",
        description="The test that a repair comes with: it fails before and passes after. ask: "
        "where no test does so, the model is asked for one, without the code, and it is committed "
        "with the repair. require: a repair without one is not proposed. off: as verify says.",
    )
    offer_undo: bool = Field(
        default=True,
        description="If checks of other apps (CI) fail on the commit that merges a pull request of "
        "Cairn, and not on the one before, offer to take its task back. Only on a server.",
    )


class RoutingGroup(_Group):
    """The largest task that ``planning: auto`` takes without a plan; one more of any is planned."""

    words: int = Field(
        default=40,
        ge=1,
        le=10_000,
        description="auto plans a task first if its text has more words than this.",
    )
    files: int = Field(
        default=2,
        ge=1,
        le=1_000,
        description="auto plans a task first if it names more files than this, tests not counted.",
    )
    lines: int = Field(
        default=6,
        ge=0,
        le=1_000,
        description="auto plans a task first if more lines than this are nested below it.",
    )


class MemoryGroup(_Group):
    """What runs remember for later ones."""

    enabled: bool = Field(
        default=True, description="Remember what runs learned, and show it to the model."
    )
    notes: int = Field(
        default=12,
        ge=1,
        le=50,
        description="The most notes that one question shows; together they take at most 6 % of the "
        "repository's share of it.",
    )


class AdaptiveGroup(_Group):
    """What Cairn may change by itself because of what it learned."""

    auto_adjust: bool = Field(
        default=False,
        description="Let runs use clearly better planning limits, loop and context size, within "
        "bounds, before anybody merges them. The run says what it changed, and the next run undoes "
        "a change that turns out worse. Only on a server.",
    )
    advise: bool = Field(
        default=True,
        description="Propose better settings as a pull request on this file, at most one at a "
        "time.",
    )


class HistoryGroup(_Group):
    """What Cairn remembers of its runs."""

    enabled: bool = Field(
        default=True, description="Keep a record of each attempt; false: nothing is recorded."
    )
    days: int = Field(default=90, ge=1, le=3650, description="How many days records are kept.")
    details: bool = Field(
        default=True,
        description="Also keep what each node used.",
    )


def _commands(value: Any) -> Any:
    """A list alone is that of the commands."""
    return {"commands": value} if isinstance(value, list) else value


class BudgetGroup(_Group):
    """What the runs of one project may use, in the place of the same keys of ``limits``."""

    tokens_per_task: int | None = Field(default=None, ge=1000, le=100_000_000)
    tokens_per_run: int | None = Field(default=None, ge=1000, le=1_000_000_000)
    cost_per_task: Dollars | None = None
    cost_per_run: Dollars | None = None


ProjectName = Annotated[
    str,
    AfterValidator(project_name),
    WithJsonSchema({"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_-]*$", "maxLength": 50}),
]


class ProjectGroup(_Group):
    """A folder with a plan of its own; what is not set here is as for the whole repository.

    Its commands work in its folder; those of ``setup`` follow the repository's.
    """

    name: ProjectName
    path: Annotated[Word, AfterValidator(project_folder)]
    plan: Annotated[Word, AfterValidator(inside)] | None = None
    model: Annotated[ModelGroup, BeforeValidator(_named)] = ModelGroup()
    setup: Annotated[Items[Command], Field(max_length=20)] = ()
    verify: Annotated[VerifyGroup, BeforeValidator(_commands)] = VerifyGroup()
    budget: BudgetGroup = BudgetGroup()

    @property
    def plan_setting(self) -> str:
        """The path or pattern of its plan."""
        return self.plan or f"{self.path}/ROADMAP.md"

    def has(self, plan: str) -> bool:
        """Say whether a plan is the project's: it is named so, or is in its folder."""
        return plan == self.plan or plan.startswith(f"{self.path}/")


class RepositoryConfig(_Group):
    """All settings of a repository."""

    roadmap: RoadmapGroup = RoadmapGroup()
    triggers: TriggersGroup = TriggersGroup()
    model: Annotated[ModelGroup, BeforeValidator(_named)] = ModelGroup()
    agent: Annotated[AgentGroup, BeforeValidator(_named)] = AgentGroup()
    approval_mode: ApprovalMode = Field(
        default="interactive",
        description="Which proposals about a failed task need a person's approval.",
    )
    permissions: PermissionsGroup = PermissionsGroup()
    dashboard: bool = Field(
        default=True,
        description="Keep one issue that shows the plan, runs and open proposals, with checkboxes "
        "that start, retry and approve. false: no such issue.",
    )
    planning: Planning = Field(
        default="auto", description="Which tasks are planned first; auto: the large ones."
    )
    routing: RoutingGroup = RoutingGroup()
    grouping: int = Field(
        default=1,
        ge=1,
        le=10,
        description="How many small neighbouring tasks may share a pull request; 1: none.",
    )
    patterns: bool = Field(
        default=True,
        description="Do tasks whose words a pattern fits without a model: those of "
        "`.github/cairn/patterns` and the built-in ones.",
    )
    pause_destructive: bool = Field(
        default=True,
        description="Ask before writing code that deletes files, tables, branches ...",
    )
    issues: IssuesGroup = IssuesGroup()
    pull_requests: PullRequestsGroup = PullRequestsGroup()
    limits: LimitsGroup = LimitsGroup()
    sandbox: SandboxGroup = SandboxGroup()
    verify: VerifyGroup = VerifyGroup()
    fixes: FixesGroup = FixesGroup()
    protect: Annotated[Items[Annotated[Word, AfterValidator(gitignore)]], Field(max_length=200)] = (
        Field(default=(), description="Paths that are never written, as gitignore patterns.")
    )
    pause_protected: Annotated[
        Items[Annotated[Word, AfterValidator(gitignore)]], Field(max_length=200)
    ] = Field(
        default=(),
        description="Paths that are written only if a person approves, as gitignore patterns.",
    )
    github_mode: GitHubMode = Field(
        default="best_effort",
        description="What happens if GitHub refuses a comment, check or label. best_effort: the "
        "report says so; fail_fast: the task fails; disabled: Cairn plans and verifies, but writes "
        "nothing to GitHub. A refused commit or pull request always fails the task.",
    )
    history: HistoryGroup = HistoryGroup()
    loop: Literal["hybrid", "repair", "fixed", "ralph"] = Field(
        default="hybrid",
        description="What follows a bad answer. hybrid: a repair and a fresh answer in turn. "
        "repair: only repairs. fixed: only fresh answers. ralph: fresh answers, each on top of the "
        "last valid one.",
    )
    retry: RetriesGroup = RetriesGroup()
    memory: MemoryGroup = MemoryGroup()
    adaptive: AdaptiveGroup = AdaptiveGroup()
    projects: Annotated[Items[ProjectGroup], Field(max_length=50)] = Field(
        default=(),
        description="Folders with plans of their own: `name`, `path`, and `plan`, `model`, "
        "`setup`, `verify`, `budget` where they differ (docs/projects.md).",
    )

    @field_validator("projects")
    @classmethod
    def _each_once(cls, projects: tuple[ProjectGroup, ...]) -> tuple[ProjectGroup, ...]:
        names = [each.name.lower() for each in projects]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"has two projects called {twice[0]}; rename one of them")
        plans = [each.plan_setting for each in projects]
        if twice := sorted({plan for plan in plans if plans.count(plan) > 1}):
            raise ValueError(f"has two projects with the plan {twice[0]}; a plan is of one project")
        return projects

    def project(self, name: str) -> ProjectGroup | None:
        """Return the project of a name, in whatever case it is written."""
        return next((each for each in self.projects if each.name.lower() == name.lower()), None)

    @property
    def plans(self) -> tuple[str, ...]:
        """The paths or patterns of the plans of all projects."""
        return tuple(each.plan_setting for each in self.projects)

    def project_of(self, plan: str) -> ProjectGroup | None:
        """Return the project that a plan belongs to: that which names it, else the innermost."""
        found = [each for each in self.projects if each.has(plan)]
        return max(found, key=lambda each: (each.plan == plan, len(each.path)), default=None)

    def of_plan(self, plan: str) -> RepositoryConfig:
        """Return the settings of a run of one plan: those of its project, if it has one, first."""
        changed: dict[str, Any] = {"roadmap": self.roadmap.model_copy(update={"path": plan})}
        project = self.project_of(plan)
        if project is None:
            return self.model_copy(update=changed)
        for name in ("model", "verify"):
            group: BaseModel = getattr(project, name)
            given = {key: getattr(group, key) for key in group.model_fields_set}
            changed[name] = getattr(self, name).model_copy(update=given)
        budget = project.budget.model_dump(exclude_none=True)
        changed["limits"] = self.limits.model_copy(update=budget)
        there = f"cd {shlex.quote(project.path)} &&"
        own = [("sh", "-c", f"{there} {as_typed(command)}") for command in project.setup]
        setup = (*self.sandbox.setup, *own)
        changed["sandbox"] = self.sandbox.model_copy(update={"setup": setup})
        return self.model_copy(update=changed)

    def limit_name(self, key: str) -> str:
        """Return what the file calls the limit that holds for a run of ``roadmap.path``."""
        project = self.project_of(self.roadmap.path)
        own = project and getattr(project.budget, key, None) is not None
        return f"projects[{project.name}].budget.{key}" if project and own else f"limits.{key}"

    @property
    def most_open(self) -> int:
        """How many pull requests may be open: one where each is pushed after an approval."""
        return 1 if self.pull_requests.push == "approved" else self.limits.open_pull_requests


RETIRED = {
    "model.embeddings": "Remove the line: files are found by words and imports.",
    "model.second": "Remove the line; `model.stronger` names a model for the hard tasks.",
    "model.structured": "Remove the line: answers are read in words or JSON alike.",
}
"""Settings of earlier versions, and what to do about a file that still has them."""


def parse_config(content: bytes, *, images: Collection[str] | None = None) -> RepositoryConfig:
    """Read the file's content; ``images`` are those the operator allows (None: any).

    Raises ``ConfigError`` with every problem and its line.
    """
    check_size(len(content))
    try:
        document = read_yaml(content)
    except Unreadable as error:
        raise ConfigError([ConfigProblem(error.line, error.key, error.message)]) from error
    for key, instead in RETIRED.items():
        group, _, name = key.partition(".")
        inside = document.values.get(group)
        if isinstance(inside, dict) and name in inside:
            line = document.line((group, name))
            log.warning(
                "%s line %d: `%s` does nothing any more. %s", CONFIG_PATH, line, key, instead
            )
            del inside[name]
    try:
        config = RepositoryConfig.model_validate(document.values, context={"images": images})
    except ValidationError as error:
        raise ConfigError(problems_of(error, document, RepositoryConfig)) from error
    if useless := frees_built_in(config.protect):
        lines = [(document.line(("protect", at)), f"protect.{at}") for at in useless]
        raise ConfigError([ConfigProblem(line, key, _ALWAYS_PROTECTED) for line, key in lines])
    return config


_ALWAYS_PROTECTED = (
    f"This frees nothing: {', '.join(p.lstrip('/') for p in DEFAULT_PROTECT)} are always "
    "protected. Remove the pattern; ! can only free what an earlier pattern of protect matches."
)
_NO_FILES = {SYMLINK: "a symbolic link", SUBMODULE: "a submodule"}


def config_entry(entries: Mapping[str, TreeEntry]) -> TreeEntry | None:
    """Find the file in a tree, or None.

    Raises ``ConfigError`` if something else has its place.
    """
    entry = entries.get(CONFIG_PATH)
    if entry is None and any(path.startswith(f"{CONFIG_PATH}/") for path in entries):
        raise not_a_file("a folder")
    if entry and entry.mode in _NO_FILES:
        raise not_a_file(_NO_FILES[entry.mode])
    return entry


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema of the file, for editors."""
    schema = RepositoryConfig.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
