"""``/execute history``, ``analyze`` and ``memory``: what was recorded, learned and remembered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import get_args

from app.runs.feature import Feature
from app.runs.parts import ServerParts
from handlers.conversation import Conversation
from handlers.grammar import (
    TRIGGER,
    Argument,
    Command,
    CommandReply,
    CommandRow,
    Commands,
    Option,
)
from handlers.issue_thread import suffices
from handlers.texts import HANDLERS, replies
from runner.errors import Outage
from runner.history.inquiry import asked
from runner.people.analysis_sentences import Topic, tables
from runner.people.analysis_sentences import markdown as analysis_markdown
from runner.people.history_answer import HistoryTopic, answered, markdown
from runner.people.texts import Texts, environment
from runner.text.sanitize import sanitize

history_texts = Texts(environment("app.features.history", HANDLERS), "history")


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryCommand(Command):
    """Show what the runs of this repository did: ``topic`` as for ``cairn history``."""

    topic: str = "recent"
    days: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzeCommand(Command):
    """Show what the history teaches: ``topic`` as for ``cairn analyze``."""

    topic: str = "models"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCommand(Command):
    """Show what is remembered, or ``clear`` it."""

    action: str = "show"


async def _history(conversation: Conversation, command: HistoryCommand) -> CommandReply:
    """Show what the runs of this repository did, in one comment for each question."""
    topic = next((each for each in get_args(HistoryTopic) if each == command.topic), None)
    if topic is None:
        text = history_texts.no_topic("history", command.topic, get_args(HistoryTopic))
        return CommandReply(text)
    parts: ServerParts = conversation.service.parts
    repository, now = conversation.event.repository, parts.around.clock.now().timestamp()
    failed, days = topic == "errors", command.days
    query = asked(now=now, days=days, repository_id=repository.id, failed=failed)
    found = await answered(parts.history, topic, query)
    found = replace(found, page=parts.history_page(repository))
    text = history_texts.history(topic, markdown(found))
    return CommandReply(text, standing=f"history-{topic}-{days}")


async def _analyze(conversation: Conversation, command: AnalyzeCommand) -> CommandReply:
    """Show what the history teaches, in one comment for each question."""
    topic = next((each for each in get_args(Topic) if each == command.topic), None)
    if topic is None:
        return CommandReply(history_texts.no_topic("analyze", command.topic, get_args(Topic)))
    parts: ServerParts = conversation.service.parts
    config = await parts.config_or_default(conversation.event.repository)
    found = await parts.lessons(conversation.event.repository.id).analysis(config)
    text = sanitize(analysis_markdown(tables(topic, found)), links=True)
    return CommandReply(text, standing=f"analyze-{topic}")


async def _memory(conversation: Conversation, command: MemoryCommand) -> CommandReply:
    """Show what runs remember, or clear it; clearing takes the write permission."""
    parts: ServerParts = conversation.service.parts
    memory = parts.folders.memory(conversation.event.repository.id)
    if command.action == "show":
        return CommandReply(history_texts.memory(await memory.notes()), standing="memory")
    if command.action != "clear":
        return CommandReply(history_texts.no_topic("memory", command.action, ("show", "clear")))
    if not suffices(conversation.role, "write"):
        author, words = conversation.event.author, f"{TRIGGER} memory clear"
        text = replies.refused(words, "write", author, conversation.role)
        return CommandReply(text, refusal=True)
    try:
        return CommandReply(history_texts.memory_cleared(await memory.forget()))
    except OSError as error:
        raise Outage("file", f"The project memory cannot be cleared: {error}") from error


_ROWS: Commands = (
    CommandRow(
        name="history",
        makes=HistoryCommand,
        handler=_history,
        short=True,
        needs="read",
        description="show what the runs of this repository did: the newest attempts, the failures, "
        "or statistics of all attempts (short: `/history`)",
        example="/execute history stats",
        arguments=(
            Argument(
                field="topic",
                value="recent|errors|stats",
                kind="id",
                help="the newest attempts (default), the failures and how often each type of "
                "error was recovered, or the statistics",
            ),
        ),
        options=(
            Option(
                name="--days",
                kind="count",
                value="N",
                maximum=3650,
                help="only the newest N days, today included",
            ),
        ),
    ),
    CommandRow(
        name="analyze",
        makes=AnalyzeCommand,
        handler=_analyze,
        short=True,
        needs="read",
        description="show what the recorded attempts teach: which model and settings did better, "
        "and whether tasks did better with a plan (short: `/analyze`)",
        example="/execute analyze models",
        arguments=(
            Argument(
                field="topic",
                value="models|routing",
                kind="id",
                help="models and settings (default), or whether tasks of one size did better with "
                "a plan",
            ),
        ),
    ),
    CommandRow(
        name="memory",
        makes=MemoryCommand,
        handler=_memory,
        short=True,
        needs="read",
        description="show the notes that runs of this repository keep for later ones; `clear` "
        "deletes them and needs the *write* permission (short: `/memory`)",
        example="/execute memory clear",
        arguments=(
            Argument(
                field="action",
                value="show|clear",
                kind="id",
                help="show the notes (default), or delete all of them",
            ),
        ),
    ),
)


def register() -> Feature:
    """Return what the feature adds."""
    return Feature(commands=_ROWS)
