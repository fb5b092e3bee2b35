"""A run that is killed after any save and driven again ends as if it had not been killed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.loop.driver import drive
from runner.money import Usage
from runner.state.options import Options, Request
from runner.state.run_state import RunState
from tests.runner.fields import changed
from tests.runner.scripted import Killed, LateJournal, MemoryJournal, ScriptedModel, deps
from tests.runner.scripted_nodes import ScriptedNodes

SAVES = 2 * 8 + 5 + 2
"""Rows of a run of two tasks: 8 of each task, and those of the run's own cursor."""

EFFECTS = ["build_context", "execute_task", "write_files", "verify_task", "checkpoint"]


def request(**options: object) -> Request:
    """The same run every time."""
    return Request("r1", options=changed(Options(), **options))


def model() -> ScriptedModel:
    """A model that answers both tasks, and is asked for each once."""
    return ScriptedModel("code", "code")


def timeless(state: RunState) -> RunState:
    """The state without what depends on the clock."""
    attempts = {
        key: changed(
            attempt, usage={n: replace(u, seconds=0.0) for n, u in attempt.spent.usage.items()}
        )
        for key, attempt in state.attempts.items()
    }
    usage = {node: Usage() for node in state.usage}
    return replace(state, attempts=attempts, usage=usage)


async def whole_run() -> tuple[RunState, MemoryJournal]:
    """The run that nothing happens to."""
    journal = MemoryJournal()
    ended = await drive(request(), ScriptedNodes(), deps(model=model(), journal=journal))
    return timeless(ended.state), journal


async def test_the_number_of_saves() -> None:
    """The crash test below kills after each save there is."""
    _, journal = await whole_run()

    assert journal.saves == SAVES


@pytest.mark.parametrize("save", range(1, SAVES + 1))
async def test_killed_after_a_save(save: int) -> None:
    """The final state is the same, and no effect that was saved is done again."""
    journal, asked = MemoryJournal(dies_after=save), model()
    nodes = ScriptedNodes()
    with pytest.raises(Killed):
        await drive(request(), nodes, deps(model=asked, journal=journal))
    journal.dies_after = None
    ended = await drive(request(), nodes, deps(model=asked, journal=journal))
    expected, _ = await whole_run()

    assert ended.status == "ended"
    assert timeless(ended.state) == expected
    asked.assert_all_said()
    for effect in EFFECTS:
        assert [name for name, _ in nodes.worked].count(effect) == 2


async def test_killed_again_and_again() -> None:
    """Processes that each die after two saves (a border takes two) get the run to its end."""
    journal, asked, nodes = MemoryJournal(), model(), ScriptedNodes()
    ended = None
    for save in range(2, 3 * SAVES, 2):
        journal.dies_after = save
        try:
            ended = await drive(request(), nodes, deps(model=asked, journal=journal))
            break
        except Killed:
            continue
    expected, _ = await whole_run()

    assert ended
    assert timeless(ended.state) == expected
    asked.assert_all_said()


async def test_the_first_writer_of_a_task_row_wins() -> None:
    """A second driver at the same rows goes on with what the first one stored."""
    journal, asked = MemoryJournal(), ScriptedModel("one", "two")
    first = ScriptedNodes()
    await drive(request(max_tasks=1), first, deps(model=asked, journal=journal))
    rows = dict(journal.rows)
    late = LateJournal(journal)
    ended = await drive(request(max_tasks=1), ScriptedNodes(), deps(model=asked, journal=late))

    assert journal.rows == rows
    assert timeless(ended.state) == timeless((await _recalled(journal)).state)


async def test_the_first_writer_of_the_runs_row_wins() -> None:
    """What the first driver decided about the run holds for the second."""
    journal = MemoryJournal()
    await drive(request(max_tasks=0), ScriptedNodes(), deps(journal=journal))
    nodes = ScriptedNodes()
    ended = await drive(request(), nodes, deps(journal=LateJournal(journal)))

    assert ended.state.attempts == {}
    assert nodes.worked == [("parse_roadmap", ""), ("decide_next", ""), ("generate_report", "")]


async def _recalled(journal: MemoryJournal):
    return await drive(request(max_tasks=1), ScriptedNodes(), deps(journal=journal))
