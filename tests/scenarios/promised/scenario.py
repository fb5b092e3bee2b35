"""One promised scenario as a value: what is there, what the model answers, what must be true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import yaml

from runner.config.model import CONFIG_PATH
from tests.model_server import Rule, ScriptedModel
from tests.model_server.turns import Turn
from tests.scenarios.promised.left import Left

Door = Literal["cairn run", "server"]
DOORS: tuple[Door, ...] = ("cairn run", "server")

PLAN = "Do not write code yet. Plan the task."
CODE = "Do the task now."
REPAIR = "Your answer to this task cannot be used yet"
TESTS = "the project's tests were run; some fail"
CLASSIFY = "A programmer could not finish this task"
DECOMPOSE = "because it is too much at once"
REWRITE = "it does not clearly say what to do"


@dataclass(frozen=True)
class Asked:
    """How a run is asked for, in words both doors have; ``setup`` installs packages.

    ``approval`` is the server's usual word for nobody being asked; ``max_tasks`` 0 is no bound.
    """

    approval: str = "auto"
    planning: Literal["auto", "always", "never"] = "never"
    destructive: bool = False
    setup: tuple[str, ...] = ()
    max_tasks: int = 0

    @property
    def config(self) -> bytes:
        """``.github/cairn.yml``; what no test shows is done by both doors, so that rows agree."""
        setup = {"sandbox": {"setup": list(self.setup)}} if self.setup else {}
        values = {
            "approval_mode": self.approval,
            "planning": self.planning,
            "pause_destructive": self.destructive,
            "verify": {"tick": "any"},
            **setup,
        }
        return yaml.safe_dump(values).encode()

    @property
    def flags(self) -> tuple[str, ...]:
        """What ``cairn run`` is told."""
        planning = {"auto": (), "always": ("--enable-planning",), "never": ("--no-planning",)}
        return (
            *("--approval-mode", self.approval),
            *planning[self.planning],
            "--pause-destructive" if self.destructive else "--no-pause-destructive",
            *self.command,
        )

    @property
    def command(self) -> tuple[str, ...]:
        """What both are told in words."""
        return ("--max-tasks", str(self.max_tasks)) if self.max_tasks else ()


@dataclass(frozen=True)
class Scenario:
    """A row of the table.

    ``answers`` are given in order, those of a ``Rule`` to the questions it matches. ``code`` is
    the exit code of ``cairn run``, ``ends`` what the server's first line says. ``broken`` are
    files that were invalid before and may stay so. An ``isolated`` row is played in containers too.
    ``unmet`` says, by door, what is not kept yet.
    """

    id: str
    files: Mapping[str, bytes]
    answers: tuple[Turn | Rule, ...]
    check: Callable[[Left], None]
    asked: Asked = Asked()
    variant: str = ""
    code: int = 0
    ends: str = "is done"
    broken: frozenset[str] = frozenset()
    isolated: bool = False
    unmet: Mapping[Door, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The id, with its variant where there are several."""
        return f"{self.id}:{self.variant}" if self.variant else self.id

    @property
    def repository(self) -> dict[str, bytes]:
        """Every file of the first commit."""
        return {**self.files, CONFIG_PATH: self.asked.config}

    def script(self, model: ScriptedModel) -> None:
        """Tell the model its answers."""
        for answer in self.answers:
            if isinstance(answer, Rule):
                model.add(answer)
            else:
                model.says(answer)


def to(
    *words: str, says: tuple[Turn, ...], without: tuple[str, ...] = (), again: bool = False
) -> Rule:
    """Answers to questions with these words, in order; ``again`` repeats the last for ever."""
    return Rule(words, without, says, again)
