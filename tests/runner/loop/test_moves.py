"""What a run does next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handlers.grammar import ON_GITHUB
from runner.loop.problems import nothing_to_do
from runner.loop.schedule import (
    missing,
    next_move,
    open_tasks,
    retry,
    settle,
    upcoming,
    with_blocked,
)
from runner.state.proposal import Proposal
from runner.state.run_state import Failure, ReplacedTasks, RunState, Status
from tests.runner.states import at, run_state, with_status

CHANGES = Proposal("t", "changes", "escalate", "unknown", "It waits.", "- [ ] 1.1 Add `a.py`")
NESTED = "- [ ] parent\n  - [ ] child\n- [x] done\n"


def test_open_tasks_in_document_order() -> None:
    """Open work is taken from top to bottom; done tasks and summaries are not."""
    assert [task.title for task in open_tasks(run_state(NESTED))] == ["child"]
    assert [task.id for task in open_tasks(run_state())] == ["1.1", "1.2"]


@pytest.mark.parametrize(("push", "move"), [("at_once", "ok"), ("approved", "rest")])
def test_a_change_that_waits_to_be_pushed_holds_up_the_next_task(push: str, move: str) -> None:
    """One pull request at a time: what comes next builds on what becomes of this one."""
    state = with_status(run_state(push=push), Status.AWAITING_APPROVAL, proposal=CHANGES)

    assert next_move(state) == move


def test_only_the_task_that_was_asked_for() -> None:
    """With a task named, by id or key, no other is open."""
    state = run_state()
    key = state.tasks[1].key

    assert [task.key for task in open_tasks(run_state(task="1.2"))] == [key]
    assert [task.key for task in open_tasks(run_state(task=key))] == [key]


def test_crossed_out_work_is_done_only_by_name() -> None:
    """A struck-through task is not taken unasked, and may be asked for by its id."""
    text = "- [ ] ~~1.1 Add `a.py`~~\n- [ ] 1.2 Add b\n"

    assert [task.id for task in open_tasks(run_state(text))] == ["1.2"]
    assert [task.id for task in open_tasks(run_state(text, task="1.1"))] == ["1.1"]


def test_a_template_is_run_only_by_name() -> None:
    """Nothing of a file that asks for a person's word is open, but for the task they name."""
    text = "- [ ] [Task 1]\n- [ ] [Task 2]\n- [ ] T9 Add b\n"

    assert run_state(text).roadmap is not None
    assert open_tasks(run_state(text)) == ()
    assert [task.id for task in open_tasks(run_state(text, task="T9"))] == ["T9"]


def test_checks_are_never_open() -> None:
    """A check is no work, not even by its name."""
    text = "## Tasks\n- [ ] A1 Add a\n## Acceptance Criteria\n- [ ] A2 It adds\n"

    assert [task.id for task in open_tasks(run_state(text))] == ["A1"]
    assert open_tasks(run_state(text, task="A2")) == ()


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

    assert (state.current, state.stack.tip, state.stack.branch) == ("", "c1", "cairn/r1/a")
    assert state.status(state.tasks[0]) is Status.COMPLETED


def test_settling_what_ended_otherwise() -> None:
    """A task that came back without a word is failed, says so, and moves no tip."""
    before = at("decide_next")
    state = settle(before)
    [attempt] = state.attempts.values()

    assert attempt.status is Status.FAILED
    assert attempt.failure
    assert state.stack.tip == before.stack.tip


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
    done = with_status(run_state(max_tasks=1), Status.COMPLETED)

    assert next_move(done) == "stop"


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
    state = with_status(run_state(max_tasks=1), Status.DEFERRED, number=1)

    assert next_move(state) == "deferred"
    assert [task.id for task in open_tasks(retry(state))] == ["1.2"]
    assert next_move(retry(state)) == "ok"


CHAIN = "- [ ] 1.1 a\n- [ ] 1.2 b (depends on 1.1)\n- [ ] 1.3 c\n- [ ] 1.4 d (depends on 1.2)\n"
PHASES = """\
## Phase 1: Core
- [ ] a
- [ ] b
## Phase 2: API
Depends on: Phase 1

- [ ] c
- [ ] d (optional)
### 2.1 Login
- [ ] e
"""


def titles(state: RunState) -> str:
    """The titles of what may be worked on now."""
    return " ".join(task.title[0] for task in open_tasks(state))


def left(state: RunState, title: str, status: Status, **attempt: object) -> RunState:
    """The run with the task of a title left with a status."""
    number = next(n for n, task in enumerate(state.tasks) if task.title.startswith(title))
    return with_blocked(with_status(state, status, number=number, **attempt))


def again(state: RunState, title: str, status: Status) -> RunState:
    """The run with the second attempt at a task left with a status."""
    [task] = [task for task in state.tasks if task.title.startswith(title)]
    attempt = replace(state.attempts[task.key], number=2, status=status)
    return with_blocked(state.put(attempt))


def standing(state: RunState) -> str:
    """The status of every work task."""
    return " ".join(str(state.status(task)) for task in state.tasks if task.kind == "work")


def test_a_task_waits_for_what_it_depends_on() -> None:
    """A task is open when all it depends on is done, and not before."""
    state = run_state(CHAIN)
    assert titles(state) == "a c"

    state = left(state, "a", Status.COMPLETED)
    assert titles(state) == "b c"
    assert titles(left(state, "b", Status.COMPLETED)) == "c d"


def test_what_is_in_review_is_done() -> None:
    """The run builds on the tip, so what waits for a review holds nothing up."""
    state = run_state(CHAIN)
    state = replace(state, statuses={state.tasks[0].key: Status.IN_REVIEW})

    assert titles(state) == "b c"


def test_a_dependency_moves_a_task_in_the_order() -> None:
    """A task that depends on a later one comes behind it."""
    state = run_state("- [ ] 1.1 a (depends on 1.3)\n- [ ] 1.2 b\n- [ ] 1.3 c\n")

    assert titles(state) == "b c"
    assert [task.title[0] for task in upcoming(state)] == ["b", "c", "a"]


@pytest.mark.parametrize(
    "status",
    [Status.FAILED, Status.SKIPPED, Status.DECLINED, Status.AWAITING_APPROVAL, Status.BLOCKED],
)
def test_what_waits_in_vain_is_blocked(status: Status) -> None:
    """When a task will not come, what depends on it is blocked, and what depends on that."""
    state = left(run_state(CHAIN), "a", status)

    assert standing(state) == f"{status} blocked pending blocked"
    assert [state.task_of(key).id for key in state.blocked_by.values()] == ["1.1", "1.2"]
    assert titles(state) == "c"
    assert [task.title[0] for task in upcoming(state)] == ["c"]


def test_a_declined_task_of_another_run_blocks() -> None:
    """What was declined before this run stands in the way like what failed in it."""
    state = run_state(CHAIN)
    state = with_blocked(replace(state, statuses={state.tasks[0].key: Status.DECLINED}))

    assert standing(state) == "declined blocked pending blocked"


def test_a_parked_task_frees_what_it_blocked() -> None:
    """When a parked task is finished after all, what was blocked by it is open."""
    state = left(run_state(CHAIN), "a", Status.AWAITING_APPROVAL)
    state = left(state, "a", Status.COMPLETED)

    assert (standing(state), titles(state)) == ("completed pending pending pending", "b c")


def test_a_deferred_dependency_is_waited_for() -> None:
    """What depends on a deferred task waits for its retry, and is blocked after the second time."""
    state = left(run_state(CHAIN), "a", Status.DEFERRED)
    state = left(state, "c", Status.COMPLETED)
    assert standing(state) == "deferred pending completed pending"
    assert next_move(state) == "deferred"
    assert titles(retry(state)) == "a"

    assert standing(again(state, "a", Status.DEFERRED)) == "deferred blocked completed blocked"


def test_a_deferred_task_without_what_it_needs() -> None:
    """Its dependency was undone since and failed: no retry begins that has nothing to do."""
    state = left(run_state(CHAIN), "b", Status.DEFERRED)
    state = left(left(state, "a", Status.FAILED), "c", Status.COMPLETED)

    assert next_move(state) == "stop"


def test_a_phase_waits_for_a_phase() -> None:
    """No task of a phase is open before every task of the phase it depends on is done."""
    state = run_state(PHASES)
    assert titles(state) == "a b"

    state = left(state, "a", Status.COMPLETED)
    assert titles(state) == "b"
    assert titles(left(state, "b", Status.COMPLETED)) == "c e"


@pytest.mark.parametrize(
    ("phase", "expected"), [("1", "a b"), ("Phase 2", "c e"), ("2.1", "e"), ("3", "")]
)
def test_only_the_phase_that_was_asked_for(phase: str, expected: str) -> None:
    """With a phase named only its tasks are open; what it depends on outside holds none up."""
    assert titles(run_state(PHASES, phase=phase)) == expected


def test_within_a_phase_dependencies_count() -> None:
    """Tasks of the phase that was asked for wait for each other."""
    roadmap = """\
## Phase 1
- [ ] 1.1 a
## Phase 2
- [ ] 2.1 b (depends on 1.1)
- [ ] 2.2 c
  - Depends on: 2.1
"""
    state = run_state(roadmap, phase="2")
    assert titles(state) == "b"
    assert [task.id for task in missing(state, state.tasks[1])] == ["1.1"]

    assert standing(left(state, "b", Status.FAILED)) == "pending failed blocked"


def test_a_task_asked_for_by_name_waits_for_none() -> None:
    """A person who names a task has it worked on, and can be told what it was made before."""
    state = with_blocked(run_state(CHAIN, task="1.4"))

    assert titles(state) == "d"
    assert [task.id for task in missing(state, state.tasks[3])] == ["1.2"]
    assert missing(run_state(CHAIN), run_state(CHAIN).tasks[3]) == ()


def test_optional_work_that_is_not_asked_for_blocks() -> None:
    """What depends on a task that no run takes unasked says so instead of waiting for ever."""
    roadmap = "- [ ] 1.1 a (optional)\n- [ ] 1.2 b (depends on 1.1)\n"

    assert standing(with_blocked(run_state(roadmap))) == "pending blocked"


def test_tasks_at_work_share_no_file() -> None:
    """Beside a task at work only tasks that name none of its files are open."""
    roadmap = "- [ ] 1.1 a `x.py`\n- [ ] 1.2 b `x.py`\n- [ ] 1.3 c `y.py`\n"

    assert titles(with_status(run_state(roadmap, parallel=2), Status.IN_PROGRESS)) == "c"


def test_ten_thousand_tasks() -> None:
    """A phase of 5,000 that waits for a phase of 5,000 is looked through in one go."""
    one = "".join(f"- [ ] a{n}\n" for n in range(5000))
    state = run_state(f"## Phase 1\n{one}## Phase 2\nDepends on: Phase 1\n\n{one}")
    failed = with_blocked(with_status(state, Status.FAILED))

    assert len(open_tasks(state)) == len(open_tasks(failed)) + 1 == 5000
    assert len(failed.blocked_by) == 5000


BOUND = "- [ ] 1.1 Add `a.py`\n- [ ] 1.2 Add `b.py`\n- [ ] 1.3 Add `c.py` (depends on 1.2)\n"


def bound(*names: str) -> RunState:
    """A run bound to the tasks of these ids."""
    keys = tuple(task.key for task in run_state(BOUND).tasks if task.id in names)
    return with_blocked(run_state(BOUND, tasks=keys))


def test_a_run_can_be_bound_to_certain_tasks() -> None:
    """Nothing else is taken; what waits for a task that is left out is blocked by it."""
    assert [task.id for task in upcoming(bound("1.1", "1.3"))] == ["1.1"]
    assert [task.id for task in upcoming(bound("1.2", "1.3"))] == ["1.2", "1.3"]
    state = bound("1.3")
    assert state.blocked_by == {state.tasks[2].key: state.tasks[1].key}


def test_what_took_the_place_of_a_bound_task_belongs_to_the_run() -> None:
    """Replacements are worked on, though nobody named them."""
    state = bound("1.1")
    state = replace(state, replaced=ReplacedTasks(origins={state.tasks[1].key: state.tasks[0].key}))

    assert [task.id for task in open_tasks(state)] == ["1.1", "1.2"]


def test_a_bound_run_says_why_it_has_nothing_to_do() -> None:
    """Its tasks wait for others, or are gone; the rest of the roadmap plays no part."""
    state, gone = bound("1.3"), run_state(BOUND, tasks=("f" * 10,))
    assert state.roadmap is not None

    assert "not part of the run" in nothing_to_do(state, state.roadmap, ON_GITHUB)
    assert "1.3" not in nothing_to_do(gone, state.roadmap, ON_GITHUB)
    assert "1 task is no longer in" in nothing_to_do(gone, state.roadmap, ON_GITHUB)
