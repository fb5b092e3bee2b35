"""The runs of this server as handlers see them: start, status, cancel, resume, find a task."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from gidgethub import GitHubException

from app.github.pulls import PREFIX, Pull
from app.progress.waiting import Turn, WaitEstimate
from app.proposals.service import ProposalService
from app.runs.limits import Ceilings
from app.runs.our_pulls import OurPulls
from app.runs.parts import ServerParts
from app.runs.requests import revised_for, row_of
from app.store.queue import Queue
from app.store.runs import (
    OVER,
    PERSON,
    TIMED_OUT,
    UNFINISHED,
    Run,
    RunRequest,
    Status,
)
from handlers.events import InstalledRepository, User
from handlers.ports import (
    Ambiguous,
    CheckpointStatus,
    InReview,
    NamedTask,
    OfferKind,
    Order,
    Projects,
    Revising,
    RunRequested,
    RunStatus,
    TaskLine,
    Unknown,
)
from runner.config.reading import ConfigError
from runner.errors import Outage
from runner.loop.journal import keeps_change
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of
from runner.roadmap.plans.choosing import USUAL
from runner.roadmap.plans.issue import has_body, issue_path
from runner.state.revising import RevisionRequest

log = logging.getLogger(__name__)

_ORDERS: Mapping[Order, tuple[Status, tuple[Status, ...], str, str]] = {
    "cancel": ("cancelling", UNFINISHED, "", "cancelled"),
    "pause": (
        "pausing",
        ("queued", "running", "pausing", "waiting", "paused"),
        PERSON,
        "paused",
    ),
    "resume": ("queued", ("paused",), PERSON, ""),
}
"""The status that a run gets, those in which it can be, the cause, and what was done."""

_MOST_LOOKED_AT = 30
"""Runs of a roadmap in which the change of a task is looked for."""


@dataclass(frozen=True)
class RunService:
    """Implements ``handlers.ports.Runs``; features find here all that is on a server.

    ``waiting`` knows whose turn it is, ``look`` notifies the worker that something changed.
    """

    parts: ServerParts
    queue: Queue
    proposals: ProposalService
    waiting: WaitEstimate
    look: Callable[[], Awaitable[None]]

    @property
    def pulls(self) -> OurPulls:
        """What is known of our pull requests."""
        return OurPulls(self.parts)

    async def start(self, request: RunRequested, asked: Mapping[str, object] | None = None) -> None:
        """Queue the run once, and say so.

        Its comment comes first: a run that is queued may begin at any moment and make another one.
        """
        queued: RunRequest | None = await self.parts.runs.get(request.run)
        if queued is None:
            more = asked or {}
            silent = bool(more.get("verify"))
            if not silent:  # nobody could be told that it waited too long
                config = await self.parts.config_or_default(request.repository)
                most = Ceilings(self.parts.settings).queue(config.limits.queue_minutes)
                more = {**more, **most}
            roadmap = await self.parts.roadmap_of(request)
            if asked is None and self._means_issue(request, roadmap):
                roadmap = issue_path(request.issue)
            if asked is None and form_of(roadmap).apart:
                before = await self.find_task(request, roadmap, roadmap)
                # whoever asks once more does so whatever became of it
                if isinstance(before, NamedTask):
                    if await self.parts.runs.newest(request.repository.id, roadmap, most=1):
                        one = replace(request.command, path=roadmap, task=before.key)
                        await self.retry(replace(request, command=one))
                        return
                    await self.parts.skips.remove(request.repository.id, roadmap, before.key)
            queued = row_of(request, roadmap, more)
            await self.put(queued, silent=silent)
        await self.parts.outward.queued(queued)
        await self.look()

    def _means_issue(self, request: RunRequested, roadmap: str) -> bool:
        """Say whether the issue itself is the task: it says what to do, and there is no plan."""
        unnamed = request.command.path is None and roadmap == USUAL
        return (
            unnamed
            and has_body(request.told)
            and self.parts.configs.lacks_plan(request.repository.full_name)
        )

    async def put(self, run: RunRequest, *, silent: bool = False) -> None:
        """Queue a run that has no row; unless it is ``silent``, its comment comes first."""
        turn = await self.waiting.turn_of_new(run)
        comment = None if silent else await self._first_words(run, turn)
        await self.queue.start(run, comment, turn.position if turn else None)

    async def _first_words(self, run: RunRequest, turn: Turn | None) -> int | None:
        """Make the comment of a run that will be queued, once; it says the turn if there is one.

        Returns its id; None when GitHub does not take it now: the run tries again.
        """
        if run.issue is None:
            return None
        try:
            return await (await self.parts.progress(run)).begin(turn) or None
        except (Outage, GitHubException) as error:
            log.warning("Run %s has no comment yet: %s", run.id, error)
            return None

    async def projects(self, repository: InstalledRepository) -> Projects:
        """Return the projects of a repository. Raises ``Outage``."""
        try:
            config = await self.parts.config(repository)
        except ConfigError as error:
            return Projects(problems=tuple(map(str, error.problems)))
        return Projects(tuple(each.name for each in config.projects))

    async def find_task(
        self, request: RunRequested, name: str, path: str | None = None
    ) -> NamedTask | Unknown | Ambiguous:
        """Find a task by key or written id; an issue that is a task itself has its number.

        Without a ``path`` in the roadmap of the issue's newest run, or of our pull request; else in
        the configured one. A project before the name says which plan is meant.
        """
        project, _, own = name.partition("#")
        if project and own:
            config = await self.parts.config_or_default(request.repository)
            if found := config.project(project):
                name, path = own, await self.parts.plan(request.repository, found.plan_setting)
        if path is None and form_of(name).apart:
            path = name
        elif path is None:
            runs = await self.parts.runs.by_issue(request.repository.id, request.issue)
            pull = None if runs else await self.pulls.pull_of(request)
            known = runs[0].roadmap if runs else pull.roadmap if pull else ""
            path = known or await self.parts.roadmap_of(request)
        content = await self.parts.roadmap_now(request, path)
        roadmap = await asyncio.to_thread(parse_roadmap, path, content)
        task = find(roadmap, name)
        if task is not None:
            return NamedTask(task.key, task.name, task.title, path)
        same = [each for each in roadmap.tasks if each.id == name]
        if same:
            return Ambiguous(tuple((each.key, each.place.line, each.title) for each in same))
        names = tuple(each.name for each in roadmap.tasks if each.kind == "work")
        if names and not (project and own):
            return Unknown(path, names)
        return Unknown(path, names, await self.projects(request.repository))

    async def kept(self, request: RunRequested) -> str | None:
        """Return the newest run that kept a change for the one task of the command."""
        task, roadmap = request.command.task or "", request.command.path or ""
        runs = await self.parts.runs.newest(request.repository.id, roadmap, most=_MOST_LOOKED_AT)
        for run in runs:
            rows = await self.parts.journal.recall(run.id)
            kept = any(row.task == task and keeps_change(row) for row in rows)
            if kept and not run.request.get("again"):
                return run.id
        return None

    async def retry(
        self, request: RunRequested, *, note: str = "", again: str = ""
    ) -> tuple[str, ...]:
        """Queue a run for one task, whatever was decided about it; end its open proposals.

        ``note`` is what a person adds to the task; of the run ``again`` the change is verified.

        Their runs were there first, so they close what they show before this one looks.
        """
        command, repository = request.command, request.repository.id
        task, roadmap = command.task or "", command.path or ""
        await self.parts.skips.remove(repository, roadmap, task)
        open_ones = await self.proposals.of_task(repository, roadmap, task)
        for each in open_ones:
            delivery = f"{request.run}:{each.id}"
            by, at = request.by.login, request.created_at
            await self.proposals.supersede(each, by=by, at=at, delivery=delivery)
        await self.start(request, {"retry": True, "note": note, "again": again})
        return tuple(each.id for each in open_ones)

    async def checkpoint(self, request: RunRequested) -> CheckpointStatus | None:
        """Return how the pull request of the request is doing, if it shows our work on a task."""
        pull = await self.pulls.pull_of(request)
        if pull is None or pull.kind != "checkpoint":
            return None
        id = pull.head.removeprefix(PREFIX).partition("/")[0]
        run = await self.parts.runs.get(id)
        found = CheckpointStatus(
            title=pull.title,
            run=id,
            issue=(run.issue if run else None) or 0,
            open=pull.open,
            merged=pull.merged,
            roadmap=pull.roadmap,
            tasks=pull.tasks,
        )
        if not pull.open:
            return found
        return replace(found, place=await self.pulls.place_of(request, pull))

    async def offer(self, request: RunRequested) -> OfferKind | None:
        """Return what the pull request of the request proposes, if it is such an open one."""
        return await self.pulls.offer_of(request)

    async def in_review(self, request: RunRequested) -> tuple[InReview, ...]:
        """Return the open pull requests of the roadmap of the issue's newest run."""
        runs = await self.parts.runs.by_issue(request.repository.id, request.issue)
        return await self.pulls.in_review(request, runs[0].roadmap) if runs else ()

    async def revise(self, request: RunRequested, asked: RevisionRequest) -> Revising:
        """Queue a run that changes a checkpoint as reviewers ask; twice leaves one."""
        pull = await self.pulls.pull_of(request)
        if pull is None or pull.kind != "checkpoint":
            offer = await self.offer(request)
            return Revising("offer" if offer else "other", offer=offer)
        if not pull.open:
            return Revising("closed")
        most = await self.pulls.most_revisions(request)
        runs = await self.parts.runs.by_issue(request.repository.id, request.issue)
        used = [run for run in runs if has_revised(run, "review") and run.id != request.run]
        if len(used) >= most:
            return Revising("limit" if most else "off", len(used), most)
        asked = replace(asked, number=len(used) + 1, most=most)
        await self.start(_about(request, pull), {"revision": asdict(asked)})
        return Revising("started", len(used) + 1, most)

    async def repair(
        self, request: RunRequested, head: str, *, branches: Sequence[str] = ()
    ) -> None:
        """Queue a run that repairs what makes checks of others fail on a checkpoint, if any do."""
        pull = await self.pulls.pull_of(request) if request.issue else None
        for branch in () if request.issue else branches:  # nobody is asked about those of others
            if pull is None and branch.startswith(PREFIX):
                pull = await self.pulls.pull_from(request, branch)
        request = replace(request, issue=pull.number if pull else 0)
        if pull is None or pull.kind != "checkpoint" or not pull.open or pull.sha != head:
            return
        most = await self.pulls.most_repairs(request)
        runs = await self.parts.runs.by_issue(request.repository.id, request.issue)
        used = [run for run in runs if has_revised(run, "checks") and run.id != request.run]
        if len(used) >= most or not await self.pulls.fails(request, pull):
            return
        by, number = request.by.login, len(used) + 1
        asked = RevisionRequest(pull.number, by, failing=head, number=number, most=most)
        own = {"revision": asdict(asked), "starter": await self.starter_of(pull)}
        await self.start(_about(request, pull), own)

    async def starter_of(self, pull: Pull) -> int:
        """Who started the run that made a pull request of ours: what it needs is theirs, too."""
        made = await self.parts.runs.get(pull.head.split("/")[1])
        return int(made.request.get("by_id") or 0) if made else 0

    async def verify(self, request: RunRequested) -> None:
        """Queue a run that only verifies the head of an open checkpoint again; twice leaves one.

        It has no comment: what it finds is shown as a check.
        """
        pull = await self.pulls.pull_of(request)
        if pull and pull.kind == "checkpoint" and pull.open:
            await self.start(_about(request, pull), {"verify": True})

    async def say_again(self, *, repository_id: int, issue: int) -> None:
        """Queue runs again whose end people of an issue could not be told: they only say it."""
        for run in await self.parts.runs.by_issue(repository_id, issue):
            if (run.result or {}).get("untold"):
                cause = (
                    TIMED_OUT if run.status == TIMED_OUT else ""
                )  # it says so, and starts nothing
                await self.queue.set_status(run.id, "queued", allowed=OVER, cause=cause)
        await self.look()

    async def skip(self, request: RunRequested, task: NamedTask) -> bool:
        """Leave a task out until it is retried; False when it is left out already."""
        repository, by = request.repository.id, request.by.login
        new = await self.parts.skips.add(repository, task.roadmap, task.key, by=by)
        if new:
            await self.parts.audit.add("asked", repository, by, f"skip {task.name}")
        return new

    async def status(self, *, repository_id: int, issue: int) -> tuple[RunStatus, ...]:
        """Return the runs of the issue, newest first."""
        found, runs = [], await self.parts.runs.by_issue(repository_id, issue)
        turns = await self.waiting.turns([run.id for run in runs])
        for run in runs:
            rows = (run.result or {}).get("tasks", [])
            tasks = [TaskLine(r["name"], r["title"], r["status"], r["url"]) for r in rows]
            place = turns[run.id][0].position if run.id in turns else 0
            again = run.until if run.status == "paused" else None
            said = (run.id, run.status, run.reason, "", tuple(tasks), place, again, run.roadmap)
            seen = RunStatus(*said)
            found.append(seen)
        return tuple(found)

    async def order(
        self, what: Order, *, repository_id: int, issue: int, by: User
    ) -> tuple[str, ...]:
        """Stop what waits at once and what works at its next node; let rest, or go on."""
        status, allowed, cause, did = _ORDERS[what]
        reason, moved = did and f"{did} by {by.login}", []
        for run in await self.parts.runs.by_issue(repository_id, issue):
            if what == "pause" and run.status == "paused" and run.cause == PERSON:
                continue  # only what would go on by itself
            # one that has ended, and would begin again by itself, has nothing to stop at
            waits = what == "cancel" and run.status == "ended" and (run.result or {}).get("waits")
            if await self.queue.set_status(
                run.id,
                "cancelled" if waits else status,
                allowed=OVER if waits else allowed,
                reason=reason,
                cause=cause,
            ):
                moved.append(run.id)
                await self.parts.audit.add("asked", repository_id, by.login, what, run=run.id)
        await self.look()
        return tuple(moved)


def _about(request: RunRequested, pull: Pull) -> RunRequested:
    """The request, for the first task of a pull request of ours."""
    return replace(request, command=replace(request.command, path=pull.roadmap, task=pull.task))


def has_revised(run: Run, why: str) -> bool:
    """Say whether a run was to change a pull request for a reason, and had something to do."""
    worked = run.result is None or bool(run.result.get("attempted", True))
    return worked and revised_for(run) == why
