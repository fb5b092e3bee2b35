"""The options of the commands that work on a checkout, with their help and shell completion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from runner.money import NO_LIMIT
from runner.text.invalid import first_fault

_MOST = 100


def tasks(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The open tasks whose name begins so, with their titles, from the roadmap of this folder."""
    # a shell that waits for the next letter must not pay for it before it is asked
    from app.local.files import UnusableRoadmap as Unusable
    from app.local.files import read_roadmap
    from runner.roadmap.parse import parse_roadmap

    name = str(context.params.get("roadmap") or "ROADMAP.md")
    try:
        roadmap = parse_roadmap(name, read_roadmap(str(Path.cwd() / name)))
    except Unusable:
        return []
    left = [task for task in roadmap.tasks if task.kind == "work" and not task.checked]
    named = [(task.name, task.title) for task in left if task.name.startswith(incomplete)]
    return named[:_MOST]


def limit(text: str, number: Callable[[str], float] = float) -> float:
    """Return the limit that a text is, ``NO_LIMIT`` for none. Raises ``BadParameter``."""
    with suppress(ValueError):
        if text == "none" or number(text) >= 0:
            return NO_LIMIT if text == "none" else number(text)
    raise typer.BadParameter(f"{text!r} is not a limit. Give a number or the word 'none'.")


def node_of(text: str) -> str:
    """Return the node of the loop that is called so, or begins so. Raises ``BadParameter``."""
    from runner.graph import GRAPH

    found = [name for name in GRAPH if name.startswith(text)]
    if text not in found and len(found) > 1 and text:
        raise typer.BadParameter(f"{text!r} can be {' or '.join(found)}.")
    if not found or not text:
        raise typer.BadParameter(f"{text!r} is not a node. Nodes: {', '.join(GRAPH)}.")
    return text if text in found else found[0]


def given_by(words: Sequence[str]) -> dict[str, object]:
    """Return the options that NAME=VALUE words set, by their names. Raises ``BadParameter``."""
    from pydantic import TypeAdapter, ValidationError

    found: dict[str, object] = {}
    for word in ",".join(words).split(",") if words else ():
        name, sign, value = (part.strip() for part in word.partition("="))
        if name not in _SETTABLE or not sign:
            names = ", ".join(_SETTABLE)
            raise typer.BadParameter(f"{word!r} is not NAME=VALUE with one of the names {names}.")
        try:
            found[name] = TypeAdapter(_SETTABLE[name]).validate_python(value)
        except ValidationError as error:
            raise typer.BadParameter(f"{name} {first_fault(error)}, not {value!r}.") from None
    return found


Project = Annotated[
    str,
    typer.Argument(
        metavar="[PROJECT[#TASK]]",
        help="A project of .github/cairn.yml, and one of its tasks (default: the whole "
        "repository's roadmap).",
        show_default=False,
    ),
]
Roadmap = Annotated[str, typer.Option(help="Path of the roadmap (default: ROADMAP.md).")]
Model = Annotated[str, typer.Option(help="Model to ask (default: CAIRN_MODEL).")]
Compare = Annotated[
    str,
    typer.Option(
        metavar="MODEL,MODEL",
        help="Have the task (--task) done by each of these models, each in its own copy, and show "
        "them side by side; nothing of the project changes.",
    ),
]
MaxTasks = Annotated[
    int | None, typer.Option(min=1, help="Stop after this many tasks (default: all).")
]
Task = Annotated[str, typer.Option(help="Work on this one task (id or key).", autocompletion=tasks)]
Phase = Annotated[str, typer.Option(help="Work on the tasks of this phase only.")]
Sandbox = Annotated[
    Literal["auto", "docker", "bubblewrap", "process"] | None,
    typer.Option(help="Where code runs (default: CAIRN_SANDBOX, auto)."),
]
Image = Annotated[str, typer.Option(help="Container image for the tests.")]
Branch = Annotated[str, typer.Option(help="Commit to this branch.")]
Agent = Annotated[
    Literal["cairn", "aider", "mini-swe-agent", "codex", "claude"] | None,
    typer.Option(help="Who writes code: Cairn, or a program in the sandbox (default: cairn)."),
]
Loop = Annotated[
    Literal["hybrid", "repair", "fixed", "ralph"] | None,
    typer.Option(help="What to do after a failure (default: hybrid)."),
]
VerifyMode = Annotated[
    Literal["auto", "tests", "syntax", "agent", "off"] | None,
    typer.Option(help="What counts as verified (default: auto)."),
]
Planning = Annotated[
    bool | None,
    typer.Option(
        "--enable-planning/--no-planning",
        help="Make a plan before every task, or never (default: only for large tasks).",
    ),
]
Recovery = Annotated[
    bool | None,
    typer.Option(
        "--enable-recovery/--no-recovery",
        help="Propose what to do about a failed task (default: yes).",
    ),
]
ApprovalMode = Annotated[
    Literal["auto", "approve_decompose", "interactive", "review_only"] | None,
    typer.Option(
        help="Which proposals about a failed task need your approval (default: interactive on a "
        "terminal, else review_only)."
    ),
]
PauseDestructive = Annotated[
    bool | None,
    typer.Option(
        "--pause-destructive/--no-pause-destructive",
        help="Ask before writing code that deletes files, tables, branches … (default: no).",
    ),
]
Parallel = Annotated[
    int | None,
    typer.Option(
        min=1, max=16, help="How many independent tasks to work on at the same time (default: 1)."
    ),
]
MaxIterations = Annotated[
    int | None,
    typer.Option(min=1, help="The most steps that Cairn takes on one task (default: 100)."),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        min=0.0, metavar="USD", help="Stop before a model call that could exceed this cost."
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(min=1, help="Stop before a model call that could exceed this many tokens."),
]
NewMaxCost = Annotated[
    float | None,
    typer.Option(
        parser=limit,
        metavar="USD|none",
        help="A new limit on the run's cost, or 'none' for no limit (default: the limit it has).",
    ),
]
NewMaxTokens = Annotated[
    int | None,
    typer.Option(
        parser=partial(limit, number=int),
        metavar="N|none",
        help="A new limit on the run's tokens, or 'none' for no limit (default: the limit it has).",
    ),
]
AllowDirty = Annotated[
    bool,
    typer.Option(
        "--allow-dirty", help="Start despite uncommitted changes; they are left as they are."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only list the tasks.")]
ShowPrompt = Annotated[
    bool, typer.Option("--show-prompt", help="Only print the first question; do not ask it.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON event per line.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Show all details, and where an error came from.")
]
LogLevel = Annotated[
    Literal["debug", "info", "warning", "error"], typer.Option(help="How much to log.")
]

Node = Annotated[
    str | None,
    typer.Option(
        "--from",
        parser=node_of,
        metavar="NODE",
        help="Begin where the run (or TASK) first came to this node of the loop, such as "
        "verify_task; `cairn graph` shows all (default: at its beginning).",
    ),
]
Given = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="What is different this time, such as loop=repair,model=gpt-6-luna.",
        show_default=False,
    ),
]
Ask = Annotated[
    bool, typer.Option("--ask", help="Ask the model what has no recorded answer; this may cost.")
]
_SETTABLE: Mapping[str, Any] = {
    "loop": Loop,
    "model": Model,
    "agent": Agent,
    "image": Image,
    "verify_mode": VerifyMode,
    "planning": Literal["auto", "always", "never"],
    "recovery": Recovery,
    "approval_mode": ApprovalMode,
    "pause_destructive": PauseDestructive,
}

Work = Annotated[
    bool, typer.Option(" /--no-work", help="Leave all work to workers (needs PostgreSQL).")
]
Slots = Annotated[
    int | None,
    typer.Option(min=1, help="Runs to work on at the same time (default: CAIRN_CONCURRENCY)."),
]
