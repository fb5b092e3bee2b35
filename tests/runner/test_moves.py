"""What a run does next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.moves import next_move, open_tasks, retry, settle
from runner.state import Failure, Status
from tests.runner.states import at, run_state, with_status

NESTED = "- [ ] parent\n  - [ ] child\n- [x] done\n"


def test_open_tasks_in_document_order() -> None:
    """Open work is taken from top to bottom; done tasks and summaries are not."""
    assert [task.title for task in open_tasks(run_state(NESTED))] == ["child"]
    assert [task.id for task in open_tasks(run_state())] == ["1.1", "1.2"]


def test_only_the_task_that_was_asked_for() -> None:
    """With a task named, by id or key, no other is open."""
    state = run_state()
    key = state.tasks[1].key

    assert [task.key for task in open_tasks(run_state(task="1.2"))] == [key]
    assert [task.key for task in open_tasks(run_state(task=key))] == [key]


@pytest.mark.parametrize("status", [Status.IN_REVIEW, Status.DECLINED])
def test_what_another_run_brought_before_people(status: Status) -> None:
    """A task that is in review or declined is not picked again."""
    state = run_state()
    state = replace(state, statuses={state.tasks[0].key: status})

    assert [task.id for task in open_tasks(state)] == ["1.2"]


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.PENDING}))
def test_only_pending_tasks_are_open(status: Status) -> None:
    """Whatever became of a task, it is not taken again."""
    assert [task.id for task in open_tasks(with_status(run_state(), status))] == ["1.2"]


def test_settling_a_checkpoint() -> None:
    """A published task is completed, and the next one builds on its commit."""
    state = settle(at("decide_next", commit="c1", branch="cairn/r1/a"))

    assert (state.current, state.tip, state.tip_branch) == ("", "c1", "cairn/r1/a")
    assert state.status(state.tasks[0]) is Status.COMPLETED


def test_settling_what_ended_otherwise() -> None:
    """A task that came back without a word is failed, says so, and moves no tip."""
    before = at("decide_next")
    state = settle(before)
    [attempt] = state.attempts.values()

    assert attempt.status is Status.FAILED
    assert attempt.failure
    assert state.tip == before.tip


def test_settling_keeps_the_failure() -> None:
    """The reason a task failed for stays."""
    failure = Failure("test", "red", node="verify_task")
    [attempt] = settle(at("decide_next", failure=failure)).attempts.values()

    assert attempt.failure == failure


@pytest.mark.parametrize("status", [Status.DEFERRED, Status.AWAITING_APPROVAL, Status.SKIPPED])
def test_settling_keeps_the_status(status: Status) -> None:
    """A task that was parked or put off stays so."""
    [attempt] = settle(at("decide_next", status=status)).attempts.values()

    assert attempt.status is status


def test_settling_a_cancelled_task() -> None:
    """A task that a person stopped is pending, not failed."""
    [attempt] = settle(replace(at("decide_next"), stopping=True)).attempts.values()

    assert (attempt.status, attempt.failure) == (Status.PENDING, None)


def test_settling_twice_is_settling_once() -> None:
    """A crash between the two rows of a border settles again; nothing changes."""
    once = settle(at("decide_next", commit="c1", branch="b"))

    assert settle(replace(once, current=once.tasks[0].key)) == once


def test_going_on() -> None:
    """While there is open work and the limit allows, the next task is picked."""
    assert next_move(run_state()) == "ok"


def test_stopping() -> None:
    """Cancelled, or with nothing left, the run ends."""
    assert next_move(replace(run_state(), stopping=True)) == "stop"
    assert next_move(run_state("- [x] done\n")) == "stop"


def test_the_limit() -> None:
    """No more tasks are picked than were asked for."""
    assert next_move(replace(run_state(max_tasks=2), picked=2)) == "stop"


def test_a_deferred_task_comes_back_once() -> None:
    """When nothing else is open a deferred task is tried again, but not a second time."""
    one = with_status(run_state("- [ ] a\n"), Status.DEFERRED)
    two = one.put(replace(next(iter(one.attempts.values())), number=2))

    assert next_move(one) == "deferred"
    assert [task.text for task in open_tasks(retry(one))] == ["a"]
    assert next_move(two) == "stop"
    assert open_tasks(retry(two)) == ()


def test_a_deferred_retry_is_free() -> None:
    """The limit does not keep a deferred task from its retry, nor does the retry open others."""
    state = replace(with_status(run_state(max_tasks=1), Status.DEFERRED, number=1), picked=1)

    assert next_move(state) == "deferred"
    assert [task.id for task in open_tasks(retry(state))] == ["1.2"]
    assert next_move(retry(state)) == "ok"
