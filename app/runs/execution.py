"""Drive one run on the server: comment, repository configuration, loop, result."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, MutableSet
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from app.github.one_pull import OfferedPulls
from app.github.pulls import PullOptions
from app.github.repository import GitHubRepository
from app.jobs.worker import Outcome, Segment
from app.progress.comment import Progress
from app.progress.text import progress_texts
from app.proposals.service import ShownProposals
from app.pushes.normalise import propose_boxes
from app.runs.advice_offer import adjusted_text, look_for_advice
from app.runs.config_offer import NO_APP, advice
from app.runs.lessons import Lessons
from app.runs.requests import request_of
from app.runs.revising import answers, not_begun
from app.runs.setup_offer import SetUp
from app.runs.undoing import MAY_NOT_UNDO, undo
from app.runs.verifying import verify_again
from app.store.runs import PERSON, Run, Status, StoredRuns
from runner.config.model import RepositoryConfig
from runner.config.reading import ConfigError
from runner.errors import STOP_REQUEST, Outage, Stopped, StopRequest, TaskError
from runner.loop.deps import Deps, TaskWork
from runner.loop.driver import MARK, driving, lines, would_do
from runner.loop.schedule import left_out
from runner.loop.task_pool import Ended
from runner.model.shutdowns import endings
from runner.nodes import NODES
from runner.nodes.plan import plan_task
from runner.nodes.preflight import preflight
from runner.nodes.run import parse_roadmap
from runner.people.analysis_sentences import preview_text
from runner.people.report import table
from runner.people.run_view import view_of
from runner.people.texts import fix_texts
from runner.ports import Endpoint
from runner.roadmap.task import Task
from runner.state.options import Request
from runner.state.run_state import Attempt, Plan, RunState
from runner.text.sanitize import sanitize

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunPorts:
    """What one run works with.

    ``model`` is asked, ``shown`` keeps what people can decide about, ``lessons`` are what earlier
    runs teach, ``config`` reads the repository's configuration, ``missing`` names permissions that
    are not accepted, once. Only an ``app`` proposes what a repository lacks.
    """

    deps: Deps
    model: Endpoint
    progress: Progress
    shown: ShownProposals
    repository: GitHubRepository
    lessons: Lessons
    config: Callable[[], Awaitable[RepositoryConfig]]
    missing: Callable[[], Awaitable[str]]
    app: bool


@dataclass(frozen=True)
class Begun:
    """A run with what it asks for, within its repository's configuration.

    ``started`` are the bases whose tests were seen to start: they are not looked at again.
    """

    run: Run
    request: Request
    config: RepositoryConfig
    ports: RunPorts
    started: MutableSet[str]

    @property
    def writes(self) -> bool:
        """Whether Cairn may write to the repository."""
        return self.config.github_mode != "disabled"

    @property
    def set_up(self) -> SetUp | None:
        """What proposes what the repository lacks."""
        return SetUp(self.ports.repository) if self.writes and self.ports.app else None


async def plan_only(begun: Begun) -> Outcome:
    """Ask for the plans; those that were paid for once are not asked for again.

    Raises ``Outage``; a person's request stops it between two tasks.
    """
    deps, progress = begun.ports.deps, begun.ports.progress
    state = await _unbegun(begun)
    shown: list[str] = []
    try:
        for number, task in enumerate(would_do(state), 1):
            shown.append(f"**{number}.** {_name(task)}\n\n{await _planned(state, task, deps)}")
    except Stopped as stop:
        status: Status = "paused" if stop.request == "pause" else "cancelled"
        await progress.finish(status, "a person stopped it")
        return Outcome(status, "a person stopped it")
    nothing = "\n".join(_plain(line.removeprefix(MARK)) for line in lines(state))
    plans = "\n\n".join(shown) or nothing
    await progress.finish("ended", f"{plans}{await _expected(state, begun.ports)}")
    return Outcome("ended", "plans only")


async def _unbegun(begun: Begun) -> RunState:
    """The run as it would begin: what people skip is left out."""
    deps = begun.ports.deps
    state = (await parse_roadmap(RunState(begun.request), deps, TaskWork())).state
    return left_out(state, await deps.skips.skipped())


async def _expected(state: RunState, ports: RunPorts) -> str:
    """What the tasks of a run will probably take, as a paragraph; '' if there are none."""
    tasks = would_do(state)
    if state.problem or not tasks:
        return ""
    found = await ports.lessons.expected(tasks, state.request.options)
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
    files = [f"`{path.replace('`', chr(39))}`" for path in plan.likely_files]
    parts = [f"complexity: {plan.complexity}"]
    for name, items in (
        ("files", files),
        ("steps", [_plain(step) for step in plan.steps]),
        ("acceptance", [_plain(each) for each in plan.acceptance]),
    ):
        if items:
            parts.append(f"- {name}: " + "; ".join(items))
    return "\n".join(parts)


def _name(task: Task) -> str:
    return f"{_plain(task.name)}: {_plain(task.title)}"


def _plain(text: str) -> str:
    return sanitize(" ".join(text.split()), plain=True)


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
                    # an end that people could not be told is said when the conversation is unlocked
                    if not ports.progress.told and step.status in ("ended", "cancelled"):
                        step = replace(step, result={**(step.result or {}), "untold": True})
                    await self._stopped(run, step)
                yield step


async def execute(run: Run, ports: RunPorts, runs: StoredRuns, started: MutableSet[str]) -> Segment:
    """Drive the run as far as it goes and tell people; yields as ``Segment`` says.

    ``started`` are the bases whose tests were seen to start: they are not looked at again.
    Raises ``Outage`` when it cannot begin, or cannot say why it does not.
    """
    async with ports.progress as comment:
        await runs.set_progress_comment(run.id, comment)
        try:
            config, adjusted = await ports.lessons.adjusted(await ports.config())
            begun = Begun(run, request_of(run, config), config, ports, started)
        except ConfigError as error:
            problem = f"`.github/cairn.yml` has errors, so Cairn did not start:\n\n{listed(error)}"
            await ports.progress.finish("refused", problem)
            yield Outcome("ended", "the repository's configuration has errors")
            return
        options = _pull_options(config, str(run.request.get("by") or ""))
        ports.repository.in_mode(config.github_mode, options)
        # what a person stopped it from doing about conflicts is done now
        await ports.repository.catch_up(anew=run.cause == PERSON)
        for kind, work in KINDS.items():
            if run.request.get(kind):
                yield await work(begun)
                return
        models, deps = begun.request.options.models.named(ports.lessons.model), ports.deps
        ending = await endings(models, ports.model, deps.clock.now().date())
        for text in ending:
            log.warning("Run %s: %s", run.id, text)
        notes = "\n\n".join((*ending, adjusted_text(adjusted)))
        async with aclosing(driving(begun.request, NODES, deps)) as steps:
            checked = False
            async for step in steps:
                if not checked and (found := await _obstacle(step, begun)):
                    yield found
                    return
                checked = True
                await ports.shown.see(step.state if isinstance(step, Ended) else step)
                if isinstance(step, Ended):
                    yield await _reported(step, begun, runs, notes)
                else:
                    yield step


async def _obstacle(step: RunState | Ended, begun: Begun) -> Outcome | None:
    """End a run that has begun no task where the tests of its base cannot start.

    ``step`` is its first one: after an interruption that need not be the reading of its roadmap.
    """
    if isinstance(step, Ended) or step.attempts:
        return None
    asked = step.request.options.scope.revision
    if asked and asked.fix:  # that tests cannot start may be what it is to repair
        return None
    found = await preflight(step, begun.ports.deps, begun.started)
    if found is None:
        if begun.set_up:
            with suppress(TaskError):  # a refusal is not worth a run
                await begun.set_up.close_outdated(step)
        return None
    text = await begun.set_up.offered(step, found) if begun.set_up else advice(found)
    await begun.ports.progress.finish("refused", text, step)
    return Outcome("ended", found.seen)


def _pull_options(config: RepositoryConfig, requester: str) -> PullOptions:
    """How pull requests come before people; a bot that asked for the run reviews nothing."""
    known = "" if requester.endswith("[bot]") else requester
    shows = config.pull_requests
    named = [known if each == "requester" else each for each in shows.reviewers]
    return PullOptions(shows.labels, tuple(dict.fromkeys(filter(None, named))), shows.draft)


async def _reported(ended: Ended, begun: Begun, runs: StoredRuns, notes: str = "") -> Outcome:
    """Report the end, and ``notes`` about the whole run below it.

    A run whose end could not be reported is paused until it can.
    """
    outcome, ports = await _outcome(ended, runs), begun.ports
    paused = ended.status == "paused"
    try:
        parts = [
            progress_texts.pause(outcome.reason, ended.until) if paused else outcome.reason,
            await _boxes(ended, begun),
            await answered(ended, ports),
            await _advice(ended, begun),
            await ports.missing() if ended.status == "ended" else "",
            notes.strip(),
        ]
        await ports.progress.finish(ended.status, "\n\n".join(filter(None, parts)), ended.state)
    except Outage as outage:
        # driving continues where it stopped: an ended run only says so
        unsaid = replace(outcome, status="paused", reason=outage.message, until=outage.until)
        return replace(unsaid, cause=outage.kind)
    if ended.status in ("ended", "cancelled"):
        await ports.shown.end()
    return outcome


async def _boxes(ended: Ended, begun: Begun) -> str:
    """A push names its tasks; only a command that finds none is answered with a proposal."""
    scope = ended.state.request.options.scope
    if ended.status != "ended" or scope.tasks or scope.revision or not begun.writes:
        return ""
    pulls = OfferedPulls(begun.ports.repository, "normalise")
    return await propose_boxes(ended.state, begun.ports.deps, pulls)


async def _advice(ended: Ended, begun: Begun) -> str:
    """Propose better settings after a run that worked; a refusal is not worth a word.

    A run that waits for people has worked, too: it may wait for ever.
    """
    ports = begun.ports
    worked = ended.status in ("ended", "resting") and ended.state.attempts
    if not (worked and ports.app and begun.writes):
        return ""
    try:
        url = await look_for_advice(ports.repository, ports.lessons, await ports.config())
    except (TaskError, ConfigError):
        return ""
    return f"Cairn learned that other settings do better here: {url}" if url else ""


async def answered(ended: Ended, ports: RunPorts) -> str:
    """Answer the reviewers who asked for a revision; what there is to say about the whole."""
    asked = ended.state.request.options.scope.revision
    revision = ended.state.revision or await not_begun(ended, asked, ports.deps)
    stopped = ended.status in ("ended", "cancelled") or ended.kind == STOP_REQUEST
    if asked and asked.conflict and stopped:
        # if the conflict is still there, this says what to do
        await ports.repository.catch_up(anew=True, stopped=True)
    if not (revision and asked) or ended.status not in ("ended", "cancelled"):
        return ""
    if revision.fixes:
        silent = ended.status == "cancelled" or ended.state.problem
        return "" if silent else fix_texts.ended(ended.state, revision, asked)
    replies, said = await answers(ended, revision, asked, ports.deps)
    await ports.repository.reviews.answer(revision.pull, replies)
    return said


def listed(error: ConfigError) -> str:
    """The problems of a configuration, one a line."""
    return "\n".join(f"- {sanitize(str(problem), plain=True)}" for problem in error.problems)


async def _dry(begun: Begun) -> Outcome:
    """List the tasks in order; no model is asked and nothing is written but the comment."""
    state = await _unbegun(begun)
    listing = "\n".join(f"- {sanitize(line, plain=True)}" for line in lines(state))
    text = f"{listing}{await _expected(state, begun.ports)}"
    await begun.ports.progress.finish("ended", text)
    return Outcome("ended", "dry run")


async def _set_up(begun: Begun) -> Outcome:
    """Propose what the repository lacks, if it was asked for or is welcome."""
    reply, deps, asked = NO_APP, begun.ports.deps, not begun.run.request.get("unasked")
    if set_up := begun.set_up:
        state = (await parse_roadmap(RunState(begun.request), deps, TaskWork())).state
        try:
            if not asked and not await set_up.is_welcome(state, begun.config):
                return Outcome("ended", "there is nothing to propose unasked")
            reply = await set_up.answer(state, deps, begun.started, begun.config, asked=asked)
        except TaskError as error:
            reply = f"Cairn could not look at everything: {_plain(error.message)}"
    await begun.ports.progress.finish("ended", reply)
    return Outcome("ended", "it only checked what the repository lacks")


async def _undone(begun: Begun) -> Outcome:
    """Propose to take back a merged task; no task is worked on."""
    ports, reply = begun.ports, MAY_NOT_UNDO
    if begun.writes:
        reply = await undo(begun.request, ports.deps, ports.repository)
    await ports.progress.finish("ended", reply)
    return Outcome("ended", "it only proposed to take back a task")


async def _verified(begun: Begun) -> Outcome:
    """Verify a pull request of ours again, or look at its place later; no task is worked on."""
    ports, number = begun.ports, begun.run.issue or 0
    if not begun.writes:
        return Outcome("ended", "Cairn writes nothing to this repository, so it shows no check")
    if look_at := begun.run.request.get("look_at"):
        until = datetime.fromisoformat(look_at)
        if ports.deps.clock.now() < until:
            return Outcome("paused", f"it looks at #{number} later", until)
        await ports.repository.renew(number)
        return Outcome("ended", f"pull request {number} was looked at again")
    reply = await verify_again(number, begun.request, ports.deps, ports.repository)
    return Outcome("ended", reply)


KINDS: Mapping[str, Callable[[Begun], Awaitable[Outcome]]] = {
    "dry_run": _dry,
    "setup": _set_up,
    "undo": _undone,
    "verify": _verified,
    "plan": plan_only,
}
"""What runs do that drive no task, by the word in their request."""


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
