"""One run on the server: progress comment, repository configuration, the loop, the last word."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

from app.checkout.planning import plan_only
from app.progress.comment import Progress
from app.progress.text import pause
from app.proposals.service import ShownProposals
from app.runs.options import options_of
from app.runs.worker import Outcome, Segment
from app.store.runs import Run, Runs, Status
from runner.config import ConfigError, GitHubMode, RepositoryConfig
from runner.defuse import defuse
from runner.deps import Deps
from runner.driver import driving
from runner.dry_run import lines
from runner.errors import Outage, Stopped
from runner.flights import Ended
from runner.nodes import NODES
from runner.nodes.run import parse_roadmap
from runner.ports import Repository
from runner.recovery.values import ApprovalMode
from runner.report import table
from runner.state import Request, RunState


@dataclass(frozen=True)
class RunPorts:
    """What one run works with; ``config`` reads the repository's configuration.

    ``shown`` keeps what people can decide about; ``boxes`` proposes checkboxes for a roadmap in
    which nothing can be run, and says where ('' for none); ``in_mode`` is the repository as its
    ``github_mode`` wants it, ``mend`` puts right what stands on a branch that nobody merges.
    """

    deps: Deps
    progress: Progress
    shown: ShownProposals
    config: Callable[[], Awaitable[RepositoryConfig]]
    boxes: Callable[[RunState], Awaitable[str]]
    in_mode: Callable[[GitHubMode], Repository]
    mend: Callable[[], Awaitable[None]]


class StoredControl:
    """The ``Control`` port on the runs table: a run that is to stop says so there."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    async def check(self, run: str) -> None:
        """Raise ``Stopped`` when the run is to be cancelled or paused."""
        row = await self._runs.get(run)
        if row is not None and row.status in _ORDERS:
            raise Stopped(_ORDERS[row.status])


_ORDERS = {"cancelling": "cancel", "pausing": "pause"}
_STORED: dict[str, Status] = {
    "ended": "ended",
    "resting": "resting",
    "paused": "paused",
    "cancelled": "cancelled",
}


async def execute(run: Run, ports: RunPorts, runs: Runs) -> Segment:
    """Drive the run as far as it goes and tell people; yields as ``Segment`` says.

    Raises ``Outage`` when it cannot begin, or cannot say why it does not.
    """
    async with ports.progress as comment:
        await runs.set_progress_comment(run.id, comment)
        try:
            config = await ports.config()
            request = request_of(run, config)
        except ConfigError as error:
            yield await _refused(error, ports)
            return
        ports = _in_mode(ports, config.github_mode)
        await ports.mend()
        if run.request.get("dry_run"):
            yield await _dry(request, ports)
            return
        if run.request.get("plan"):
            yield await plan_only(request, ports.deps, ports.progress)
            return
        async with aclosing(driving(request, NODES, ports.deps)) as steps:
            async for step in steps:
                await ports.shown.see(step.state if isinstance(step, Ended) else step)
                yield await _told(step, ports, runs) if isinstance(step, Ended) else step


def _in_mode(ports: RunPorts, mode: GitHubMode) -> RunPorts:
    """Let the run write to GitHub as the repository wants it."""
    deps = replace(ports.deps, repository=ports.in_mode(mode))
    return replace(ports, deps=deps, boxes=_no_boxes if mode == "disabled" else ports.boxes)


async def _no_boxes(state: RunState) -> str:
    return ""


async def _refused(error: ConfigError, ports: RunPorts) -> Outcome:
    problem = f"`.github/cairn.yml` cannot be used, so nothing was started:\n\n{listed(error)}"
    await ports.progress.finish("ended", problem)
    return Outcome("ended", "the repository's configuration has errors")


async def _told(ended: Ended, ports: RunPorts, runs: Runs) -> Outcome:
    """Say the last word; a run whose end could not be told is paused until it can."""
    outcome = await _outcome(ended, runs)
    try:
        said = [_detail(ended, outcome), await _boxes(ended, ports)]
        await ports.progress.finish(ended.status, "\n\n".join(filter(None, said)), ended.state)
    except Outage as outage:
        # driving goes on from where it stopped: an ended run only says so then
        paused = replace(outcome, status="paused", reason=outage.message, until=outage.until)
        return replace(paused, cause=outage.kind)
    if ended.status in ("ended", "cancelled"):
        await ports.shown.end()
    return outcome


async def _boxes(ended: Ended, ports: RunPorts) -> str:
    """A push brings its tasks; only a command that finds none is answered with a proposal."""
    asked = ended.status == "ended" and not ended.state.request.options.tasks
    return await ports.boxes(ended.state) if asked else ""


def request_of(run: Run, config: RepositoryConfig) -> Request:
    """What the command asked for, within what the repository's configuration says."""
    asked, options = run.request, options_of(config)
    options = replace(
        options,
        max_tasks=min(asked["max_tasks"], options.max_tasks),
        task=asked.get("task") or "",
        tasks=tuple(asked.get("tasks") or ()),
        phase=asked.get("phase") or "",
        retry=bool(asked.get("retry")),
        model=asked.get("model") or options.model,
        approval_mode=_asked_mode(run, config) or options.approval_mode,
        project=run.repository,
    )
    return Request(run.id, run.roadmap, options)


def _asked_mode(run: Run, config: RepositoryConfig) -> ApprovalMode | None:
    """Where nothing is shown on GitHub nobody can be asked, whatever was asked for."""
    return None if config.github_mode == "disabled" else run.request.get("approval_mode")


def listed(error: ConfigError) -> str:
    """The problems of a configuration, one a line."""
    return "\n".join(f"- {defuse(str(problem), plain=True)}" for problem in error.problems)


async def _dry(request: Request, ports: RunPorts) -> Outcome:
    """List the tasks in order; no model is asked and nothing is written but the comment."""
    step = await parse_roadmap(RunState(request), ports.deps)
    listing = "\n".join(f"- {defuse(line, plain=True)}" for line in lines(step.state))
    await ports.progress.finish("ended", listing)
    return Outcome("ended", "dry run")


def _detail(ended: Ended, outcome: Outcome) -> str:
    if ended.status == "paused":
        return pause(outcome.reason, ended.until)
    return outcome.reason


async def _outcome(ended: Ended, runs: Runs) -> Outcome:
    reason = ended.reason or ended.state.problem
    if ended.status == "cancelled" or ended.kind == "order":
        row = await runs.get(ended.state.request.id)
        reason = row.reason if row else ""
    result: dict[str, object] = {"tasks": table(ended.state)}
    return Outcome(_STORED[ended.status], reason, ended.until, result, cause=ended.kind)
