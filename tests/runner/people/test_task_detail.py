"""A change as people read it before they decide about it."""

from __future__ import annotations

import pytest

from runner.people.task_detail import MOST_BYTES, unified
from runner.people.texts import in_fence
from runner.state.changes import EXECUTABLE, FILE, ChangeSet, Write


@pytest.mark.parametrize(
    ("new", "mode", "shown"),
    [
        (b"old\n", EXECUTABLE, ["mode 100755"]),
        (b"old\n# fine\r-import os\n", FILE, ["+# fine\\r-import os"]),
        (b"old\nlast\r", FILE, ["+last\\r", "\\ No newline at end of file"]),
        (b"old\r\n", FILE, ["-old", "+old"]),
    ],
    ids=["runs", "hidden line", "hidden end", "line ends"],
)
def test_nothing_is_approved_unseen(new: bytes, mode: str, shown: list[str]) -> None:
    """A file that becomes a program, a line end of Python that is none of git's."""
    text = in_fence(unified({"a.py": b"old\n"}, ChangeSet({"a.py": Write(new, mode)})), 1000)

    assert [line for line in text.split("\n")[2:-1] if line[:3] not in ("---", "+++", "@@ ")] in (
        shown,
        [" old", *shown],
    )


def test_long_lines_are_cut_as_many_are() -> None:
    """A page of a task has an end, however wide the files are."""
    wide = Write(b"x" * (MOST_BYTES - 1), FILE)

    assert len(unified({}, ChangeSet({f"{n}.txt": wide for n in range(4)}))) <= MOST_BYTES + 100
