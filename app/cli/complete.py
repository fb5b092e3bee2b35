"""What a shell offers where a task is to be named."""

from __future__ import annotations

from pathlib import Path

import typer

_MOST = 100


def tasks(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The open tasks whose name begins so, with their titles, from the roadmap of this folder."""
    # a shell that waits for the next letter must not pay for it before it is asked
    from app.roadmap.files import Unusable, read_roadmap
    from runner.roadmap.parse import parse_roadmap

    name = str(context.params.get("roadmap") or "ROADMAP.md")
    try:
        roadmap = parse_roadmap(name, read_roadmap(str(Path.cwd() / name)))
    except Unusable:
        return []
    left = [task for task in roadmap.tasks if task.kind == "work" and not task.checked]
    named = [(task.name, task.title) for task in left if task.name.startswith(incomplete)]
    return named[:_MOST]
