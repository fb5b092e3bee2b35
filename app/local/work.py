"""Drive a run on the checkout: a new one, or one that continues on the branch as it is now."""

from __future__ import annotations

import logging
import os
import secrets
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from functools import partial
from typing import TYPE_CHECKING

from app.interrupts import KIND, Interrupts
from app.local.compose import LocalCheckout, local_deps, prices_of
from app.local.files import take
from app.local.options import LocalRun, options_for, settings_of
from app.local.report import (
    check_folder,
    check_model,
    check_place,
    check_prices,
    check_roadmap,
    check_tests,
    refused,
)
from app.local.runs import is_published, parked, restated, state_of, unfinished, waiting
from app.settings import RunSettings
from app.texts import checkout_texts as texts
from runner.errors import Outage, PortError
from runner.files.decisions import KnownRun
from runner.files.history_file import NAME, FileHistory
from runner.files.journal import AnswerFiles
from runner.graph import END, REST
from runner.loop.deps import TaskWork
from runner.loop.driver import drive, would_do
from runner.loop.journal import BORDER, Cursors, encode_attempt, encode_run
from runner.loop.reading import contents
from runner.loop.schedule import advanced
from runner.loop.task_pool import Ended
from runner.model.budget import Budget, BudgetModel, budget_of
from runner.model.shutdowns import endings
from runner.nodes import NODES
from runner.nodes.run import parse_roadmap
from runner.people.trust import MADE
from runner.ports import Decision, Events, Fanout, JournalRow, SystemClock
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap as read_tasks
from runner.state.changes import ChangeSet
from runner.state.options import Request, with_given
from runner.state.publishing import Stack
from runner.state.run_state import Checked, RunState, Status, VerifiedWork
from runner.state.task_commits import standing

if TYPE_CHECKING:
    from runner.analysis.preview import CostPreview

_MOST_TOLD = 2
"""Older runs that could continue, each told in a line of its own when a new one begins."""
_BEGUN = (Status.IN_PROGRESS, Status.AWAITING_APPROVAL)


async def taken_up(asked: LocalRun, here: LocalCheckout) -> Request:
    """Bring the run's journal up to date and return its request.

    The run builds on commits made since; tasks ticked in them are done. Raises ``Outage`` when the
    branch is another one or has lost the run's commits.
    """
    await state_of(KnownRun(asked.run), here.kept)  # says so when it cannot be read
    cursors, journal = Cursors(here.deps.journal), here.deps.journal
    before = await cursors.recall(Request(asked.run), now=0.0)
    state = _at_border(_reopened(before, here), at_work=bool(cursors.at_work))
    before = _at_border(before, at_work=bool(cursors.at_work))
    state = await _on_the_branch(advanced(state), here)
    options = with_given(state.request.options, asked.given)
    state = replace(state, request=replace(state.request, options=options))
    if state != before:  # rows after the newest ones
        seq = {row.task: row.seq for row in await journal.recall(asked.run)}
        for key, attempt in state.attempts.items():
            if attempt != before.attempts[key]:
                data, held = encode_attempt(attempt)
                await journal.save(JournalRow(asked.run, key, seq[key] + 1, BORDER, data), held)
        data, held = encode_run(state)
        await journal.save(JournalRow(asked.run, "", seq[""] + 1, state.node, data), held)
    return state.request


def _reopened(state: RunState, here: LocalCheckout) -> RunState:
    """Let proposals wait that nobody was asked about, but that somebody still answered.

    Raises ``Outage`` for a run that is over and has none.
    """
    run = state.request.id
    decided = {s.decision.task for s in here.kept.inbox.stored() if s.run == run and not s.step}
    again = [a for key, a in state.attempts.items() if key in decided and is_published(a)]
    if not again and state.node == END:
        raise Outage("journal", f"Run {run} has ended. Type `cairn run` for a new one.")
    for attempt in again:
        state = state.put(replace(attempt, status=Status.AWAITING_APPROVAL))
    times = replace(state.times, ended=0.0)
    return replace(state, node=REST, current="", times=times) if state.node == END else state


def _at_border(state: RunState, *, at_work: bool) -> RunState:
    """The state as its next step finds it: tasks at work have their own cursors."""
    return replace(state, node=BORDER, current="") if at_work or state.node == REST else state


async def _on_the_branch(state: RunState, here: LocalCheckout) -> RunState:
    """Move the run to the newest commit of its branch."""
    run = state.request.id
    stack = await here.repository.stack()
    if not state.stack.tip:
        return state
    if stack.branch != state.stack.branch:
        raise Outage(
            "git",
            f"Run {run} works on branch {state.stack.branch}, but {stack.branch} is checked out."
            f" Type: git switch {state.stack.branch}",
        )
    stands = await here.repository.since(state.stack.tip, run)
    if stands == "apart":
        raise Outage(
            "git",
            f"Run {run} builds on {state.stack.tip[:12]}, which is no longer present here"
            f" ({stack.branch}). Type `cairn run` for a new run.",
        )
    return await _moved(state, stack, here) if stands == "ahead" else state


async def _moved(state: RunState, stack: Stack, here: LocalCheckout) -> RunState:
    path = state.request.roadmap
    found = await contents(here.deps, await here.repository.snapshot(stack.tip), [path])
    if path not in found:
        raise Outage("file", f"{path} no longer exists here. Restore it, or type `cairn run`.")
    roadmap = read_tasks(path, found[path])
    keys = {task.key for task in (*roadmap.tasks, *state.replaced.tasks)}
    gone = [task for task in state.tasks if task.key in state.attempts and task.key not in keys]
    done = {task.key for task in state.tasks if state.status(task) in MADE}
    state = replace(
        replace(state, stack=replace(state.stack, tip=stack.tip)),
        roadmap=roadmap,
        replaced=replace(state.replaced, tasks=(*state.replaced.tasks, *gone)),
    )
    state = restated(state, roadmap, stack.in_review)
    ticked = {task.key for task in roadmap.tasks if task.checked}
    undone = {task.key for task in roadmap.tasks if state.status(task) not in MADE} & done
    commits, run = standing(await here.repository.task_commits()), state.request.id
    others = {key: c.verdict for key, c in commits.items() if c.about("Cairn-Run") != run}
    for key, attempt in state.attempts.items():
        if attempt.status in _BEGUN and key in ticked:
            if verdict := others.get(key):  # of what this run answered, nothing is committed
                attempt = replace(
                    attempt,
                    answered=replace(attempt.answered, changes=ChangeSet(), lines=0),
                    checked=Checked(),
                    tested=VerifiedWork(verdict=verdict),
                )
            state = state.put(replace(attempt, status=Status.COMPLETED))
        elif attempt.status in _BEGUN and not undone.isdisjoint(state.task_of(key).depends_on):
            state = state.put(replace(attempt, status=Status.PENDING))  # what it built on is gone
    return state


log = logging.getLogger(__name__)


async def run_locally(
    asked: LocalRun, settings: RunSettings, listener: Events, control: Interrupts
) -> Ended:
    """Drive a run on the checkout until it stops.

    Raises ``PortError`` when it cannot even start, ``ConfigError`` for the repository's settings.
    """
    await check_folder(asked)
    async with local_deps(asked, settings, listener, control=control) as here:
        if not asked.run:
            await check_model(here)
        await here.repository.prepare()
        stack = await here.repository.stack()
        here = await limited(asked, settings, stack.tip, here)
        if not asked.dirty:
            await here.repository.check_clean()
        own = await here.repository.own_settings()
        if own.hooks or own.unused:
            log.info(texts.programs_not_run(own))
        if not asked.run:
            request = await request_of(secrets.token_hex(5), stack.tip, asked, here)
            if request.options.scope.again:
                request = await _again(request, here)
            await _begin(request, settings, here)
            await check_prices(request, asked, settings, here)
            await check_roadmap(request, stack, here)
        mine, work = take(asked.kept), TaskWork()
        try:
            request = await (taken_up(asked, here) if asked.run else _new(request, here))
            here.repository.ticks(request.roadmap)
            if asked.dirty:
                await here.repository.check_clean(request.roadmap)
            await here.deps.sandbox.sweep()
            if asked.run:
                await _begin(request, settings, here)
            else:
                await check_tests(request, here, asked.kept, work)
            with control.patient():
                return await _driven(request, asked, here, work)
        finally:
            await work.sandbox.close()
            os.close(mine)


async def limited(
    asked: LocalRun, settings: RunSettings, tip: str, here: LocalCheckout
) -> LocalCheckout:
    """Keep to the limits of the repository's file, besides those of the command line."""
    known = next((run for run in here.kept.runs.all() if run.id == asked.run), None)
    config = await settings_of(known.roadmap if known else asked.roadmap, here.deps, tip)
    budget = budget_of(config.limits, day=True)
    if "cost" in asked.lifted:
        budget = replace(budget, cost=None)
    if "tokens" in asked.lifted:
        budget = replace(budget, tokens=None)
    if budget == Budget():
        return here
    midnight = datetime.combine(SystemClock().now().astimezone(UTC).date(), time_of_day(), UTC)
    answers = AnswerFiles(asked.kept / "journal")
    today = await answers.paid(since=midnight.timestamp())
    model = BudgetModel(
        here.within,
        budget,
        prices=prices_of(settings),
        model=settings.cairn_model,
        spent=await answers.paid(asked.run) if asked.run else (),
        in_file=config.limit_name,
        today=sum(answer.cost or 0.0 for answer in today),
        tomorrow=midnight + timedelta(days=1),
    )
    return replace(here, deps=replace(here.deps, model=model))


async def _begin(request: Request, settings: RunSettings, here: LocalCheckout) -> None:
    """Say first which models end soon, then which sandbox was chosen."""
    names = request.options.models.named(settings.cairn_model)
    for text in await endings(names, here.model, SystemClock().now().date()):
        log.warning(text)
    log.info(here.isolation)


async def read_locally(
    asked: LocalRun, settings: RunSettings
) -> tuple[RunState, CostPreview | None]:
    """Read the roadmap as a run would, and what it will take; nothing is asked or written."""
    from runner.analysis.recorded import NEWEST, expected
    from runner.history.inquiry import asked as query_of
    from runner.history.inquiry import at_most

    await check_place(asked)
    async with local_deps(asked, settings, Fanout(), dry=True) as here:
        request = await request_of("dry-run", (await here.repository.stack()).tip, asked, here)
        state = (await parse_roadmap(RunState(request), here.deps, TaskWork())).state
    history = FileHistory(asked.kept / NAME)
    try:
        recalled = await history.recent(at_most(query_of(now=time.time()), NEWEST))
    except Outage as outage:
        log.warning("%s", outage.message)
        return state, None
    finally:
        history.close()
    tasks, options = would_do(state), request.options
    return state, expected(tasks, options, settings.cairn_model, recalled.executions)


async def request_of(run: str, tip: str, asked: LocalRun, here: LocalCheckout) -> Request:
    """Make the request of a new run on a commit, with what its configuration says."""
    config = await settings_of(asked.roadmap, here.deps, tip)
    return Request(run, config.roadmap.path, options_for(asked, config))


async def _again(request: Request, here: LocalCheckout) -> Request:
    """Verify the change of the newest run that kept one for the task. Raises ``PortError``."""
    scope = request.options.scope
    for run in sorted(here.kept.runs.all(), key=lambda run: run.began, reverse=True):
        state = await state_of(run, here.kept)
        task = find(state.roadmap, scope.task) if state.roadmap else None
        attempt = state.attempts.get(task.key) if task else None
        if attempt and attempt.answered.changes:
            options = replace(request.options, scope=replace(scope, again=run.id))
            return replace(request, options=options)
    raise PortError("file", texts.nothing_kept(scope.task))


async def _new(request: Request, here: LocalCheckout) -> Request:
    """Begin a new run, beside what older runs have left open.

    Tasks with an open proposal are left alone; one that is asked for by name starts again. Its
    proposal is answered once the run has begun, which needs a model that exists.
    """
    left_off = [
        run for run, _ in await unfinished(here.kept) if run.state in ("interrupted", "paused")
    ]
    for run in left_off if len(left_off) <= _MOST_TOLD else ():
        log.info(texts.unfinished(run))
    if len(left_off) > _MOST_TOLD:
        log.info(texts.many_unfinished(left_off))
    left = []
    for each in await waiting(here.kept):
        task, wanted = each.state.task, request.options.scope.task
        if each.state.request.roadmap != request.roadmap or each.published:
            continue
        if wanted in (task.key, task.id):
            again = Decision(
                task.key,
                "defer",
                by=await here.repository.person(),
                why=f"run {request.id} works on the task again",
                channel="retry",
                at=datetime.now(UTC).isoformat(timespec="seconds"),
                fingerprint=each.proposal.fingerprint,
            )
            here.told.once_begun(partial(here.kept.inbox.store, each.run.id, again))
        elif each.decision is None or each.decision.channel != "retry":
            left.append(task.key)
    here.repository.leave(left)
    return request


async def _driven(request: Request, asked: LocalRun, here: LocalCheckout, work: TaskWork) -> Ended:
    """Drive it, and keep its status; a run that dies on the way stays "working"."""
    runs, budget = here.kept.runs, asked.budget
    before = next((run for run in runs.all() if run.id == request.id), None)
    run = KnownRun(
        request.id,
        roadmap=request.roadmap,
        began=before.began if before else datetime.now(UTC).timestamp(),
        sandbox=asked.sandbox,
        max_cost=budget.cost,
        max_tokens=budget.tokens,
        lifted=asked.lifted,
    )
    runs.put(run)
    try:
        ended = await drive(request, NODES, here.deps, work)
        if not asked.run and (error := refused(ended)):
            here.told.forget()
            runs.forget(run.id)
            raise error
    finally:
        await here.told.release()
    state = "interrupted" if ended.kind == KIND else ended.status
    runs.put(replace(run, state=state, reason=ended.reason, until=ended.until))
    if ended.state.problem and not ended.state.attempts and not asked.run:
        runs.forget(run.id)  # it took up nothing
    for old, left in await unfinished(here.kept):  # nothing is left to do in some
        answers = [each.decision for each in parked(old, left, here.kept.inbox)]
        if old.state == "waiting" and answers and all(d and d.channel == "retry" for d in answers):
            runs.put(replace(old, state="ended", reason="its tasks were worked on again"))
    return ended
