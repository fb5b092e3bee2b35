"""The bench for real models, with the fault model in the place of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.loop.corpus import tasks
from bench.loop.environment import environment
from bench.loop.naming import Character
from bench.loop.real import measure

pytestmark = pytest.mark.long("plays tasks of the bench")


@pytest.mark.parametrize(
    ("who", "said"),
    [
        (Character(1, 1, 1), ["finished, 1 answers", "1 of 1 finished, 0 claimed", "1 ended"]),
        (
            Character(0, 0, 1, only="lazy_ellipsis"),
            ["failed (syntax/unknown), 3 answers", "0 of 1 finished, 0 claimed", "1 ended"],
        ),
    ],
    ids=["right", "never right"],
)
async def test_an_endpoint_is_asked_by_its_name(
    who: Character, said: list[str], tmp_path: Path
) -> None:
    """Every task has a line with its end; what was written compiles, whatever was answered."""
    task = tasks("python")[0]
    async with environment([task]) as place:
        asked = ["--base-url", place.base_url, "--model", str(who), "--tasks", task.name]
        lines = [line async for line in measure(tmp_path, asked)]

    assert all(any(words in line for line in lines) for words in said), lines
    assert lines[-1].endswith("which do not compile: 0")


async def test_without_a_model_nothing_is_measured(tmp_path: Path) -> None:
    """Among all measures it says what it needs."""
    assert [line async for line in measure(tmp_path)] == [
        "not measured: name a model by --base-url or --python (docs/developers/benchmark.md)"
    ]
