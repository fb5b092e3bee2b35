"""The runs of this server as handlers see them: start, status, cancel, resume, find a task."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, replace

from app.github.pulls import PREFIX, Pull
from app.proposals.service import ProposalService
from app.store.queue import Queue
from app.store.runs import (
    PERSON,
    UNFINISHED,
    Run,
    RunRequest,
    Status,
    StoredRuns,
    StoredSkips,
)
from handlers.events import Repo, User
from handlers.ports import (
    Ambiguous,
    CheckpointStatus,
    Fixing,
    InReview,
    Learned,
    NamedTask,
    OfferKind,
    RepairLeft,
    Revising,
    RunRequested,
    RunStatus,
    StackPlace,
    TaskLine,
    Unknown,
)
from runner.history.inquiry import asked
from runner.people.history_answer import HistoryAnswer, HistoryTopic, answered
from runner.ports import Clock, History
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap
from runner.state.revising import RevisionRequest

Read = Callable[[RunRequested, str], Awaitable[bytes]]


class TaskFinder:
    """``roadmap_of`` says which roadmap a repository has configured, ``read`` gets its bytes."""

    def __init__(
        self, runs: StoredRuns, *, roadmap_of: Callable[[RunRequested], Awaitable[str]], read: Read
    ) -> None:
        self._runs = runs
        self._roadmap_of = roadmap_of
        self._read = read

    async def __call__(
        self, request: RunRequested, name: str, path: str | None = None
    ) -> NamedTask | Unknown | Ambiguous:
        """Find a task by key or written id.

        Without a ``path`` in the roadmap of the issue's newest run, else in the configured one.
        """
        if path is None:
            runs = await self._runs.by_issue(request.repository.id, request.issue)
            path = runs[0].roadmap if runs else await self._roadmap_of(request)
        content = await self._read(request, path)
        roadmap = await asyncio.to_thread(parse_roadmap, path, content)
        task = find(roadmap, name)
        if task is not None:
            return NamedTask(task.key, task.name, task.title, path)
        same = [each for each in roadmap.tasks if each.id == name]
        if same:
            return Ambiguous(tuple((each.key, each.place.line, each.title) for each in same))
        return Unknown(path, tuple(each.name for each in roadmap.tasks if each.kind == "work"))


@dataclass(frozen=True)
class Checkpoints:
    """What is known of the pull requests that show our work.

    ``pull_of`` finds the one of a request if it is ours, ``pull_from`` the open one of a branch,
    ``place_of`` its place in the stack, ``offer_of`` what another open one of ours proposes,
    ``in_review`` the open ones of a roadmap; ``most_of`` says how often the repository lets one be
    revised (0: never), ``most_repairs`` how often because of checks, ``fails`` whether checks of
    others fail. ``broken`` says whether anybody's can be repaired, and its head; ``repair_of``
    finds the open repair of one. All raise ``Outage``.
    """

    pull_of: Callable[[RunRequested], Awaitable[Pull | None]]
    pull_from: Callable[[RunRequested, str], Awaitable[Pull | None]]
    place_of: Callable[[RunRequested, Pull], Awaitable[StackPlace]]
    offer_of: Callable[[RunRequested], Awaitable[OfferKind | None]]
    in_review: Callable[[RunRequested, str], Awaitable[tuple[InReview, ...]]]
    most_of: Callable[[RunRequested], Awaitable[int]]
    most_repairs: Callable[[RunRequested], Awaitable[int]]
    broken: Callable[[RunRequested], Awaitable[tuple[Fixing, str]]]
    repair_of: Callable[[RunRequested], Awaitable[RepairLeft | None]]
    fails: Callable[[RunRequested, Pull], Awaitable[bool]]


_WORKING: tuple[Status, ...] = ("queued", "running", "pausing")
_PAUSED: tuple[Status, ...] = ("paused",)


def no_page(repository: Repo) -> str:
    """No page shows the history."""
    return ""


@dataclass(frozen=True, slots=True)
class HistoryAt:
    """The history as it is at the time of a question; ``page`` gives the address of its page."""

    history: History
    clock: Clock
    page: Callable[[Repo], str] = no_page

    async def answer(
        self, repository_id: int, topic: HistoryTopic, *, days: int = 0
    ) -> HistoryAnswer:
        """Ask about a repository. Raises ``Outage``."""
        now = self.clock.now().timestamp()
        query = asked(now=now, days=days, repository_id=repository_id, failed=topic == "errors")
        return await answered(self.history, topic, query)


async def _unheard(run: RunRequest) -> None:
    """Nobody else hears of a run."""


class RunService:
    """Implements ``handlers.ports.Runs`` on the runs table.

    ``first_words`` makes the comment of a run, ``look`` notifies the worker that something changed,
    ``queued`` tells others of a run, possibly more than once.
    """

    def __init__(
        self,
        runs: StoredRuns,
        queue: Queue,
        *,
        roadmap_of: Callable[[RunRequested], Awaitable[str]],
        first_words: Callable[[RunRequest], Awaitable[int | None]],
        look: Callable[[], Awaitable[None]],
        find: TaskFinder,
        skips: StoredSkips,
        proposals: ProposalService,
        checkpoints: Checkpoints,
        history: HistoryAt,
        learned: Learned,
        queued: Callable[[RunRequest], Awaitable[None]] = _unheard,
    ) -> None:
        self.learned = learned
        self._queued = queued
        self._history = history
        self._runs = runs
        self._roadmap_of = roadmap_of
        self._first_words = first_words
        self._look = look
        self._queue = queue
        self._find = find
        self._skips = skips
        self._proposals = proposals
        self._checkpoints = checkpoints

    async def history(
        self, repository_id: int, topic: HistoryTopic, *, days: int = 0
    ) -> HistoryAnswer:
        """Return what the runs of a repository did."""
        return await self._history.answer(repository_id, topic, days=days)

    def history_page(self, repository: Repo) -> str:
        """Return where readers of the repository see it with plots, '' for nowhere."""
        return self._history.page(repository)

    async def start(self, request: RunRequested) -> None:
        """Queue the run once, and say so.

        Its comment comes first: a run that is queued may begin at any moment and make another one.
        """
        await self._start(request)

    async def _start(
        self,
        request: RunRequested,
        *,
        retry: bool = False,
        note: str = "",
        setup: bool = False,
        undo: bool = False,
        verify: bool = False,
        revision: RevisionRequest | None = None,
    ) -> None:
        queued: RunRequest | None = await self._runs.get(request.run)
        if queued is None:
            roadmap = await self._roadmap_of(request)
            queued = row_of(
                request,
                roadmap,
                retry=retry,
                note=note,
                setup=setup,
                undo=undo,
                verify=verify,
                revision=revision,
            )
            comment = None if verify else await self._first_words(queued)
            await self._queue.start(queued, comment)
        await self._queued(queued)
        await self._look()

    async def find_task(self, request: RunRequested, name: str) -> NamedTask | Unknown | Ambiguous:
        """Find the task a name means in the roadmap of the issue's newest run."""
        return await self._find(request, name)

    async def retry(self, request: RunRequested, *, note: str = "") -> tuple[str, ...]:
        """Queue a run for one task, whatever was decided about it; end its open proposals.

        ``note`` is what a person adds to the task.

        Their runs were there first, so they close what they show before this one looks.
        """
        command, repository = request.command, request.repository.id
        task, roadmap = command.task or "", command.path or ""
        await self._skips.remove(repository, roadmap, task)
        open_ones = await self._proposals.of_task(repository, roadmap, task)
        for each in open_ones:
            delivery = f"{request.run}:{each.id}"
            by, at = request.by.login, request.created_at
            await self._proposals.supersede(each, by=by, at=at, delivery=delivery)
        await self._start(request, retry=True, note=note)
        return tuple(each.id for each in open_ones)

    async def checkpoint(self, request: RunRequested) -> CheckpointStatus | None:
        """Return how the pull request of the request is doing, if it shows our work on a task."""
        pull = await self._checkpoints.pull_of(request)
        if pull is None or pull.kind != "checkpoint":
            return None
        id = pull.head.removeprefix(PREFIX).partition("/")[0]
        run = await self._runs.get(id)
        found = CheckpointStatus(
            title=pull.title,
            run=id,
            issue=(run.issue if run else None) or 0,
            open=pull.open,
            merged=pull.merged,
        )
        if not pull.open:
            return found
        return replace(found, place=await self._checkpoints.place_of(request, pull))

    async def offer(self, request: RunRequested) -> OfferKind | None:
        """Return what the pull request of the request proposes, if it is such an open one."""
        return await self._checkpoints.offer_of(request)

    async def repair_left(self, request: RunRequested) -> RepairLeft | None:
        """Return the open repair of the pull request of the request; GitHub is asked only then."""
        runs = await self._runs.by_issue(request.repository.id, request.issue)
        return await self._checkpoints.repair_of(request) if any(map(is_fix, runs)) else None

    async def in_review(self, request: RunRequested) -> tuple[InReview, ...]:
        """Return the open pull requests of the roadmap of the issue's newest run."""
        runs = await self._runs.by_issue(request.repository.id, request.issue)
        return await self._checkpoints.in_review(request, runs[0].roadmap) if runs else ()

    async def revise(self, request: RunRequested, asked: RevisionRequest) -> Revising:
        """Queue a run that changes a checkpoint as reviewers ask; twice leaves one."""
        pull = await self._checkpoints.pull_of(request)
        if pull is None or pull.kind != "checkpoint":
            offer = await self.offer(request)
            return Revising("offer" if offer else "other", offer=offer)
        if not pull.open:
            return Revising("closed")
        most = await self._checkpoints.most_of(request)
        runs = await self._runs.by_issue(request.repository.id, request.issue)
        used = [run for run in runs if is_revision(run) and run.id != request.run]
        if len(used) >= most:
            return Revising("limit" if most else "off", len(used), most)
        command = replace(request.command, path=pull.roadmap, task=pull.task)
        asked = replace(asked, number=len(used) + 1, most=most)
        await self._start(replace(request, command=command), revision=asked)
        return Revising("started", len(used) + 1, most)

    async def fix(self, request: RunRequested) -> Fixing:
        """Queue a run that proposes a repair of anybody's pull request; twice leaves one."""
        if await self._runs.get(request.run):
            return Fixing("started")
        found, head = await self._checkpoints.broken(request)
        if found.outcome != "started":
            return found
        most = await self._checkpoints.most_of(request)
        runs = await self._runs.by_issue(request.repository.id, request.issue)
        used = [run for run in runs if is_fix(run)]
        if any(run.status in UNFINISHED for run in used):
            return Fixing("working")
        if len(used) >= most:
            return Fixing("limit" if most else "off", most=most)
        by, number = request.by.login, len(used) + 1
        asked = RevisionRequest(request.issue, by, failing=head, fix=True, number=number, most=most)
        await self._start(request, revision=asked)
        return found

    async def repair(
        self, request: RunRequested, head: str, *, branches: Sequence[str] = ()
    ) -> None:
        """Queue a run that repairs what makes checks of others fail on a checkpoint, if any do."""
        if request.issue:
            pull = await self._checkpoints.pull_of(request)
        else:
            pull = await self._at(request, branches)
        request = replace(request, issue=pull.number if pull else 0)
        if pull is None or pull.kind != "checkpoint" or not pull.open or pull.sha != head:
            return
        most = await self._checkpoints.most_repairs(request)
        runs = await self._runs.by_issue(request.repository.id, request.issue)
        used = [run for run in runs if is_repair(run) and run.id != request.run]
        if len(used) >= most or not await self._checkpoints.fails(request, pull):
            return
        command = replace(request.command, path=pull.roadmap, task=pull.task)
        asked = RevisionRequest(
            pull.number, request.by.login, failing=head, number=len(used) + 1, most=most
        )
        await self._start(replace(request, command=command), revision=asked)

    async def _at(self, request: RunRequested, branches: Sequence[str]) -> Pull | None:
        """The open pull request of one of our branches; for others nobody is asked."""
        for branch in branches:
            if branch.startswith(PREFIX) and (
                pull := await self._checkpoints.pull_from(request, branch)
            ):
                return pull
        return None

    async def verify(self, request: RunRequested) -> None:
        """Queue a run that only verifies the head of an open checkpoint again; twice leaves one.

        It has no comment: what it finds is shown as a check.
        """
        pull = await self._checkpoints.pull_of(request)
        if pull and pull.kind == "checkpoint" and pull.open:
            command = replace(request.command, path=pull.roadmap, task=pull.task)
            await self._start(replace(request, command=command), verify=True)

    async def say_again(self, *, repository_id: int, issue: int) -> None:
        """Queue runs again whose end people of an issue could not be told: they only say it."""
        for run in await self._runs.by_issue(repository_id, issue):
            if (run.result or {}).get("untold"):
                await self._queue.set_status(run.id, "queued", allowed=("ended", "cancelled"))
        await self._look()

    async def set_up(self, request: RunRequested) -> None:
        """Queue a run that only proposes a configuration, if the tests need one."""
        await self._start(request, setup=True)

    async def undo(self, request: RunRequested, name: str) -> NamedTask | Unknown | Ambiguous:
        """Queue a run that only proposes to take back a merged task; twice leaves one."""
        pull = await self._checkpoints.pull_of(request)
        tasks = pull.tasks if pull and pull.kind == "checkpoint" else ()
        path = pull.roadmap if pull and tasks else None
        found = await self._find(request, name or (tasks[0] if len(tasks) == 1 else ""), path)
        if isinstance(found, NamedTask):
            command = replace(request.command, task=found.key, path=found.roadmap)
            await self._start(replace(request, command=command), undo=True)
        return found

    async def skip(self, request: RunRequested, task: NamedTask) -> bool:
        """Leave a task out until it is retried; False when it is left out already."""
        repository = request.repository.id
        return await self._skips.add(repository, task.roadmap, task.key, by=request.by.login)

    async def status(self, *, repository_id: int, issue: int) -> tuple[RunStatus, ...]:
        """Return the runs of the issue, newest first."""
        return tuple(_status(run) for run in await self._runs.by_issue(repository_id, issue))

    async def cancel(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Stop what waits at once and what works at its next node."""
        reason = f"cancelled by {by.login}"
        return await self._set_status(repository_id, issue, "cancelling", UNFINISHED, reason)

    async def pause(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Let what waits or works rest at its next node until somebody resumes it."""
        reason = f"paused by {by.login}"
        return await self._set_status(repository_id, issue, "pausing", _WORKING, reason, PERSON)

    async def resume(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        """Queue the paused runs of the issue again."""
        return await self._set_status(repository_id, issue, "queued", _PAUSED, "", PERSON)

    async def _set_status(
        self,
        repository_id: int,
        issue: int,
        status: Status,
        allowed: tuple[Status, ...],
        why: str,
        cause: str = "",
    ) -> tuple[str, ...]:
        moved = []
        for run in await self._runs.by_issue(repository_id, issue):
            if await self._queue.set_status(
                run.id, status, allowed=allowed, reason=why, cause=cause
            ):
                moved.append(run.id)
        await self._look()
        return tuple(moved)


def is_revision(run: Run) -> bool:
    """Say whether a run was started to revise a pull request, and had something to do."""
    asked = run.request.get("revision") or {}
    return _revises(run) and not (asked.get("failing") or asked.get("conflict"))


def is_repair(run: Run) -> bool:
    """Say whether a run was started because checks failed, and had something to do."""
    asked = run.request.get("revision") or {}
    return _revises(run) and bool(asked.get("failing")) and not asked.get("fix")


def is_fix(run: Run) -> bool:
    """Say whether somebody asked for a repair of checks, and there was something to do."""
    return _revises(run) and bool(run.request["revision"].get("fix"))


def _revises(run: Run) -> bool:
    worked = run.result is None or bool(run.result.get("attempted", True))
    return bool(run.request.get("revision")) and worked


def row_of(
    request: RunRequested,
    roadmap: str,
    *,
    retry: bool = False,
    note: str = "",
    setup: bool = False,
    undo: bool = False,
    verify: bool = False,
    revision: RevisionRequest | None = None,
) -> RunRequest:
    """The row of a run that is asked for; ``setup``, ``undo`` and ``verify`` work on no task."""
    return RunRequest(
        id=request.run,
        delivery=request.delivery,
        repository_id=request.repository.id,
        repository=request.repository.full_name,
        installation_id=request.installation_id,
        issue=request.issue,
        roadmap=roadmap,
        base_branch=request.repository.default_branch,
        request={
            **asdict(request.command),
            "by": request.by.login,
            "by_id": request.by.id,
            "retry": retry,
            "setup": setup,
            "private": request.repository.private,
            **({"undo": True} if undo else {}),
            **({"verify": True} if verify else {}),
            **({"note": note} if note else {}),
            **({"revision": asdict(revision)} if revision else {}),
        },
        priority=request.command.priority,
    )


def _status(run: Run) -> RunStatus:
    rows = (run.result or {}).get("tasks", [])
    tasks = tuple(TaskLine(r["name"], r["title"], r["status"], r["url"]) for r in rows)
    return RunStatus(run.id, run.status, run.reason, "", tasks)
