"""The default branch turns red with the merge of a checkpoint: people are asked about undoing it.

A run asks, and waits for the decision as any run does. Approved, it does what ``/execute undo``
does. Each pull request is asked about once.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable

from app.features.undo.texts import undoing_texts
from app.github.place import Place
from app.github.pulls import Pull
from app.jobs.worker import Outcome
from app.runs.begun import Begun
from app.runs.requests import no_run
from app.runs.service import RunService
from app.runs.verifying import about_pull
from app.store.proposals import ProposalOfRun
from handlers.events import CheckEnded
from handlers.ports import UNDO
from runner.errors import Outage
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of
from runner.state.proposal import Proposal, ProposalPlace

_NEWEST = 5
"""Merged pull requests that a commit is looked for in."""


async def went_red(service: RunService, event: CheckEnded) -> None:
    """Queue the run that asks, where a check fails on the merge of ours and not before it."""
    parts, here = service.parts, event.repository
    own = await parts.identity.bot_login(here.installation_id)
    ours = f"{event.app}[bot]".lower() == own.lower()
    if not event.failed or ours or event.issue or here.default_branch not in event.branches:
        return
    config = await parts.config_or_default(here)
    at = await parts.repository(no_run(here, delivery=event.delivery))
    if not config.fixes.offer_undo or config.github_mode == "disabled" or at.failing is None:
        return
    pull = await _merged_as(at, event.head)
    if pull is None or len(pull.tasks) > 1 or form_of(pull.roadmap).apart:
        return
    before = (await at.commits.show(event.head)).parents[0]
    names = await (await at.failing()).broken(event.head, before)
    if names:
        place, words = no_run(here, delivery=event.delivery), f"red {here.id} {pull.number}"
        starter = await service.starter_of(pull)
        asked = {"undo": True, "unasked": True, "red": [*names], "starter": starter}
        if await service.queue.start(about_pull(place, pull, words, head=event.head, **asked)):
            await service.look()


async def _merged_as(at: Place, commit: str) -> Pull | None:
    """The checkpoint that a commit of the default branch is the merge of, among the newest."""
    merged = [p for p in await at.pulls.all() if p.merged and p.kind == "checkpoint"]
    for pull in sorted(merged, key=lambda each: each.merged_at, reverse=True)[:_NEWEST]:
        found = await at.api.find(f"pulls/{pull.number}", f"show #{pull.number}", refused=Outage)
        if found and found["merge_commit_sha"] == commit:
            return pull
    return None


async def offered(begun: Begun, propose: Callable[[], Awaitable[str]]) -> Outcome:
    """Ask, and wait; ``propose`` what was approved. Raises ``TaskError``, ``Outage``."""
    run, ports, task = begun.run, begun.ports, begun.request.options.scope.task
    at, number, head = ports.repository, run.issue or 0, str(run.request["head"])
    decision = await ports.deps.decisions.take(run.id, task, UNDO)
    if decision is None and run.status != "cancelling":
        name = hashlib.sha256(f"{UNDO} {run.id} {task}".encode()).hexdigest()
        path = run.roadmap
        content = await at.file(await at.tip(), path) or b""
        found = find(await asyncio.to_thread(parse_roadmap, path, content), task)
        text = undoing_texts.red(run.request["red"], head, name[:8], at.base)
        comment = await at.comments.ensure(number, "proposal", name, text)
        await at.checks.ask(head, name, url=comment.url)
        asked = Proposal(
            task=task,
            kind="recovery",
            strategy="escalate",
            reason="unknown",
            explanation=text,
            original="",
            fingerprint=name,
            place=ProposalPlace(number, comment.url, comment.id, comment.node),
        )
        title = found.name if found else task
        await ports.shown.offer(ProposalOfRun(proposal=asked, name=title, open=True, strategy=UNDO))
        return Outcome("waiting", f"it offers to take #{number} back")
    await ports.shown.end()
    if decision is None or decision.verdict != "approve":
        await at.checks.end(head, "neutral")
        return Outcome("ended", f"nobody wants #{number} to be taken back")
    await at.comments.ensure(number, "ended", run.id, await propose())
    await at.checks.end(head, "success")
    return Outcome("ended", f"it takes #{number} back")
