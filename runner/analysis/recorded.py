"""From the records of the history to what the analysis compares, and everything it says of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from runner.analysis.advice import Advice, adjustments, advice
from runner.analysis.compare import ERROR, Comparison, compare
from runner.analysis.models import ModelCell, model_cells
from runner.analysis.preview import ComingTask, CostPreview, preview
from runner.analysis.sample import Sample
from runner.analysis.today import TodaysSettings, size
from runner.history.records import Execution
from runner.roadmap.task import Task
from runner.state.options import Options, plans_first
from runner.state.task_size import complexity_of, kind_of, size_of
from runner.windows import undated

NEWEST: Final = 5_000
"""How many executions are analysed: the newest."""

_BYTES_OF_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the history teaches; every place shows this one value.

    ``executions`` are those that are compared, ``left_out`` records that could not be read.
    """

    executions: int
    left_out: int
    comparisons: tuple[Comparison, ...]
    cells: tuple[ModelCell, ...]
    advice: tuple[Advice, ...]


def analyse(
    executions: Sequence[Execution],
    today: TodaysSettings,
    *,
    left_out: int = 0,
    error: float = ERROR,
) -> Analysis:
    """Analyse the records of one repository; advice is wrong in at most ``error`` of all."""
    samples = samples_of(executions)
    comparisons = compare(samples, today)
    return Analysis(
        executions=len(samples),
        left_out=left_out,
        comparisons=comparisons,
        cells=model_cells(samples),
        advice=advice(comparisons, today, error),
    )


def adjusted(
    executions: Sequence[Execution], today: TodaysSettings, *, error: float
) -> tuple[Advice, ...]:
    """Return what a run may do differently from its configuration, without anybody's approval."""
    samples = samples_of(executions)
    return adjustments(samples, advice(compare(samples, today), today, error))


def expected(
    tasks: Sequence[Task], options: Options, model: str, executions: Iterable[Execution]
) -> CostPreview | None:
    """Predict what a run with these options will take; None while too little is recorded.

    ``model`` is the one that is asked if the options name none.
    """
    samples = samples_of(executions)
    name = undated(options.models.model or model)
    coming = []
    for task in tasks:
        planned = plans_first(task, options.planning, options.routing)
        route = "planned" if planned else "single_phase"
        coming.append(ComingTask(kind_of(task), complexity_of(size_of(task)), route, name))
    return preview(coming, samples)


def samples_of(executions: Iterable[Execution]) -> list[Sample]:
    """Return the attempts that are over and in which a model wrote an answer.

    Revisions are left out: what people ask for in a review is another kind of work.
    """
    return [
        Sample(
            task=f"{one.place.name} {one.place.title}".strip() or one.key.task,
            kind=one.route.kind or "other",
            complexity=one.route.complexity,
            size=size(one.route.size.words, one.route.size.files, one.route.size.lines),
            route=one.route.route,
            model=one.models.writing,
            loop=one.route.loop,
            context=one.route.context_bytes // _BYTES_OF_TOKEN,
            succeeded=one.end.finished,
            tokens=one.used.tokens,
            cost=one.used.known_cost,
            seconds=one.used.seconds,
            at=one.at,
        )
        for one in executions
        if one.end.over and one.models.writing and not one.route.revision
    ]
