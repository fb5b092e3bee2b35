"""The slash commands that start, control and decide: what each one does, and their rows.

The row of a command is the one place that knows it: recognising it in a comment, the permission it
takes, what it does and the help all come from there. To add a command, write its value (a
``Command``), its handler and its row, in the folder of its feature (``app/features/``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from handlers.conversation import Conversation
from handlers.decisions import decide_by_reply, rule_on
from handlers.grammar import (
    ApproveCommand,
    Argument,
    CancelCommand,
    Command,
    CommandReply,
    CommandRow,
    Commands,
    Deciding,
    EditCommand,
    ExecuteCommand,
    HelpCommand,
    Option,
    PauseCommand,
    RejectCommand,
    ResumeCommand,
    RetryCommand,
    ReviseCommand,
    SkipCommand,
    StatusCommand,
)
from handlers.issue_thread import suffices
from handlers.ports import Ambiguous, NamedTask, Order, Unknown, Vote
from handlers.texts import replies
from runner.roadmap.plans import form_of
from runner.roadmap.plans.issue import issue_path
from runner.state.proposal import ApprovalMode
from runner.state.revising import RevisionRequest


async def _execute(conversation: Conversation, command: ExecuteCommand) -> CommandReply:
    path, event = command.path or "", conversation.event
    if form_of(path).apart and not (event.told and path == issue_path(event.issue)):
        here = event.is_pull_request and path == issue_path(event.issue)
        return CommandReply(replies.other_issue(path, here))
    await conversation.runs.start(conversation.request(command))
    return CommandReply("")  # the run reports in its own comment


async def _help(conversation: Conversation, command: HelpCommand) -> CommandReply:
    return CommandReply(replies.help_text(conversation.rows))


async def _status(conversation: Conversation, command: StatusCommand) -> CommandReply:
    runs = await conversation.runs.status(**conversation.here)
    request = conversation.request(ExecuteCommand())
    if not conversation.event.is_pull_request:
        reviewed = await conversation.runs.in_review(request) if runs else ()
        return CommandReply(replies.status(runs, reviewed=reviewed))
    here = await conversation.runs.checkpoint(request)
    offer = None if here or runs else await conversation.runs.offer(request)
    return CommandReply(replies.status(runs, here, offer=offer))


_ORDERS: Mapping[type[Command], tuple[Order, Callable[[Sequence[str]], str]]] = {
    CancelCommand: ("cancel", replies.cancelling),
    PauseCommand: ("pause", replies.pausing),
    ResumeCommand: ("resume", replies.resuming),
}


async def _order(
    conversation: Conversation, command: CancelCommand | PauseCommand | ResumeCommand
) -> CommandReply:
    order, said = _ORDERS[type(command)]
    by = conversation.event.author
    return CommandReply(said(await conversation.runs.order(order, **conversation.here, by=by)))


async def _retry(conversation: Conversation, command: RetryCommand) -> CommandReply:
    """Start a run for one task again, named by its key or a unique written id."""
    request = conversation.request(ExecuteCommand())
    found = await conversation.runs.find_task(request, command.task)
    if not isinstance(found, NamedTask):
        return no_task(command.task, found)
    one = replace(request.command, task=found.key, path=found.roadmap)
    asked = replace(request, command=one)
    again = await conversation.runs.kept(asked) if command.from_ else ""
    if again is None:
        return CommandReply(replies.nothing_kept(found.name))
    note = command.note.strip()
    superseded = await conversation.runs.retry(asked, note=note, again=again)
    return CommandReply(replies.retrying(request.run, superseded))


async def _skip(conversation: Conversation, command: SkipCommand) -> CommandReply:
    """Leave a task out, now and later; where it has a proposal that is a decision about it, too."""
    request, proposals = conversation.request(ExecuteCommand()), conversation.proposals
    found = await conversation.runs.find_task(request, command.task)
    if not isinstance(found, NamedTask):
        return no_task(command.task, found)
    open_ones = await proposals.of_task(request.repository.id, found.roadmap, found.key)
    if open_ones:
        vote = Vote(
            delivery=f"{request.delivery}#{request.nth}" if request.nth else request.delivery,
            by=request.by,
            at=request.created_at,
            channel="reply",
            verdict="skip",
        )
        ruling = await rule_on(conversation.thread, proposals, open_ones[0], vote, ())
        if ruling.counts:
            await conversation.runs.skip(request, found)
        return CommandReply(ruling.say)
    new = await conversation.runs.skip(request, found)
    return CommandReply(replies.skipping(found.name, found.title, new=new))


async def _revise(conversation: Conversation, command: ReviseCommand) -> CommandReply:
    """Change this pull request; what comes of it is in the run's own comment."""
    asked = RevisionRequest(
        conversation.event.issue, conversation.event.author.login, text=command.text
    )
    found = await conversation.runs.revise(conversation.request(ExecuteCommand()), asked)
    return CommandReply(replies.revising(found))


def no_task(name: str, found: Unknown | Ambiguous) -> CommandReply:
    """Say that no task is called so, or several are."""
    if isinstance(found, Ambiguous):
        return CommandReply(replies.ambiguous_task(name, found.candidates))
    return CommandReply(replies.no_task(name, found))


async def _decide(conversation: Conversation, command: Deciding) -> CommandReply:
    """Decide about a proposal; who may is known only when the proposal is."""
    ruling = await decide_by_reply(
        conversation.event, command, conversation.nth, conversation.thread, conversation.proposals
    )
    refused_person = not suffices(conversation.role, "write") and not ruling.counts
    return CommandReply(ruling.say, refusal=ruling.refused or refused_person)


_TASK = Argument(
    field="task",
    value="ID",
    kind="id",
    required=True,
    help="the task's key, or the id written in the roadmap",
)
_PROPOSAL = Argument(
    field="proposal",
    value="ID",
    kind="id",
    help="the proposal's id or its task (default: the one of this pull request)",
)

_RUNS: Commands = (
    CommandRow(
        name="",
        makes=ExecuteCommand,
        handler=_execute,
        needs="write",
        description="start a run: one pull request for each task it can finish",
        example="/execute docs/ROADMAP.md --max-tasks 3",
        arguments=(
            Argument(
                field="path",
                value="PATH",
                kind="path",
                help="the roadmap: a `.md` file of this repository, or the JSON plan of "
                "task-master or ralph; on issue 12 also `#12`: then the issue itself is the task "
                "(default: the configured one, and where there is no plan the issue)",
            ),
        ),
        options=(
            Option(name="--task", kind="text", value="ID", help="work on this one task only"),
            Option(
                name="--phase",
                kind="text",
                value="ID",
                help="work on the tasks of this phase or section only: its number or heading",
            ),
            Option(
                name="--max-tasks",
                kind="count",
                value="N",
                maximum=1000,
                help="stop after N tasks (default: 10)",
            ),
            Option(name="--model", kind="text", value="M", help="the language model to ask"),
            Option(
                name="--plan",
                kind="flag",
                help="only plan each task and show the plans; nothing is written",
            ),
            Option(
                name="--dry-run",
                kind="flag",
                help="only list the tasks in order; no model is asked",
            ),
            Option(
                name="--approval-mode",
                kind="choice",
                value="M",
                choices=get_args(ApprovalMode),
                help="which proposals about a failed task need approval: "
                + ", ".join(f"`{mode}`" for mode in get_args(ApprovalMode)),
            ),
            Option(
                name="--priority",
                kind="count",
                value="P",
                maximum=100,
                needs="admin",
                help="go ahead of queued runs with a lower priority, from 1 to 100; needs the "
                "*admin* permission",
            ),
        ),
    ),
    CommandRow(
        name="status",
        makes=StatusCommand,
        handler=_status,
        needs="read",
        description="show the runs of this issue, their tasks and the pull requests in review; on "
        "one of Cairn's pull requests also its place in the stack",
        example="/execute status",
    ),
    CommandRow(
        name="cancel",
        makes=CancelCommand,
        handler=_order,
        needs="write",
        description="stop the runs of this issue; what is published stays",
        example="/execute cancel",
    ),
    CommandRow(
        name="pause",
        makes=PauseCommand,
        handler=_order,
        needs="write",
        description="pause the runs of this issue; nothing is lost",
        example="/execute pause",
    ),
    CommandRow(
        name="resume",
        makes=ResumeCommand,
        handler=_order,
        needs="write",
        description="continue the paused runs of this issue",
        example="/execute resume",
    ),
    CommandRow(
        name="retry",
        makes=RetryCommand,
        handler=_retry,
        needs="write",
        description="work on one task again, even if it failed, was declined or skipped, or has a "
        "proposal; continues from what people pushed to its recovery branch",
        example="/execute retry 1.2",
        options=(
            Option(
                name="--from",
                kind="choice",
                value="NODE",
                choices=("verify",),
                help="`verify`: only verify the change of the newest run again; no model is asked",
            ),
        ),
        arguments=(
            _TASK,
            Argument(
                field="note",
                value="what to add",
                kind="below",
                help="what the model should know this time, such as the answer to its question; "
                "write it on the lines below",
            ),
        ),
    ),
    CommandRow(
        name="skip",
        makes=SkipCommand,
        handler=_skip,
        needs="write",
        description="skip one task, in this run and later ones, until it is retried",
        example="/execute skip 1.2",
        arguments=(_TASK,),
    ),
    CommandRow(
        name="revise",
        makes=ReviseCommand,
        handler=_revise,
        needs="write",
        description="change this pull request of Cairn's as you ask, with one more commit on its "
        "branch",
        example="/execute revise return 0 for an empty list",
        arguments=(
            Argument(
                field="text",
                value="what to change",
                kind="text",
                help="what to change, also on the lines below (default: what the open review "
                "threads ask for)",
            ),
        ),
    ),
)

_DECISIONS: Commands = (
    CommandRow(
        name="",
        trigger="/approve",
        makes=ApproveCommand,
        handler=_decide,
        needs="maintain",
        configurable=True,
        description="approve a proposal: Cairn does what it proposes",
        example="/approve",
        arguments=(_PROPOSAL,),
    ),
    CommandRow(
        name="",
        trigger="/reject",
        makes=RejectCommand,
        handler=_decide,
        needs="maintain",
        configurable=True,
        description="reject a proposal: its task stays open and counts as failed",
        example="/reject the task is fine as it is",
        arguments=(
            Argument(
                field="words",
                value="[ID] [why]",
                kind="words",
                help="the proposal as for `/approve`, and why it is rejected",
            ),
        ),
    ),
    CommandRow(
        name="",
        trigger="/edit",
        makes=EditCommand,
        handler=_decide,
        needs="maintain",
        configurable=True,
        description="approve a proposal, but with your own list of tasks",
        example="/edit",
        arguments=(
            _PROPOSAL,
            Argument(
                field="below",
                value="a list of tasks",
                kind="below",
                required=True,
                help="the new tasks, one list item each, on the lines below",
            ),
        ),
    ),
    CommandRow(
        name="help",
        makes=HelpCommand,
        handler=_help,
        needs="anyone",
        description="show this help",
        example="/execute help",
    ),
)

START = _RUNS[0]


def table(of_features: Iterable[CommandRow]) -> Commands:
    """Return every slash command, in the order of the help."""
    return (*_RUNS, *of_features, *_DECISIONS)
