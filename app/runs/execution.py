"""Drive one run on the server: comment, repository configuration, loop, result."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, MutableSet, Sequence
from contextlib import aclosing
from dataclasses import asdict, replace
from datetime import datetime

from app.github.pulls import PullOptions
from app.jobs.worker import Outcome, Segment
from app.progress.text import progress_texts
from app.runs.begun import Begun, RunPorts
from app.runs.cannot_start import cannot_start
from app.runs.feature import Feature, RunKind
from app.runs.requests import request_of
from app.runs.revising import answers, not_begun
from app.runs.verifying import verify_again
from app.store.runs import PERSON, Run, Status, StoredRuns
from runner.config.model import RepositoryConfig
from runner.config.reading import ConfigError
from runner.errors import STOP_REQUEST, Outage, Stopped, TaskError
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
from runner.roadmap.task import Task
from runner.state.run_state import Attempt, Plan, RunState
from runner.text.sanitize import inert_line, sanitize

log = logging.getLogger(__name__)


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
        features: Sequence[Feature],
    ) -> None:
        self._runs = runs
        self._ports_of = ports_of
        self._stopped = stopped
        self._features = features
        self._started: set[str] = set()

    async def begin(self, id: str) -> Segment:
        """Drive a run as far as it goes, and tell watchers how it stopped."""
        run = await self._runs.get(id)
        if run is None:
            raise LookupError(f"there is no run {id}")
        ports = await self._ports_of(run)
        async with aclosing(
            execute(run, ports, self._runs, self._started, self._features)
        ) as steps:
            async for step in steps:
                if isinstance(step, Outcome):
                    # an end that people could not be told is said when the conversation is unlocked
                    if not ports.progress.told and step.status in ("ended", "cancelled"):
                        step = replace(step, result={**(step.result or {}), "untold": True})
                    await self._stopped(run, step)
                yield step


async def execute(
    run: Run,
    ports: RunPorts,
    runs: StoredRuns,
    started: MutableSet[str],
    features: Sequence[Feature],
) -> Segment:
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
        for kinds in (KINDS, *(each.kinds for each in features)):
            for kind, work in kinds.items():
                if run.request.get(kind):
                    yield await work(begun)
                    return
        models, deps = begun.request.options.models.named(ports.lessons.model), ports.deps
        ending = await endings(models, ports.model, deps.clock.now().date())
        for text in ending:
            log.warning("Run %s: %s", run.id, text)
        notes = "\n\n".join((*ending, _adjusted(adjusted)))
        async with aclosing(driving(begun.request, NODES, deps)) as steps:
            checked = False
            async for step in steps:
                if not checked and (found := await _obstacle(step, begun, features)):
                    yield found
                    return
                checked = True
                await ports.shown.see(step.state if isinstance(step, Ended) else step)
                if isinstance(step, Ended):
                    yield await _reported(step, begun, runs, features, notes)
                else:
                    yield step


async def _obstacle(
    step: RunState | Ended, begun: Begun, features: Sequence[Feature]
) -> Outcome | None:
    """End a run that has begun no task where the tests of its base cannot start.

    ``step`` is its first one: after an interruption that need not be the reading of its roadmap.
    """
    if isinstance(step, Ended) or step.attempts:
        return None
    asked = step.request.options.scope.revision
    if asked and asked.fix:  # that tests cannot start may be what it is to repair
        return None
    found = await preflight(step, begun.ports.deps, begun.started)
    said = [await each.looked(begun, step, found) for each in features if each.looked]
    if found is None:
        return None
    text = next(filter(None, said), "") or cannot_start(found)
    await begun.ports.progress.finish("refused", text, step)
    return Outcome("ended", found.seen)


def _adjusted(changes: Sequence[str]) -> str:
    """What a run did differently from its configuration (Markdown); '' for nothing."""
    if not changes:
        return ""
    which = ", ".join(f"`{inert_line(each)}`" for each in changes)
    return (
        f"Cairn worked with {which} because of what it learned here (`adaptive.auto_adjust`); "
        "`/execute analyze models` and `/execute analyze routing` show why."
    )


def _pull_options(config: RepositoryConfig, requester: str) -> PullOptions:
    """How pull requests come before people; a bot that asked for the run reviews nothing."""
    known = "" if requester.endswith("[bot]") else requester
    shows = config.pull_requests
    named = [known if each == "requester" else each for each in shows.reviewers]
    return PullOptions(shows.labels, tuple(dict.fromkeys(filter(None, named))), shows.draft)


async def _reported(
    ended: Ended, begun: Begun, runs: StoredRuns, features: Sequence[Feature], notes: str = ""
) -> Outcome:
    """Report the end, and ``notes`` about the whole run below it.

    A run whose end could not be reported is paused until it can.
    """
    outcome, ports = await _outcome(ended, runs), begun.ports
    paused = ended.status == "paused"
    try:
        parts = [
            progress_texts.pause(outcome.reason, ended.until) if paused else outcome.reason,
            await answered(ended, ports),
            *[await each.ended(begun, ended) for each in features if each.ended],
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


KINDS: Mapping[str, RunKind] = {
    "dry_run": _dry,
    "verify": _verified,
    "plan": plan_only,
}
"""What runs do that drive no task, by the word in their request."""
