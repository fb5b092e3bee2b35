"""Checkpoints that GitHub merges by itself once people have approved them.

Cairn never merges anything (``pull_requests.merge: auto``). It enables GitHub's own auto-merge,
which keeps to every rule of the branch and joins its merge queue: only where the branch demands a
review, on what builds on no open pull request, and only if tests that stood there show each of its
tasks to be done. Where GitHub refuses, nothing is said: people merge as ever.
https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/automatically-merging-a-pull-request
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Sequence
from typing import Any

from app.features.merging.texts import merging_texts
from app.github.api import BestEffort
from app.github.checks import TRUST
from app.github.comments import section
from app.github.place import Place
from app.github.pulls import Pull
from app.runs.begun import Begun
from app.runs.feature import Feature
from app.runs.following import is_paused
from app.runs.requests import no_run
from app.runs.service import RunService
from app.store.runs import StoredRuns
from handlers.events import IssueCommentCreated, PullChanged
from runner.errors import STOP_REQUEST
from runner.loop.task_pool import Ended

log = logging.getLogger(__name__)

_ASK = """query($pull: ID!) { node(id: $pull) { ... on PullRequest {
  reviewDecision viewerCanEnableAutoMerge
  autoMergeRequest { enabledBy { login } }
  repository { viewerDefaultMergeMethod }
} } }"""
_ENABLE = """mutation($pull: ID!, $head: GitObjectID!, $method: PullRequestMergeMethod!) {
  enablePullRequestAutoMerge(
    input: {pullRequestId: $pull, expectedHeadOid: $head, mergeMethod: $method}
  ) { clientMutationId }
}"""
_DISABLE = """mutation($pull: ID!) {
  disablePullRequestAutoMerge(input: {pullRequestId: $pull}) { clientMutationId }
}"""
_SECTION = "merge"
_MOST_RUNS = 50
_JSON = re.compile(r"\A```json\n(.*?)\n```", re.DOTALL)


async def _kept(at: Place, pulls: Sequence[Pull], stopped: Collection[str] = ()) -> None:
    """Enable auto-merge where it is due, and disable ours where it is due no longer.

    It is not due while people stopped the newest run of a roadmap. What GitHub refuses stays as it
    is. Raises ``Outage``.
    """
    for pull in pulls:
        if pull.kind != "checkpoint":
            continue
        armed, halted = bool(section(pull.body, _SECTION)), pull.roadmap in stopped
        with BestEffort()():
            if armed:
                if halted or await _stood(at, pull) == 0:
                    await _disable(at, pull)
            elif _is_next(at, pull) and not halted and (stood := await _stood(at, pull)):
                await _enable(at, pull, stood)


def _is_next(at: Place, pull: Pull) -> bool:
    """Say whether it builds on nothing that is open, and GitHub's stacks have no part in it."""
    return pull.base == at.base and not pull.shown.draft and pull.native is None


async def _stood(at: Place, pull: Pull) -> int | None:
    """Count the tests that stood there and show its tasks; 0 where one task has none.

    That is what ``cairn/trust`` says of its newest commit; None while it says nothing.
    """
    check = await at.checks.tried(lambda: at.checks.find(TRUST, pull.sha))
    if check is None or check["status"] != "completed":
        return None
    found = _JSON.match(check["output"]["text"] or "")
    if found is None:  # it says why nobody knows how far the commit is verified
        return 0
    every: list[dict[str, Any]] = json.loads(found[1])
    # checks of an older Cairn do not count them
    stood = [each.get("tests_that_stood_there", 0) * (each["verdict"] == "shown") for each in every]
    return sum(stood) if {each["task"] for each in every} == set(pull.tasks) and all(stood) else 0


async def _enable(at: Place, pull: Pull, stood: int) -> None:
    doing = f"enable auto-merge of pull request #{pull.number}"
    found = (await at.api.graphql(_ASK, doing, pull=pull.node))["node"]
    if not found["reviewDecision"] or not found["viewerCanEnableAutoMerge"]:
        log.info("#%s is merged by people: no review is demanded, or no auto-merge", pull.number)
        return
    if found["autoMergeRequest"]:
        return
    method = found["repository"]["viewerDefaultMergeMethod"]
    await at.api.graphql(_ENABLE, doing, pull=pull.node, head=pull.sha, method=method)
    await at.pulls.annotate(pull, **{_SECTION: merging_texts.armed(stood)})


async def _disable(at: Place, pull: Pull) -> None:
    doing = f"disable auto-merge of pull request #{pull.number}"
    found = (await at.api.graphql(_ASK, doing, pull=pull.node))["node"]["autoMergeRequest"]
    if found is None:  # a person disabled it: what the description says keeps us from enabling it
        return
    if found["enabledBy"]["login"] == at.bot_login.removesuffix("[bot]"):
        await at.api.graphql(_DISABLE, doing, pull=pull.node)
    await at.pulls.annotate(pull, **{_SECTION: ""})


async def _ended(begun: Begun, ended: Ended) -> str:
    """What a run has opened is looked at when it stops, unless a person stopped it.

    What GitHub merges in the name of a workflow's token starts no workflow on the base branch.
    """
    stopped = ended.kind == STOP_REQUEST or ended.status == "cancelled"
    if begun.proposes and begun.config.pull_requests.merge == "auto" and not stopped:
        at = begun.ports.repository
        await _kept(at, await at.pulls.open_ones())
    return ""


async def _happened(service: RunService, event: PullChanged | IssueCommentCreated) -> None:
    """Look again: a merge makes another one the next, a comment may have paused a run."""
    parts, here = service.parts, event.repository
    config = await parts.config_or_default(here)
    if config.pull_requests.merge == "never" or config.github_mode == "disabled":
        return
    at = await parts.repository(no_run(here, delivery=event.delivery))
    await _looked(at, parts.runs, here.id)


async def _verified(begun: Begun, runs: StoredRuns) -> None:
    """Look again: tests that stood there may show a newer commit, or show it no longer."""
    if begun.proposes and begun.config.pull_requests.merge == "auto":
        await _looked(begun.ports.repository, runs, begun.run.repository.id)


async def _looked(at: Place, runs: StoredRuns, repository_id: int) -> None:
    pulls, stopped = await at.pulls.open_ones(), set()
    for roadmap in {pull.roadmap for pull in pulls}:
        newest = await runs.newest(repository_id, roadmap, most=_MOST_RUNS)
        # nobody pauses or cancels what only verifies a head
        asked = next((run for run in newest if not run.request.get("verify")), None)
        if asked and (is_paused(asked) or asked.status.startswith("cancel")):
            stopped.add(roadmap)
    await _kept(at, pulls, stopped)


def register() -> Feature:
    """Return what the feature adds."""
    return Feature(
        ended=_ended,
        verified=_verified,
        restacked=_happened,
        events={IssueCommentCreated: _happened},
    )
