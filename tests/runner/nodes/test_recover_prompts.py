"""The questions about a failed task, as they were when a person last read them."""

from __future__ import annotations

from collections.abc import Callable

from runner.loop.deps import TaskWork
from runner.loop.driver import Node
from runner.nodes.recover import classify_failure, propose_recovery
from runner.state.findings import Level, TestFailure, Verification
from runner.state.proposal import Reason
from runner.state.run_state import Failure, RunState
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import ScriptedModel, deps
from tests.runner.states import at, run_state

Golden = Callable[[str, str], None]

ROADMAP = """# Calculator

- [ ] 1.1 Extend `calc.py`
  - keep `add`
- [ ] 1.2 Write the manual
"""
FILES = {"ROADMAP.md": ROADMAP, "calc.py": "x = 1\n", "tests/test_calc.py": "", ".gitignore": ""}
RED = Verification(
    "t",
    (
        Level(
            "tests",
            "failed",
            failures=(
                TestFailure(
                    "tests/test_calc.py::test_power", "assert 6 == 8", "tests/test_calc.py"
                ),
            ),
        ),
    ),
)


async def asked(node: Node, before: RunState, *said: str) -> str:
    """The last question a node asks, with its roles."""
    model = ScriptedModel(*said)
    await node(before, deps(model=model, repository=MemoryRepository(FILES)), TaskWork())
    messages = model.questions[-1].messages
    return "\n".join(f"<!-- {message.role} -->\n{message.content}" for message in messages)


def failed(reason: Reason) -> RunState:
    """The first task after its failure was named."""
    failure = Failure(
        "test",
        "the tests still fail after 5 answers: tests/test_calc.py::test_power: assert 6 == 8",
        node="verify_task",
        reason=reason,
        evidence=("it names 4 files", "5 answers were not enough"),
    )
    return at("propose_recovery", run_state(ROADMAP), failure=failure)


async def test_classify_failure(check_golden: Golden) -> None:
    """The closed question reads as it did."""
    avoid = ("calc.py: SyntaxError: '(' was never closed",)
    before = at("classify_failure", run_state(ROADMAP), verification=RED, avoid=avoid, answers=5)

    check_golden("prompts/classify_failure.md", await asked(classify_failure, before, "?"))


async def test_propose_rewrite(check_golden: Golden) -> None:
    """The question for a clearer task reads as it did, with what was wrong at first."""
    text = await asked(propose_recovery, failed("task_too_vague"), "?", "?")

    check_golden("prompts/propose_rewrite.md", text)


async def test_propose_decompose(check_golden: Golden) -> None:
    """The question for smaller tasks reads as it did, with what was wrong at first."""
    text = await asked(propose_recovery, failed("task_too_complex"), "?", "?")

    check_golden("prompts/propose_decompose.md", text)
