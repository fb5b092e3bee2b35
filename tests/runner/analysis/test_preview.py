"""What coming tasks will take, judged by similar ones."""

from __future__ import annotations

from runner.analysis.preview import ComingTask, preview
from tests.runner.analysis.executions import USUAL, executions

TASK = ComingTask("feature", "medium", "single_phase", "oak-1")


def test_nothing_is_made_up() -> None:
    """Without tasks, without history, or with too little of it there is no preview."""
    assert preview([], executions(20, 20)) is None
    assert preview([TASK], []) is None
    assert preview([TASK], executions(9, 9)) is None
    assert preview([TASK], executions(20, 20, model="elm-2")) is None


def test_three_tasks() -> None:
    """The middle is the mean of similar executions times the tasks, and the range is around it."""
    cheap = executions(8, 10, tokens=2_000, cost=0.01)
    dear = executions(7, 10, tokens=4_000, cost=0.03)

    found = preview([TASK] * 3, cheap + dear)

    assert found is not None
    assert found.cost is not None
    assert (found.tasks, found.executions) == (3, 20)
    assert found.tokens.value == 9_000
    assert 5_000 < found.tokens.low < 9_000 < found.tokens.high < 13_000
    assert round(found.cost.value, 4) == 0.06
    assert (found.finished.value, found.finished.low, found.finished.high) == (2.25, 1.0, 3.0)
    assert preview([TASK] * 3, cheap + dear) == found


def test_less_similar_tasks_where_few_are_similar() -> None:
    """A kind that never occurred is judged by the others of its complexity and route."""
    found = preview([ComingTask("docs", "medium", "single_phase", "oak-1")], executions(10, 20))
    closer = preview(
        [ComingTask("docs", "medium", "single_phase", "oak-1")],
        executions(10, 20) + executions(10, 10, kind="docs", tokens=500),
    )

    assert found is not None
    assert found.tokens.value == USUAL.tokens
    assert closer is not None
    assert (closer.tokens.value, closer.executions) == (500, 10)


def test_an_unknown_price() -> None:
    """One execution without a price leaves the cost out, and nothing else."""
    found = preview([TASK], executions(10, 20) + executions(1, 1, cost=None))

    assert found is not None
    assert found.cost is None
