"""What comes after a failure, for every loop."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.loop.strategy import MAX_CALLS, MAX_REPAIRS, after_failure, judged
from runner.state.findings import Complaint
from runner.state.options import Request
from runner.state.run_state import Attempt, RunState
from tests.runner.fields import changed, with_attempt


def attempt(*, answers: int, code: int = 0, test: int = 0) -> Attempt:
    """An attempt that has used these counters."""
    return changed(Attempt("t", "c", "main"), answers=answers, code_repairs=code, test_repairs=test)


def outcomes(loop: str, kinds: str) -> list[str]:
    """Play failures (c: code, t: test) one after another until nothing is left."""
    code = test = 0
    played = []
    for answers, kind in enumerate(kinds, 1):
        word = "code" if kind == "c" else "test"
        decision = after_failure(
            attempt(answers=answers, code=code, test=test),
            word,  # type: ignore[arg-type]
            loop=loop,
        )
        played.append(decision.outcome)
        code += decision.outcome == "rejected" and kind == "c"
        test += decision.outcome == "rejected" and kind == "t"
    return played


@pytest.mark.parametrize(
    ("loop", "kinds", "expected"),
    [
        ("hybrid", "ccccc", ["rejected", "afresh", "rejected", "afresh", "exhausted"]),
        ("hybrid", "ttttt", ["rejected", "afresh", "rejected", "afresh", "exhausted"]),
        ("hybrid", "ctctc", ["rejected", "afresh", "rejected", "afresh", "exhausted"]),
        ("repair", "ccc", ["rejected", "rejected", "exhausted"]),
        ("repair", "cctt", ["rejected", "rejected", "rejected", "rejected"]),
        ("repair", "ccttc", ["rejected"] * 4 + ["exhausted"]),
        ("fixed", "ctctc", ["afresh"] * 4 + ["exhausted"]),
        ("ralph", "ctctc", ["afresh"] * 4 + ["exhausted"]),
    ],
)
def test_the_order_of_each_loop(loop: str, kinds: str, expected: list[str]) -> None:
    """Each loop uses the same number of calls in its own order."""
    assert outcomes(loop, kinds) == expected


@pytest.mark.parametrize("loop", ["hybrid", "fixed", "ralph"])
def test_the_same_answer_starts_afresh(loop: str) -> None:
    """An answer that changed nothing is not repaired but asked for again."""
    assert after_failure(attempt(answers=1), "code", loop=loop, same=True).outcome == "afresh"


def test_no_loop_repairs_the_same_answer_again() -> None:
    """A surgical question about it would only bring it back; at the end there is no call left."""
    first, last = attempt(answers=1), attempt(answers=5)

    assert after_failure(first, "code", loop="repair", same=True).outcome == "afresh"
    assert after_failure(last, "code", loop="repair", same=True).outcome == "exhausted"


def test_a_second_fresh_answer_with_the_same_failure_is_the_last() -> None:
    """It is repaired where that is due, and no other one is asked for."""
    state = RunState(Request("r1"), "validate_code", current="t").put(attempt(answers=1))
    seen = []
    for asked, said in [("execute_task", "a"), ("repair_code", "b"), ("execute_task", "a")]:
        complaints = (Complaint("a.py", "SyntaxError", said),)
        path = (*state.attempt.spent.path, asked, "validate_code")
        step = judged(with_attempt(state, complaints=complaints, path=path), "code")
        seen.append(step.outcome)
        state = with_attempt(step.state, answers=step.state.attempt.answered.answers + 1)

    assert seen == ["rejected", "afresh", "rejected"]
    assert judged(state, "code", same=True).outcome == "exhausted"
    assert judged(state, "code").outcome == "exhausted"
    other = changed(state.attempt, fresh_failures=("one", "other"), errors=())
    assert judged(state.put(other), "code", same=True).outcome == "afresh"


@pytest.mark.parametrize(
    ("said", "outcomes"),
    [
        ("aaa", ["rejected", "afresh", "exhausted"]),
        ("aba", ["rejected", "afresh", "rejected"]),
        ("baaa", ["rejected", "afresh", "rejected", "exhausted"]),
        ("\udcff" * 3, ["rejected", "afresh", "exhausted"]),  # a name that is no UTF-8
    ],
)
def test_three_answers_in_a_row_that_fail_alike_are_the_last(
    said: str, outcomes: list[str]
) -> None:
    """Neither a repair nor a fresh answer brought anything else: a model that only talks, say."""
    state = RunState(Request("r1"), "validate_code", current="t").put(attempt(answers=1))
    seen = []
    for number, word in enumerate(said):
        complaints = (Complaint("a.py", "SyntaxError", word),)
        asked = "repair_code" if number % 2 else "execute_task"
        path = (*state.attempt.spent.path, asked, "validate_code")
        step = judged(with_attempt(state, complaints=complaints, path=path), "code")
        seen.append(step.outcome)
        state = with_attempt(step.state, answers=step.state.attempt.answered.answers + 1)

    assert seen == outcomes


@given(
    loop=st.sampled_from(["hybrid", "repair", "fixed", "ralph"]),
    answers=st.integers(1, 9),
    code=st.integers(0, 4),
    test=st.integers(0, 4),
    same=st.booleans(),
    kind=st.sampled_from(["code", "test"]),
)
def test_limits(loop: str, answers: int, code: int, test: int, same: bool, kind: str) -> None:
    """No loop asks after the last call, none repairs after the last repair, each gives a reason."""
    decision = after_failure(
        attempt(answers=answers, code=code, test=test),
        kind,  # type: ignore[arg-type]
        loop=loop,
        same=same,
    )
    repairs = code if kind == "code" else test

    assert decision.reason
    assert answers <= MAX_CALLS or decision.outcome == "exhausted"
    assert repairs < MAX_REPAIRS or decision.outcome != "rejected"


@pytest.mark.parametrize(
    ("errors", "outcome"),
    [
        (("syntax",) * 3, "rejected"),
        (("syntax",) * 4, "exhausted"),
        (("syntax", "syntax", "syntax", "test"), "rejected"),
        (("test",) * 4, "exhausted"),
    ],
)
def test_one_type_of_error_is_retried_three_times(errors: tuple[str, ...], outcome: str) -> None:
    """The first answer and three retries; an error of another type is not counted with it."""
    played = changed(attempt(answers=3), errors=errors)
    assert after_failure(played, "code", loop="hybrid").outcome == outcome


def test_an_attempt_records_the_type_of_each_error() -> None:
    """Each answer that fails adds one; one that says nothing new fails for what failed before."""
    state = RunState(Request("r1"), "validate_code", current="t").put(attempt(answers=1))
    for word in ("SyntaxError", "SameAnswer", "UnreadableAnswer"):
        said = with_attempt(state, complaints=(Complaint("a.py", word, "why"),))
        state = judged(said, "code").state
    assert state.attempt.answered.errors == ("syntax", "syntax", "model")


def test_what_is_never_retried_ends_the_attempt() -> None:
    """An answer that fails with an error of such a type is the last one."""
    played = changed(attempt(answers=1), errors=("timeout",))
    found = after_failure(played, "test", loop="hybrid", never=("timeout",))
    assert (found.outcome, found.reason) == (
        "exhausted",
        "errors of type timeout are never retried (retry.never)",
    )
    assert after_failure(played, "test", loop="hybrid", never=("syntax",)).outcome == "rejected"
