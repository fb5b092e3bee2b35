"""The command table: parser, permission check, dispatch and help all come from this one literal.

A command that is not built yet is absent here, and so from the help.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from handlers.orders import Cancel, Execute, Help, Order, Pause, Resume, Status

TRIGGER = "/execute"

Need = Literal["anyone", "read", "write", "maintain", "admin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """``--name``; ``value`` is the placeholder in the usage, empty for a flag.

    ``maximum`` bounds a count, and a text's length in characters.
    """

    name: str
    kind: Literal["text", "count", "flag"]
    help: str
    value: str = ""
    maximum: int = 100

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
    """The one word that needs no option name; it fills ``field`` of the order."""

    field: str
    value: str
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One row: ``name`` is the word after the trigger ('' for the trigger alone).

    ``needs`` is the least permission on the repository; ``makes`` the order it becomes.
    """

    name: str
    makes: Callable[..., Order]
    needs: Need
    description: str
    example: str
    argument: Argument | None = None
    options: tuple[Option, ...] = ()

    @property
    def words(self) -> str:
        """What to type at least."""
        return f"{TRIGGER} {self.name}".rstrip()

    @property
    def usage(self) -> str:
        """What can be typed."""
        argument = [f"[{self.argument.value}]"] if self.argument else []
        return " ".join([self.words, *argument, *(option.usage for option in self.options)])


COMMANDS: tuple[Command, ...] = (
    Command(
        name="",
        makes=Execute,
        needs="write",
        description="start a run: one pull request for each task it can finish",
        example="/execute docs/ROADMAP.md --max-tasks 3",
        argument=Argument(
            field="path",
            value="PATH",
            help="the roadmap, a `.md` file of this repository (default: the configured one)",
        ),
        options=(
            Option(name="--task", kind="text", value="ID", help="work on this one task only"),
            Option(
                name="--max-tasks",
                kind="count",
                value="N",
                maximum=1000,
                help="stop after N tasks (default: 10)",
            ),
            Option(name="--model", kind="text", value="M", help="the language model to ask"),
            Option(
                name="--dry-run",
                kind="flag",
                help="only list the tasks in order, without asking a model",
            ),
        ),
    ),
    Command(
        name="status",
        makes=Status,
        needs="read",
        description="tell how the runs of this issue stand",
        example="/execute status",
    ),
    Command(
        name="cancel",
        makes=Cancel,
        needs="write",
        description="stop the runs of this issue; what is published stays",
        example="/execute cancel",
    ),
    Command(
        name="pause",
        makes=Pause,
        needs="write",
        description="let the runs of this issue rest; nothing is lost",
        example="/execute pause",
    ),
    Command(
        name="resume",
        makes=Resume,
        needs="write",
        description="go on with the paused runs of this issue",
        example="/execute resume",
    ),
    Command(
        name="help",
        makes=Help,
        needs="anyone",
        description="show this help",
        example="/execute help",
    ),
)

START = COMMANDS[0]


def row_of(order: Order) -> Command | None:
    """Return the row an order comes from; None for what was misunderstood."""
    return next((row for row in COMMANDS if row.makes is type(order)), None)
