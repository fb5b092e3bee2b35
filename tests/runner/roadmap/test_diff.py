"""What changed in a roadmap, task by task."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.diff import RoadmapDiff, diff
from runner.roadmap.edit import tick_all
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap
from tests.runner.roadmap.made import task
from tests.runner.roadmap.texts import files

OLD = """\
# Plan
## Phase 1: Core
Some words.

- [ ] 1.1 a
  - how
- [x] 1.2 b
- [ ] 1.3 c
  - [ ] one
  - [ ] two
## Phase 2
- [ ] d
"""


def parse(text: str | bytes) -> Roadmap:
    """Parse a text."""
    return parse_roadmap("R", text.encode() if isinstance(text, str) else text)


def told(found: RoadmapDiff) -> dict[str, str]:
    """What changed, with the titles of the tasks (those of the new file)."""
    lists = {
        "added": found.added,
        "removed": found.removed,
        "changed": [new for _, new in found.changed],
        "unclear": [task for unclear in found.unclear for task in unclear.new],
    }
    return {name: " ".join(task.title for task in tasks) for name, tasks in lists.items() if tasks}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Some words.", "Other words, and more.\n\nOf them.", {}),
        ("- [ ] d", "* [ ] **d**", {}),
        ("Phase 1: Core", "Phase 1: The core ✅", {}),
        ("# Plan", "# The plan", {}),
        ("- [ ] 1.1", "- [x] 1.1", {}),
        ("- [x] 1.2", "- [ ] 1.2", {}),
        ("- [ ] one", "- [x] one", {}),
        ("- [ ] d", "- [ ] d\n- [ ] e", {"added": "e"}),
        ("  - [ ] two\n", "", {"removed": "two"}),
        ("- [ ] 1.1 a", "- [ ] 1.1 other", {"changed": "other"}),
        ("  - how", "  - how else", {"changed": "a"}),
        ("- [ ] d", "- [ ] ~~d~~", {"changed": "d"}),
        ("- [x] 1.2 b", "- [x] 1.4 b", {}),
        ("## Phase 2\n- [ ] d\n", "- [ ] d\n", {}),
        ("  - [ ] one\n  - [ ] two\n", "  - [ ] two\n  - [ ] one\n", {}),
        ("  - [ ] one\n  - [ ] two\n", "  - [ ] one\n- [ ] two\n", {}),
        ("- [ ] d", "- [ ] d\n- [ ] d", {"unclear": "d d"}),
    ],
)
def test_one_edit(before: str, after: str, expected: dict[str, str]) -> None:
    """Each kind of edit is told as what it is, for the tasks it concerns."""
    assert before in OLD

    found = diff(parse(OLD), parse(OLD.replace(before, after)))

    assert told(found) == expected


def test_several_edits_of_one_task() -> None:
    """A task that is moved, renamed and ticked at once has another text."""
    new = OLD.replace("- [ ] 1.1 a\n  - how\n", "") + "- [x] 1.1 otherwise\n  - how\n"

    assert told(diff(parse(OLD), parse(new))) == {"changed": "otherwise"}


@given(files)
def test_no_difference_to_itself(content: bytes) -> None:
    """A file differs from itself in nothing."""
    assert diff(parse(content), parse(content)) == RoadmapDiff()


names = st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=2, max_size=8, unique=True)


@given(names, st.data())
def test_ticks_and_places_are_not_told(titles: list[str], data: st.DataObject) -> None:
    """A task that is ticked, and tasks in another order, are no change."""
    old = parse("## P\n" + "".join(f"- [ ] {title}\n" for title in titles))
    key = data.draw(st.sampled_from([task.key for task in old.tasks]))
    other = "".join(f"- [ ] {title}\n" for title in data.draw(st.permutations(titles)))

    assert diff(old, parse(tick_all("R", old.content, [key]))) == RoadmapDiff()
    assert diff(old, parse(f"## P\n{other}")) == RoadmapDiff()


def test_ten_thousand_tasks() -> None:
    """Of 10,000 tasks of which the first becomes the last one, none is new and none is gone."""
    first, *others = [task(f"a{n}", title=f"a{n}") for n in range(10_000)]
    old, new = (Roadmap("R", b"", (*each,)) for each in ((first, *others), (*others, first)))

    assert diff(old, new) == RoadmapDiff()
