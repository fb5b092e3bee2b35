"""What models say about a failure, in the forms they say it in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.recovery.reading import LONGEST, MOST, read_reason, read_tasks
from runner.roadmap.task import NewTask


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("task_too_vague\nIt names no function.", "task_too_vague"),
        ("**Task too complex**: six features", "task_too_complex"),
        ('{"reason": "environment_issue", "why": "no network"}', "environment_issue"),
        ('{"reason": "unknown", "why": "not sure, task_too_vague?"}', "unknown"),
        ("```\nmissing_dependency\n```\nModels come later.", "missing_dependency"),
        ("<think>task_too_vague? no.</think>\nenvironment_issue: no yaml", "environment_issue"),
        ("Answer: MISSING-DEPENDENCY", "missing_dependency"),
        ("missing_dependency: the module is unknown so far", "missing_dependency"),
        ("unknown", "unknown"),
        ("It is not task_too_vague but task_too_complex", "task_too_complex"),
        ("environment_issue\nnot task_too_vague, for it names a file", "environment_issue"),
        ("task_too_vague or task_too_complex", "unknown"),
        ("I would say it is hard.", "unknown"),
        ("", "unknown"),
    ],
)
def test_reasons(said: str, reason: str) -> None:
    """One of five words counts in whatever dress; none, or several, is unknown."""
    assert read_reason(said).reason == reason


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("task_too_vague\nIt names no function.", ("the model says: It names no function",)),
        ("environment_issue: no yaml here", ("the model says: no yaml here",)),
        ("task_too_vague", ()),
    ],
)
def test_why(said: str, why: tuple[str, ...]) -> None:
    """The line that says why is the evidence."""
    assert read_reason(said).evidence == why


ONE = NewTask("Add `a(x)` to `a.py`", acceptance=("`a(1)` is 2",))
TWO = NewTask("Add `b(x)` to `b.py`")


@pytest.mark.parametrize(
    "said",
    [
        '[{"title": "Add `a(x)` to `a.py`", "acceptance": ["`a(1)` is 2"]},'
        ' {"title": "Add `b(x)` to `b.py`"}]',
        'Here you are:\n```json\n{"tasks": [{"task": "Add `a(x)` to `a.py`",'
        ' "acceptance": "`a(1)` is 2"}, {"task": "Add `b(x)` to `b.py`"}]}\n```\nGood luck!',
        '{"subtasks": [{"title": "1.1 Add `a(x)` to `a.py`", "done_when": ["`a(1)` is 2",],},'
        ' "Add `b(x)` to `b.py`"',
        "- [ ] **1.1.1** Add `a(x)` to `a.py`\n  - Acceptance:\n    - `a(1)` is 2\n"
        "- [ ] **1.1.2** Add `b(x)` to `b.py`",
        "1. Add `a(x)` to `a.py`\n   - Acceptance: `a(1)` is 2\n2. Add `b(x)` to `b.py`\n",
        "Task list:\n\n* Task 1: Add `a(x)` to `a.py`\n    * Acceptance\n    * `a(1)` is 2\n"
        "* Task 2: Add `b(x)` to `b.py`",
        "<think>\n- one\n- two\n- three\n</think>\n1) Add `a(x)` to `a.py`\n"
        "   - acceptance criteria:\n     - `a(1)` is 2\n2) Add `b(x)` to `b.py`",
        "[{'title': 'Add `a(x)` to `a.py`', 'acceptance': ['`a(1)` is 2']},"
        " {'title': 'Add `b(x)` to `b.py`'}]",
    ],
)
def test_tasks(said: str) -> None:
    """Two tasks are read from JSON, from nearly JSON and from lists alike."""
    found = read_tasks(said)

    assert found == (ONE, TWO)


@pytest.mark.parametrize(
    ("said", "tasks"),
    [
        ("", ()),
        ("def f():\n    pass\n```\n", ()),
        ('{"title": ""}', ()),
        ('{"title": "Add `f`", "file": "a.py"}', (NewTask("Add `f` (`a.py`)"),)),
        ('{"description": "Add `f`"}', (NewTask("Add `f`"),)),
        ('{"title": "T x", "description": "more"}', (NewTask("T x", details=("more",)),)),
        ('["a b", "c d"]', (NewTask("a b"), NewTask("c d"))),
        ("Add `f` to `a.py` that returns 1", (NewTask("Add `f` to `a.py` that returns 1"),)),
        ("- 3 functions in `a.py`", (NewTask("3 functions in `a.py`"),)),
    ],
)
def test_odd_forms(said: str, tasks: tuple[NewTask, ...]) -> None:
    """A single object, strings, a sentence, and nothing."""
    assert read_tasks(said) == tasks


FORMS = st.lists(
    st.sampled_from(
        ['{"title": "', '"}', "[", "]", "{", "}", '"tasks":', ",", "- ", "1. ", "\n", "  ", "```"]
    )
    | st.text(max_size=8),
    max_size=25,
).map("".join)


@given(FORMS | st.text())
def test_any_answer_is_read(said: str) -> None:
    """Nothing an answer says raises, and what is read is bounded."""
    found = read_tasks(said)
    reason = read_reason(said)

    assert len(found) <= MOST + 1
    assert all(task.text and "\n" not in task.text for task in found)
    assert reason.reason
    assert all("\n" not in line for line in reason.evidence)


@pytest.mark.parametrize("piece", ["[", '{"a":', "- ", "<think>", '{"tasks": [', "\\", "'", "``` "])
def test_hostile_answers(piece: str) -> None:
    """Deep nesting and endless repetition are read in bounded time and memory."""
    said = piece * (4 * LONGEST // len(piece))

    assert len(read_tasks(said)) <= MOST + 1
    assert read_reason(said).reason == "unknown"
