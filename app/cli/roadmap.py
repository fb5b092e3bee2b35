"""``cairn roadmap``: how a roadmap is read, what is wrong with it, what it would be with boxes."""

from __future__ import annotations

from typing import Annotated

import typer

roadmap_cli = typer.Typer(
    name="roadmap",
    help="Show how a roadmap is read, check it, or give it checkboxes.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

File = Annotated[str, typer.Argument(help="The roadmap; - reads standard input.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON value, for programs.")]


@roadmap_cli.command()
def show(file: File = "ROADMAP.md", json: AsJson = False) -> None:
    """Show the tasks: order, kinds, dependencies, warnings, and what has no box."""
    from app.roadmap.commands import show as command

    raise typer.Exit(command(file, json=json))


@roadmap_cli.command()
def lint(file: File = "ROADMAP.md", json: AsJson = False) -> None:
    """List what a person should look at first; exit code 1 when there is something."""
    from app.roadmap.commands import lint as command

    raise typer.Exit(command(file, json=json))


@roadmap_cli.command()
def normalize(
    file: File = "ROADMAP.md",
    write: Annotated[bool, typer.Option("--write", help="Write it into the file.")] = False,
    output: Annotated[str, typer.Option(help="Write it into this new file instead.")] = "",
    model: Annotated[
        str,
        typer.Option(help="Ask this model where the structure does not say what the tasks are."),
    ] = "",
) -> None:
    """Show the roadmap with checkboxes as a diff, for one that has none; write it when told to."""
    from app.roadmap.normalise import Asked, command

    asked = Asked(file=file, write=write, output=output, model=model)
    raise typer.Exit(command(asked))


@roadmap_cli.command()
def sync(
    file: File = "ROADMAP.md",
    todos: Annotated[
        str, typer.Option(help="The todos.json a person has edited.")
    ] = ".executor/todos.json",
    write: Annotated[bool, typer.Option("--write", help="Write it into the file.")] = False,
) -> None:
    """Take statuses that were changed in todos.json back into the roadmap, as ticks."""
    from app.roadmap.sync import command

    raise typer.Exit(command(file, todos=todos, write=write))
