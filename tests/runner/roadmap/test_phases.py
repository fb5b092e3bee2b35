"""Tasks of a phase that somebody named."""

from __future__ import annotations

import pytest

from runner.roadmap.named_work import in_phase
from tests.runner.roadmap.made import heading, task


@pytest.mark.parametrize(
    ("headings", "phase", "wanted", "expected"),
    [
        (["Phase 2: API"], "2", "2", True),
        (["Phase 2: API"], "2", "Phase 2", True),
        (["Phase 2: API"], "2", " phase 2 ", True),
        (["Phase 2: API"], "2", "phase 2: api", True),
        (["Phase 2: API"], "2", "1", False),
        (["Phase 2: API"], "2", "Milestone 2", False),
        (["Phase 12"], "12", "2", False),
        (["✅ Phase 2"], "2", "Phase 2", True),
        (["Phase 2", "2.1 Login"], "2", "2.1", True),
        (["Phase 2", "2.10 Login"], "2", "2.1", False),
        (["1.7.2 Deep"], "1", "1", True),
        (["1.7.2 Deep"], "1", "1.7.2", True),
        (["Foundation phase"], "Foundation phase", "foundation phase", True),
        (["Backlog"], None, "backlog", True),
        (["1 Numbers"], None, "1", True),
        (["1 Numbers"], None, "numbers", True),
        (["1 Numbers"], None, "7", False),
        (["阶段二"], "2", "阶段二", True),
        ([], None, "2", False),
        (["Phase 2"], "2", "", False),
    ],
)
def test_in_phase(headings: list[str], phase: str | None, wanted: str, expected: bool) -> None:
    """A phase is named by its number, its word and number, or the text of its heading."""
    path = tuple(heading(text, level=n + 1) for n, text in enumerate(headings))

    assert in_phase(task("a", headings=path, phase=phase), wanted) is expected
