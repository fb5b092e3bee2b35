"""The example workflows of docs/, run by an offline runner against the fake GitHub."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.action.job_kit import REPOSITORY, Workflows
from tests.action.runner_kit import ROOT, Runner, runner
from tests.scenarios.projects import note, notes, on
from tests.scenarios.proposing import STUCK, TITLES
from tests.scenarios.pushing import NEW, OLD

pytestmark = pytest.mark.long("runs whole workflows")

ROADMAP = ROOT / "docs/workflows/roadmap.yml"


@pytest.fixture
def machine(ci: Workflows, tmp_path: Path) -> Runner:
    """A runner for the repository's workflows."""
    return runner(ci, tmp_path / "act")


async def test_by_hand(ci: Workflows, machine: Runner) -> None:
    """A dispatched workflow is green, opens pull requests, and says which sandbox was used."""
    ci.model.says(note("one.md"), note("two.md"))

    ran = await machine.run(ROADMAP, "workflow_dispatch", ci.dispatch(), sandbox="process")

    assert ran.code == 0, ran.log
    assert [pull.title for pull in ci.view.pulls] == ["1.1 Write one.md", "1.2 Write two.md"]
    assert "The sandbox is process: what runs in it has your rights" in ran.log
    assert "sk-test-of-the-action" not in ran.log
    assert ci.token not in ran.log


@on(notes(OLD))
async def test_on_a_push(ci: Workflows, machine: Runner) -> None:
    """A push that changes the roadmap runs what it brings, in a bubblewrap box."""
    await ci.github.push(REPOSITORY, {"ROADMAP.md": NEW.encode()})
    ci.model.says(note("two.md"), note("three.md"))

    ran = await machine.run(ROADMAP, "push", ci.payload(), sandbox="bubblewrap")

    assert ran.code == 0, ran.log
    assert [pull.title for pull in ci.view.pulls] == ["1.2 Write two.md", "1.3 Write three.md"]
    assert "The sandbox is bubblewrap (as configured)." in ran.log


@on(STUCK)
async def test_an_approval_by_comment_goes_on_in_a_second_workflow_run(
    ci: Workflows, machine: Runner
) -> None:
    """The first machine is gone; the second takes the run up where it waits."""
    issue = ci.github.open_issue(REPOSITORY, "Please go on", by="writer")
    told = await ci.comment(issue, "/execute --approval-mode interactive", by="octo")
    ci.gets_stuck()

    first = await machine.run(ROADMAP, "issue_comment", told, sandbox="process")

    (proposal,) = ci.proposals
    assert first.code == 0, first.log
    assert "Cairn is waiting for a decision" in first.log
    ci.model.says(note("one.md"), note("two.md"))
    approved = await ci.comment(proposal, "/approve", by="octo")

    second = await machine.run(ROADMAP, "issue_comment", approved, sandbox="process")

    assert second.code == 0, second.log
    assert [pull.title for pull in ci.view.pulls][-2:] == TITLES
    assert "is done" in ci.says(issue)
    assert "is approved" in ci.says(proposal)


@pytest.mark.parametrize(("body", "by"), [("/execute", "stranger"), ("Thank you", "octo")])
async def test_a_comment_that_is_left_out(
    ci: Workflows, machine: Runner, body: str, by: str
) -> None:
    """Neither a stranger's command nor an ordinary comment starts a step of the job."""
    issue = ci.github.open_issue(REPOSITORY, "Please go on", by="writer")
    asked = len(ci.github.requests)

    ran = await machine.run(
        ROADMAP, "issue_comment", await ci.comment(issue, body, by=by), sandbox="process"
    )

    assert ran.code == 0, ran.log
    assert ran.lines == []
    assert len(ci.github.requests) == asked
