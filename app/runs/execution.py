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
from app.runs.previews import dry_run, plan_only
from app.runs.requests import request_of
from app.runs.revising import answered
from app.runs.verifying import verify_again
from app.store.runs import OVER, PERSON, TIMED_OUT, Run, StoredRuns
from runner.config.model import RepositoryConfig
from runner.config.reading import ConfigError
from runner.errors import STOP_REQUEST, Outage
from runner.loop.deps import TaskWork
from runner.loop.driver import driving
from runner.loop.task_pool import Ended
from runner.model.shutdowns import endings
from runner.nodes import NODES
from runner.nodes.preflight import preflight
from runner.people.report import table
from runner.people.run_view import view_of
from runner.state.run_state import RunState
from runner.text.sanitize import inert_line

log = logging.getLogger(__name__)


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
                    if not ports.progress.told and step.status in OVER:
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
        if run.cause == TIMED_OUT:
            waited = ports.deps.clock.now() - run.created_at
            text = progress_texts.timed_out(run.request, run.result, waited.total_seconds())
            await ports.progress.finish("timed_out", text)
            yield Outcome("timed_out", text, result=dict(run.result or {}), cause=TIMED_OUT)
            return
        try:
            config, adjusted = await ports.lessons.adjusted(await ports.config())
            ports = await ports.limited(run, config)
            request = request_of(run, config)
            begun = Begun(run, request, config, ports, started)
            options, cut = ports.ceilings.hold(request.options, writes=begun.writes)
            begun = replace(begun, request=replace(request, options=options))
        except ConfigError as error:
            await ports.progress.finish("refused", progress_texts.misconfigured(error.problems))
            yield Outcome("ended", "the repository's configuration has errors")
            return
        for each in features:
            if each.reviews and (reviews := each.reviews(begun)):
                ports = replace(ports, deps=replace(ports.deps, reviews=reviews))
                begun = replace(begun, ports=ports)
        models, deps = options.models.named(ports.lessons.model), ports.deps
        if refused := ports.ceilings.refused(models):
            text = progress_texts.forbidden_models(refused, ports.ceilings.allowed)
            await ports.progress.finish("refused", text)
            yield Outcome("ended", f"the operator does not allow {', '.join(refused)}")
            return
        shown = _pull_options(config, str(run.request.get("by") or ""))
        ports.repository.in_mode(config.github_mode, shown, options.retry.of_github)
        # what a person stopped it from doing about conflicts is done now
        await ports.repository.catch_up(anew=run.cause == PERSON)
        for kinds in (KINDS, *(each.kinds for each in features)):
            for kind, work in kinds.items():
                if run.request.get(kind):
                    outcome = await work(begun)
                    for each in features:
                        if kind == "verify" and outcome.status == "ended" and each.verified:
                            await each.verified(begun, runs)
                    yield outcome
                    return
        if not await deps.journal.recall(run.id):
            why = [await each.hindered(begun) for each in features if each.hindered]
            if hindrance := next(filter(None, why), None):
                await ports.progress.finish("refused", hindrance.text)
                yield Outcome("ended", hindrance.text, result={"waits": hindrance.passes})
                return
        ending = await endings(models, ports.endpoint, deps.clock.now().date())
        for text in ending:
            log.warning("Run %s: %s", run.id, text)
        notes = "\n\n".join((*ending, progress_texts.cut(cut) if cut else "", _adjusted(adjusted)))
        own, checked, tasks, made = TaskWork(), False, -1, -1
        async with aclosing(driving(begun.request, NODES, deps, own)) as steps:
            async for step in steps:
                if not isinstance(step, Ended):
                    last, tasks = tasks, len(step.attempts)
                    # who asked for it could do so a moment ago, when its first task began
                    if tasks not in (last, 0) and last != 0 and not await ports.is_wanted():
                        reason = progress_texts.unwanted(run.request["by"])
                        step = Ended("paused", step, reason=reason)
                if not checked and (found := await _obstacle(step, begun, own, features)):
                    yield found
                    return
                checked = True
                state = step.state if isinstance(step, Ended) else step
                await ports.shown.see(state)
                earlier = made
                made = sum(1 for each in state.attempts.values() if each.published.commit)
                for feature in features:
                    if feature.published and -1 < earlier < made:
                        await feature.published(begun)
                if isinstance(step, Ended):
                    yield await _reported(step, begun, runs, features, notes)
                else:
                    yield step


async def _obstacle(
    step: RunState | Ended, begun: Begun, own: TaskWork, features: Sequence[Feature]
) -> Outcome | None:
    """End a run that has begun no task where the tests of its base cannot start.

    ``step`` is its first one: after an interruption that need not be the reading of its roadmap.
    """
    if isinstance(step, Ended) or step.attempts:
        return None
    asked = step.request.options.scope.revision
    if asked and asked.fix:  # that tests cannot start may be what it is to repair
        return None
    found = await preflight(step, begun.ports.deps, begun.started, own.sandbox)
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
    paused, asked = ended.status == "paused", begun.request.options.scope.revision
    try:
        parts = [
            progress_texts.pause(outcome.reason, ended.until) if paused else outcome.reason,
            await answered(ended, asked, ports) if asked else "",
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
    "dry_run": dry_run,
    "verify": _verified,
    "plan": plan_only,
}
"""What runs do that drive no task, by the word in their request."""
