"""Plans: read when they can be, done without when not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.loop.deps import TaskWork
from runner.nodes.plan import plan_task, read_plan
from runner.state.run_state import Plan
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import ScriptedModel, deps
from tests.runner.states import ROADMAP, at

PLAN = '{"likely_files": ["a.py"], "steps": ["write it"], "acceptance": [], "complexity": "low"}'


async def test_a_plan() -> None:
    """The plan of an answer is kept; it counts its tokens but is no answer to the task."""
    model = ScriptedModel(f"Here you are:\n```json\n{PLAN}\n```\n")
    ports = deps(model=model, repository=MemoryRepository({"ROADMAP.md": ROADMAP}))
    step = await plan_task(at("plan_task"), ports, TaskWork())
    attempt = step.state.attempt

    assert step.outcome == "ok"
    assert attempt.planned.plan == Plan(("a.py",), ("write it",), (), "low")
    assert (attempt.answered.answers, attempt.spent.total.calls) == (0, 1)


@pytest.mark.parametrize(
    "text", ["", "no", "{", "[]", "{'a': 1}", '{"steps": 3}', '{"likely_files": [null]}']
)
def test_an_unusable_plan_is_no_plan(text: str) -> None:
    """What cannot be read is left out; it is no failure."""
    assert read_plan(text) is None


def test_an_unknown_complexity_is_medium() -> None:
    """A word of the model's own for the complexity does no harm."""
    assert read_plan('{"complexity": "huge"}') == Plan((), (), (), "medium")


@given(st.text())
def test_reading_never_raises(text: str) -> None:
    """Any text gives a plan or none."""
    for answer in (text, "{" + text + "}"):
        assert isinstance(read_plan(answer), Plan | None)
