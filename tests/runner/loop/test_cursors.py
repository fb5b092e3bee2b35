"""The rows of a run: saved where cursors cross, folded into a state again."""

from __future__ import annotations

from dataclasses import replace

from runner.loop.journal import Cursors
from runner.state.changes import ChangeSet, Write
from runner.state.run_state import RunState, RunTimes, Status
from tests.runner.fields import with_attempt
from tests.runner.scripted import LateJournal, MemoryJournal
from tests.runner.states import at, run_state


async def recalled(journal: MemoryJournal) -> RunState:
    """The state that another process finds."""
    return await Cursors(journal).recall(run_state().request, now=1.0)


async def begun(journal: MemoryJournal) -> Cursors:
    """Cursors of a run whose own row says that it picks a task."""
    cursors = Cursors(journal)
    await cursors.recall(run_state().request, now=1.0)
    await cursors.save(replace(run_state(), node="pick_task"), node="decide_next", task="")
    return cursors


async def test_an_unknown_run_starts_now() -> None:
    """A run without a row begins at the graph's start, at the time given."""
    assert await recalled(MemoryJournal()) == RunState(run_state().request, times=RunTimes(1.0))


async def test_the_runs_row_comes_back() -> None:
    """Between tasks the run's own row says where it is."""
    journal = MemoryJournal()
    await begun(journal)

    assert await recalled(journal) == replace(run_state(), node="pick_task")


async def test_picking_saves_both_cursors() -> None:
    """A picked task has a row of its own and is named by the run's."""
    journal = MemoryJournal()
    cursors = await begun(journal)
    picked = at("build_context")
    await cursors.save(picked, node="pick_task", task="")

    assert await recalled(journal) == picked


async def test_a_task_node_saves_the_task_only() -> None:
    """While a task is worked on the run's row stays as it is."""
    journal = MemoryJournal()
    cursors = await begun(journal)
    state = at("build_context")
    await cursors.save(state, node="pick_task", task="")
    changes = ChangeSet({"a.py": Write(b"new")})
    after = replace(with_attempt(state, changes=changes, context=b"text"), node="execute_task")
    await cursors.save(after, node="build_context", task=state.current)

    assert len(journal.nodes("")) == 2
    assert await recalled(journal) == after


async def test_leaving_saves_both_cursors() -> None:
    """A settled task's row and the run's say that nothing is in hand."""
    journal = MemoryJournal()
    cursors = await begun(journal)
    state = at("build_context")
    await cursors.save(state, node="pick_task", task="")
    left = replace(with_attempt(state, status=Status.FAILED), current="", node="pick_task")
    await cursors.save(left, node="decide_next", task=state.current)

    assert journal.nodes(state.current) == ["build_context", "decide_next"]
    assert await recalled(journal) == left


async def test_leaving_for_a_decided_task_saves_the_one_left() -> None:
    """A task that ends when another was decided about keeps its last word all the same."""
    journal = MemoryJournal()
    cursors = await begun(journal)
    first = at("build_context")
    await cursors.save(first, node="pick_task", task="")
    settled = with_attempt(first, status=Status.COMPLETED, commit="c1")
    decided = at("await_approval", settled, number=1)
    await cursors.save(decided, node="decide_next", task=first.current)

    assert journal.nodes(first.current) == ["build_context", "decide_next"]
    assert await recalled(journal) == decided


async def test_a_half_saved_pick_is_gone_on_with() -> None:
    """A task's row without the run's is a task in hand: it says all that the pick decided."""
    journal = MemoryJournal()
    cursors = await begun(journal)
    picked = at("build_context")
    await cursors.save(picked, node="pick_task", task="")
    del journal.rows["r1", "", 2]

    assert await recalled(journal) == picked


async def test_tasks_side_by_side_are_all_at_work() -> None:
    """Every task that was begun and not settled is found again, with its node."""
    journal = MemoryJournal()
    cursors = await begun(journal)
    first = at("build_context")
    await cursors.save(first, node="pick_task", task="")
    second = at("execute_task", first, number=1)
    await cursors.save(second, node="pick_task", task="")
    after = Cursors(journal)
    state = await after.recall(run_state().request, now=1.0)

    assert after.at_work == {first.current: "build_context", second.current: "execute_task"}
    assert state == second


async def test_the_stored_row_is_gone_on_with() -> None:
    """Whoever saves a row that is there already gets what is stored, and its node."""
    journal = MemoryJournal()
    one = await begun(journal)
    state = at("build_context")
    await one.save(state, node="pick_task", task="")
    await one.save(
        replace(with_attempt(state, answers=1), node="validate_code"),
        node="execute_task",
        task=state.current,
    )
    late = Cursors(LateJournal(journal))
    await late.recall(state.request, now=1.0)
    await late.save(replace(run_state(), node="pick_task"), node="decide_next", task="")
    await late.save(state, node="pick_task", task="")
    stored = await late.save(
        replace(with_attempt(state, answers=5), node="write_files"),
        node="execute_task",
        task=state.current,
    )

    assert (stored.attempt.answered.answers, stored.node) == (1, "validate_code")
