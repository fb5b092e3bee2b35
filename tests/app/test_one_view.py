"""Every place that shows a run says the same about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.pages.answers import page
from app.pages.view import Sight, run_view
from app.progress.text import progress_text
from runner.money import Usage
from runner.people.report import markdown, report, table
from runner.people.run_view import view_of
from runner.state.findings import Level, Verification
from runner.state.run_state import Failure, Status
from tests.app.show.test_ending import printed
from tests.app.test_money import RUN
from tests.runner.states import run_state, with_status

ROADMAP = "- [ ] 1.1 Add\n- [ ] 1.2 Subtract\n- [ ] 1.3 Divide\n- [ ] 1.4 Ask\n- [x] 1.5 Old\n"
UNSEEN = Verification("t", (Level("tests", "skipped", reason="there are none"),))
USED = Usage(2.0, 1_234, 0.0123, 2)


def stands():
    """A run with a task of each kind that needs an explanation."""
    state = run_state(ROADMAP)
    made = {"total": USED, "usage": {"execute_task": USED}, "answers": 2}
    state = with_status(state, Status.COMPLETED, verification=UNSEEN, commit="c" * 40, **made)
    failure = Failure("test", "2 tests fail", "verify_task")
    state = with_status(state, Status.FAILED, number=1, failure=failure)
    state = with_status(state, Status.AWAITING_APPROVAL, number=3)
    blocked = {state.tasks[2].key: state.tasks[1].key}
    return replace(state, blocked_by=blocked)


STATE = stands()
SIGHT = Sight(run=RUN, status="ended", state=STATE)
DOORS = {
    "progress comment": lambda: progress_text("r1", "ended", "", STATE),
    "page": lambda: page("run", {**run_view(SIGHT, ""), "artifacts": []}).text,
    "terminal": lambda: printed(STATE),
    "report.md": lambda: markdown(STATE),
}


@pytest.mark.parametrize("door", DOORS)
def test_the_same_is_said_about_each_task(door):
    """Its status in the same words, why it is not done, and why a done one is not shown."""
    said = DOORS[door]().replace("*", "").replace("\u200b", "")

    for words in (
        "completed (not shown)",
        "there are none",
        "2 tests fail",
        "blocked by 1.2 (failed)",
        "awaiting approval",
        "1,234",
        "$0.0123",
    ):
        assert words in said


def test_programs_read_the_same():
    """The JSON of the report, of the pages and of ``cairn status`` has the same statuses."""
    shown = run_view(Sight(run=RUN, status="ended", state=STATE), "")["tasks"]
    statuses = ["completed", "failed", "blocked", "awaiting_approval", "completed"]

    assert [task["status"] for task in shown] == statuses
    assert [row["status"] for row in table(STATE)] == statuses
    assert report(STATE)["tasks"]["completed"] == view_of(STATE).done == 2
    assert "2 of 5 tasks" in printed(STATE)
    assert "2 of 5 tasks" in markdown(STATE)


def test_the_view_is_built_in_one_place():
    """What a run looks like to people is decided once."""
    root = Path(__file__).parents[2]
    sources = (
        path for room in ("app", "handlers", "runner") for path in (root / room).rglob("*.py")
    )

    found = [path.name for path in sources if "RunView(" in path.read_text()]
    assert found == ["run_view.py"]
