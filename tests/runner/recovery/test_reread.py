"""A run that rested reads the roadmap again: what people did to it meanwhile."""

from __future__ import annotations

from runner.loop.schedule import advanced
from runner.loop.stacking import reread, stands
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import NewTask
from runner.state.proposal import Proposal
from runner.state.run_state import RunState, Status
from tests.runner.fields import with_stack
from tests.runner.memory_repository import START
from tests.runner.states import ROADMAP, run_state, with_status

TWO = (NewTask("Write `a.py`", id="1.1.1"), NewTask("Test `a.py`", id="1.1.2"))


def parked() -> RunState:
    """A run whose first task has a proposal that nobody answered."""
    state = run_state()
    proposal = Proposal(
        task=state.tasks[0].key,
        kind="recovery",
        strategy="decompose",
        reason="task_too_complex",
        explanation="",
        original="",
        replacements=TWO,
    )
    return with_status(state, Status.AWAITING_APPROVAL, proposal=proposal)


def again(state: RunState, roadmap: str, **statuses: Status) -> RunState:
    """The run after it read this roadmap."""
    return reread(state, parse_roadmap("ROADMAP.md", roadmap.encode()), statuses)


def test_nothing_changed() -> None:
    """The same roadmap leaves the run as it was."""
    state = parked()
    assert again(state, ROADMAP) == state


def test_a_task_that_people_took_out_keeps_its_record() -> None:
    """It is no task of the roadmap any more, and is still told of."""
    state = parked()
    key = state.tasks[0].key
    after = again(state, "# Plan\n\n- [ ] 1.2 Add b\n")

    assert key not in {task.key for task in after.tasks}
    assert after.task_of(key).id == "1.1"
    assert not stands(after, key)


def test_people_put_the_proposed_tasks_there_themselves() -> None:
    """By a merge or by hand: they came of the task, so a run of that task goes on with them."""
    state = parked()
    key = state.tasks[0].key
    after = again(state, "# Plan\n\n- [ ] 1.1.1 Write `a.py`\n- [ ] 1.1.2 Test `a.py`\n")

    assert stands(after, key)
    assert {after.replaced.origins[task.key] for task in after.tasks} == {key}
    assert (
        again(after, "# Plan\n\n- [ ] 1.1.1 Write `a.py`\n").replaced.origins
        == after.replaced.origins
    )


def test_a_checkpoint_that_people_closed_is_not_built_upon() -> None:
    """The tip is what is left of the stack, and the task is declined."""
    state = with_status(run_state(), Status.COMPLETED, commit="mine", base=START)
    key = state.tasks[0].key
    after = again(with_stack(state, tip="mine"), ROADMAP, **{key: Status.DECLINED})
    after = with_stack(after, tip=START)

    assert advanced(after).stack.tip == START
    assert after.status(after.tasks[0]) is Status.DECLINED
