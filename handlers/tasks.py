"""``/execute retry`` and ``/execute skip``: one task, named by its key or a unique written id."""

from __future__ import annotations

from dataclasses import replace

from handlers import replies
from handlers.decisions import weigh
from handlers.orders import Retry, Skip
from handlers.proposals import Proposals, Saying
from handlers.runs import Ambiguous, NamedTask, RunRequested, Runs, Unknown
from handlers.talk import Talk


async def retry(order: Retry, request: RunRequested, *, runs: Runs) -> str:
    """Start a run for one task again; return what to reply. Raises ``Outage``."""
    found = await runs.find_task(request, order.task)
    if not isinstance(found, NamedTask):
        return _not_found(order.task, found)
    command = replace(request.command, task=found.key, path=found.roadmap)
    superseded = await runs.retry(replace(request, command=command))
    return replies.retrying(request.run, superseded)


async def skip(
    order: Skip, request: RunRequested, talk: Talk, runs: Runs, proposals: Proposals
) -> str:
    """Leave a task out: as a decision where it has a proposal. Raises ``Outage``."""
    found = await runs.find_task(request, order.task)
    if not isinstance(found, NamedTask):
        return _not_found(order.task, found)
    open_ones = await proposals.of_task(request.repository.id, found.roadmap, found.key)
    if open_ones:
        saying = Saying(
            delivery=f"{request.delivery}#{request.nth}" if request.nth else request.delivery,
            by=request.by,
            at=request.created_at,
            channel="reply",
            verdict="skip",
        )
        return (await weigh(talk, proposals, open_ones[0], saying, ())).say
    new = await runs.skip(request, found)
    return replies.skipping(found.name, found.title, new=new)


def _not_found(name: str, found: Unknown | Ambiguous) -> str:
    if isinstance(found, Ambiguous):
        return replies.ambiguous_task(name, found.candidates)
    return replies.no_task(name, found.roadmap, found.names)
