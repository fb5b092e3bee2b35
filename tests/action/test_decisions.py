"""Decisions between two workflow runs: the state's branch carries what waits."""

from __future__ import annotations

import pytest

from tests.action.job_kit import REPOSITORY, Workflows
from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.projects import note, on
from tests.scenarios.proposing import STUCK, TITLES

pytestmark = on(STUCK)


async def stuck(ci: Workflows) -> tuple[Issue, Issue]:
    """Let a workflow run end with a proposal that waits; the issue and the proposal."""
    issue = ci.github.open_issue(REPOSITORY, "Please go on", by="writer")
    told = await ci.comment(issue, "/execute --approval-mode interactive")
    ci.gets_stuck()
    report = await ci.run("issue_comment", told)
    assert (report.exit_code, report.outputs()["waiting"]) == (0, "1")
    (proposal,) = ci.proposals
    ci.read_all()
    return issue, proposal


async def test_an_approval_by_comment_continues_the_run(ci: Workflows) -> None:
    """The second workflow run does what was approved, in the first one's name."""
    issue, proposal = await stuck(ci)
    ci.model.says(note("one.md"), note("two.md"))

    report = await ci.run("issue_comment", await ci.comment(proposal, "/approve"))

    assert [pull.title for pull in ci.view.pulls][-2:] == TITLES
    assert (report.outputs()["completed"], report.outputs()["waiting"]) == ("1", "0")
    assert "is done" in ci.says(issue)


@MORE
async def test_a_reaction_is_seen_by_whatever_run_comes_next(ci: Workflows) -> None:
    """GitHub starts no workflow for 👍; the next workflow run looks at every open proposal."""
    issue, proposal = await stuck(ci)
    (comment,) = [c for c in ci.view.comments(proposal.number) if "fingerprint" in c.body]
    ci.github.react(comment, "+1", by="writer")
    ci.model.says(note("one.md"), note("two.md"))

    await ci.run("schedule", {"schedule": "17 3 * * *"})

    assert [pull.title for pull in ci.view.pulls][-2:] == TITLES
    assert "is done" in ci.says(issue)


@pytest.mark.sample(0, "a run for each way to decide")
@pytest.mark.parametrize("how", ["merged", "approved", "closed", "refused"])
async def test_what_started_no_workflow_is_found_by_the_next(ci: Workflows, how: str) -> None:
    """A workflow that listens to no pull request takes merges, closes and reviews all the same."""
    issue, proposal = await stuck(ci)
    number = proposal.number
    match how:
        case "merged":
            await ci.github.ready(REPOSITORY, number)
            await ci.github.merge_pull(REPOSITORY, number)
        case "closed":
            await ci.github.close(REPOSITORY, number, by="writer")
        case "approved":
            await ci.github.review(REPOSITORY, number, "APPROVED", by="writer")
        case "refused":
            await ci.github.review(REPOSITORY, number, "CHANGES_REQUESTED", by="writer")
    yes = how in ("merged", "approved")
    if yes:
        ci.model.says(note("one.md"), note("two.md"))

    await ci.run("schedule", {"schedule": "17 3 * * *"})

    assert ([pull.title for pull in ci.view.pulls][-2:] == TITLES) == yes
    assert ("is done" if yes else "❌ | **1.1**") in ci.says(issue)


@MORE
async def test_closing_a_proposal_rejects(ci: Workflows) -> None:
    """``pull_request`` events are worked where a workflow listens to them."""
    issue, proposal = await stuck(ci)
    await ci.github.close(REPOSITORY, proposal.number, by="writer")

    report = await ci.run("pull_request", ci.payload())

    assert report.outputs()["waiting"] == "0"
    assert "❌ | **1.1**" in ci.says(issue)


async def test_who_may_not_decide_decides_nothing(ci: Workflows) -> None:
    """The proposal still waits after a stranger's approval."""
    _, proposal = await stuck(ci)

    report = await ci.run("issue_comment", await ci.comment(proposal, "/approve", by="stranger"))

    assert report.outputs()["waiting"] == "1"
    assert "need the *maintain* permission" in ci.says(proposal)


@pytest.mark.sample(1, "a run for each command")
@pytest.mark.parametrize("after", ["/approve", "/execute status"])
async def test_without_the_branch_what_waits_is_forgotten(ci: Workflows, after: str) -> None:
    """Deleting it is how one starts anew: the proposal's pull request stays for people."""
    issue, proposal = await stuck(ci)
    await ci.github.delete_branch(REPOSITORY, "cairn/state")

    where = proposal if after == "/approve" else issue
    report = await ci.run("issue_comment", await ci.comment(where, after))

    assert (report.runs, report.exit_code) == ((), 0)
    assert proposal.state == "open"


@MORE
async def test_a_proposal_has_no_buttons(ci: Workflows) -> None:
    """A workflow hears of no click, and its token may write no checks: nothing is refused."""
    await stuck(ci)

    assert not [each for each in ci.github.requests if "check-runs" in each.path]
