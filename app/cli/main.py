"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from app.cli import options as option
from app.cli.action import action
from app.cli.bugs import one_sentence
from app.cli.decisions import add_to
from app.cli.doctor import Version, doctor
from app.cli.help import with_examples
from app.cli.memory import memory_cli
from app.cli.roadmap import roadmap_cli
from app.cli.setup import setup

_PLANNING = {None: None, True: "always", False: "never"}

cli = typer.Typer(
    name="cairn",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is quick, and cuts no option's name at 80 columns
)
cli.add_typer(roadmap_cli)
cli.add_typer(memory_cli)


@cli.callback()
def cairn(version: Version = False) -> None:
    """Executes a repository's roadmap, one verified checkpoint at a time."""


@cli.command()
def serve() -> None:
    """Run the GitHub App: webhook server and worker, configured by the environment."""
    from app.web.serve import command

    raise typer.Exit(command())


@cli.command()
def run(
    roadmap: option.Roadmap = "",
    model: option.Model = "",
    max_tasks: option.MaxTasks = None,
    task: option.Task = "",
    phase: option.Phase = "",
    sandbox: option.Sandbox = None,
    image: option.Image = "",
    branch: option.Branch = "",
    loop: option.Loop = None,
    verify_mode: option.VerifyMode = None,
    planning: option.Planning = None,
    recovery: option.Recovery = None,
    approval_mode: option.ApprovalMode = None,
    pause_destructive: option.PauseDestructive = None,
    parallel: option.Parallel = None,
    max_iterations: option.MaxIterations = None,
    max_cost: option.MaxCost = None,
    max_tokens: option.MaxTokens = None,
    allow_dirty: option.AllowDirty = False,
    dry_run: option.DryRun = False,
    json: option.Json = False,
    verbose: option.Verbose = False,
    log_level: option.LogLevel = "info",
) -> None:
    """Execute the roadmap of the current folder; each finished task becomes a commit.

    What is not said here is as .github/cairn.yml says, where there is one.
    """
    said = {
        "max_tasks": max_tasks,
        "task": task,
        "phase": phase,
        "model": model,
        "image": image,
        "loop": loop,
        "verify_mode": verify_mode,
        "planning": _PLANNING[planning],
        "recovery": recovery,
        "approval_mode": approval_mode,
        "pause_destructive": pause_destructive,
        "parallel": parallel,
        "max_iterations": max_iterations,
    }
    from app.checkout.asked import LocalRun
    from app.checkout.command import command
    from app.checkout.prompt import at_terminal
    from app.checkout.report import Told
    from runner.adapters.budget_model import Budget

    given = {name: value for name, value in said.items() if value not in (None, "")}
    budget = Budget(max_cost, max_tokens)
    asked = LocalRun(
        Path.cwd(),
        *(roadmap, given, branch, sandbox or "", budget),
        dirty=allow_dirty,
        answers=at_terminal() and not json,
    )
    raise typer.Exit(command(asked, Told(json, log_level, verbose), dry=dry_run))


@cli.command()
def graph() -> None:
    """Print the loop as a mermaid diagram."""
    from runner.graph import mermaid

    typer.echo(mermaid())


cli.command()(action)
cli.command()(setup)
cli.command()(doctor)
add_to(cli)
with_examples(cli)
with_examples(roadmap_cli, "roadmap")
with_examples(memory_cli, "memory")


def main() -> None:
    """Entry point of ``cairn``: what nobody foresaw is a sentence, with --verbose a traceback."""
    if "--verbose" not in sys.argv:
        sys.excepthook = one_sentence
    # not cli(): that would put typer's own hook in the place of ours
    typer.main.get_command(cli)()
