"""``cairn doctor`` and ``cairn --version``: what one asks when something does not work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def doctor(
    json: Annotated[bool, typer.Option("--json", help="One object, for programs.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Tell everything, and where an error came from.")
    ] = False,
) -> None:
    """Check settings, folder, model, sandbox, database and GitHub App: one line each.

    A line says ok, warning, problem or skipped, and what to do. Nothing is changed, no secret is
    printed. What needs the App is skipped where none is configured.
    """
    from app.doctor.command import command

    raise typer.Exit(command(Path.cwd(), json=json, verbose=verbose))


def _print_version(wanted: bool) -> None:
    if wanted:
        from app.version import version_of_cairn

        typer.echo(f"cairn {version_of_cairn()}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
]
