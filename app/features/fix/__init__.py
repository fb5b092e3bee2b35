"""``/execute fix``: a run tries to repair the failing checks of anybody's pull request.

On an issue the fault that it describes is the task.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from app.features.fix.broken import BrokenPulls
from app.features.fix.looking import Fixing, look
from app.github.one_pull import OfferedPulls
from app.runs.begun import Begun
from app.runs.feature import Feature
from app.runs.requests import row_of
from app.runs.service import RunService, has_revised
from app.store.runs import UNFINISHED, Run
from handlers.conversation import Conversation
from handlers.events import PullClosed
from handlers.grammar import Command, CommandReply, CommandRow, ExecuteCommand
from handlers.ports import RunRequested
from handlers.reviews import asked_by_sender
from handlers.texts import HANDLERS
from runner.loop.task_pool import Ended
from runner.people.sentences import fix_branch
from runner.people.texts import Texts, environment, fix_texts
from runner.roadmap.plans.issue import has_body, issue_path
from runner.state.revising import RevisionRequest

fixing_texts = Texts(environment("app.features.fix", HANDLERS), "fix")


@dataclass(frozen=True, slots=True)
class FixCommand(Command):
    """Propose a repair of what fails on this pull request."""


async def _asked(conversation: Conversation, command: FixCommand) -> CommandReply:
    """Propose a repair of this pull request, or of the fault that this issue tells of.

    What comes of it is in the run's own comment.
    """
    request = conversation.request(ExecuteCommand())
    if not conversation.event.is_pull_request:
        if not has_body(request.told):
            return CommandReply(fixing_texts.fixing(Fixing("no_pull")))
        repair = replace(request.command, path=issue_path(request.issue), fix=True)
        await conversation.runs.start(replace(request, command=repair))
        return CommandReply("")
    return CommandReply(fixing_texts.fixing(await _started(conversation.service, request)))


async def _started(service: RunService, request: RunRequested) -> Fixing:
    """Queue a run that proposes a repair of anybody's pull request; twice leaves one."""
    parts = service.parts
    if await parts.runs.get(request.run):
        return Fixing("started")
    if not parts.identity.is_app:
        return Fixing("no_app")
    found, head = await look(await parts.repository(row_of(request, "")), request.issue)
    if found.outcome != "started":
        return found
    most = await service.pulls.most_revisions(request)
    used = [run for run in await _here(service, request) if has_revised(run, "fix")]
    if any(run.status in UNFINISHED for run in used):
        return Fixing("working")
    if len(used) >= most:
        return Fixing("limit" if most else "off", most=most)
    by, number = request.by.login, len(used) + 1
    asked = RevisionRequest(request.issue, by, failing=head, fix=True, number=number, most=most)
    await service.start(request, {"revision": asdict(asked)})
    return found


async def _here(service: RunService, request: RunRequested) -> list[Run]:
    return await service.parts.runs.by_issue(request.repository.id, request.issue)


async def _ended(service: RunService, event: PullClosed) -> None:
    """Say on an open repair of a pull request what to do with it when that one ends."""
    request = asked_by_sender(event)
    if not any(has_revised(run, "fix") for run in await _here(service, request)):
        return
    offered = OfferedPulls(await service.parts.repository(row_of(request, "")), "fix")
    repair = await offered.known(fix_branch(event.issue))
    if repair and repair.state == "open":
        merged_into = event.base if event.merged else ""
        text = fixing_texts.left(repair, event.issue, merged_into=merged_into)
        there = replace(await service.parts.thread(event), issue=repair.number)
        await there.reply(text, to=event.delivery, since=event.closed_at)


def _reviews(begun: Begun) -> BrokenPulls | None:
    """The checks that a run of ours is to repair."""
    asked = begun.request.options.scope.revision
    return BrokenPulls(begun.ports.repository) if asked and asked.fix else None


async def _told(begun: Begun, ended: Ended) -> str:
    """What came of the repair; nothing if the run was stopped, or says why it did not begin."""
    asked, revision = begun.request.options.scope.revision, ended.state.revision
    if not (asked and asked.fix and revision) or ended.status != "ended" or ended.state.problem:
        return ""
    return fix_texts.ended(ended.state, revision, asked)


def register() -> Feature:
    """Return what the feature adds."""
    row = CommandRow(
        name="fix",
        makes=FixCommand,
        handler=_asked,
        needs="write",
        description="try once to repair the failing checks of this pull request, whoever opened "
        "it; the repair is a pull request against its branch. On an issue: repair what it "
        "describes, with a regression test",
        example="/execute fix",
    )
    return Feature(commands=(row,), reviews=_reviews, ended=_told, events={PullClosed: _ended})
