"""The command table and the help made of it."""

from __future__ import annotations

import typing
from dataclasses import fields, is_dataclass

import pytest

from handlers import replies
from handlers.commands import parse
from handlers.orders import Misunderstood, Order
from handlers.permissions import suffices
from handlers.table import COMMANDS, Command, row_of


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.words)
def test_the_help_tells_everything_of_a_row(row: Command) -> None:
    """Usage, permission, description, example and every option of a row are in the help."""
    text = replies.help_text()
    options = [part for o in row.options for part in (o.name, o.help, o.value)]

    assert all(
        part in text for part in [row.usage, row.needs, row.description, row.example, *options]
    )


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.words)
def test_an_example_works(row: Command) -> None:
    """The example of a row is understood as that row."""
    [order] = parse(row.example)

    assert row_of(order) is row


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.words)
def test_options_fill_fields(row: Command) -> None:
    """Argument and options of a row are exactly the fields of its order."""
    order = row.makes()
    assert is_dataclass(order)
    argument = {row.argument.field} if row.argument else set()

    assert {o.field for o in row.options} | argument == {f.name for f in fields(order)}


def test_every_order_has_a_row() -> None:
    """Whatever can be ordered is in the table, and so in the help."""
    orders = set(typing.get_args(Order)) - {Misunderstood}

    assert {row.makes for row in COMMANDS} == orders


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.words)
def test_an_admin_may_everything(row: Command) -> None:
    """No row asks for more than there is."""
    assert suffices("admin", row.needs)


def test_the_help_triggers_nothing() -> None:
    """Our own help, should it come back as a comment, is no command."""
    assert parse(replies.help_text()) == ()
