"""``cairn memory``: what earlier runs of this folder learned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

memory_cli = typer.Typer(
    name="memory",
    help="Show or clear what earlier runs of this folder learned.",
    no_args_is_help=True,
)

_FILE = Path(".executor", "memory.json")


@memory_cli.command()
def show(
    json: Annotated[bool, typer.Option("--json", help="One object, for programs.")] = False,
) -> None:
    """Show what is remembered: what files are for, what was decided, what worked and what not."""
    import asyncio
    from dataclasses import asdict
    from json import dumps

    from app.cli.memory_view import memory_lines
    from runner.adapters.file_memory import FileMemory

    notes = asyncio.run(FileMemory(_FILE, mask=str).notes())
    if json:
        typer.echo(dumps({"notes": [asdict(note) for note in notes]}, ensure_ascii=False))
        return
    for line in memory_lines(notes):
        typer.echo(line)


@memory_cli.command()
def clear() -> None:
    """Forget everything: delete the file."""
    _FILE.unlink(missing_ok=True)
    typer.echo("The project memory is empty now.")
