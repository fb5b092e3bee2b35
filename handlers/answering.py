"""How a comment is answered: the commands in it, who may give them, one reply to all of them.

A redelivered comment is answered again with the same effect: reactions are idempotent, a run is
named by its delivery, and a reply is looked for before it is written.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from handlers.conversation import Conversation
from handlers.events import IssueCommentCreated
from handlers.grammar import (
    Command,
    CommandReply,
    CommandRow,
    Commands,
    Misunderstood,
    Need,
    row_of,
)
from handlers.issue_thread import IssueThread, role_of, suffices
from handlers.parsing import may_hold_command, parse
from handlers.ports import Proposals, Runs
from handlers.texts import replies


async def handle_comment(
    event: IssueCommentCreated,
    *,
    thread: IssueThread,
    runs: Runs,
    proposals: Proposals,
    rows: Commands,
) -> None:
    """Do what a new comment asks for. Raises ``Outage`` of the client; doing it again is safe.

    Anybody can write one: before the permission is known, it costs one search, and it is never
    parsed on the event loop.
    """
    if may_hold_command(event.body, rows):
        role = await role_of(thread.github, event.repository.full_name, event.author)
        commands = await asyncio.to_thread(parse, event.body, rows)
        conversation = Conversation(
            event=event,
            thread=thread,
            runs=runs,
            proposals=proposals,
            rows=rows,
            role=role,
        )
        await _answer(conversation, commands)
    if event.is_pull_request:
        await proposals.touch(event.repository.id, event.issue)


async def _answer(
    conversation: Conversation, commands: tuple[Command | Misunderstood, ...]
) -> None:
    event = conversation.event
    if not suffices(conversation.role, "write") and not conversation.thread.refusals.may_answer(
        repository_id=event.repository.id, user_id=event.author.id
    ):
        return
    commands = tuple([await _as_meant(conversation, command) for command in commands])
    if any(_allowed(conversation, command) for command in commands):
        await conversation.thread.react(event.comment_id)
    answers = [
        await _carry_out(replace(conversation, nth=nth), each) for nth, each in enumerate(commands)
    ]
    delivery, author = event.delivery, event.author
    if any(reply.refusal for reply in answers) and not await conversation.thread.may_refuse(
        author, to=delivery
    ):
        answers = [reply for reply in answers if not reply.refusal]
    for reply in answers:
        if reply.standing:
            await conversation.thread.stand(reply.text, name=reply.standing)
    said = [reply.text for reply in answers if reply.text and not reply.standing]
    text = "\n\n---\n\n".join(said)
    if text:
        await conversation.thread.reply(text, to=delivery, since=event.created_at)


async def _as_meant(
    conversation: Conversation, command: Command | Misunderstood
) -> Command | Misunderstood:
    """What a command says where the repository has a project whose name it begins with."""
    if not isinstance(command, Misunderstood) or command.meant is None:
        return command
    known = await conversation.runs.projects(conversation.event.repository)
    if command.project.lower() in map(str.lower, known.names):
        return command.meant
    said = replies.no_project(known)
    return replace(command, problem=f"{command.problem} {said}") if said else command


def _allowed(conversation: Conversation, command: Command | Misunderstood) -> bool:
    """Whether it is worth a 👀; who may decide is known only when the proposal is."""
    if isinstance(command, Misunderstood):
        return False
    row = row_of(command, conversation.rows)
    return suffices(conversation.role, "write" if row.configurable else _needs(row, command))


def _needs(row: CommandRow, command: Command) -> Need:
    """The permission a command takes: an option that was used may ask for more."""
    blank = row.makes()
    for option in row.options:
        used = getattr(command, option.field) != getattr(blank, option.field)
        if used and option.needs:
            return option.needs
    return row.needs


async def _carry_out(conversation: Conversation, command: Command | Misunderstood) -> CommandReply:
    """Carry out one command, or say why not; what strangers get wrong is refused."""
    if isinstance(command, Misunderstood):
        stranger = not suffices(conversation.role, "write")
        return CommandReply(replies.misunderstood(command), refusal=stranger)
    row = row_of(command, conversation.rows)
    if not row.configurable and not suffices(conversation.role, _needs(row, command)):
        return CommandReply(_refused(row, command, conversation), refusal=True)
    return await row.handler(conversation, command)


def _refused(row: CommandRow, command: Command, conversation: Conversation) -> str:
    needs = _needs(row, command)
    options = [o.name for o in row.options if o.needs and o.needs == needs != row.needs]
    words = " ".join([row.words, *options])
    return replies.refused(words, needs, conversation.event.author, conversation.role)
