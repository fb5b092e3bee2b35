"""The commands of ``cairn`` with their options, from the command line itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup, TyperOption

from app.cli.main import cli


def command_line() -> str:
    """Return a Markdown section a command: usage, what it does, its options."""
    root = typer.main.get_command(cli)
    return "\n\n".join(_sections("cairn", root))


def _sections(name: str, command: Any) -> Iterator[str]:
    if isinstance(command, TyperGroup):
        for each, below in command.commands.items():
            yield from _sections(f"{name} {each}", below)
    else:
        yield _section(name, command)


def _section(name: str, command: Any) -> str:
    context = typer.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context))
    rows = [_row(each) for each in command.params if isinstance(each, TyperOption)]
    rows = [row for row in rows if "`--help`" not in row]
    table = ["| option | what it does |", "|---|---|", *rows] if rows else []
    text = (command.help or "").strip().split("\n\n")[0].replace("\n", " ")
    return "\n".join([f"### `{name} {usage}`", "", text, *([""] if table else []), *table])


def _row(option: TyperOption) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    return f"| {names} | {option.help} |"
