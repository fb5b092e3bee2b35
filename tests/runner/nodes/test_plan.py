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
from tests.runner.states import ROADMAP, at, run_state

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
    ("files", "said"),
    [
        ('["lost/b.py"]', "- lost/b.py"),
        ("[]", "names no file"),
    ],
)
async def test_a_plan_that_leads_nowhere_is_refined_once(files: str, said: str) -> None:
    """Its files are neither there nor to be made, or it has none; the second one counts."""
    model = ScriptedModel(PLAN.replace('["a.py"]', files), PLAN.replace("a.py", "lost/c.py"))
    files_there = {"ROADMAP.md": ROADMAP, "b.py": "B = 1\n"}
    ports = deps(model=model, repository=MemoryRepository(files_there))
    step = await plan_task(at("plan_task"), ports, TaskWork())
    plan = step.state.attempt.planned.plan

    assert plan is not None
    assert plan.likely_files == ("lost/c.py",)
    assert said in model.questions[1].messages[-1].content


@pytest.mark.parametrize(
    "path", ["lib/old.py", "lib/new.py", "lib/", "new.py", "made/by_task.py", "tests/test_a.py"]
)
async def test_files_that_are_there_or_to_be_made_are_no_reason(path: str) -> None:
    """The task names them, or their folder is there."""
    files = {
        "ROADMAP.md": ROADMAP.replace("`a.py`", "`made/by_task.py`"),
        "lib/old.py": "A = 1\n",
    }
    model = ScriptedModel(PLAN.replace("a.py", path))
    ports = deps(model=model, repository=MemoryRepository(files))
    state = at("plan_task", run_state(files["ROADMAP.md"]))
    await plan_task(state, ports, TaskWork())

    model.assert_all_said()


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
