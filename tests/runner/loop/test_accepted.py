"""The change that tests accept is kept while a model is asked to satisfy the linters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from runner.errors import Outage, TaskError
from runner.loop.accepted import asks_for_better, kept, or_kept, restored, settled
from runner.loop.deps import Deps, TaskWork
from runner.state.changes import ChangeSet, Write
from runner.state.findings import AskedTest, Level, TestFailure, Verdict, Verification
from runner.state.run_state import RunState, Step
from tests.runner.fields import with_attempt
from tests.runner.scripted import deps
from tests.runner.states import at, run_state

UNUSED = TestFailure("F401", "`os` imported but unused", "a.py", 1)
PASSED = Level("tests", "passed", tool="pytest", passed=1)
MISSED = Level("mutants", "failed", found=("a.py:1",))


def verification(*found: TestFailure, more: tuple[Level, ...] = ()) -> Verification:
    """Tests that pass, and a linter that found this."""
    lint = Level("lint", "failed" if found else "passed", tool="ruff", failures=found)
    return Verification("tree", (lint, PASSED, *more))


def verified(content: bytes = b"import os\n", **options: Any) -> RunState:
    """A change that its tests accept, with a finding."""
    return at(
        "verify_task",
        run_state(**options),
        answers=1,
        changes=ChangeSet({"a.py": Write(content)}),
        verification=verification(UNUSED),
        verdict=Verdict("shown", turned=("test_a",)),
    )


def repaired(after: Verification, verdict: Verdict | None = None) -> RunState:
    """The kept change, and after it a repair of which this was found."""
    state = kept(verified()).state
    return with_attempt(
        state,
        answers=2,
        changes=ChangeSet({"a.py": Write(b"")}),
        verification=after,
        verdict=verdict or Verdict("shown", turned=("test_a",)),
    )


def test_who_is_asked() -> None:
    """One question about findings, where an answer and the steps to check it are left."""
    assert asks_for_better(verified())
    assert asks_for_better(verified(loop="repair"))
    assert not asks_for_better(kept(verified()).state)
    assert not asks_for_better(with_attempt(verified(), verification=verification()))
    assert not asks_for_better(with_attempt(verified(), answers=5))
    assert not asks_for_better(with_attempt(verified(), test_repairs=2))
    assert not asks_for_better(with_attempt(verified(max_iterations=9), steps=5))
    assert not asks_for_better(with_attempt(verified(), approved="digest"))
    assert not asks_for_better(verified(loop="fixed"))


def test_a_repair_without_findings_takes_the_place() -> None:
    """It passes the same tests and linters say less."""
    step = settled(repaired(verification()))

    assert step.outcome == "ok"
    assert step.state.attempt.accepted is None
    assert step.state.attempt.answered.changes.files["a.py"] == Write(b"")


@pytest.mark.parametrize(
    ("after", "verdict", "why"),
    [
        (verification(UNUSED), None, "linters complain as before"),
        (verification(), Verdict("untested", "no test uses what changed"), "tests show less"),
        (verification(), Verdict("shown"), "tests show less"),
        (verification(more=(MISSED,)), None, "tests prove less"),
    ],
)
def test_a_repair_that_is_no_gain(after: Verification, verdict: Verdict | None, why: str) -> None:
    """Then the kept change is published, with what was found about it; answers stay counted."""
    step = settled(repaired(after, verdict))
    attempt = step.state.attempt

    assert step.outcome == "kept"
    assert attempt.answered.changes.files["a.py"] == Write(b"import os\n")
    assert attempt.answered.answers == 2
    assert attempt.tested.verification == verification(UNUSED)
    assert why in attempt.spent.reasons[-1]


def unshown(said: str, *more: Level, verdict: Verdict | None = None) -> dict[str, Any]:
    """A change that nothing shows, after a test that was asked for apart has said this of it."""
    asked = AskedTest("tests/test_a.py", b"...", failures=(TestFailure("t", said),), told=True)
    kind = verdict or Verdict("unbroken", "nothing shows it")
    return {
        "verification": Verification("tree", (PASSED, *more)),
        "verdict": kind,
        "asked_test": asked if said else replace(asked, failures=()),
    }


@pytest.mark.parametrize(
    ("now", "outcome"),
    [
        (unshown("1 == 3"), "ok"),
        (unshown("1 == 2"), "kept"),
        (unshown("", MISSED, verdict=Verdict("shown", "by a test")), "ok"),
        (unshown("1 == 3", MISSED), "kept"),
    ],
    ids=["fails otherwise", "fails alike", "is shown, though a fault is missed", "proves less"],
)
def test_who_has_the_last_word_after_a_test_apart(now: dict[str, Any], outcome: str) -> None:
    """Its author, if the code does something else now; what a test shows counts in any case."""
    first = with_attempt(verified(), **unshown("1 == 2"))
    state = with_attempt(kept(first).state, changes=ChangeSet({"a.py": Write(b"")}), **now)

    assert settled(state).outcome == outcome


class _Ends:
    """A node that ends like this."""

    def __init__(self, ending: Step | Exception) -> None:
        self.ending = ending

    async def __call__(self, state: RunState, deps: Deps, work: TaskWork) -> Step:
        """End."""
        if isinstance(self.ending, Exception):
            raise self.ending
        return self.ending


@pytest.mark.parametrize(
    "ending",
    [
        TaskError("model", "the model does not answer"),
        Outage("budget", "the money is used up"),
        Step(repaired(verification()), "approve"),
        Step(repaired(verification()), "exhausted"),
    ],
)
async def test_what_ends_badly_ends_with_the_kept_change(ending: Step | Exception) -> None:
    """No budget is too small for a change that is done, and no person is asked about its repair."""
    step = await or_kept(_Ends(ending))(repaired(verification()), deps(), TaskWork())

    assert step.outcome == "kept"
    assert step.state.attempt.answered.changes == verified().attempt.answered.changes


async def test_an_outage_pauses_as_ever() -> None:
    """The question is asked again when the run goes on."""
    with pytest.raises(Outage):
        await or_kept(_Ends(Outage("model", "no connection")))(
            repaired(verification()), deps(), TaskWork()
        )


async def test_nothing_is_kept_where_nothing_was_accepted() -> None:
    """A node without a kept change ends as it does."""
    node = or_kept(_Ends(Step(verified(), "exhausted")))

    assert (await node(verified(), deps(), TaskWork())).outcome == "exhausted"
    with pytest.raises(ValueError, match="no accepted change"):
        restored(verified(), "for no reason")
