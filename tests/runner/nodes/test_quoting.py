"""What a repair question shows of files that are too long to be shown whole."""

from __future__ import annotations

from runner.loop.deps import TaskWork
from runner.nodes.generate import repair_code, repair_test
from runner.nodes.quoting import distinct
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint, Level, TestFailure, Verification
from runner.state.run_state import RunState
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import ScriptedModel, block, deps
from tests.runner.states import ROADMAP, at

LONG = "".join(f"def f{n}():\n    return {n} * 1000\n\n\n" for n in range(600))
CHANGED = LONG.replace("return 500 * 1000", "return 500 * 1001")
TESTS = "from long import *\n\n\n" + "".join(
    f"def test_{n}():\n    assert f{n}() == {n}000  # as {n} thousands\n\n\n" for n in range(400)
)
CHANGES = ChangeSet({"long.py": Write(CHANGED.encode())})


def ports():
    """A repository with a long module and a long test file."""
    files = {"ROADMAP.md": ROADMAP, "long.py": LONG, "tests/test_long.py": TESTS}
    return deps(model=ScriptedModel(block("long.py", "A = 1")), repository=MemoryRepository(files))


def failing(*tests: TestFailure) -> Verification:
    """A verification with these failures."""
    return Verification("t", (Level("tests", "failed", failures=tests),))


async def asked(node, **attempt: object) -> str:
    """The question that a node asks."""
    there = ports()
    state: RunState = at(node.__name__, answers=1, changes=CHANGES, **attempt)
    await node(state, there, TaskWork())
    return there.model.questions[0].messages[-1].content


async def test_a_test_repair_shows_the_change_and_the_failing_test() -> None:
    """Both stand far below the first 12,000 characters of their files."""
    said = TestFailure("tests/test_long.py::test_300", "assert 1 == 2", "tests/test_long.py", 1203)
    question = await asked(repair_test, verification=failing(said))

    assert "return 500 * 1001" in question
    assert "assert f300() == 300000" in question
    assert "def f0():" not in question
    assert "def test_0():" not in question
    assert "left out" in question
    assert len(question) < 20_000


async def test_the_lines_that_a_traceback_names_are_shown() -> None:
    """The change is at one end of the file, the error at the other."""
    trace = "long.py:22: ZeroDivisionError"
    question = await asked(
        repair_test, verification=failing(TestFailure("tests/test_long.py::test_5", trace))
    )

    assert "def f5():" in question
    assert "return 500 * 1001" in question


async def test_a_code_repair_shows_the_place_of_the_complaint() -> None:
    """The complaint is about a line that did not change."""
    wrong = Complaint("long.py", "UndefinedName", "`x` is not defined", line=2_398)
    question = await asked(repair_code, complaints=(wrong,))

    assert "def f599():" in question
    assert "def f300():" not in question


def test_failures_of_one_kind_are_told_once() -> None:
    """With the names of the tests, and whatever address or time a message has."""
    one = TestFailure("a", "<obj at 0x7f00aa11> is None after 0.31 s")
    two = TestFailure("b", "<obj at 0x7f00bb22> is None after 12 s")
    other = TestFailure("c", "1 != 2")

    assert [failure.test for failure in distinct([one, two, other])] == ["a, b", "c"]
