"""Asking for code: what is asked, and what becomes of the answer."""

from __future__ import annotations

import pytest

from runner.errors import Outage, Stopped, TaskError
from runner.loop.deps import TaskWork
from runner.loop.strategy import judged
from runner.nodes.generate import AFRESH, FIRST, SURGICAL, execute_task, repair_code, repair_test
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint, Level, TestFailure, Verification
from runner.state.run_state import RunState
from tests.runner.fields import with_attempt
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import ScriptedControl, ScriptedModel, answer, block, deps
from tests.runner.states import ROADMAP, at, run_state

OLD = ChangeSet({"a.py": Write(b"A = 1\n")})
RED = Verification(
    "t",
    (
        Level("files", "passed"),
        Level("tests", "failed", failures=(TestFailure("t::x", "1 != 2", "test_a.py", 3),)),
    ),
)


def ports(*replies: object, control: ScriptedControl | None = None):
    """The ports of a small repository and a model with these replies."""
    repository = MemoryRepository({"ROADMAP.md": ROADMAP, "test_a.py": "def test_x(): ...\n"})
    model = ScriptedModel(*replies)  # type: ignore[arg-type]
    return deps(model=model, repository=repository, control=control)


def executing(**attempt: object) -> RunState:
    """A task about to be executed."""
    return at("execute_task", context=b"THE CONTEXT", **attempt)


async def test_the_first_answer() -> None:
    """The whole question is asked once, cool, and the answer becomes the change set."""
    asked = ports(block("a.py", "A = 1"))
    step = await execute_task(executing(), asked, TaskWork())
    [question] = asked.model.questions

    assert step.outcome == "ok"
    assert dict(step.state.attempt.answered.changes.files) == {"a.py": Write(b"A = 1\n")}
    assert step.state.attempt.answered.answers == 1
    assert "THE CONTEXT" in question.messages[-1].content
    assert question.temperature == FIRST


async def test_a_fresh_answer() -> None:
    """A fresh start is warmer, names what went wrong and keeps nothing of the old answer."""
    asked = ports(block("b.py", "B = 1"))
    state = executing(answers=2, avoid=("t::x: 1 != 2",), changes=OLD)
    step = await execute_task(state, asked, TaskWork())
    [question] = asked.model.questions

    assert question.temperature == AFRESH
    assert "- t::x: 1 != 2" in question.messages[-1].content
    assert set(step.state.attempt.answered.changes.files) == {"b.py"}
    assert step.state.attempt.answered.answers == 3


async def test_an_answer_that_cannot_be_understood() -> None:
    """Garbage is an empty change set with a complaint, and counts as an answer."""
    step = await execute_task(executing(), ports("I am a teapot."), TaskWork())

    assert step.outcome == "ok"
    assert not step.state.attempt.answered.changes
    assert step.state.attempt.checked.complaints
    assert step.state.attempt.answered.answers == 1


async def test_a_refusal() -> None:
    """A refused answer is a complaint that says so."""
    step = await execute_task(executing(), ports(answer("", "content_filter")), TaskWork())

    assert [c.error for c in step.state.attempt.checked.complaints] == ["Refusal"]


async def test_a_cut_answer_goes_on() -> None:
    """An answer that was cut is continued where it stopped and counted once, in all its tokens."""
    asked = ports(answer("a.py\n```python\nA = 1\n", "length"), "B = 2\n```\n")
    step = await execute_task(executing(), asked, TaskWork())
    attempt = step.state.attempt

    assert dict(attempt.answered.changes.files) == {"a.py": Write(b"A = 1\nB = 2\n")}
    assert (attempt.answered.answers, attempt.spent.total.calls, attempt.spent.total.tokens) == (
        1,
        2,
        30,
    )
    assert asked.model.questions[1].messages[-2].content.endswith("A = 1\n")


async def test_a_cut_answer_is_continued_twice_at_most() -> None:
    """After two continuations what is there is taken, with a complaint that it was cut."""
    part = answer("a.py\n```python\nA = 1\n", "length")
    asked = ports(part, answer("B = 2\n", "length"), answer("C = 3\n", "length"))
    step = await execute_task(executing(), asked, TaskWork())

    assert len(asked.model.questions) == 3
    assert step.state.attempt.checked.complaints


@pytest.mark.parametrize("trouble", [Outage("model", "down"), TaskError("model", "too long")])
async def test_trouble_goes_through(trouble: Exception) -> None:
    """The driver decides about outages and refused questions."""
    with pytest.raises(type(trouble)):
        await execute_task(executing(), ports(trouble), TaskWork())


async def test_stop_requests_are_looked_at_before_the_call() -> None:
    """A cancelled run asks the model nothing."""
    asked = ports(control=ScriptedControl({1: "cancel"}))
    with pytest.raises(Stopped):
        await execute_task(executing(), asked, TaskWork())

    assert asked.model.questions == []


async def test_repairing_code() -> None:
    """The question names the complaint and shows the file; the answer goes on top."""
    complaint = Complaint("a.py", "SyntaxError", "invalid syntax", 1, 3, ">    1 | A = (")
    changes = ChangeSet({"a.py": Write(b"A = (\n"), "b.py": Write(b"B = 1\n")})
    asked = ports(block("a.py", "A = 1"))
    state = at("repair_code", answers=1, changes=changes, complaints=(complaint,))
    step = await repair_code(state, asked, TaskWork())
    text = asked.model.questions[0].messages[-1].content
    attempt = step.state.attempt

    assert step.outcome == "ok"
    assert "SyntaxError: invalid syntax" in text
    assert "A = (" in text
    assert "B = 1" not in text
    assert {p: w.content for p, w in attempt.answered.changes.files.items() if w} == {
        "a.py": b"A = 1\n",
        "b.py": b"B = 1\n",
    }
    assert (
        attempt.answered.code_repairs,
        attempt.answered.answers,
        attempt.checked.complaints,
    ) == (1, 2, ())
    assert asked.model.questions[0].temperature == SURGICAL


async def test_a_repair_without_a_path() -> None:
    """Corrected code without its path is meant for the file that was complained about."""
    complaint = Complaint("a.py", "SyntaxError", "invalid syntax", 1)
    asked = ports("```python\nA = 1\n```\n")
    state = at("repair_code", answers=1, changes=OLD, complaints=(complaint,))
    state = with_attempt(state, changes=ChangeSet({"a.py": Write(b"A = (\n")}))
    step = await repair_code(state, asked, TaskWork())

    assert dict(step.state.attempt.answered.changes.files) == {"a.py": Write(b"A = 1\n")}


async def test_the_same_code_again_goes_afresh() -> None:
    """A repair that gives the same code back is not judged a second time."""
    state = at("repair_code", answers=1, changes=OLD, complaints=(Complaint("", "X", "x"),))
    state = with_attempt(state, tried=(OLD.digest,))
    step = await repair_code(state, ports(block("a.py", "A = 1")), TaskWork())

    assert step.outcome == "afresh"
    assert step.state.attempt.spent.reasons


async def test_the_same_code_again_at_the_end() -> None:
    """When no call is left the same answer ends the attempt."""
    state = at("repair_code", answers=4, changes=OLD, complaints=(Complaint("", "X", "x"),))
    state = with_attempt(state, tried=(OLD.digest,))
    step = await repair_code(state, ports(block("a.py", "A = 1")), TaskWork())

    assert step.outcome == "exhausted"


async def test_repairing_tests() -> None:
    """The question has the failures, the code and the failing test's file."""
    asked = ports(block("a.py", "A = 2"))
    step = await repair_test(
        at("repair_test", answers=1, changes=OLD, verification=RED), asked, TaskWork()
    )
    text = asked.model.questions[0].messages[-1].content

    assert step.outcome == "ok"
    for part in ("t::x (test_a.py, line 3)", "1 != 2", "A = 1", "def test_x(): ..."):
        assert part in text
    assert step.state.attempt.answered.test_repairs == 1


async def test_repairing_without_a_named_failure() -> None:
    """When no test is named the output of what failed is shown, not that of a skipped level."""
    failed = Level("imports", "failed", output="ModuleNotFoundError: x")
    verification = Verification("t", (failed, Level("tests", "skipped", reason="not reached")))
    asked = ports(block("a.py", "A = 2"))
    await repair_test(
        at("repair_test", answers=1, changes=OLD, verification=verification), asked, TaskWork()
    )

    assert "ModuleNotFoundError: x" in asked.model.questions[0].messages[-1].content


async def test_repairing_what_two_tools_found() -> None:
    """A red test does not hide what a linter that failed as well has printed."""
    linter = Level("tests", "failed", output="a.py:1: line too long", reason="exit code 1")
    verification = Verification("t", (linter, *RED.levels))
    asked = ports(block("a.py", "A = 2"))
    await repair_test(
        at("repair_test", answers=1, changes=OLD, verification=verification), asked, TaskWork()
    )
    text = asked.model.questions[0].messages[-1].content

    assert "1 != 2" in text
    assert "a.py:1: line too long" in text


async def test_the_good_half_of_a_refused_answer_is_not_the_same_answer() -> None:
    """What was refused was beside it: without that it may be just what is wanted."""
    refused = Complaint("../up.py", "UnsafePath", "it lies outside")
    state = at("repair_code", answers=1, changes=OLD, complaints=(refused,))
    judged_ = judged(state, "code").state
    step = await repair_code(judged_, ports(block("a.py", "A = 1")), TaskWork())

    assert step.outcome == "ok"
    assert step.state.attempt.checked.complaints == ()


async def test_ralph_goes_on_from_what_is_there() -> None:
    """The whole question again, with the newest state: what is sound stays under the answer."""
    asked = ports(block("b.py", "B = 1"))
    state = at("execute_task", run_state(loop="ralph"), answers=1, changes=OLD)
    step = await execute_task(state, asked, TaskWork())
    afresh = await execute_task(
        at("execute_task", answers=1, changes=OLD), ports(block("b.py", "B = 1")), TaskWork()
    )

    assert "# What is there by now" in asked.model.questions[0].messages[-1].content
    assert set(step.state.attempt.answered.changes.files) == {"a.py", "b.py"}
    assert set(afresh.state.attempt.answered.changes.files) == {"b.py"}
