"""*Re-run* on a pull request of Cairn: its head is verified again, and the check says so."""

from __future__ import annotations

from dataclasses import asdict

from app.github.pulls import Pull
from app.github.repository import GitHubRepository
from app.store.runs import RunRequest
from handlers.grammar import ExecuteCommand
from handlers.ports import run_id
from runner.errors import Outage, TaskError
from runner.loop.deps import Deps
from runner.nodes.verify_again import verified_again
from runner.people.pull_requests import check_details
from runner.people.trust import trust_of
from runner.state.options import Request
from runner.state.publishing import ShownTasks
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
        repository=place.repository,
        issue=pull.number,
        roadmap=pull.roadmap,
        request={**asdict(command), "private": place.repository.private, **asked},
    )


async def verify_again(number: int, request: Request, deps: Deps, at: GitHubRepository) -> str:
    """Verify the head of a pull request of ours and show the result; say what came of it.

    Where it is in its stack is shown, too, and what is told of that and is over ends. Raises
    ``Outage``; then the check says so, and another try starts anew.
    """
    try:
        pull = await at.reviews.as_it_is(number)
    except TaskError as refused:
        return refused.message
    await at.renew(number)
    await at.trust.begin(pull.head)
    try:
        attempt = await verified_again(request, deps, pull)
        found = attempt.tested.verification
        red = bool(found and not found.passed)
        trust, details = (pull.branch, trust_of(attempt)), check_details(attempt)
        shown = ShownTasks(trust=(trust,), details=(details,))
        await at.trust.show(pull.head, shown, red=red)
    except TaskError as error:
        await at.trust.explain(pull.head, sanitize(error.message))
        return error.message
    except Outage as outage:
        await at.trust.explain(pull.head, f"{INTERRUPTED}{sanitize(outage.message)}.")
        raise
    return f"pull request {number} was verified again"
