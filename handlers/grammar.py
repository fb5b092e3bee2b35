"""What slash commands are made of: the values they become, and the rows that describe them.

The table itself, with what each command does, is in ``handlers/commands.py``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from keyword import iskeyword
from typing import Literal

from runner.loop.problems import StartCommands


class Command:
    """What a person typed, as a value; each row of the table has its own class."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecuteCommand(Command):
    """Start a run. ``path`` None means the configured roadmap, ``model`` None the configured one.

    ``path`` may be the name of a project: then it is the project's plan that is meant.
    ``task`` is a key or written id; ``max_tasks`` counts roadmap tasks, replacements too. ``tasks``
    are keys, of a run that a push starts: nothing else is worked on then. ``phase`` is a number or
    heading, ``plan`` stops after the plans, a higher ``priority`` goes first. ``fix``: the task is
    a fault to repair.
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
    fix: bool = False


@dataclass(frozen=True, slots=True)
class HelpCommand(Command):
    """Explain the commands."""


@dataclass(frozen=True, slots=True)
class StatusCommand(Command):
    """Show the runs of this issue."""


@dataclass(frozen=True, slots=True)
class CancelCommand(Command):
    """Stop the runs of this issue for good."""


@dataclass(frozen=True, slots=True)
class PauseCommand(Command):
    """Let the runs of this issue rest until somebody resumes them."""


@dataclass(frozen=True, slots=True)
class ResumeCommand(Command):
    """Continue the paused runs of this issue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryCommand(Command):
    """Work on one task (key or written id) again; ``note`` is what to add to it then.

    ``from_`` ``verify`` only verifies the change that the newest run kept for it.
    """

    task: str = ""
    note: str = ""
    from_: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipCommand(Command):
    """Leave one task (key or written id) out."""

    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviseCommand(Command):
    """Change this pull request as ``text`` says ('': as its open review threads say)."""

    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproveCommand(Command):
    """Approve a proposal; ``proposal`` is its id or its task ('' for the one that is here)."""

    proposal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectCommand(Command):
    """Reject a proposal: ``words`` may begin with its id or task, the rest is why."""

    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditCommand(Command):
    """Approve a proposal with other tasks: the list ``below``."""

    proposal: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class Misunderstood:
    """A command we cannot carry out: what was wrong (Markdown) and what to type instead.

    Where the repository has a ``project`` of this name, it means ``meant`` and nothing is wrong.
    """

    problem: str
    suggestion: str
    project: str = ""
    meant: Command | Misunderstood | None = None


Deciding = ApproveCommand | RejectCommand | EditCommand


TRIGGER = "/execute"

ON_GITHUB = StartCommands(TRIGGER, f"{TRIGGER} ", setup=f"{TRIGGER} setup")
IN_ACTION = StartCommands(TRIGGER, f"{TRIGGER} ")

Need = Literal["anyone", "read", "write", "maintain", "admin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """``--name``; ``value`` is the placeholder in the usage, empty for a flag.

    ``maximum`` bounds a count, and a text's length in characters; ``choices`` are the allowed
    words. ``needs`` is the permission for it, if higher than the command's.
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
        """The field of the command it fills."""
        name = self.name.removeprefix("--").replace("-", "_")
        return f"{name}_" if iskeyword(name) else name

    @property
    def usage(self) -> str:
        """How it is written, in brackets since it can be left out."""
        return f"[{self.name} {self.value}]" if self.value else f"[{self.name}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """The one word that needs no option name; it fills ``field`` of the command.

    ``path`` and ``id`` are one word; ``words`` are all that follow on the line (of a trigger that
    has one command), ``below`` is what is on the lines below it, ``text`` is both. All three are as
    they are written.
    """

    field: str
    value: str
    help: str
    kind: Literal["path", "id", "words", "below", "text"]
    required: bool = False

    @property
    def usage(self) -> str:
        """How it is written."""
        if self.kind == "below":
            return f"+ {self.value}" if self.required else f"[+ {self.value}]"
        return self.value if self.required or self.kind == "words" else f"[{self.value}]"


@dataclass(frozen=True, slots=True)
class CommandReply:
    """What to reply to a command, '' for nothing.

    A ``refusal`` is sent to a person only once per issue. A reply with a ``standing`` name has one
    comment on an issue, which is edited when the same is asked again.
    """

    text: str
    refusal: bool = False
    standing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRow:
    """One slash command: how it is written, who may use it, what it does, what the help says.

    ``name`` is the word after the trigger ('' for the trigger alone). ``needs`` is the least
    permission on the repository, and ``configurable`` says that the repository may ask for another
    one. The words become a ``makes``, which ``handler`` answers: it is called with the conversation
    and the command. ``short``: ``/NAME`` alone means it as well.
    """

    name: str
    makes: Callable[..., Command]
    handler: Callable[..., Awaitable[CommandReply]]
    needs: Need
    description: str
    example: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    trigger: str = TRIGGER
    configurable: bool = False
    short: bool = False

    @property
    def words(self) -> str:
        """What to type at least."""
        return f"{self.trigger} {self.name}".rstrip()

    @property
    def usage(self) -> str:
        """What can be typed."""
        parts = [*(a.usage for a in self.arguments), *(option.usage for option in self.options)]
        return " ".join([self.words, *parts])


Commands = tuple[CommandRow, ...]
"""A table of commands; the first row is the one that starts a run."""


def row_of(command: Command, rows: Commands) -> CommandRow:
    """Return the row a command comes from."""
    return next(row for row in rows if row.makes is type(command))
