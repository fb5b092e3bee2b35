"""*Re-run* on a pull request of Cairn: its head is verified again, and the check says so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime

from app.github.pulls import Pull
from app.github.reviews import ReviewedPulls
from app.github.trust_checks import TrustChecks
from app.store.queue import Queue
from app.store.runs import RunRequest
from handlers.grammar import ExecuteCommand
from handlers.ports import run_id
from runner.errors import Outage, TaskError
from runner.loop.deps import Deps
from runner.nodes.verify_again import verified_again
from runner.people.check_details import check_details
from runner.people.trust import trust_of
from runner.state.options import Request
from runner.state.publishing import ShownTasks
from runner.state.revising import Revision
from runner.text.sanitize import sanitize

INTERRUPTED = "The verification was interrupted, and continues automatically: "


def about_pull(place: RunRequest, pull: Pull, words: str, **asked: object) -> RunRequest:
    """The row of a run about a pull request of ours; the ``words`` make its id, ``asked`` its work.

    The same words twice are the same run.
    """
    command = ExecuteCommand(path=pull.roadmap, task=pull.task)
    return RunRequest(
        id=run_id(words),
        delivery=place.delivery,
        repository_id=place.repository_id,
        repository=place.repository,
        installation_id=place.installation_id,
        issue=pull.number,
        roadmap=pull.roadmap,
        base_branch=place.base_branch,
        request={**asdict(command), **asked},
    )


def verification(place: RunRequest, pull: Pull, head: str) -> RunRequest:
    """The row of a run that only verifies a head: it has no comment."""
    words = f"verify {place.repository_id} {pull.number} {head}"
    return about_pull(place, pull, words, verify=True)


class Verifications:
    """Queues runs that verify heads; ``look`` tells the worker."""

    def __init__(self, queue: Queue, look: Callable[[], Awaitable[None]]) -> None:
        self._queue, self._look = queue, look

    async def __call__(self, place: RunRequest, pull: Pull, head: str, /) -> None:
        """Queue one for the head of a pull request; twice leaves one."""
        if await self._queue.start(verification(place, pull, head)):
            await self._look()

    async def later(self, place: RunRequest, pull: Pull, at: datetime, /) -> None:
        """Queue a look at the place of a pull request in its stack, at a time; twice leaves one."""
        words = f"look {place.repository_id} {pull.number} {at.isoformat()}"
        row = about_pull(place, pull, words, verify=True, look_at=at.isoformat())
        if await self._queue.start(row):
            await self._look()


class Verifying:
    """``pulls`` reads pull requests of ours, ``checks`` shows what is found.

    ``placed`` shows where one is in its stack (by number), and ends what is told of it and is over.
    """

    def __init__(
        self,
        pulls: ReviewedPulls,
        checks: TrustChecks,
        placed: Callable[[int], Awaitable[None]],
    ) -> None:
        self._pulls, self._checks, self._placed = pulls, checks, placed

    async def look(self, number: int) -> str:
        """Show where a pull request is in its stack, and end what is over; say what came of it."""
        await self._placed(number)
        return f"pull request {number} was looked at again"

    async def verify(self, number: int, request: Request, deps: Deps) -> str:
        """Verify the head of a pull request and show the result; say what came of it.

        Raises ``Outage``; then the check says so, and another try starts anew.
        """
        try:
            pull = await self._pulls.as_it_is(number)
        except TaskError as refused:
            return refused.message
        await self._placed(number)
        await self._checks.begin(pull.head)
        try:
            return await self._verified(pull, request, deps)
        except TaskError as error:
            await self._checks.explain(pull.head, sanitize(error.message))
            return error.message
        except Outage as outage:
            await self._checks.explain(pull.head, f"{INTERRUPTED}{sanitize(outage.message)}.")
            raise

    async def _verified(self, pull: Revision, request: Request, deps: Deps) -> str:
        attempt = await verified_again(request, deps, pull)
        found = attempt.tested.verification
        red = bool(found and not found.passed)
        shown = ShownTasks(
            trust=((pull.branch, trust_of(attempt)),), details=(check_details(attempt),)
        )
        await self._checks.show(pull.head, shown, red=red)
        return f"pull request {pull.pull} was verified again"
