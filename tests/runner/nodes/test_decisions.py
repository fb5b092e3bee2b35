"""A parked task and the decision about it: applied once, first of all, whenever it came."""

from __future__ import annotations

import pytest

from runner.loop.deps import TaskWork
from runner.loop.driver import drive
from runner.nodes import NODES
from runner.nodes.approve import await_approval
from runner.ports import Decision
from runner.state.options import Request
from runner.state.run_state import RunState, Status
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import MemoryDecisions, MemoryJournal, ScriptedModel, block, deps

FILES = {"ROADMAP.md": b"- [ ] 1.1 Write `a.txt`\n- [ ] 1.2 Write `b.txt`\n"}
REQUEST = Request("r1")


def failing_then(*replies: str) -> ScriptedModel:
    """A model that never does the first task, and then says this."""
    return ScriptedModel(*["nothing"] * 3, "unknown", *replies)


async def parked(journal: MemoryJournal, repository: MemoryRepository | None = None) -> RunState:
    """A run whose first task waits for a person and whose second is done."""
    repository = repository or MemoryRepository(FILES)
    model = failing_then(block("b.txt", "b"))
    ended = await drive(
        REQUEST,
        NODES,
        deps(model=model, repository=repository, journal=journal),
    )
    assert ended.status == "waiting"
    return ended.state


async def test_a_run_goes_on_beside_a_parked_task_and_then_rests() -> None:
    """Waiting for a person ends the segment, not the run."""
    state = await parked(MemoryJournal())

    statuses = [str(state.status(task)) for task in state.tasks]
    assert statuses == ["awaiting_approval", "completed"]


@pytest.mark.parametrize("verdict", ["approve", "reject"])
async def test_a_decision_wakes_its_task(verdict: str) -> None:
    """The task decided on comes first, and the run ends when nothing is parked any more."""
    journal, repository = MemoryJournal(), MemoryRepository(FILES)
    state = await parked(journal, repository)
    decision = Decision(state.tasks[0].key, verdict, by="ada")  # type: ignore[arg-type]

    ended = await drive(
        REQUEST,
        NODES,
        deps(
            repository=repository,
            journal=journal,
            decisions=MemoryDecisions(decision),
        ),
    )

    attempt = ended.state.attempts[state.tasks[0].key]
    assert ended.status == "ended"
    assert attempt.status is Status.FAILED
    assert attempt.agreed.decision
    assert (attempt.agreed.decision.verdict, attempt.agreed.decision.by) == (verdict, "ada")


async def test_a_run_that_is_woken_for_nothing_rests_again() -> None:
    """No decision, no change."""
    journal = MemoryJournal()
    before = await parked(journal)

    ended = await drive(REQUEST, NODES, deps(repository=MemoryRepository(FILES), journal=journal))

    assert ended.status == "waiting"
    assert ended.state.attempts == before.attempts


async def test_a_step_that_is_repeated_takes_the_same_decision() -> None:
    """A crash after the decision was taken does not lose it, nor apply the next one instead."""
    state = await parked(MemoryJournal())
    key = state.tasks[0].key
    one, two = Decision(key, "reject", by="ada"), Decision(key, "approve", by="bob")
    ports = deps(repository=MemoryRepository(FILES), decisions=MemoryDecisions(one, two))
    at = RunState(REQUEST, roadmap=state.roadmap, attempts=state.attempts, current=key)

    first = await await_approval(at, ports, TaskWork())
    again = await await_approval(at, ports, TaskWork())

    assert (first.outcome, again.outcome) == ("rejected", "rejected")
