"""Commands about what was recorded and learned: history, analyze and memory."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from handlers.conversation import Conversation
from handlers.grammar import (
    TRIGGER,
    AnalyzeCommand,
    Argument,
    CommandReply,
    CommandRow,
    Commands,
    ExecuteCommand,
    HistoryCommand,
    MemoryCommand,
    Option,
)
from handlers.issue_thread import suffices
from handlers.texts import replies
from runner.people.analysis_sentences import Topic, tables
from runner.people.analysis_sentences import markdown as analysis_markdown
from runner.people.history_answer import HistoryTopic, markdown
from runner.text.sanitize import sanitize


async def _history(conversation: Conversation, command: HistoryCommand) -> CommandReply:
    """Show what the runs of this repository did, in one comment for each question."""
    topic = next((each for each in get_args(HistoryTopic) if each == command.topic), None)
    if topic is None:
        return CommandReply(replies.no_topic("history", command.topic, get_args(HistoryTopic)))
    runs, repository = conversation.runs, conversation.event.repository
    found = await runs.history(repository.id, topic, days=command.days)
    found = replace(found, page=runs.history_page(repository))
    text = replies.history(topic, markdown(found))
    return CommandReply(text, standing=f"history-{topic}-{command.days}")


async def _analyze(conversation: Conversation, command: AnalyzeCommand) -> CommandReply:
    """Show what the history teaches, in one comment for each question."""
    topic = next((each for each in get_args(Topic) if each == command.topic), None)
    if topic is None:
        return CommandReply(replies.no_topic("analyze", command.topic, get_args(Topic)))
    found = await conversation.runs.learned.analysis(conversation.request(ExecuteCommand()))
    text = sanitize(analysis_markdown(tables(topic, found)))
    return CommandReply(text, standing=f"analyze-{topic}")


async def _memory(conversation: Conversation, command: MemoryCommand) -> CommandReply:
    """Show what runs remember, or clear it; clearing takes the write permission."""
    repository = conversation.event.repository.id
    if command.action == "show":
        notes = await conversation.runs.learned.notes(repository)
        return CommandReply(replies.memory(notes), standing="memory")
    if command.action != "clear":
        return CommandReply(replies.no_topic("memory", command.action, ("show", "clear")))
    if not suffices(conversation.role, "write"):
        author, words = conversation.event.author, f"{TRIGGER} memory clear"
        text = replies.refused(words, "write", author, conversation.role)
        return CommandReply(text, refusal=True)
    return CommandReply(replies.memory_cleared(await conversation.runs.learned.clear(repository)))


LEARNED: Commands = (
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
        "whether tasks did better with a plan (short: `/analyze`)",
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
"""Their rows of the table of commands."""
