"""What is known of a run is a fold of its events."""

from __future__ import annotations

from dataclasses import replace

from app.show.live import seconds_left, standing
from runner.state.events import RunChanged
from runner.state.run_state import Status
from tests.app.show.drawing import ROADMAP, entered, saved, started, view_after, working
from tests.runner.states import run_state, with_status

STATE = run_state(ROADMAP)
KEYS = [task.key for task in STATE.tasks]


def test_a_task_in_hand() -> None:
    """A task is in hand from its first node on, with the node it is at now."""
    now = working(STATE, 1, "validate_code")

    view = view_after(
        (0, started(STATE)),
        (2, entered(now, 1, "execute_task")),
        (5, entered(now, 1, "validate_code")),
    )

    assert [(key, e.node, e.since) for key, e in view.at_work.items()] == [
        (KEYS[1], "validate_code", 2)
    ]


def test_a_finished_task_is_let_go() -> None:
    """When it is settled it is no longer in hand, and how long it took is known."""
    now = working(STATE, 1, "checkpoint")
    done = replace(with_status(STATE, Status.COMPLETED, number=1), current="")

    view = view_after((0, started(STATE)), (2, entered(now, 1, "checkpoint")), (12, saved(done, 1)))

    assert view.at_work == {}
    assert view.took == (10,)


def test_a_failed_task_tells_nothing_about_the_next() -> None:
    """Only tasks that were finished say how long one takes."""
    now = working(STATE, 1, "classify_failure")
    lost = replace(with_status(STATE, Status.FAILED, number=1), current="")

    view = view_after((0, started(STATE)), (2, entered(now, 1, "checkpoint")), (12, saved(lost, 1)))

    assert (view.at_work, view.took) == ({}, ())


def test_the_end() -> None:
    """A run that stops has nothing in hand."""
    now = working(STATE, 1, "execute_task")

    view = view_after(
        (0, started(STATE)),
        (1, entered(now, 1, "execute_task")),
        (2, RunChanged(STATE.request.id, "", "paused", "no model")),
    )

    assert (view.status, view.at_work) == ("paused", {})


def test_phases_are_counted() -> None:
    """Each phase has its tasks, what is done of them, and whether one is in hand."""
    state = with_status(STATE, Status.COMPLETED, number=1)

    stands = standing(state, frozenset({KEYS[2]}))

    assert [(p.name, p.done, p.total, p.active) for p in stands.phases] == [
        ("Phase 1: Basics", 2, 3, True),
        ("Phase 2: More", 0, 1, False),
    ]
    assert (stands.done, stands.total) == (2, 4)


def test_what_comes_is_no_more_than_was_asked_for() -> None:
    """``--max-tasks`` bounds what is still to come."""
    assert standing(STATE).coming == 3
    assert standing(run_state(ROADMAP, max_tasks=2)).coming == 2
    assert (
        standing(with_status(run_state(ROADMAP, max_tasks=1), Status.FAILED, number=1)).coming == 0
    )


def test_the_time_that_is_left() -> None:
    """The mean of the finished tasks for each to come, and the rest of those in hand."""
    now = working(STATE, 2, "execute_task")
    done = replace(with_status(STATE, Status.COMPLETED, number=1), current="")
    view = view_after(
        (0, started(STATE)),
        (0, entered(working(STATE, 1, "checkpoint"), 1, "checkpoint")),
        (100, saved(done, 1)),
        (100, entered(now, 2, "execute_task")),
    )

    assert seconds_left(view, 1, now=130.0) == 100 + 70
    assert seconds_left(view, 1, now=900.0) == 100


def test_it_is_not_guessed() -> None:
    """Before a task was finished nobody knows how long one takes."""
    view = view_after(
        (0, started(STATE)), (0, saved(STATE)), (1, entered(STATE, 1, "execute_task"))
    )

    assert seconds_left(view, 3, now=50.0) is None
