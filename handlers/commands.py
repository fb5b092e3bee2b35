"""What a comment can ask for, as values.

The command table: parser, permission check, dispatch and help all come from this one literal.

A command that is not built yet is absent here, and so from the help.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from runner.state.proposal import ApprovalMode


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecuteCommand:
    """Start a run. ``path`` None means the configured roadmap, ``model`` None the configured one.

    ``task`` is a key or written id; ``max_tasks`` counts roadmap tasks, replacements too. ``tasks``
    are keys, of a run that a push starts: nothing else is worked on then. ``phase`` is a number or
    heading, ``plan`` stops after the plans, a higher ``priority`` goes first.
    """

    path: str | None = None
    task: str | None = None
    tasks: tuple[str, ...] = ()
    phase: str | None = None
    max_tasks: int = 10
    model: str | None = None
    plan: bool = False
    dry_run: bool = False
    approval_mode: str | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True)
class HelpCommand:
    """Explain the commands."""


@dataclass(frozen=True, slots=True)
class StatusCommand:
    """Tell how the runs of this issue stand."""


@dataclass(frozen=True, slots=True)
class CancelCommand:
    """Stop the runs of this issue for good."""


@dataclass(frozen=True, slots=True)
class PauseCommand:
    """Let the runs of this issue rest until somebody resumes them."""


@dataclass(frozen=True, slots=True)
class ResumeCommand:
    """Go on with the paused runs of this issue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryCommand:
    """Work on one task (key or written id) again."""

    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipCommand:
    """Leave one task (key or written id) out."""

    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproveCommand:
    """Approve a proposal; ``proposal`` is its id or its task ('' for the one that is here)."""

    proposal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectCommand:
    """Reject a proposal: ``words`` may begin with its id or task, the rest is why."""

    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditCommand:
    """Approve a proposal with other tasks: the list that stands ``below``."""

    proposal: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class Misunderstood:
    """A command we cannot carry out: what was wrong (Markdown) and what to type instead."""

    problem: str
    suggestion: str


Deciding = ApproveCommand | RejectCommand | EditCommand
Order = (
    ExecuteCommand
    | HelpCommand
    | StatusCommand
    | CancelCommand
    | PauseCommand
    | ResumeCommand
    | RetryCommand
    | SkipCommand
    | Deciding
    | Misunderstood
)


TRIGGER = "/execute"

Need = Literal["anyone", "read", "write", "maintain", "admin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """``--name``; ``value`` is the placeholder in the usage, empty for a flag.

    ``maximum`` bounds a count, and a text's length in characters; ``choices`` are all that may be
    said. ``needs`` is the permission it takes, where that is more than the command's.
    """

    name: str
    kind: Literal["text", "count", "flag", "choice"]
    help: str
    value: str = ""
    maximum: int = 100
    choices: tuple[str, ...] = ()
    needs: Need | None = None

    @property
    def field(self) -> str:
        """The field of the order it fills."""
        return self.name.removeprefix("--").replace("-", "_")

    @property
    def usage(self) -> str:
        """How it is written, in brackets since it can be left out."""
        return f"[{self.name} {self.value}]" if self.value else f"[{self.name}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """The one word that needs no option name; it fills ``field`` of the order.

    ``path`` and ``id`` are one word; ``words`` are all that follow on the line, ``below`` is what
    stands on the lines below it, both as they are written.
    """

    field: str
    value: str
    help: str
    kind: Literal["path", "id", "words", "below"]
    required: bool = False

    @property
    def usage(self) -> str:
        """How it is written."""
        if self.kind == "below":
            return f"+ {self.value}"
        return self.value if self.required or self.kind == "words" else f"[{self.value}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One row: ``name`` is the word after the trigger ('' for the trigger alone).

    ``needs`` is the least permission on the repository, and ``configurable`` says that the
    repository may ask for another one; ``makes`` the order it becomes.
    """

    name: str
    makes: Callable[..., Order]
    needs: Need
    description: str
    example: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    trigger: str = TRIGGER
    configurable: bool = False

    @property
    def words(self) -> str:
        """What to type at least."""
        return f"{self.trigger} {self.name}".rstrip()

    @property
    def usage(self) -> str:
        """What can be typed."""
        parts = [*(a.usage for a in self.arguments), *(option.usage for option in self.options)]
        return " ".join([self.words, *parts])


_TASK = Argument(
    field="task",
    value="ID",
    kind="id",
    required=True,
    help="the task's key or the number it is written with",
)
_PROPOSAL = Argument(
    field="proposal",
    value="ID",
    kind="id",
    help="the proposal's id or its task (default: the one of this pull request)",
)

COMMANDS: tuple[Command, ...] = (
    Command(
        name="",
        makes=ExecuteCommand,
        needs="write",
        description="start a run: one pull request for each task it can finish",
        example="/execute docs/ROADMAP.md --max-tasks 3",
        arguments=(
            Argument(
                field="path",
                value="PATH",
                kind="path",
                help="the roadmap, a `.md` file of this repository (default: the configured one)",
            ),
        ),
        options=(
            Option(name="--task", kind="text", value="ID", help="work on this one task only"),
            Option(
                name="--phase",
                kind="text",
                value="ID",
                help="work on the tasks of this phase or section only: its number or heading",
            ),
            Option(
                name="--max-tasks",
                kind="count",
                value="N",
                maximum=1000,
                help="stop after N tasks (default: 10)",
            ),
            Option(name="--model", kind="text", value="M", help="the language model to ask"),
            Option(
                name="--plan",
                kind="flag",
                help="only plan each task and show the plans; nothing is written",
            ),
            Option(
                name="--dry-run",
                kind="flag",
                help="only list the tasks in order, without asking a model",
            ),
            Option(
                name="--approval-mode",
                kind="choice",
                value="M",
                choices=get_args(ApprovalMode),
                help="who is asked about a task that cannot be finished: "
                + ", ".join(f"`{mode}`" for mode in get_args(ApprovalMode)),
            ),
            Option(
                name="--priority",
                kind="count",
                value="P",
                maximum=100,
                needs="admin",
                help="go before queued runs of a lower priority, from 1 to 100; needs the "
                "permission *admin*",
            ),
        ),
    ),
    Command(
        name="status",
        makes=StatusCommand,
        needs="read",
        description="tell how the runs of this issue stand",
        example="/execute status",
    ),
    Command(
        name="cancel",
        makes=CancelCommand,
        needs="write",
        description="stop the runs of this issue; what is published stays",
        example="/execute cancel",
    ),
    Command(
        name="pause",
        makes=PauseCommand,
        needs="write",
        description="let the runs of this issue rest; nothing is lost",
        example="/execute pause",
    ),
    Command(
        name="resume",
        makes=ResumeCommand,
        needs="write",
        description="go on with the paused runs of this issue",
        example="/execute resume",
    ),
    Command(
        name="retry",
        makes=RetryCommand,
        needs="write",
        description="work on one task again, also one that failed, was declined, skipped or has a "
        "proposal; goes on from what people pushed to its recovery branch",
        example="/execute retry 1.2",
        arguments=(_TASK,),
    ),
    Command(
        name="skip",
        makes=SkipCommand,
        needs="write",
        description="leave one task out, in this run and later ones, until it is retried",
        example="/execute skip 1.2",
        arguments=(_TASK,),
    ),
    Command(
        name="",
        trigger="/approve",
        makes=ApproveCommand,
        needs="maintain",
        configurable=True,
        description="approve a proposal: what it proposes is done",
        example="/approve",
        arguments=(_PROPOSAL,),
    ),
    Command(
        name="",
        trigger="/reject",
        makes=RejectCommand,
        needs="maintain",
        configurable=True,
        description="reject a proposal: its task stays failed",
        example="/reject the task is fine as it is",
        arguments=(
            Argument(
                field="words",
                value="[ID] [why]",
                kind="words",
                help="the proposal as for `/approve`, and why it is rejected",
            ),
        ),
    ),
    Command(
        name="",
        trigger="/edit",
        makes=EditCommand,
        needs="maintain",
        configurable=True,
        description="approve a proposal with other tasks than it proposes",
        example="/edit",
        arguments=(
            _PROPOSAL,
            Argument(
                field="below",
                value="a list of tasks",
                kind="below",
                help="the new tasks, one list item each, on the lines below",
            ),
        ),
    ),
    Command(
        name="help",
        makes=HelpCommand,
        needs="anyone",
        description="show this help",
        example="/execute help",
    ),
)

START = COMMANDS[0]
TRIGGERS = tuple(dict.fromkeys(row.trigger for row in COMMANDS))


def row_of(order: Order) -> Command | None:
    """Return the row an order comes from; None for what was misunderstood."""
    return next((row for row in COMMANDS if row.makes is type(order)), None)
