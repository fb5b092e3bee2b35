"""A slash command is one row: whoever adds it has added all of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from handlers.conversation import Conversation
from handlers.grammar import Argument, Command, CommandReply, CommandRow, Option
from tests.scenarios.bot import Bot, conversation
from tests.scenarios.projects import NOTES


@dataclass(frozen=True, slots=True, kw_only=True)
class GreetCommand(Command):
    """Greet somebody."""

    name: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class HelloCommand(Command):
    """Greet somebody, too."""

    name: str = ""
    times: int = 1


async def greet(told: Conversation, command: GreetCommand | HelloCommand) -> CommandReply:
    return CommandReply(" ".join([f"Hello {command.name}!"] * command.times))


GREET = CommandRow(
    name="greet",
    makes=GreetCommand,
    handler=greet,
    needs="write",
    description="say hello to somebody",
    example="/execute greet Ada --times 2",
    arguments=(
        Argument(field="name", value="NAME", kind="id", required=True, help="who is greeted"),
    ),
    options=(Option(name="--times", kind="count", value="N", help="how often"),),
)
HELLO = CommandRow(
    name="",
    trigger="/hello",
    makes=HelloCommand,
    handler=greet,
    needs="anyone",
    description="say hello, too",
    example="/hello Ada",
    arguments=GREET.arguments,
)


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Bot]:
    """A bot that knows two more commands."""
    async with conversation(tmp_path, NOTES) as bot:
        bot.commands = (GREET, HELLO)
        async with bot.started():
            yield bot
            bot.github.verify()
            assert bot.bugs == []


async def test_an_added_row_is_answered(bot: Bot) -> None:
    """Its words are parsed, and its handler's answer is the reply."""
    await bot.comment("/execute greet Ada --times 2")

    (said,) = bot.says()
    assert said.startswith("Hello Ada! Hello Ada!")
    assert bot.calls("POST", "/reactions")


async def test_an_added_row_may_bring_a_trigger_of_its_own(bot: Bot) -> None:
    """A word that no comment was looked for before is found as soon as a row has it."""
    await bot.comment("/hello Grace", by="reader")

    (said,) = bot.says()
    assert said.startswith("Hello Grace!")


async def test_an_added_row_is_only_for_those_it_allows(bot: Bot) -> None:
    """Who lacks the permission of the row is told so, and its handler is not asked."""
    await bot.comment("/execute greet Ada", by="reader")

    (said,) = bot.says()
    assert "`/execute greet` needs the *write* permission" in said
    assert "Hello" not in said


async def test_mistakes_in_an_added_row_are_explained(bot: Bot) -> None:
    """A word too few and a word misspelt lead to the usage of the row."""
    await bot.comment("/execute greet\n/execute gret Ada")

    (said,) = bot.says()
    assert "`/execute greet` needs `NAME`: who is greeted" in said
    assert "Try `/execute greet`" in said


async def test_an_added_row_is_in_the_help(bot: Bot) -> None:
    """The help shows how it is written, who may use it and what it does."""
    await bot.comment("/execute help")

    (said,) = bot.says()
    row = "| `/execute greet NAME [--times N]` | *write* permission or higher |"
    assert f"{row} say hello to somebody |" in said
    assert "`/hello NAME`" in said
