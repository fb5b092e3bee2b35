"""The command table and the help made of it."""

from __future__ import annotations

import typing
from dataclasses import fields, is_dataclass

import pytest

from handlers import replies
from handlers.commands import COMMANDS, START, Command, Misunderstood, Order, row_of
from handlers.parsing import parse
from handlers.talk import suffices


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
    arguments = {argument.field for argument in row.arguments}
    by_others = {"tasks"} if row is START else set()  # what a push starts, nobody types

    said = {option.field for option in row.options} | arguments
    assert said | by_others == {f.name for f in fields(order)}


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


DESIGNED = (
    *("/execute", "/execute status", "/execute pause", "/execute resume", "/execute cancel"),
    *("/execute retry", "/execute skip", "/execute revise", "/execute undo", "/execute help"),
    *("/approve", "/reject", "/edit", "/history", "/analyze", "/memory"),
)
"""Every row of the design's command table (DESIGN, section 7)."""


@pytest.mark.parametrize("words", DESIGNED)
def test_a_designed_command_is_built_or_not_in_the_help(words: str) -> None:
    """What nobody can do yet is not promised; what is promised is understood."""
    built = words in {row.words for row in COMMANDS}
    (*orders,) = parse(f"{words} 1.1" if words.endswith(("retry", "skip")) else words)

    assert built == (f"| `{words} " in replies.help_text() or f"| `{words}`" in replies.help_text())
    assert built == (bool(orders) and not isinstance(orders[0], Misunderstood))


def test_no_command_is_not_designed() -> None:
    """The table has nothing the design does not know."""
    assert {row.words for row in COMMANDS} <= set(DESIGNED)
