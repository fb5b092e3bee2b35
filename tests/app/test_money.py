"""The cost of a run at every door: a call without a known price is never left out in silence."""

from __future__ import annotations

import json

import pytest
from rich.console import Console

from app.action.report import ActionReport, summary
from app.action.work import Done
from app.pages.answers import page
from app.pages.view import Sight, run_line, run_view
from app.progress.text import progress_text
from app.show.ending import ending
from app.show.live import Look
from app.store.runs import Run
from runner.money import Usage, total
from runner.people.pull_requests import rows_of, shared_body
from runner.people.report import markdown, report
from runner.people.texts import pull_texts, recovery_texts
from runner.state.proposal import Proposal
from runner.state.run_state import Status
from tests.app.show.drawing import at_work, drawn
from tests.app.store.conftest import HandClock
from tests.app.store.test_runs import REQUEST
from tests.runner.fields import with_attempt
from tests.runner.states import at, run_state, with_status

SAID = "at least $0.0123; 2 calls without a known price"
NOBODY_KNOWS = Usage.of_call(1.0, 300, None)
USED = total([Usage.of_call(1.0, 1_200, 0.0123), NOBODY_KNOWS, NOBODY_KNOWS])
STATE = with_status(run_state(), Status.COMPLETED, total=USED, usage={"execute_task": USED})
AT_WORK = at("checkpoint", total=USED)
RUN = Run(
    **{name: getattr(REQUEST, name) for name in REQUEST.__dataclass_fields__},
    status="ended",
    reason="",
    until=None,
    progress_comment_id=None,
    created_at=HandClock().now(),
    updated_at=HandClock().now(),
    result=None,
)
SIGHT = Sight(run=RUN, status="ended", state=STATE)
ACTION = ActionReport(((RUN, STATE),), (), (), Done(), None)


def printed(state):
    """The summary in a terminal."""
    console = Console(width=200, color_system=None, markup=False)
    with console.capture() as caught:
        for part in ending(state, Look(200, 40)):
            console.print(part)
    return caught.get()


def proposed():
    """A task that waits with a proposal."""
    proposal = Proposal("t", "recovery", "skip", "unknown", "Why.", "Add")
    return at("await_approval", total=USED, proposal=proposal)


DOORS = {
    "pull request": lambda: pull_texts.checkpoint(AT_WORK),
    "proposal": lambda: recovery_texts.proposal_comment(proposed()),
    "progress comment": lambda: progress_text("r1", "ended", "", STATE),
    "page of a run": lambda: (
        page("run", {**run_view(SIGHT, "https://github.test"), "artifacts": []}).text
    ),
    "terminal": lambda: printed(STATE),
    "report.md": lambda: markdown(STATE),
    "summary of the step": lambda: summary(ACTION),
}


@pytest.mark.parametrize("door", DOORS)
def test_calls_without_a_price_are_told(door):
    """People read how much is known, and of how many calls nothing is."""
    assert SAID in DOORS[door]()


def test_the_output_of_the_action_is_a_number_or_empty():
    """A workflow that compares it finds no cost that is too small."""
    known = with_status(run_state(), Status.COMPLETED, usage={"execute_task": Usage(1, 5, 0.5, 1)})

    assert ACTION.outputs()["cost"] == ""
    assert ActionReport(((RUN, known),), (), (), Done(), None).outputs()["cost"] == "0.500000"


def test_the_shared_pull_request_says_it_in_its_table():
    """The row of a task has the short form; its details have the whole."""
    state = with_attempt(AT_WORK, body=pull_texts.checkpoint(AT_WORK).encode())
    body = shared_body("ROADMAP.md", rows_of(state, {}))

    assert "| at least $0.0123 |" in body
    assert SAID in body


def test_the_live_view_says_it():
    """The line above a run at work tells that the amount is not all of it."""
    assert "at least $0.0123" in drawn(at_work(total=USED, usage={"execute_task": USED}), width=200)


def test_programs_get_null():
    """A program never reads a number that is too small; the pages' JSON has the sentence, too."""
    line = run_line(SIGHT, "https://github.test", USED)
    view = run_view(SIGHT, "https://github.test")

    assert report(STATE)["model_usage"]["cost"] is None
    assert (line["cost"], line["cost_text"]) == (None, SAID)
    assert (view["nodes"][0]["cost"], view["tasks"][0]["cost"]) == (None, None)
    assert json.dumps(view)


def test_a_free_model_costs_nothing():
    """A price of nothing is a known price."""
    free = Usage.of_call(1.0, 1_200, 0.0)
    state = at("checkpoint", total=free)

    assert "cost: $0.0000\n" in pull_texts.checkpoint(state) + "\n"
