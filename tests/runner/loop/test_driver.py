"""One node, one saved row, the next node; until the run ends, pauses or is cancelled."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from runner.errors import Outage, Stopped, TaskError
from runner.loop.accepted import kept
from runner.loop.deps import Deps, TaskWork
from runner.loop.driver import drive, driving
from runner.loop.journal import BORDER
from runner.loop.task_pool import Ended
from runner.state.events import Advanced, NodeFinished, NodeStarted, RunChanged
from runner.state.options import Options, Request
from runner.state.run_state import RunState, Status, Step
from tests.runner.fields import changed
from tests.runner.recording_box import RecordingSandbox
from tests.runner.scripted import (
    MemoryJournal,
    ScriptedControl,
    ScriptedModel,
    deps,
)
from tests.runner.scripted_nodes import ScriptedNodes

REQUEST = Request("r1")
ONE = Request("r1", options=changed(Options(), max_tasks=1))
TASK = [
    "build_context",
    "execute_task",
    "validate_code",
    "write_files",
    "verify_task",
    "checkpoint",
]


def model(times: int = 2) -> ScriptedModel:
    """A model that is asked that often."""
    return ScriptedModel(*["code"] * times)


def statuses(ended: Ended) -> dict[str | None, Status]:
    """What became of each task, by its written id."""
    return {task.id: ended.state.status(task) for task in ended.state.tasks}


async def test_a_happy_run() -> None:
    """Every task goes through the nodes of the graph, and the run ends."""
    nodes = ScriptedNodes()
    ended = await drive(REQUEST, nodes, deps(model=model()))

    assert ended.status == "ended"
    assert statuses(ended) == {"T1": "completed", "T2": "completed"}
    assert [name for name, _ in nodes.worked] == [
        "parse_roadmap",
        *["decide_next", "pick_task", *TASK] * 2,
        "decide_next",
        "generate_report",
    ]


async def test_tasks_build_on_each_other() -> None:
    """The second task's base is the first one's commit, its pull request on the first's branch."""
    ended = await drive(REQUEST, ScriptedNodes(), deps(model=model()))
    second = ended.state.attempts[ended.state.tasks[1].key]

    assert (second.base, second.below) == ("commit-of-T1", "b-T1")


async def test_a_row_after_every_node() -> None:
    """The journal holds a row of the task for each of its nodes, and one as it leaves."""
    journal = MemoryJournal()
    ended = await drive(ONE, ScriptedNodes(), deps(model=model(1), journal=journal))
    task = ended.state.tasks[0].key

    assert journal.nodes(task) == [*TASK, "decide_next", "decide_next"]
    assert journal.nodes("") == [
        "decide_next",
        "pick_task",
        "build_context",
        "generate_report",
        "end",
    ]


async def test_an_ended_run_stays_ended() -> None:
    """Driving a run that has ended does nothing and says the same."""
    journal = MemoryJournal()
    first = await drive(REQUEST, ScriptedNodes(), deps(model=model(), journal=journal))
    nodes = ScriptedNodes()
    again = await drive(REQUEST, nodes, deps(journal=journal))

    assert nodes.worked == []
    assert (again.status, again.state) == (first.status, first.state)


async def test_usage_is_counted_by_node() -> None:
    """Seconds, tokens, cost and calls stand with the node that used them."""
    ended = await drive(ONE, ScriptedNodes(), deps(model=model(1)))
    attempt = ended.state.attempts[ended.state.tasks[0].key]

    assert attempt.spent.usage["execute_task"].calls == 1
    assert attempt.spent.usage["execute_task"].tokens == attempt.spent.total.tokens == 15
    assert attempt.spent.usage["validate_code"].tokens == 0
    assert ended.state.usage["decide_next"].seconds > 0
    assert list(attempt.spent.path) == TASK
    assert attempt.spent.steps == len(TASK)


async def test_events() -> None:
    """Every node is told when it starts and ends, every saved step, and how the run stands."""
    ports = deps(model=model(1))
    await drive(ONE, ScriptedNodes(), ports)
    events = ports.events

    started = [event.node for event in events.of(NodeStarted)]
    assert started == [event.node for event in events.of(NodeFinished)]
    assert len(events.of(Advanced)) == len(started) == 5 + len(TASK)
    assert [event.status for event in events.of(RunChanged)] == ["started", "ended"]


@pytest.mark.parametrize("node", ["build_context", "execute_task", "verify_task", "checkpoint"])
async def test_an_error_keeps_what_went_wrong(node: str) -> None:
    """A task's error goes along the error edge with its kind, message and node."""
    nodes = ScriptedNodes(
        {"propose_recovery": ["publish"]}, {node: [TaskError("file", "it cannot be")]}
    )
    ended = await drive(REQUEST, nodes, deps(model=model()))
    failure = ended.state.attempts[ended.state.tasks[0].key].failure

    assert statuses(ended) == {"T1": "failed", "T2": "completed"}
    assert failure
    assert (failure.type, failure.message, failure.node) == ("file", "it cannot be", node)


async def test_an_error_of_the_run() -> None:
    """An error before there is a task ends in the report, which says why."""
    nodes = ScriptedNodes(faults={"parse_roadmap": [TaskError("file", "unreadable")]})
    ended = await drive(REQUEST, nodes, deps())

    assert (ended.status, ended.state.problem) == ("ended", "unreadable")


@pytest.mark.parametrize("node", ["parse_roadmap", "execute_task", "verify_task", "checkpoint"])
async def test_an_outage_pauses_at_the_node(node: str) -> None:
    """An outage is no outcome: the run waits at the node and goes on from it later."""
    until = datetime(2026, 8, 1, 13, tzinfo=UTC)
    journal = MemoryJournal()
    outage = Outage("rate_limit", "wait an hour", until=until)
    first = ScriptedNodes(faults={node: [outage]})
    paused = await drive(ONE, first, deps(model=model(1), journal=journal))
    second = ScriptedNodes()
    left = 1 - sum(name == "execute_task" for name, _ in first.worked)
    ended = await drive(ONE, second, deps(model=model(left), journal=journal))

    assert (paused.status, paused.kind, paused.reason) == ("paused", "rate_limit", "wait an hour")
    assert (paused.until, paused.state.node) == (until, node)
    assert second.worked[0][0] == node
    assert statuses(ended)["T1"] is Status.COMPLETED
    assert len(first.worked + second.worked) == 5 + len(TASK)


async def test_an_outage_settles_no_task() -> None:
    """While a run waits, its task is still in progress and nothing failed."""
    nodes = ScriptedNodes(faults={"verify_task": [Outage("sandbox", "engine down")]})
    paused = await drive(REQUEST, nodes, deps(model=model(1)))
    [attempt] = paused.state.attempts.values()

    assert (attempt.status, attempt.failure) == (Status.IN_PROGRESS, None)


async def test_pause() -> None:
    """A person's pause stops the run between two nodes; it goes on from there."""
    journal = MemoryJournal()
    first, second = ScriptedNodes(), ScriptedNodes()
    control = ScriptedControl({5: "pause"})
    paused = await drive(ONE, first, deps(journal=journal, control=control))
    ended = await drive(ONE, second, deps(model=model(1), journal=journal))

    assert (paused.status, paused.state.node) == ("paused", "execute_task")
    assert [name for name, _ in first.worked + second.worked] == [
        *("parse_roadmap", "decide_next", "pick_task", *TASK, "decide_next", "generate_report")
    ]
    assert ended.status == "ended"


@pytest.mark.parametrize("check", range(1, 12))
async def test_cancel_at_any_node(check: int) -> None:
    """A cancelled run ends with its report; the task in hand is pending again, or done."""
    ports = deps(model=ScriptedModel(), control=ScriptedControl({check: "cancel"}))
    ports.model.says(*["code"] * (check > 5))
    nodes = ScriptedNodes()
    ended = await drive(ONE, nodes, ports)

    assert (ended.status, ended.state.node) == ("cancelled", "end")
    assert nodes.worked[-1][0] == "generate_report"
    done = check > 3 + len(TASK)
    assert set(statuses(ended).values()) <= ({"completed", "pending"} if done else {"pending"})
    assert ended.state.current == ""


async def test_cancel_inside_a_node() -> None:
    """An order found before a model call stops the node as well."""
    nodes = ScriptedNodes(faults={"execute_task": [Stopped("cancel")]})
    ended = await drive(REQUEST, nodes, deps())

    assert ended.status == "cancelled"
    assert set(statuses(ended).values()) == {Status.PENDING}


async def test_a_cancelled_run_is_not_asked_again() -> None:
    """Once cancelled, the way to the report is not stopped by the same order."""
    control = ScriptedControl(dict.fromkeys(range(3, 99), "cancel"))
    ended = await drive(REQUEST, ScriptedNodes(), deps(control=control))

    assert ended.status == "cancelled"


async def test_the_step_budget() -> None:
    """An attempt that used its steps up goes to classify_failure from wherever it is."""
    request = Request("r1", options=changed(Options(), max_tasks=1, max_iterations=3))
    nodes = ScriptedNodes({"propose_recovery": ["publish"]})
    ended = await drive(request, nodes, deps(model=model(1)))
    [attempt] = ended.state.attempts.values()

    assert list(attempt.spent.path) == [*TASK[:3], "classify_failure", "propose_recovery"]
    assert attempt.failure
    assert (attempt.failure.type, attempt.failure.node) == ("budget", "write_files")


class _Linted(ScriptedNodes):
    """Tests accept the change, and linters complain about it."""

    async def _work(self, name: str, state: RunState, deps: Deps, work: TaskWork) -> Step:
        return (
            kept(state) if name == "verify_task" else await super()._work(name, state, deps, work)
        )


async def test_no_budget_costs_a_change_that_is_accepted() -> None:
    """Where the repair for linters cannot be paid, the change is published without it."""
    request = Request("r1", options=changed(Options(), max_tasks=1, max_iterations=5))
    ended = await drive(request, _Linted(), deps(model=model(1)))
    [attempt] = ended.state.attempts.values()

    assert list(attempt.spent.path) == TASK
    assert (attempt.status, attempt.failure) == (Status.COMPLETED, None)
    assert attempt.accepted is None
    assert attempt.spent.reasons[-1].endswith("not used: the attempt used up its 5 steps")


async def test_a_loop_without_end_is_ended() -> None:
    """Nodes that send a task round and round do so until the budget is gone, not longer."""
    nodes = ScriptedNodes({"validate_code": ["rejected"] * 99, "propose_recovery": ["publish"]})
    ended = await drive(ONE, nodes, deps(model=model(1)))
    [attempt] = ended.state.attempts.values()

    assert (attempt.status, attempt.spent.steps) == (
        Status.FAILED,
        ONE.options.limits.max_iterations + 2,
    )


@pytest.mark.parametrize(
    "trouble",
    [Outage("a", "b"), Stopped("pause"), Stopped("cancel"), TaskError("a", "b"), KeyError()],
)
async def test_the_box_is_closed_whatever_happens(trouble: Exception) -> None:
    """However a node ends, no box is left when driving stops."""
    sandbox = RecordingSandbox()
    nodes = ScriptedNodes(faults={"execute_task": [trouble]}, boxed=True)
    try:
        await drive(ONE, nodes, deps(model=model(0), sandbox=sandbox))
    except KeyError:
        assert isinstance(trouble, KeyError)

    assert [box.closed for box in sandbox.boxes] == [True]


async def test_an_engine_that_cannot_even_close_pauses() -> None:
    """When the engine dies the run is paused, though its box cannot be removed now."""
    sandbox = RecordingSandbox()
    sandbox.closing_outages = [Outage("sandbox", "still down")]
    faults = {"execute_task": [Outage("sandbox", "engine down")]}
    nodes = ScriptedNodes(faults=faults, boxed=True)
    paused = await drive(ONE, nodes, deps(sandbox=sandbox))

    assert (paused.status, paused.reason) == ("paused", "engine down")


async def test_a_bug_is_not_swallowed() -> None:
    """An exception that is no port's goes through to the job boundary."""
    with pytest.raises(KeyError):
        await drive(REQUEST, ScriptedNodes(faults={"parse_roadmap": [KeyError("bug")]}), deps())


async def test_a_run_that_gives_way_at_every_border_gets_on() -> None:
    """Stopped whenever a task has just been left, and taken up again, it ends all the same."""
    journal, nodes, asked = MemoryJournal(), ScriptedNodes(), model()
    ended = None
    for _ in range(5):
        async with aclosing(driving(REQUEST, nodes, deps(model=asked, journal=journal))) as steps:
            async for step in steps:
                if isinstance(step, Ended):
                    ended = step
                elif step.node == BORDER and step.current:
                    break
        if ended:
            break

    assert ended
    assert ended.status == "ended"
    assert statuses(ended) == {"T1": "completed", "T2": "completed"}


async def test_what_people_want_skipped_is_left_out_at_the_next_border() -> None:
    """Nothing was begun of the second task when somebody asked for it; the first goes on."""

    asked: list[int] = []

    async def skips() -> frozenset[str]:
        """Somebody skips T2 while T1 is at work."""
        asked.append(1)
        return frozenset({second}) if len(asked) > 1 else frozenset()

    told = await drive(REQUEST, ScriptedNodes(), deps(model=model()))
    second = told.state.tasks[1].key
    ended = await drive(REQUEST, ScriptedNodes(), replace(deps(model=model(1)), skips=skips))

    assert statuses(ended) == {"T1": "completed", "T2": "skipped"}
