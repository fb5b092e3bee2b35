"""The example workflows of docs/, run by an offline runner against the fake GitHub."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.action.job_kit import Workflows
from tests.action.runner_kit import ROOT, Runner, runner
from tests.scenarios.projects import note

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
    assert "The sandbox is process (as configured)." in ran.log
    assert "sk-test-of-the-action" not in ran.log
    assert ci.token not in ran.log
