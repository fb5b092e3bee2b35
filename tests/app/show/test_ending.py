"""What a terminal shows of a run that stopped."""

from __future__ import annotations

from rich.console import Console

from app.show.ending import ending
from app.show.live import Look
from runner.state.run_state import RunState, Status
from tests.runner.states import run_state, with_status


def printed(state: RunState) -> str:
    """The summary, on a terminal that is wide enough."""
    console = Console(width=200, color_system=None, markup=False, emoji=False)
    with console.capture() as caught:
        for part in ending(state, Look(200, 40)):
            console.print(part)
    return caught.get()


def test_the_warnings_of_accepted_changes_are_listed() -> None:
    """What a reviewer should see stands below the tasks, and acts on no terminal."""
    warned = ("`wrap` is gone\x1b[2J\nnow",)
    said = printed(with_status(run_state(), Status.COMPLETED, warnings=warned))

    assert "Worth a look:\n- 1.1: `wrap` is gone" in said
    assert "\x1b" not in said
    assert "Worth a look" not in printed(run_state())
