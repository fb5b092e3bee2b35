"""Edits of a branch, made again on a newer roadmap."""

from __future__ import annotations

import pytest

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.replay import RoadmapEdits, replayed, with_unmerged

PATH = "ROADMAP.md"
OLD = b"- [ ] 1.1 One\n- [ ] 1.2 Two\n"
MINE = b"- [ ] 1.1 One\n- [x] 1.2 Two\n"
SPLIT = b"- [ ] 1.1 One\n- [ ] 1.2.1 Half\n- [ ] 1.2.2 Rest\n"


@pytest.mark.parametrize(
    ("mine", "new", "expected"),
    [
        (MINE, b"- [x] 1.1 One\n- [ ] 1.2 Two\n", b"- [x] 1.1 One\n- [x] 1.2 Two\n"),
        (
            MINE,
            b"# Plan\n\n- [ ] 1.2 Two\n- [ ] 1.0 New\n",
            b"# Plan\n\n- [x] 1.2 Two\n- [ ] 1.0 New\n",
        ),
        (MINE, MINE, MINE),
        (MINE, b"- [ ] 1.1 One\n", b"- [ ] 1.1 One\n"),
        (MINE, OLD.replace(b"Two", b"Three"), OLD.replace(b"Two", b"Three")),
        (SPLIT, OLD.replace(b"[ ] 1.1", b"[x] 1.1"), SPLIT.replace(b"[ ] 1.1", b"[x] 1.1")),
        (SPLIT, OLD + b"- [ ] 1.3 New\n", SPLIT + b"- [ ] 1.3 New\n"),
        (SPLIT, SPLIT.replace(b"[ ]", b"[x]"), None),
        (SPLIT, OLD.replace(b"Two", b"Three"), None),
        (MINE + b"- [x] 1.3 New\n", OLD + b"- [ ] 1.3 New\n", MINE + b"- [x] 1.3 New\n"),
        (
            MINE + b"- [x] 1.3 New\n",
            OLD + b"- [ ] 1.3 New\n- [ ] 1.4 Newer\n",
            MINE + b"- [x] 1.3 New\n- [ ] 1.4 Newer\n",
        ),
        (MINE + b"A note.\n", OLD, MINE + b"A note.\n"),
        (OLD + b"\nMine.\n", OLD + b"\nTheirs.\n", None),
    ],
    ids=[
        "neighbour",
        "moved",
        "ticked there",
        "gone",
        "reworded",
        "split",
        "split above a new one",
        "split and ticked there",
        "split and reworded there",
        "came with the tick",
        "came with the tick, and more there",
        "a note",
        "two notes",
    ],
)
def test_an_edit_is_made_again(mine: bytes, new: bytes, expected: bytes | None) -> None:
    """A tick finds its task wherever it is now, if it is; what both changed is left to people."""
    assert replayed(PATH, RoadmapEdits(OLD, mine), new) == expected


def test_what_is_not_merged_is_laid_over_the_newest() -> None:
    """Each edit as far as it fits, and only boxes that are open there count as ticked by it."""
    newest = b"- [x] 1.1 One\n- [ ] 1.2 Two\n- [ ] 1.3 New\n"
    split = RoadmapEdits(OLD, SPLIT)
    ticked = RoadmapEdits(
        SPLIT, SPLIT.replace(b"[ ] 1.2.1", b"[x] 1.2.1").replace(b"[ ] 1.1", b"[x] 1.1")
    )
    gone = RoadmapEdits(OLD + b"- [ ] 1.9 Gone\n", OLD + b"- [x] 1.9 Gone\n")

    found = with_unmerged(PATH, newest, [split, ticked, gone])

    assert found.content == (b"- [x] 1.1 One\n- [x] 1.2.1 Half\n- [ ] 1.2.2 Rest\n- [ ] 1.3 New\n")
    tasks = parse_roadmap(PATH, found.content).tasks
    assert [task.id for task in tasks if task.key in found.ticked] == ["1.2.1"]


def test_an_edit_that_does_not_fit_leaves_its_ticks() -> None:
    """Somebody reworded what a recovery split: the roadmap says what they wrote."""
    newest = b"- [ ] 1.1 One\n- [ ] 1.2 Two, but otherwise\n"
    mine = SPLIT.replace(b"[ ] 1.1", b"[x] 1.1")

    found = with_unmerged(PATH, newest, [RoadmapEdits(OLD, mine)])

    assert found.content == b"- [x] 1.1 One\n- [ ] 1.2 Two, but otherwise\n"
