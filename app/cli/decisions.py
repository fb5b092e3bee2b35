"""``cairn status``, ``resume``, ``approve``, ``reject`` and ``edit``: runs of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.options import AllowDirty, Json, LogLevel, MaxCost, MaxTokens, Sandbox, Verbose

if TYPE_CHECKING:
    from app.checkout.decide import Said

Proposal = Annotated[
    str,
    typer.Argument(help="Its id or its task; not needed when only one waits.", show_default=False),
]
Why = Annotated[str, typer.Option(help="Your reason, kept with the decision.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the run at once.")]


def add_to(cli: typer.Typer) -> None:
    """Add the commands."""
    for command in (status, resume, approve, reject, edit):
        cli.command()(command)


def status(
    json: Annotated[bool, typer.Option("--json", help="One object, for programs.")] = False,
) -> None:
    """Show the runs of this folder and what waits for a decision."""
    from app.checkout.status import command

    raise typer.Exit(command(Path.cwd(), json=json))


def resume(
    run: Annotated[
        str, typer.Argument(help="Id of the run (default: the newest that can go on).")
    ] = "",
    sandbox: Sandbox = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    allow_dirty: AllowDirty = False,
    json: Json = False,
    verbose: Verbose = False,
    log_level: LogLevel = "info",
) -> None:
    """Go on with a run that was interrupted, paused, or has been decided about."""
    from app.checkout.asked import LocalRun
    from app.checkout.command import resume as command
    from app.checkout.report import Told
    from runner.adapters.budget_model import Budget

    budget = Budget(max_cost, max_tokens)
    place = Path.cwd()
    asked = LocalRun(place, run=run, sandbox=sandbox or "", budget=budget, dirty=allow_dirty)
    raise typer.Exit(command(asked, Told(json, log_level, verbose)))


def approve(proposal: Proposal = "", why: Why = "", resume: Resume = False) -> None:
    """Let a proposal be applied: what is proposed about a task, or code that was held back."""
    from app.checkout.decide import Said

    _decide(Said("approve", proposal, why, goes_on=resume))


def reject(
    proposal: Proposal = "",
    why: Why = "",
    skip: Annotated[
        bool, typer.Option("--skip", help="Leave the task out instead of failing it.")
    ] = False,
    resume: Resume = False,
) -> None:
    """Refuse a proposal; its task stays open and counts as failed."""
    from app.checkout.decide import Said

    _decide(Said("skip" if skip else "reject", proposal, why, goes_on=resume))


def edit(
    proposal: Proposal = "",
    why: Why = "",
    file: Annotated[
        str, typer.Option(help="Read the list from this file (- for input), not from an editor.")
    ] = "",
    resume: Resume = False,
) -> None:
    """Put tasks of your own in the place of a task: opens EDITOR with what is proposed."""
    from app.checkout.decide import Said

    _decide(Said("edit", proposal, why, file, goes_on=resume))


def _decide(said: Said) -> None:
    from app.checkout.asked import LocalRun
    from app.checkout.command import resume
    from app.checkout.decide import decide
    from app.checkout.report import Told
    from app.terminal import any_encoding

    any_encoding()
    code, run = decide(said, Path.cwd())
    if said.goes_on and not code:
        code = resume(LocalRun(Path.cwd(), run=run), Told())
    raise typer.Exit(code)
