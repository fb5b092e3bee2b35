"""How each model did with each kind of task at each complexity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

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
    return tuple(_cell(cells[key]) for key in keys)


def _cell(cell: Sequence[Sample]) -> ModelCell:
    first, number = cell[0], len(cell)
    costs = [one.cost for one in cell if one.cost is not None]
    return ModelCell(
        model=first.model,
        kind=first.kind,
        complexity=first.complexity,
        executions=number,
        succeeded=sum(one.succeeded for one in cell),
        tokens=sum(one.tokens for one in cell) / number,
        cost=sum(costs) / number if len(costs) == number else None,
        seconds=sum(one.seconds for one in cell) / number,
    )
