"""The command table and the help made of it."""

from __future__ import annotations

import typing
from dataclasses import fields, is_dataclass

import pytest

from app.features import COMMANDS
from handlers.commands import START
from handlers.grammar import Command, CommandRow, row_of
from handlers.issue_thread import suffices
from handlers.texts import replies
from tests.handlers.conftest import parse


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.words)
def test_the_help_tells_everything_of_a_row(row: CommandRow) -> None:
    """Usage, permission, description, example and every option of a row are in the help."""
    text = replies.help_text(COMMANDS)
    options = [part for o in row.options for part in (o.name, o.help, o.value)]

    usage = row.usage.replace("|", r"\|")  # as GitHub wants it in a table
    assert all(part in text for part in [usage, row.needs, row.description, row.example, *options])


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.words)
def test_an_example_works(row: CommandRow) -> None:
    """The example of a row is understood as that row."""
    [command] = parse(row.example)

    assert isinstance(command, Command)
    assert row_of(command, COMMANDS) is row


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.words)
def test_options_fill_fields(row: CommandRow) -> None:
    """Argument and options of a row are exactly the fields of its command."""
    command = row.makes()
    assert is_dataclass(command)
    arguments = {argument.field for argument in row.arguments}
    # what a push starts, or /execute fix, nobody types
    by_others = {"tasks", "fix"} if row is START else set()

    said = {option.field for option in row.options} | arguments
    assert said | by_others == {f.name for f in fields(command)}


def test_each_row_makes_a_value_of_its_own() -> None:
    """A command leads back to its row, so no two rows make the same value."""
    assert len({row.makes for row in COMMANDS}) == len(COMMANDS)


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.words)
def test_every_row_has_a_handler_for_what_it_makes(row: CommandRow) -> None:
    """What a row makes of a comment is what its handler takes."""
    takes = typing.get_type_hints(row.handler)["command"]

    assert row.makes in (typing.get_args(takes) or (takes,))


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.words)
def test_an_admin_may_everything(row: CommandRow) -> None:
    """No row asks for more than there is."""
    assert suffices("admin", row.needs)


def test_the_help_triggers_nothing() -> None:
    """Our own help, should it come back as a comment, is no command."""
    assert parse(replies.help_text(COMMANDS)) == ()
