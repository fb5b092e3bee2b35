"""``cairn action``, registered without importing what it needs."""

from __future__ import annotations

import typer


def action() -> None:
    """Work in a GitHub workflow run: what action.yml calls, configured by the environment."""
    from app.action.command import command

    raise typer.Exit(command())
