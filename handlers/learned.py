"""Commands about what was recorded and learned: history, analyze and memory."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from handlers import replies
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
    ShortAnalyzeCommand,
    ShortHistoryCommand,
    ShortMemoryCommand,
)
from handlers.issue_thread import suffices
from runner.people.analysis_sentences import Topic
from runner.people.history_answer import HistoryTopic


async def _history(
    conversation: Conversation, command: HistoryCommand | ShortHistoryCommand
) -> CommandReply:
    """Show what the runs of this repository did, in one comment for each question."""
    topic = next((each for each in get_args(HistoryTopic) if each == command.topic), None)
    if topic is None:
        return CommandReply(replies.no_topic("history", command.topic, get_args(HistoryTopic)))
    runs, repository = conversation.runs, conversation.event.repository
    found = await runs.history(repository.id, topic, days=command.days)
    found = replace(found, page=runs.history_page(repository))
    return CommandReply(replies.history(found), standing=f"history-{topic}-{command.days}")


async def _analyze(
    conversation: Conversation, command: AnalyzeCommand | ShortAnalyzeCommand
) -> CommandReply:
    """Show what the history teaches, in one comment for each question."""
    topic = next((each for each in get_args(Topic) if each == command.topic), None)
    if topic is None:
        return CommandReply(replies.no_topic("analyze", command.topic, get_args(Topic)))
    found = await conversation.runs.learned.analysis(conversation.request(ExecuteCommand()))
    return CommandReply(replies.analysis(topic, found), standing=f"analyze-{topic}")


async def _memory(
    conversation: Conversation, command: MemoryCommand | ShortMemoryCommand
) -> CommandReply:
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


def _described(trigger: str, what: str) -> str:
    """What a command does; a short form only names the long one."""
    return what if trigger == TRIGGER else f"short for `{TRIGGER} {trigger[1:]}`"


LEARNED: Commands = (
    *(
        CommandRow(
            name=name,
            trigger=trigger,
            makes=makes,
            handler=_history,
            needs="read",
            description=_described(
                trigger,
                "show what the runs of this repository did: the newest attempts, the failures, or "
                "statistics of all attempts",
            ),
            example=f"{trigger} {name} stats".replace("  ", " "),
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
        )
        for trigger, name, makes in (
            (TRIGGER, "history", HistoryCommand),
            ("/history", "", ShortHistoryCommand),
        )
    ),
    *(
        CommandRow(
            name=name,
            trigger=trigger,
            makes=makes,
            handler=_analyze,
            needs="read",
            description=_described(
                trigger,
                "show what the recorded attempts teach: which model and settings did better, what "
                "planning gained, which tasks took the wrong route",
            ),
            example=f"{trigger} {name} models".replace("  ", " "),
            arguments=(
                Argument(
                    field="topic",
                    value="models|routing|misroutes",
                    kind="id",
                    help="models and settings (default), what planning gained by size of task, "
                    "or tasks that failed where similar ones did better with a plan, or without "
                    "one",
                ),
            ),
        )
        for trigger, name, makes in (
            (TRIGGER, "analyze", AnalyzeCommand),
            ("/analyze", "", ShortAnalyzeCommand),
        )
    ),
    *(
        CommandRow(
            name=name,
            trigger=trigger,
            makes=makes,
            handler=_memory,
            needs="read",
            description=_described(
                trigger,
                "show the notes that runs of this repository keep for later ones; `clear` deletes "
                "them and needs the *write* permission",
            ),
            example=f"{trigger} {name} clear".replace("  ", " "),
            arguments=(
                Argument(
                    field="action",
                    value="show|clear",
                    kind="id",
                    help="show the notes (default), or delete all of them",
                ),
            ),
        )
        for trigger, name, makes in (
            (TRIGGER, "memory", MemoryCommand),
            ("/memory", "", ShortMemoryCommand),
        )
    ),
)
"""Their rows of the table of commands."""
