"""Executions for the tests of the analysis, as short as they can be written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from runner.analysis.sample import Sample

USUAL = Sample(
    task="1.1 Add a parser",
    kind="feature",
    complexity="medium",
    size=0.8,
    route="single_phase",
    model="oak-1",
    loop="hybrid",
    context=4_000,
    succeeded=True,
    tokens=3_000,
    cost=0.01,
    seconds=60.0,
    at=0.0,
)


def executions(won: int, of: int, **fields: Any) -> list[Sample]:
    """Return so many executions, the first of which succeeded."""
    return [replace(USUAL, succeeded=number < won, **fields) for number in range(of)]
