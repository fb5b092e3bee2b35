"""``cairn analyze`` and ``cairn memory``: what earlier runs of a folder taught."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from app.cli.commands import CommandList

Topic = Annotated[
    Literal["routing", "models"],
    typer.Argument(
        help="models: which model and settings did better; routing: whether tasks of "
        "one size did better with a plan."
    ),
]


def analyze(
    topic: Topic = "models",
    days: Annotated[
        int, typer.Option(min=0, help="Only the newest N days, today included (0: all).")
    ] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what the history of this folder teaches about planning, models and settings.

    Attempts are compared only with attempts at tasks of the same kind and complexity. Nothing is
    changed, and no model is asked.
    """
    from app.local.analyze import command

    raise typer.Exit(command(Path.cwd(), topic, days=days, json=json))


memory_cli = typer.Typer(
    name="memory",
    cls=CommandList,
    help="Show or clear what earlier runs of this folder learned.",
    invoke_without_command=True,
)

_FILE = Path(".executor", "memory.json")


@memory_cli.callback()
def memory(context: typer.Context) -> None:
    """Show or clear what earlier runs of this folder learned."""
    if context.invoked_subcommand is None:
        show_memory()


@memory_cli.command("show")
def show_memory(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what is remembered: what files are for, what was decided, what worked and failed."""
    import asyncio
    from dataclasses import asdict
    from json import dumps

    from app.terminal import say
    from app.texts import show_texts
    from runner.files.results import FileMemory

    notes = asyncio.run(FileMemory(_FILE, mask=str).notes())
    if json:
        say(dumps({"notes": [asdict(note) for note in notes]}, ensure_ascii=False))
        return
    say(show_texts.memory(notes))


@memory_cli.command()
def forget(
    about: Annotated[
        str, typer.Argument(help="What the notes are about, as `cairn memory show` prints it.")
    ],
) -> None:
    """Forget what is remembered about one subject: a file, a task, a pull request."""
    import asyncio

    from app.texts import show_texts
    from runner.files.results import FileMemory

    with _changing():
        notes = asyncio.run(FileMemory(_FILE, mask=str).forget(about))
    if not notes:
        typer.echo(f"Nothing is remembered about {about!r}.", err=True)
        raise typer.Exit(2)
    typer.echo(show_texts.forgotten(notes))


@memory_cli.command()
def clear() -> None:
    """Forget everything: delete the file."""
    with _changing():
        _FILE.unlink(missing_ok=True)
    typer.echo("The project memory is now empty.")


@contextmanager
def _changing() -> Iterator[None]:
    """Say what keeps the file from being changed; exit code 2."""
    from runner.errors import Outage
    from runner.files.durable import translating_errors

    try:
        with translating_errors(f"change {_FILE}"):
            yield
    except Outage as outage:
        typer.echo(f"{outage.message}.", err=True)
        raise typer.Exit(2) from outage
