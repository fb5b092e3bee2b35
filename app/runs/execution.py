"""Drive one run on the server: comment, repository configuration, loop, result."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableSet, Sequence
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Protocol

from app.github.pulls import PullOptions
from app.github.review_threads import ThreadReply
from app.jobs.worker import Outcome, Segment
from app.progress.comment import Progress
from app.progress.text import pause
from app.proposals.service import ShownProposals
from app.runs.advice_offer import AdviceOffer, adjusted_text, advised
from app.runs.config_offer import NO_APP, advice
from app.runs.onboarding import SetUp
from app.runs.requests import request_of
from app.runs.revising import answers, not_begun
from app.runs.undoing import MAY_NOT_UNDO, Undoing
from app.runs.verifying import Verifying
from app.store.runs import PERSON, Run, StoredRuns
from runner.analysis.preview import CostPreview
from runner.config.model import GitHubMode, RepositoryConfig
from runner.config.reading import ConfigError
from runner.errors import STOP_REQUEST, Outage, Stopped, StopRequest, TaskError
from runner.loop.deps import Deps, TaskWork
from runner.loop.driver import MARK, driving, lines, would_do
from runner.loop.schedule import left_out
from runner.loop.task_pool import Ended
from runner.nodes import NODES
from runner.nodes.plan import plan_task
from runner.nodes.preflight import preflight
from runner.nodes.run import parse_roadmap
from runner.people.analysis_sentences import preview_text
from runner.people.fix_sentences import fixed_or_why
from runner.people.report import table
from runner.people.run_view import view_of
from runner.ports import Repository
from runner.roadmap.task import Task
from runner.state.options import Options, Request
from runner.state.run_state import Attempt, Plan, RunState
from runner.text.sanitize import sanitize

log = logging.getLogger(__name__)


async def plan_only(request: Request, ports: RunPorts) -> Outcome:
    """Ask for the plans; those that were paid for once are not asked for again.

    Raises ``Outage``; a person's request stops it between two tasks.
    """
    deps, progress = ports.deps, ports.progress
    state = await _unbegun(request, deps)
    shown: list[str] = []
    try:
        for number, task in enumerate(would_do(state), 1):
            shown.append(f"**{number}.** {_name(task)}\n\n{await _planned(state, task, deps)}")
    except Stopped as stop:
        stopped = "paused" if stop.request == "pause" else "cancelled"
        await progress.finish(stopped, "a person stopped it")
        return Outcome("paused" if stopped == "paused" else "cancelled", "a person stopped it")
    plans = "\n\n".join(shown) or _nothing(state)
    await progress.finish("ended", f"{plans}{await _expected(state, ports)}")
    return Outcome("ended", "plans only")


async def _unbegun(request: Request, deps: Deps) -> RunState:
    """The run as it would begin: what people skip is left out."""
    state = (await parse_roadmap(RunState(request), deps, TaskWork())).state
    return left_out(state, await deps.skips.skipped())


async def _expected(state: RunState, ports: RunPorts) -> str:
    """What the tasks of a run will probably take, as a paragraph; '' if there are none."""
    tasks = would_do(state)
    if state.problem or not tasks:
        return ""
    found = await ports.expected(tasks, state.request.options)
    return f"\n\n{preview_text(found, len(tasks))}"


async def _planned(state: RunState, task: Task, deps: Deps) -> str:
    attempt = Attempt(task=task.key, base=state.stack.tip, below=state.stack.branch)
    view = replace(state.put(attempt), current=task.key)
    try:
        plan = (await plan_task(view, deps, TaskWork())).state.attempt.planned.plan
    except TaskError as error:
        return f"No plan: {_plain(error.message)}"
    return _plan_text(plan) if plan else "The model did not answer with a plan."


def _plan_text(plan: Plan) -> str:
    parts = [f"complexity: {plan.complexity}"]
    parts += _list("files", [f"`{path.replace('`', chr(39))}`" for path in plan.likely_files])
    parts += _list("steps", [_plain(step) for step in plan.steps])
    parts += _list("acceptance", [_plain(each) for each in plan.acceptance])
    return "\n".join(parts)


def _list(name: str, items: Sequence[str]) -> list[str]:
    return [f"- {name}: " + "; ".join(items)] if items else []


def _nothing(state: RunState) -> str:
    return "\n".join(_plain(line.removeprefix(MARK)) for line in lines(state))


def _name(task: Task) -> str:
    return f"{_plain(task.name)}: {_plain(task.title)}"


def _plain(text: str) -> str:
    return sanitize(" ".join(text.split()), plain=True)


class BringsUpToDate(Protocol):
    """Brings the open pull requests of a repository up to date. Raises ``Outage``."""

    async def __call__(self, *, anew: bool = False, stopped: bool = False) -> None:
        """Only if one is on a branch that nobody merges, or ``anew``; the run may have stopped."""


@dataclass(frozen=True)
class RunPorts:
    """What one run works with; ``config`` reads the repository's configuration.

    ``shown`` keeps what people can decide about; ``boxes`` proposes checkboxes for a roadmap
    without work, and says where ('' for none); ``in_mode`` is the repository as its ``github_mode``
    wants it, ``missing`` names permissions that are not accepted, once; ``catch_up`` restacks what
    lies on a branch that nobody merges, or all; ``answer`` replies in the review threads
    of one (by number), ``expected`` predicts what tasks will take, ``adjusted`` is a configuration
    with what was learned, ``endings`` warns of models that are switched off soon. ``undoing``
    proposes to take back a merged task, ``set_up`` what the repository lacks, ``advising`` better
    settings; ``verifying`` shows how far a pull request is verified now; None if Cairn may not.
    """

    deps: Deps
    progress: Progress
    shown: ShownProposals
    config: Callable[[], Awaitable[RepositoryConfig]]
    boxes: Callable[[RunState], Awaitable[str]]
    in_mode: Callable[[GitHubMode, PullOptions], Repository]
    missing: Callable[[], Awaitable[str]]
    catch_up: BringsUpToDate
    answer: Callable[[int, Sequence[ThreadReply]], Awaitable[None]]
    expected: Callable[[Sequence[Task], Options], Awaitable[CostPreview | None]]
    adjusted: Callable[[RepositoryConfig], Awaitable[tuple[RepositoryConfig, tuple[str, ...]]]]
    endings: Callable[[Options], Awaitable[list[str]]]
    undoing: Undoing | None = None
    set_up: SetUp | None = None
    verifying: Verifying | None = None
    advising: AdviceOffer | None = None


class StoredControl:
    """The ``Control`` port on the runs table: a run that is to stop says so there."""

    def __init__(self, runs: StoredRuns) -> None:
        self._runs = runs

    async def check(self, run: str) -> None:
        """Raise ``Stopped`` when the run is to be cancelled or paused."""
        row = await self._runs.get(run)
        if row is not None and row.status in _STOP_REQUESTS:
            raise Stopped(_STOP_REQUESTS[row.status])


_STOP_REQUESTS: dict[str, StopRequest] = {"cancelling": "cancel", "pausing": "pause"}


class Segments:
    """Drives runs from the last rows of their journals.

    ``ports_of`` puts together what one run works with, ``stopped`` is called with how it stopped.
    """

    def __init__(
        self,
        runs: StoredRuns,
        *,
        ports_of: Callable[[Run], Awaitable[RunPorts]],
        stopped: Callable[[Run, Outcome], Awaitable[None]],
    ) -> None:
        self._runs = runs
        self._ports_of = ports_of
        self._stopped = stopped
        self._started: set[str] = set()

    async def begin(self, id: str) -> Segment:
        """Drive a run as far as it goes, and tell watchers how it stopped."""
        run = await self._runs.get(id)
        if run is None:
            raise LookupError(f"there is no run {id}")
        ports = await self._ports_of(run)
        async with aclosing(execute(run, ports, self._runs, self._started)) as steps:
            async for step in steps:
                if isinstance(step, Outcome):
                    step = _marked(step, ports.progress)
                    await self._stopped(run, step)
                yield step


def _marked(outcome: Outcome, progress: Progress) -> Outcome:
    """Note an end that people could not be told: it is said when their conversation is unlocked."""
    if progress.told or outcome.status not in ("ended", "cancelled"):
        return outcome
    return replace(outcome, result={**(outcome.result or {}), "untold": True})


async def execute(run: Run, ports: RunPorts, runs: StoredRuns, started: MutableSet[str]) -> Segment:
    """Drive the run as far as it goes and tell people; yields as ``Segment`` says.

    ``started`` are the bases whose tests were seen to start: they are not looked at again.
    Raises ``Outage`` when it cannot begin, or cannot say why it does not.
    """
    async with ports.progress as comment:
        await runs.set_progress_comment(run.id, comment)
        try:
            config, adjusted = await ports.adjusted(await ports.config())
            request = request_of(run, config)
        except ConfigError as error:
            yield await _refused(error, ports)
            return
        ports = _in_mode(ports, config, run)
        # what a person stopped it from doing about conflicts is done now
        await ports.catch_up(anew=run.cause == PERSON)
        if run.request.get("dry_run"):
            yield await _dry(request, ports)
            return
        if run.request.get("setup"):
            asked = not run.request.get("unasked")
            yield await _set_up(request, ports, started, config, asked=asked)
            return
        if run.request.get("undo"):
            yield await _undone(request, ports)
            return
        if run.request.get("verify"):
            yield await _verified(run, request, ports)
            return
        if run.request.get("plan"):
            yield await plan_only(request, ports)
            return
        ending = await ports.endings(request.options)
        for text in ending:
            log.warning("Run %s: %s", run.id, text)
        notes = "\n\n".join((*ending, adjusted_text(adjusted)))
        async with aclosing(driving(request, NODES, ports.deps)) as steps:
            checked = False
            async for step in steps:
                if not checked and (found := await _obstacle(step, ports, started)):
                    yield found
                    return
                checked = True
                await ports.shown.see(step.state if isinstance(step, Ended) else step)
                if isinstance(step, Ended):
                    yield await _reported(step, ports, runs, notes)
                else:
                    yield step


async def _obstacle(
    step: RunState | Ended, ports: RunPorts, started: MutableSet[str]
) -> Outcome | None:
    """End a run that has begun no task where the tests of its base cannot start.

    ``step`` is its first one: after an interruption that need not be the reading of its roadmap.
    """
    if isinstance(step, Ended) or step.attempts or _repairs(step):
        return None
    found = await preflight(step, ports.deps, started)
    if found is None:
        await _close_outdated(step, ports)
        return None
    text = await ports.set_up.config.offered(step, found) if ports.set_up else advice(found)
    await ports.progress.finish("refused", text, step)
    return Outcome("ended", found.seen)


def _repairs(state: RunState) -> bool:
    """Say whether it repairs what fails: that tests cannot start may be what it is for."""
    asked = state.request.options.scope.revision
    return asked is not None and asked.fix


async def _close_outdated(step: RunState, ports: RunPorts) -> None:
    """Close the offer of a configuration that is there; a refusal is not worth a run."""
    if ports.set_up:
        with suppress(TaskError):
            await ports.set_up.config.close_outdated(step)


def _in_mode(ports: RunPorts, config: RepositoryConfig, run: Run) -> RunPorts:
    """Let the run write to GitHub as the repository wants it."""
    mode, options = config.github_mode, _pull_options(config, str(run.request.get("by") or ""))
    deps = replace(ports.deps, repository=ports.in_mode(mode, options))
    if mode == "disabled":
        return replace(
            ports,
            deps=deps,
            boxes=_no_boxes,
            undoing=None,
            set_up=None,
            verifying=None,
            advising=None,
        )
    return replace(ports, deps=deps)


def _pull_options(config: RepositoryConfig, requester: str) -> PullOptions:
    """How pull requests come before people; a bot that asked for the run reviews nothing."""
    known = "" if requester.endswith("[bot]") else requester
    shows = config.pull_requests
    named = [known if each == "requester" else each for each in shows.reviewers]
    return PullOptions(shows.labels, tuple(dict.fromkeys(filter(None, named))), shows.draft)


async def _no_boxes(state: RunState) -> str:
    return ""


async def _refused(error: ConfigError, ports: RunPorts) -> Outcome:
    problem = f"`.github/cairn.yml` has errors, so Cairn did not start:\n\n{listed(error)}"
    await ports.progress.finish("refused", problem)
    return Outcome("ended", "the repository's configuration has errors")


async def _reported(ended: Ended, ports: RunPorts, runs: StoredRuns, notes: str = "") -> Outcome:
    """Report the end, and ``notes`` about the whole run below it.

    A run whose end could not be reported is paused until it can.
    """
    outcome = await _outcome(ended, runs)
    try:
        parts = [
            _detail(ended, outcome),
            await _boxes(ended, ports),
            await answered(ended, ports),
            await _advice(ended, ports),
            await ports.missing() if ended.status == "ended" else "",
            notes.strip(),
        ]
        await ports.progress.finish(ended.status, "\n\n".join(filter(None, parts)), ended.state)
    except Outage as outage:
        # driving continues where it stopped: an ended run only says so
        paused = replace(outcome, status="paused", reason=outage.message, until=outage.until)
        return replace(paused, cause=outage.kind)
    if ended.status in ("ended", "cancelled"):
        await ports.shown.end()
    return outcome


async def _boxes(ended: Ended, ports: RunPorts) -> str:
    """A push names its tasks; only a command that finds none is answered with a proposal."""
    scope = ended.state.request.options.scope
    asked = ended.status == "ended" and not (scope.tasks or scope.revision)
    return await ports.boxes(ended.state) if asked else ""


async def _advice(ended: Ended, ports: RunPorts) -> str:
    """Propose better settings after a run that worked; a refusal is not worth a word.

    A run that waits for people has worked, too: it may wait for ever.
    """
    worked = ended.status in ("ended", "resting") and ended.state.attempts
    if ports.advising is None or not worked:
        return ""
    try:
        return advised(await ports.advising.look(ports.deps, await ports.config()))
    except (TaskError, ConfigError):
        return ""


async def answered(ended: Ended, ports: RunPorts) -> str:
    """Answer the reviewers who asked for a revision; what there is to say about the whole."""
    asked = ended.state.request.options.scope.revision
    revision = ended.state.revision or await not_begun(ended, asked, ports.deps)
    stopped = ended.status in ("ended", "cancelled") or ended.kind == STOP_REQUEST
    if asked and asked.conflict and stopped:
        # if the conflict is still there, this says what to do
        await ports.catch_up(anew=True, stopped=True)
    if not (revision and asked) or ended.status not in ("ended", "cancelled"):
        return ""
    if revision.fixes:
        silent = ended.status == "cancelled" or ended.state.problem
        return "" if silent else fixed_or_why(ended.state, revision, asked)
    replies, said = await answers(ended, revision, asked, ports.deps)
    await ports.answer(revision.pull, replies)
    return said


def listed(error: ConfigError) -> str:
    """The problems of a configuration, one a line."""
    return "\n".join(f"- {sanitize(str(problem), plain=True)}" for problem in error.problems)


async def _dry(request: Request, ports: RunPorts) -> Outcome:
    """List the tasks in order; no model is asked and nothing is written but the comment."""
    state = await _unbegun(request, ports.deps)
    listing = "\n".join(f"- {sanitize(line, plain=True)}" for line in lines(state))
    await ports.progress.finish("ended", f"{listing}{await _expected(state, ports)}")
    return Outcome("ended", "dry run")


async def _set_up(
    request: Request,
    ports: RunPorts,
    started: MutableSet[str],
    config: RepositoryConfig,
    *,
    asked: bool,
) -> Outcome:
    """Propose what the repository lacks, if it was ``asked`` for or is welcome."""
    reply = NO_APP
    if ports.set_up:
        state = (await parse_roadmap(RunState(request), ports.deps, TaskWork())).state
        try:
            if not asked and not await ports.set_up.is_welcome(state, config):
                return Outcome("ended", "there is nothing to propose unasked")
            reply = await ports.set_up.answer(state, ports.deps, started, config, asked=asked)
        except TaskError as error:
            reply = f"Cairn could not look at everything: {_plain(error.message)}"
    await ports.progress.finish("ended", reply)
    return Outcome("ended", "it only checked what the repository lacks")


async def _undone(request: Request, ports: RunPorts) -> Outcome:
    """Propose to take back a merged task; no task is worked on."""
    reply = await ports.undoing.answer(request, ports.deps) if ports.undoing else MAY_NOT_UNDO
    await ports.progress.finish("ended", reply)
    return Outcome("ended", "it only proposed to take back a task")


async def _verified(run: Run, request: Request, ports: RunPorts) -> Outcome:
    """Verify a pull request of ours again, or look at its place later; no task is worked on."""
    number, verifying, look_at = run.issue or 0, ports.verifying, run.request.get("look_at")
    if look_at and verifying:
        until = datetime.fromisoformat(look_at)
        if ports.deps.clock.now() < until:
            return Outcome("paused", f"it looks at #{number} later", until)
        return Outcome("ended", await verifying.look(number))
    reply = await verifying.verify(number, request, ports.deps) if verifying else _MAY_NOT_SHOW
    return Outcome("ended", reply)


_MAY_NOT_SHOW = "Cairn writes nothing to this repository, so it shows no check"


def _detail(ended: Ended, outcome: Outcome) -> str:
    if ended.status == "paused":
        return pause(outcome.reason, ended.until)
    return outcome.reason


async def _outcome(ended: Ended, runs: StoredRuns) -> Outcome:
    reason = ended.reason or ended.state.problem
    if ended.status == "cancelled" or ended.kind == STOP_REQUEST:
        row = await runs.get(ended.state.request.id)
        reason = row.reason if row else ""
    result: dict[str, object] = {
        "tasks": table(ended.state),
        "attempted": bool(ended.state.attempts),
        "used": asdict(view_of(ended.state).used),
    }
    return Outcome(ended.status, reason, ended.until, result, cause=ended.kind)
