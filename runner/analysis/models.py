"""How each model did with each kind of task at each complexity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from runner.analysis.sample import Sample


@dataclass(frozen=True, slots=True)
class ModelCell:
    """The executions of one model with one kind and complexity; amounts are means.

    ``cost`` is None if a price was unknown.
    """

    model: str
    kind: str
    complexity: str
    executions: int
    succeeded: int
    tokens: float
    cost: float | None
    seconds: float


def model_cells(samples: Sequence[Sample]) -> tuple[ModelCell, ...]:
    """Return one line for each model, kind and complexity that occurred, those next to each other
    that can be compared."""
    cells: dict[tuple[str, str, str], list[Sample]] = defaultdict(list)
    for one in samples:
        cells[one.kind, one.complexity, one.model].append(one)
    order = {"low": 0, "medium": 1, "high": 2}
    keys = sorted(cells, key=lambda key: (key[0], order.get(key[1], 3), key[2]))
    found = []
    for key in keys:
        cell = cells[key]
        costs = [one.cost for one in cell if one.cost is not None]
        found.append(
            ModelCell(
                model=cell[0].model,
                kind=cell[0].kind,
                complexity=cell[0].complexity,
                executions=len(cell),
                succeeded=sum(one.succeeded for one in cell),
                tokens=fmean(one.tokens for one in cell),
                cost=fmean(costs) if len(costs) == len(cell) else None,
                seconds=fmean(one.seconds for one in cell),
            )
        )
    return tuple(found)
