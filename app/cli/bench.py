"""``cairn bench``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from app.cli.options import Agent, LogLevel, MaxCost, Model, Sandbox, Verbose


def bench(
    suite: Annotated[
        Literal["hidden", "toy", "releases", "exercism"],
        typer.Option(
            help="hidden: functions of a project, emptied, and half of their tests hidden; toy: "
            "small projects that come with Cairn; releases: what the next version of a project "
            "brought, its notes as the plan and its tests hidden; exercism: exercises of its "
            "Python track."
        ),
    ] = "toy",
    project: Annotated[
        str,
        typer.Option(
            help="For hidden and releases: a project's folder, or the name of an installed "
            "package that has its tests. For exercism: a folder of exercises."
        ),
    ] = "",
    newer: Annotated[
        str, typer.Option(help="For releases: the same of the project's next version.")
    ] = "",
    model: Model = "",
    agent: Agent = None,
    tasks: Annotated[int, typer.Option(min=1, help="How many tasks, at most.")] = 10,
    max_cost: MaxCost = None,
    sandbox: Sandbox = None,
    output: Annotated[
        Path, typer.Option(help="Folder of the tasks, their runs and the report.")
    ] = Path("bench-output"),
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    verbose: Verbose = False,
    log_level: LogLevel = "info",
) -> None:
    """Measure a model or an agent on tasks of which it sees only half of the tests.

    Each task is a run in a checkout of its own. The same command continues after an interruption;
    with another model or agent it adds a row to the table. Nothing is downloaded.
    """
    from app.bench.command import BenchOptions, command
    from app.local.report import OutputFormat

    asked = BenchOptions(
        suite=suite,
        model=model,
        agent=agent or "cairn",
        project=project,
        newer=newer,
        most=tasks,
        max_cost=max_cost,
        sandbox=sandbox or "",
        output=output,
    )
    raise typer.Exit(command(asked, OutputFormat(json, log_level, verbose)))
