"""What is queued after the branch of a pull request was changed, or could not be: runs of ours.

Where the base changed the same code as the pull request, its task is worked on once more on the
newest base. Each conflict costs at most one such attempt: the run has the name of what the base has
in these files, so that a base that differs elsewhere, a crash or a second look starts no other one.
How many different ones a pull request may cost is bounded like its revisions.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from app.github.pulls import PREFIX, Attempting, Clash, Pull
from app.github.repository import GitHubRepository
from app.runs.requests import no_run, revised_for
from app.runs.service import RunService
from app.runs.verifying import about_pull
from app.store.queue import Affected
from app.store.runs import PERSON, UNFINISHED, Run, RunRequest
from handlers.events import PullChanged, PullClosed
from handlers.ports import run_id
from handlers.pushes import BranchPushed
from runner.people.sentences import shared_branch
from runner.state.publishing import PullRequests
from runner.state.revising import RevisionRequest


@dataclass(frozen=True)
class QueuedFollowUps:
    """Queues the runs that follow in one repository (``place``)."""

    service: RunService
    place: RunRequest

    async def verify(self, pull: Pull, head: str, /) -> None:
        """Queue the verification of a head, which has no comment; twice leaves one."""
        words = f"verify {self.place.repository.id} {pull.number} {head}"
        await self._queue(about_pull(self.place, pull, words, verify=True))

    async def look(self, pull: Pull, at: datetime, /) -> None:
        """Queue a look at the place of a pull request in its stack, at a time; twice leaves one."""
        words = f"look {self.place.repository.id} {pull.number} {at.isoformat()}"
        row = about_pull(self.place, pull, words, verify=True, look_at=at.isoformat())
        await self._queue(row)

    async def _queue(self, row: RunRequest) -> None:
        if await self.service.queue.start(row):
            await self.service.look()

    async def attempt(self, pull: Pull, clash: Clash, /, *, stopped: bool = False) -> Attempting:
        """Say how far the attempt is; queue it if there was none. Raises ``Outage``."""
        place, service = self.place, self.service
        words = f"conflict {place.repository.id} {pull.number} {clash.theirs}"
        runs = await service.parts.runs.by_issue(place.repository.id, pull.number)
        earlier = [run for run in runs if revised_for(run) == "conflict"]
        there = next(
            (run for run in earlier if run.id == run_id(words) or run.status == "queued"), None
        )
        if there is not None:
            return _attempting(there, stopped=stopped and there.id == place.id)
        if why := await self._stopped(pull):
            return why
        worked = [run for run in earlier if (run.result or {}).get("attempted", True)]
        used, most = len(worked), await service.parts.most_attempts(place.repository)
        if used >= most:
            return "limit" if most else "off"
        asked = RevisionRequest(
            pull.number,
            by="",
            conflict=clash.head,
            start=clash.start,
            rebuild=clash.why,
            number=used + 1,
            most=most,
        )
        starter = await service.starter_of(pull)
        row = about_pull(place, pull, words, revision=asdict(asked), starter=starter)
        await service.put(row)
        await service.parts.outward.queued(row)
        await service.look()
        return "working"

    async def _stopped(self, pull: Pull) -> Attempting | None:
        """Say whether people stopped the run that made it, or left out one of its tasks.

        A single pull request is left alone while its run works: that goes on from its commits.
        """
        run = await self.service.parts.runs.get(pull.head.split("/")[1])
        if run and run.status.startswith("cancel"):
            return "cancelled"
        if run and is_paused(run):
            return "paused"
        if run and run.status in UNFINISHED and pull.head.startswith(shared_branch(run.id)):
            return "busy"
        skipped = await self.service.parts.skips.of(self.place.repository.id, pull.roadmap)
        return None if skipped.isdisjoint(pull.tasks) else "skipped"


def _attempting(run: Run, *, stopped: bool) -> Attempting:
    """How far the attempt of a run is, which may have ``stopped`` before its row says so."""
    if run.status.startswith("cancel"):
        return "cancelled"
    if is_paused(run):
        return "paused"
    return "working" if run.status in UNFINISHED and not stopped else "failed"


def is_paused(run: Run) -> bool:
    """Say whether a person paused a run."""
    return run.status == "pausing" or (run.status == "paused" and run.cause == PERSON)


async def restack(service: RunService, push: BranchPushed, strategy: PullRequests) -> None:
    """Keep open pull requests true to the branch that was pushed to. Raises ``Outage``."""
    ticks = await _ticks(service, push.repository.id, strategy)
    await (await _default_branch(service, push)).restack(ticks=ticks, tip=push.after)


async def pull_changed(service: RunService, event: PullChanged) -> None:
    """Keep what builds on ours true after its end, its second start, or a change of its stack.

    What waited for its end goes on. Raises ``Outage``.
    """
    parts, here = service.parts, event.repository
    if isinstance(event, PullClosed) and event.merged:
        await parts.outward.merged(event)
        what, key = f"#{event.issue} ({event.branch})", f"merged {here.id} {event.issue}"
        await parts.audit.add("merged", here.id, event.sender.login, what, key=key)
    config = await parts.config_or_default(here)
    if config.github_mode != "disabled":
        ended = event.issue if isinstance(event, PullClosed) else None
        ticks = await _ticks(service, here.id, config.pull_requests.strategy)
        await (await _default_branch(service, event)).restack(ended=ended, ticks=ticks)
    if isinstance(event, PullClosed) and event.branch.startswith(PREFIX):
        await service.queue.pull_ended(Affected(here.installation_id, here.id))
        await service.look()


async def _ticks(service: RunService, repository_id: int, strategy: PullRequests) -> bool:
    """Say whether a changed roadmap is a reason to touch a branch.

    A single pull request grows while its run works or may continue, and continues only from its own
    commits.
    """
    if strategy != "single":
        return True
    unfinished = await service.parts.runs.by_status(*UNFINISHED)
    return all(run.repository.id != repository_id for run in unfinished)


async def _default_branch(
    service: RunService, event: BranchPushed | PullChanged
) -> GitHubRepository:
    """The repository of an event, for no run and no roadmap in particular."""
    place = no_run(event.repository, delivery=event.delivery)
    return await service.parts.repository(place, QueuedFollowUps(service, place))
