"""``/execute undo``: a pull request that takes back a merged task, and clears its checkbox.

Where CI fails since the merge, people are asked whether they want that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.features.undo.offering import went_red
from app.features.undo.texts import undoing_texts
from app.features.undo.undoing import undone
from app.runs.feature import Feature
from handlers.commands import no_task
from handlers.conversation import Conversation
from handlers.events import CheckEnded
from handlers.grammar import (
    TRIGGER,
    Argument,
    Command,
    CommandReply,
    CommandRow,
    ExecuteCommand,
)
from handlers.ports import NamedTask
from runner.roadmap.plans import form_of


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoCommand(Command):
    """Take back one finished task ('': the one of this pull request)."""

    task: str = ""


async def _asked(conversation: Conversation, command: UndoCommand) -> CommandReply:
    """Have a run propose it; the rest of the repository is tested without the task first."""
    runs, request = conversation.runs, conversation.request(ExecuteCommand())
    here = await runs.checkpoint(request)
    tasks = here.tasks if here else ()
    name = command.task or (tasks[0] if len(tasks) == 1 else "")
    found = await runs.find_task(request, name, here.roadmap if here and tasks else None)
    if isinstance(found, NamedTask) and form_of(found.roadmap).apart:
        return CommandReply(undoing_texts.of_issue(found.name))
    if isinstance(found, NamedTask):
        one = replace(request.command, task=found.key, path=found.roadmap)
        await runs.start(replace(request, command=one), {"undo": True})
        return CommandReply("")  # the run reports in its own comment
    if not command.task:
        return CommandReply(undoing_texts.name_a_task(f"{TRIGGER} undo"))
    return no_task(command.task, found)


def register() -> Feature:
    """Return what the feature adds."""
    row = CommandRow(
        name="undo",
        makes=UndoCommand,
        handler=_asked,
        needs="write",
        description="take back one merged task: open a pull request that reverses its change and "
        "clears its checkbox",
        example="/execute undo 1.2",
        arguments=(
            Argument(
                field="task",
                value="ID",
                kind="id",
                help="the task's key, or the id written in the roadmap (default: the task of this "
                "pull request)",
            ),
        ),
    )
    return Feature(commands=(row,), kinds={"undo": undone}, events={CheckEnded: went_red})
