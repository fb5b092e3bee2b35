"""What became of the task of an open pull request in the newest roadmap."""

from __future__ import annotations

import pytest

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.reviewed import Reviewed, reviewed

BEFORE = b"- [ ] 1.1 Write `one.md`\n- [ ] Tidy up\n"
TITLES = ("1.1 Write one.md", "Tidy up")


@pytest.mark.parametrize(
    ("newest", "first", "second"),
    [
        (BEFORE, Reviewed(), Reviewed()),
        (BEFORE.replace(b"[ ]", b"[x]"), Reviewed(), Reviewed()),
        (
            b"- [ ] 1.1 Write `two.md`\n- [ ] Tidy all of it up\n",
            Reviewed("changed", "1.1: Write two.md"),
            Reviewed("gone"),
        ),
        (b"", Reviewed("gone"), Reviewed("gone")),
    ],
    ids=["same", "ticked", "other words", "empty"],
)
def test_what_became_of_a_task(newest: bytes, first: Reviewed, second: Reviewed) -> None:
    """Its key finds it in the same words, its written id in other ones."""
    tasks = parse_roadmap("ROADMAP.md", BEFORE).tasks
    now = parse_roadmap("ROADMAP.md", newest)
    found = [reviewed(now, [task.key], title) for task, title in zip(tasks, TITLES, strict=True)]
    assert found == [first, second]
