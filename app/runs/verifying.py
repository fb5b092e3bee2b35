"""*Re-run* on a pull request of Cairn: its head is verified again, and the check says so."""

from __future__ import annotations

from app.github.reviews import ReviewedPulls
from app.github.trust_checks import TrustChecks
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


class Verifying:
    """``pulls`` reads pull requests of ours, ``checks`` shows what is found."""

    def __init__(self, pulls: ReviewedPulls, checks: TrustChecks) -> None:
        self._pulls, self._checks = pulls, checks

    async def verify(self, number: int, request: Request, deps: Deps) -> str:
        """Verify the head of a pull request and show the result; say what came of it.

        Raises ``Outage``; then the check says so, and another try starts anew.
        """
        try:
            pull = await self._pulls.as_it_is(number)
        except TaskError as refused:
            return refused.message
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
