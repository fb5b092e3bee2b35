"""The run's own nodes."""

from __future__ import annotations

import pytest

from runner.loop.deps import TaskWork
from runner.nodes.run import decide_next, generate_report, parse_roadmap, pick_task, retry_deferred
from runner.state.changes import SYMLINK
from runner.state.options import Options, Request
from runner.state.run_state import Agreed, Failure, RunState, Status
from tests.runner.fields import changed, with_stack
from tests.runner.memory_repository import START, MemoryRepository
from tests.runner.scripted import deps
from tests.runner.states import ROADMAP, at, run_state, with_status


async def test_a_roadmap_that_is_a_link() -> None:
    """Only a checkout follows links; elsewhere the run says which file to name."""
    files = {"ROADMAP.md": (SYMLINK, b"docs/PLAN.md"), "docs/PLAN.md": ROADMAP}
    ports = deps(repository=MemoryRepository(files))  # type: ignore[arg-type]
    step = await parse_roadmap(RunState(Request("r1")), ports, TaskWork())

    assert step.outcome == "rejected"
    assert "is a link to `docs/PLAN.md`" in step.state.problem


async def read(content: object, **options: object):
    """Parse a repository's roadmap (None: there is none)."""
    files = {} if content is None else {"ROADMAP.md": content}
    request = Request("r1", options=changed(Options(), **options))
    ports = deps(repository=MemoryRepository(files))  # type: ignore[arg-type]
    return await parse_roadmap(RunState(request), ports, TaskWork())


async def test_reading_the_roadmap() -> None:
    """The run knows its tasks and the tip it builds on."""
    step = await read(ROADMAP)

    assert step.outcome == "ok"
    assert [task.id for task in step.state.tasks] == ["1.1", "1.2", "1.3"]
    assert (step.state.stack.tip, step.state.stack.branch) == (START, "main")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "There is no file `ROADMAP.md`"),
        ((SYMLINK, b"PLAN.md"), "is not a file, or a link that leads to none"),
        (" \n\n", "`ROADMAP.md` is empty"),
        ("# Plan\n\n- one\n- two\n", "has no checkboxes"),
        ("> - [ ] quoted\n", "has no checkboxes"),
        ("- [ ] [Task 1]\n- [ ] {{X}}\n", "`ROADMAP.md`: the tasks of this file are placeholders"),
        ("# Acceptance Criteria\n- [ ] It adds\n", "all of them are checks and none is work"),
        (
            "- [ ] ~~1.1 gone~~\n- [x] b\n",
            "optional, crossed out or put off, or waits for one that is. Cairn works on it only if "
            "you name it (`--task`):\n\n- `1.1` (line 1) gone",
        ),
        (
            "- [ ] 1.1 a (depends on 1.2)\n- [ ] 1.2 b (depends on 1.3)\n- [ ] ~~1.3 c~~\n",
            ": waits for `1.2`\n- `1.2` (line 2) b (depends on 1.3): waits for `1.3`\n- `1.3` ",
        ),
        ("- " * 60 + "[ ] a\n", "nested more than 50 deep on line 1"),
    ],
)
async def test_nothing_to_do(content: object, said: str) -> None:
    """A roadmap without tasks is no error but a message that says what to do."""
    step = await read(content)

    assert step.outcome == "rejected"
    assert said in step.state.problem


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("9.9", "no task called `9.9`"),
        ("1.2", "several tasks called `1.2`"),
        ("1.1", "has subtasks"),
        ("1.4", "is already done"),
    ],
)
async def test_a_task_that_cannot_be_run(wanted: str, said: str) -> None:
    """Asked for a task that is unknown, ambiguous, a summary or done, the run says so."""
    roadmap = "- [ ] 1.1 a\n  - [ ] 1.3 b\n- [ ] 1.2 c\n- [ ] 1.2 d\n- [x] 1.4 e\n"
    step = await read(roadmap, task=wanted)

    assert step.outcome == "rejected"
    assert said in step.state.problem


async def test_what_others_brought_before_people() -> None:
    """Tasks in review or declined have that status from the start."""
    keys = [task.key for task in run_state().tasks]
    repository = MemoryRepository(
        {"ROADMAP.md": ROADMAP},
        in_review=frozenset({keys[0], "of another file"}),
        declined=frozenset({keys[1]}),
    )
    step = await parse_roadmap(RunState(Request("r1")), deps(repository=repository), TaskWork())

    assert [step.state.status(task) for task in step.state.tasks] == [
        Status.IN_REVIEW,
        Status.DECLINED,
        Status.COMPLETED,
    ]


async def test_picking() -> None:
    """The first open task gets a fresh attempt on the tip."""
    state = with_stack(run_state(), tip="c9", branch="b9")
    step = await pick_task(state, deps(), TaskWork())
    attempt = step.state.attempt

    assert step.outcome == "direct"
    assert (step.state.task.id, step.state.picked) == ("1.1", 1)
    assert (attempt.base, attempt.below, attempt.number, attempt.answered.answers) == (
        "c9",
        "b9",
        1,
        0,
    )


async def test_picking_with_planning() -> None:
    """With planning on a picked task is planned first."""
    assert (await pick_task(run_state(planning="always"), deps(), TaskWork())).outcome == "ok"


async def test_a_second_attempt_starts_anew(caplog: pytest.LogCaptureFixture) -> None:
    """A retried task is named, has every counter at 0 and does not count as one more.

    Why a change that was approved was not made is known.
    """
    caplog.set_level("INFO")
    why = Failure("conflict", "a.py changed", node="checkpoint")
    tried = {"answers": 4, "steps": 50, "approved": "digest", "failure": why}
    state = with_status(run_state(), Status.DEFERRED, **tried)
    opened = (await retry_deferred(state, deps(), TaskWork())).state
    step = await pick_task(opened, deps(), TaskWork())

    assert caplog.messages == ["Retrying deferred task: 1.1"]

    assert (step.state.attempt.number, step.state.picked) == (2, 1)
    assert (step.state.attempt.answered.answers, step.state.attempt.spent.steps) == (0, 0)
    assert step.state.attempt.agreed == Agreed(dropped="a.py changed")


async def test_deciding_settles_first() -> None:
    """The task just left is settled before the next move is chosen."""
    step = await decide_next(at("decide_next", commit="c1", branch="b1"), deps(), TaskWork())

    assert (step.outcome, step.state.current, step.state.stack.tip) == ("ok", "", "c1")


async def test_deciding_says_what_is_blocked() -> None:
    """What depends on a task that failed is blocked from then on."""
    state = run_state("- [ ] 1.1 a\n- [ ] 1.2 b (depends on 1.1)\n")
    step = await decide_next(at("decide_next", state), deps(), TaskWork())

    assert step.outcome == "stop"
    assert [step.state.status(task) for task in step.state.tasks] == [Status.FAILED, Status.BLOCKED]


async def test_a_phase_that_is_not_there() -> None:
    """Asked for a phase that no task is of, the run says which there are."""
    step = await read("## Phase 1\n- [ ] a\n## Phase 2\n- [ ] b\n", phase="3")

    assert step.outcome == "rejected"
    assert "no tasks in a phase called `3`. Its phases: `1`, `2`." in step.state.problem


async def test_the_report_ends_the_run() -> None:
    """The run's end is the clock's now."""
    ports = deps()
    step = await generate_report(run_state(), ports, TaskWork())

    assert (step.outcome, step.state.times.ended) == ("ok", ports.clock.now().timestamp())
