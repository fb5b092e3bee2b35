"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Loop = Literal["hybrid", "repair", "fixed", "ralph"]
VerifyMode = Literal["auto", "tests", "syntax", "off"]
LogLevel = Literal["debug", "info", "warning", "error"]
Sandbox = Literal["auto", "docker", "bubblewrap", "process"]

cli = typer.Typer(
    name="cairn",
    help="Executes a repository's roadmap, one verified checkpoint at a time.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


@cli.command()
def serve() -> None:
    """Run the GitHub App: webhook server and worker, configured by the environment."""
    from app.serve import command

    raise typer.Exit(command())


@cli.command()
def run(
    roadmap: Annotated[str, typer.Option(help="Path of the roadmap.")] = "ROADMAP.md",
    model: Annotated[str, typer.Option(help="Model to ask (default: CAIRN_MODEL).")] = "",
    max_tasks: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many tasks (default: all).")
    ] = None,
    task: Annotated[str, typer.Option(help="Work on this one task (id or key).")] = "",
    sandbox: Annotated[
        Sandbox | None, typer.Option(help="Where code runs (default: CAIRN_SANDBOX, auto).")
    ] = None,
    image: Annotated[str, typer.Option(help="Container image for the tests.")] = "",
    branch: Annotated[str, typer.Option(help="Commit to this branch.")] = "",
    loop: Annotated[Loop, typer.Option(help="What comes after a failure.")] = "hybrid",
    verify_mode: Annotated[VerifyMode, typer.Option(help="What counts as verified.")] = "auto",
    enable_planning: Annotated[
        bool, typer.Option("--enable-planning/--no-planning", help="Plan each task first.")
    ] = False,
    max_iterations: Annotated[int, typer.Option(min=1, help="Node steps a task.")] = 100,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the tasks.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One event a line, for programs.")] = False,
    log_level: Annotated[LogLevel, typer.Option(help="How much is told.")] = "info",
) -> None:
    """Execute the roadmap of the current folder; each finished task becomes a commit."""
    from app.local import EVERY_TASK, command
    from app.local_run import LocalRun
    from runner.state import Options

    options = Options(
        max_tasks=max_tasks or EVERY_TASK,
        task=task,
        model=model,
        loop=loop,
        planning=enable_planning,
        verify_mode=verify_mode,
        max_iterations=max_iterations,
        image=image,
    )
    asked = LocalRun(Path.cwd(), roadmap, options, branch=branch, sandbox=sandbox or "")
    raise typer.Exit(command(asked, dry=dry_run, json=json, log_level=log_level))


@cli.command()
def graph() -> None:
    """Print the loop as a mermaid diagram."""
    from runner.graph import mermaid

    typer.echo(mermaid())


def main() -> None:
    """Entry point of ``cairn``."""
    cli()
