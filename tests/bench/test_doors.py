"""A roadmap of the bench through both doors, in a real sandbox where there is one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.loop.corpus import roadmaps
from bench.loop.doors import DOORS, executed
from bench.loop.environment import environment
from bench.loop.naming import Character
from tests.runner.sandbox.sandbox_bench import ROOT

pytestmark = pytest.mark.long("executes a roadmap of the bench")

SANDBOX = "bubblewrap" if ROOT else "process"


@pytest.mark.parametrize("door", DOORS)
async def test_a_roadmap_is_executed_end_to_end(door: str, tmp_path: Path) -> None:
    """A model that is wrong at first and repairs well: tasks end right by tests it never saw."""
    whole = next(each for each in roadmaps() if each.name == "textkit")
    lines = whole.start["ROADMAP.md"].splitlines(keepends=True)
    # the tests of later tasks go with them: what no open task names is no reason to wait
    later = {f"tests/test_textkit_{task.number}.py" for task in whole.tasks[2:]}
    assert later <= set(whole.start)
    start = {path: text for path, text in whole.start.items() if path not in later}
    start["ROADMAP.md"] = "".join(lines[:4])
    roadmap = replace(whole, start=start, tasks=whole.tasks[:2])
    who = Character(1, 1, 1, only="lazy_ellipsis")

    async with environment(roadmap.tasks) as place:
        found = await executed(place, roadmap, who, tmp_path / "run", door=door, sandbox=SANDBOX)

    assert (found.claimed, found.finished, found.problem) == (2, 2, "")
    assert found.tokens > 0
