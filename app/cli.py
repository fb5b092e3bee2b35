"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

Loop = Literal["hybrid", "repair", "fixed", "ralph"]
VerifyMode = Literal["auto", "tests", "syntax", "off"]
LogLevel = Literal["debug", "info", "warning", "error"]
Sandbox = Literal["auto", "docker", "process"]

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
    from app.serve import serve as run_server
    from app.settings import SettingsError

    try:
        asyncio.run(run_server())
    except SettingsError as error:
        _fail(str(error), code=2)


@cli.command()
def run(
    roadmap: Annotated[str, typer.Option(help="Path of the roadmap.")] = "ROADMAP.md",
    model: Annotated[str, typer.Option(help="Model to ask (default: CAIRN_MODEL).")] = "",
    max_tasks: Annotated[int, typer.Option(min=1, help="Stop after this many tasks.")] = 10_000,
    task: Annotated[str, typer.Option(help="Work on this one task (id or key).")] = "",
    sandbox: Annotated[Sandbox, typer.Option(help="Where code runs.")] = "auto",
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
    from app.local import LocalRun
    from runner.state import Options

    logging.basicConfig(level=log_level.upper(), format="%(message)s", stream=sys.stderr)
    for noisy in ("httpx", "httpx2", "openai", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    options = Options(
        max_tasks=max_tasks,
        task=task,
        model=model,
        loop=loop,
        planning=enable_planning,
        verify_mode=verify_mode,
        max_iterations=max_iterations,
        image=image,
    )
    asked = LocalRun(Path.cwd(), roadmap, options, branch or None, sandbox)
    raise typer.Exit(_run(asked, dry=dry_run, json=json))


@cli.command()
def graph() -> None:
    """Print the loop as a mermaid diagram."""
    from runner.graph import mermaid

    typer.echo(mermaid())


def main() -> None:
    """Entry point of ``cairn``."""
    cli()


def _run(asked: object, *, dry: bool, json: bool) -> int:
    """Run, print what is to be said, return the exit code."""
    from app import local
    from app.settings import SettingsError, load_run_settings
    from runner.adapters.fanout import Fanout
    from runner.adapters.json_lines import JsonLines
    from runner.errors import PortError
    from runner.report import markdown

    assert isinstance(asked, local.LocalRun)  # noqa: S101 - the type is known to the caller
    listener = Fanout(*([JsonLines(typer.echo)] if json else []))
    try:
        settings = load_run_settings()
        if dry:
            for line in asyncio.run(local.dry_run(asked, settings, listener)):
                typer.echo(line)
            return 0
        ended = asyncio.run(local.run_locally(asked, settings, listener))
    except SettingsError as error:
        _fail(str(error), code=2)
    except PortError as error:
        _fail(error.message, code=4 if error.kind in ("model", "sandbox") else 2)
    except KeyboardInterrupt:
        _fail("Interrupted. What was committed stays; `cairn run` goes on with the next task.", 130)
    if not json:
        typer.echo(markdown(ended.state))
        if ended.reason:
            typer.echo(f"Paused: {ended.reason}")
    return local.exit_code(ended)


def _fail(message: str, code: int) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(code)
