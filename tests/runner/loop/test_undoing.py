"""Taking a finished task back: the inverse of its commit on a newer tree, with its tick cleared."""

from __future__ import annotations

import pytest

from runner.errors import TaskError
from runner.loop.undoing import FinishedTask, inverse
from runner.roadmap.parse import parse_roadmap
from tests.runner.memory_repository import MemoryRepository
from tests.runner.trees import snapshot

OPEN = "- [ ] 1.1 Write `a.py`\n- [ ] 1.2 Write `b.py`\n- [ ] 1.3 Write `c.py`\n"
BEFORE = {"ROADMAP.md": OPEN, "a.py": "a = 0\n", "gone.py": "x = 1\n", "other.py": "o = 1\n"}
AFTER = {
    "ROADMAP.md": OPEN.replace("[ ] 1.1", "[x] 1.1").replace("[ ] 1.2", "[x] 1.2"),
    "a.py": "a = 1\n",
    "new.py": "n = 1\n",
    "other.py": "o = 1\n",
}
Files = dict[str, str]


async def undone(now: Files, merged: bytes | None = None) -> tuple[dict[str, str | None], list]:
    """What is written to take the first task back on a tree, and what was merged for it."""
    trees = [{path: ("100644", text.encode()) for path, text in t.items()} for t in (AFTER, now)]
    repository = MemoryRepository(BEFORE)
    repository.commits |= dict(zip(("after", "now"), trees, strict=True))
    start = snapshot({path: ("100644", text.encode()) for path, text in BEFORE.items()})
    task = parse_roadmap("ROADMAP.md", OPEN.encode()).tasks[0]
    asked: list[tuple[bytes, bytes, bytes]] = []

    async def merge(ours: bytes, base: bytes, theirs: bytes) -> bytes | None:
        asked.append((ours, base, theirs))
        return merged

    done = FinishedTask(task, "ROADMAP.md", start, snapshot(trees[0]))
    found = await inverse(done, snapshot(trees[1]), repository, merge)
    texts = {path: write and write.content.decode() for path, write in found.files.items()}
    return texts, asked


async def test_a_commit_that_nobody_touched_since_is_undone_without_a_merge() -> None:
    """Its file has the old content, what it added is deleted, what it deleted is there again."""
    texts, asked = await undone(AFTER)

    assert texts == {"a.py": "a = 0\n", "new.py": None, "gone.py": "x = 1\n", "ROADMAP.md": OPEN}
    assert asked == []


async def test_what_came_later_stays() -> None:
    """A changed file is merged; other files and the ticks of later tasks are left as they are."""
    later = AFTER["ROADMAP.md"].replace("[ ] 1.3", "[x] 1.3")
    now = AFTER | {"a.py": "a = 1\nb = 2\n", "other.py": "o = 2\n", "ROADMAP.md": later}
    texts, asked = await undone(now, merged=b"a = 0\nb = 2\n")

    assert asked == [(b"a = 1\nb = 2\n", b"a = 1\n", b"a = 0\n")]
    assert texts["a.py"] == "a = 0\nb = 2\n"
    assert "other.py" not in texts
    assert texts["ROADMAP.md"] == OPEN.replace("[ ] 1.3", "[x] 1.3")


async def test_what_is_as_before_already_is_not_written() -> None:
    """Somebody took a part back by hand."""
    texts, asked = await undone(AFTER | {"a.py": BEFORE["a.py"]})

    assert "a.py" not in texts
    assert (texts["new.py"], asked) == (None, [])


@pytest.mark.parametrize(
    ("now", "paths"),
    [
        (AFTER | {"a.py": "a = 9\n"}, "a.py"),
        (AFTER | {"a.py": "a = 9\n", "new.py": "n = 9\n"}, "a.py, new.py"),
        ({path: text for path, text in AFTER.items() if path != "a.py"}, "a.py"),
        (AFTER | {"gone.py": "somebody = 'else'\n"}, "gone.py"),
    ],
)
async def test_what_cannot_be_merged_is_named(now: Files, paths: str) -> None:
    """All files that clash are named at once, and nothing is written."""
    with pytest.raises(TaskError, match=f"What .* wrote in {paths} was changed since"):
        await undone(now)
