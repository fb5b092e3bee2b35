"""Every row of the table, through both doors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.sandbox.sandbox_bench import ISOLATED, ROOT, working_sandbox
from tests.scenarios.promised.always import check_always
from tests.scenarios.promised.doors import by_command, by_server
from tests.scenarios.promised.scenario import DOORS, Door, Scenario
from tests.scenarios.promised.table import ROWS

LONG = pytest.mark.long("each row once more, by another door")
AGAIN = pytest.mark.sample(0, "each row once more, by another door")


def cases(door: Door) -> list[object]:
    """The rows for a door; what is not kept yet must fail, and says why."""
    return [pytest.param(row, id=row.name, marks=_marks(row, door)) for row in ROWS]


def _marks(row: Scenario, door: Door) -> list[pytest.MarkDecorator]:
    unmet = [pytest.mark.xfail(strict=True, reason=row.unmet[door])] if door in row.unmet else []
    return unmet if door == DOORS[0] or row.isolated else [*unmet, AGAIN]


@pytest.mark.sample(4, "each row through each door", whole=True)
@pytest.mark.parametrize("scenario", cases(DOORS[0]))
async def test_by_command(scenario: Scenario, tmp_path: Path) -> None:
    """``cairn run`` on a checkout keeps the promise."""
    left = await by_command(scenario, tmp_path)

    check_always(left, scenario)
    scenario.check(left)


@pytest.mark.parametrize("scenario", cases(DOORS[1]))
async def test_by_server(
    scenario: Scenario, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """``/execute`` on GitHub keeps the promise."""
    caplog.set_level("INFO")

    left = await by_server(scenario, tmp_path, lambda: caplog.messages)

    check_always(left, scenario)
    scenario.check(left)


@LONG
@pytest.mark.parametrize("sandbox", ISOLATED)
@pytest.mark.parametrize(
    "scenario", [row for row in ROWS if row.isolated], ids=lambda row: row.name
)
async def test_in_isolation(
    scenario: Scenario, sandbox: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A few rows again in the sandboxes a server uses, where they exist."""
    await working_sandbox(sandbox)
    if sandbox == "bubblewrap" and not ROOT:
        pytest.skip("bubblewrap: set TEST_SANDBOX_ROOT to a folder of scripts/sandbox-root")
    caplog.set_level("INFO")
    image = ROOT if sandbox == "bubblewrap" else ""

    left = await by_server(
        scenario, tmp_path, lambda: caplog.messages, sandbox=sandbox, image=image
    )

    check_always(left, scenario)
    scenario.check(left)
