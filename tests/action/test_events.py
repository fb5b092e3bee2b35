"""What each event makes a workflow run do."""

from __future__ import annotations

from tests.action.job_kit import REPOSITORY, Workflows
from tests.scenarios.projects import note


async def test_a_run_by_hand_works_on_the_roadmap(ci: Workflows) -> None:
    """It opens a stacked pull request a task and tells it on the plan's issue."""
    ci.model.says(note("one.md"), note("two.md"))

    report = await ci.run("workflow_dispatch", ci.dispatch())

    assert report.exit_code == 0
    titles = [pull.title for pull in ci.view.pulls]
    assert titles == ["1.1 Write one.md", "1.2 Write two.md"]
    assert "is done" in ci.says(ci.plan)
    outputs = report.outputs()
    assert (outputs["completed"], outputs["failed"]) == ("2", "0")
    assert len(outputs["pull-requests"].split()) == 2
    assert "cairn/state" in ci.view.branches
