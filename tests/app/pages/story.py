"""A run that has everything a page can show: repairs, red tests, a proposal, and hostile words."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from app.store.runs import StoredJournal
from runner.money import Usage
from runner.ports import JournalRow
from runner.roadmap.task import NewTask
from runner.state.changes import ChangeSet, Write
from runner.state.events import Advanced, Exchange, ModelAnswered, Verified
from runner.state.findings import Level, TestFailure, Verification
from runner.state.proposal import Proposal, ProposalPlace, sealed
from runner.state.run_state import Failure, Status
from tests.runner.states import at, run_state, with_status

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
ROADMAP = (
    "# Shop\n\n- [ ] 1.1 Add `shop/price.py` with `euros(cents)`, and its tests\n"
    f"- [ ] 1.2 Build the checkout {HOSTILE}\n- [ ] 1.3 Add `shop/receipt.py`\n"
)
BEFORE = b"def euros(cents):\n    return cents\n\n\ndef kept():\n    return 1\n"
AFTER = BEFORE.replace(b"return cents", b'return f"{cents / 100:.2f} <b>EUR</b>"')
RED = Verification(
    "t1",
    (
        Level("files", "passed"),
        Level(
            "tests",
            "failed",
            command=("python", "-m", "pytest", "-q"),
            exit_code=1,
            output=f"FAILED tests/test_price.py\nAssertionError: {HOSTILE} hunter2",
            seconds=1.25,
            failures=(
                TestFailure("tests/test_price.py::test_euros", f"assert {HOSTILE}", "t.py", 4),
            ),
            tool="pytest",
        ),
    ),
)
GREEN = Verification(
    "t2",
    (
        Level("files", "passed"),
        Level("lint", "skipped", reason="ruff is not installed"),
        Level(
            "tests",
            "passed",
            command=("python", "-m", "pytest", "-q"),
            exit_code=0,
            output="2 passed",
            seconds=0.75,
            tool="pytest",
            passed=2,
        ),
    ),
)

PROVEN = replace(GREEN, levels=(*GREEN.levels, Level("proof", "passed", passed=1)))


def _used(seconds, tokens=0, calls=0):
    return Usage(seconds, tokens, 0.0004 * calls, calls)


def _asked(prompt, reply):
    return Exchange("gpt-test", prompt, reply, 812, 164, "stop", 3.5, 0, 0.0004)


def _proposal(key):
    return sealed(
        Proposal(
            task=key,
            kind="recovery",
            strategy="decompose",
            reason="task_too_complex",
            explanation=f"Cart, payment and mail are three tasks {HOSTILE}.",
            original="- [ ] 1.2 Build the checkout",
            evidence=("assert 3 == 2", f"E   {HOSTILE}"),
            replacements=(
                NewTask("Add `shop/cart.py`", "1.2.1", acceptance=("an empty cart costs 0",)),
                NewTask("Add `shop/mail.py`", "1.2.2"),
            ),
            place=ProposalPlace(7, "https://github.test/octo/hello/pull/7"),
        )
    )


def story_state():
    """The run: one task done, one given up with a proposal, one at work."""
    usage = {"execute_task": _used(3.5, 976, 1), "verify_task": _used(2.0)}
    state = run_state(ROADMAP)
    done = ChangeSet(
        {"shop/price.py": Write(AFTER), "shop/new.py": Write(b"x = 1\n"), "old.py": None}
    )
    state = with_status(
        state,
        Status.COMPLETED,
        commit="c" * 40,
        url="https://github.test/octo/hello/pull/6",
        verification=GREEN,
        changes=done,
        usage=usage,
        total=_used(5.5, 1952, 2),
        answers=2,
        test_repairs=1,
        path=("build_context", "execute_task", "verify_task", "repair_test", "checkpoint"),
    )
    key = state.tasks[1].key
    state = with_status(
        state,
        Status.AWAITING_APPROVAL,
        number=1,
        failure=Failure("test", f"3 tests fail {HOSTILE}", "verify_task", evidence=("assert 3",)),
        proposal=_proposal(key),
        usage={"execute_task": _used(9.0, 2_500, 5)},
        total=_used(9.0, 2_500, 5),
        answers=5,
    )
    return at("execute_task", state, number=2)


async def happened(bench, run="r1"):
    """Let the run be queued, at work, and have left its files and steps."""
    state = story_state()
    state = replace(state, request=replace(state.request, id=run))
    first, second, third = (task.key for task in state.tasks)
    await bench.queue(run)
    await bench.let(run, "running")
    bench.states[run] = state
    bench.before = {"shop/price.py": BEFORE, "old.py": b"gone = True\n"}
    files = bench.files()
    for event in (
        ModelAnswered(
            run, first, "execute_task", _asked("# The task\n" + HOSTILE, "shop/price.py")
        ),
        Verified(run, first, RED),
        Verified(run, first, replace(RED, levels=RED.levels[1:]), "again"),
        Verified(run, first, GREEN, "before"),
        ModelAnswered(run, first, "repair_test", _asked("It is red: hunter2", "</code>" + HOSTILE)),
        Verified(run, first, GREEN, answer=2),
        Verified(run, first, PROVEN, "proof", answer=2),
        Advanced(run, first, replace(state, current="")),
        ModelAnswered(run, second, "execute_task", _asked("another task", "cart.py")),
    ):
        await files.emit(event)
    await _steps(bench, run, (first, second, third))
    return state


async def _steps(bench, run, keys):
    """What the journal says about when each task was where."""
    journal = StoredJournal(bench.store, bench.clock)
    way = (("execute_task", 3.0), ("verify_task", 2.0), ("checkpoint", 0.5), ("decide_next", 0.0))
    for key in keys:
        usage, before, seconds = {}, "", 0.0
        for number, (node, takes) in enumerate(way):
            if before:
                usage = usage | {before: {"seconds": seconds}}
            row = JournalRow(run, key, number, node, {"usage": usage})
            await journal.save(row, {})
            before, seconds = node, takes
            bench.clock.time += timedelta(seconds=takes)
        bench.clock.time += timedelta(hours=2)
