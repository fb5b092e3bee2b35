"""What a push to a proposal's branch proposes: only the lines of the task may have changed."""

from __future__ import annotations

import pytest

from runner.recovery.reading import read_pushed
from runner.roadmap.parse import parse_roadmap

BEFORE = (
    b"# Plan\n\n- [ ] 1.1 Write `one.md` and `two.md`\n  - both short\n- [ ] 1.2 Write `x.md`\n"
)
HEAD, TAIL = b"# Plan\n\n", b"- [ ] 1.2 Write `x.md`\n"


def pushed(after: bytes, before: bytes = BEFORE):
    key = parse_roadmap("ROADMAP.md", before).tasks[0].key
    return read_pushed("ROADMAP.md", before, after, key)


def test_tasks_in_the_place_of_one():
    """Ids, details and text are read; the audit of the proposal is not."""
    audit = b"  <!-- RECOVERY: DECOMPOSE at 2026-01-01T00:00:00Z -->\n"
    two = b"- [ ] 1.1.1 Write `one.md`\n" + audit + b"  - short\n- [ ] 1.1.2 Write `three.md`\n"

    found = pushed(HEAD + two + TAIL)

    assert found.problem == ""
    assert [(t.id, t.text, t.details) for t in found.tasks] == [
        ("1.1.1", "Write `one.md`", ("short",)),
        ("1.1.2", "Write `three.md`", ()),
    ]


@pytest.mark.parametrize(
    ("after", "problem"),
    [
        (HEAD + TAIL, "does not put a list of tasks"),
        (b"# Other\n\n- [ ] 1.1 Write `one.md`\n" + TAIL, "changes more"),
        (HEAD + b"- [ ] 1.1 Write `one.md`\n- [x] 1.2 Write `x.md`\n", "changes more"),
        (HEAD + b"Words.\n\n- [ ] 1.1 Write `one.md`\n" + TAIL, "more to ROADMAP.md than tasks"),
        (HEAD + b"- [ ] 1.1 Improve things\n" + TAIL, "Task 1"),
        (b"", "changes more"),
    ],
    ids=["nothing", "heading", "neighbour", "words", "vague", "empty"],
)
def test_what_proposes_nothing(after, problem):
    """Why is said."""
    found = pushed(after)

    assert found.tasks == ()
    assert problem in found.problem


def test_boxes_inside_the_task():
    """They are tasks of their own, which an edit keeps."""
    before = b"- [ ] Write `one.md`\n  - [ ] Write `two.md`\n"

    assert "checkboxes inside" in pushed(b"- [ ] Write `three.md`\n", before).problem
