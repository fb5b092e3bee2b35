"""Which executions are compared, and when a comparison says something."""

from __future__ import annotations

from runner.analysis.advice import adjustments, advice
from runner.analysis.compare import compare
from runner.analysis.routing import threshold
from runner.analysis.sample import Sample, context_level
from runner.analysis.today import TodaysSettings
from tests.runner.analysis.executions import executions

WORSE = executions(10, 40, model="oak-1", at=2.0)
BETTER = executions(36, 40, model="elm-2", cost=0.02, tokens=6_000, seconds=30.0)


def test_another_model_is_better() -> None:
    """The numbers of both sides, the difference, and the change that follows."""
    (one,) = compare(WORSE + BETTER, TodaysSettings())

    assert (one.factor, one.today.name, one.other.name) == ("model", "oak-1", "elm-2")
    assert (one.today.executions, one.today.succeeded, one.today.success) == (40, 10, 0.25)
    assert (one.other.executions, one.other.succeeded, one.other.success) == (40, 36, 0.9)
    assert (one.other.tokens, one.other.seconds) == (6_000, 30.0)
    assert one.other.cost is not None
    assert round(one.other.cost, 4) == 0.02
    assert round(one.difference.value, 2) == 0.65
    assert 0.4 < one.difference.low < 0.65 < one.difference.high < 0.8
    assert one.speaks()
    (told,) = advice([one], TodaysSettings())
    assert told.changes == ((("model", "name"), "elm-2"),)
    assert told.id == "model.name=elm-2"


def test_the_better_one_is_used_already() -> None:
    """Nothing is advised against the better setting; the numbers are there all the same."""
    (one,) = compare(WORSE + BETTER, TodaysSettings(levels={"model": "elm-2"}))

    assert one.difference.value < 0
    assert not one.speaks()
    assert advice([one], TodaysSettings()) == ()


def test_ten_on_each_side() -> None:
    """Nine executions say nothing, whatever they look like."""
    nine = executions(9, 9, model="elm-2")

    assert compare(WORSE + nine, TodaysSettings()) == ()
    assert len(compare(WORSE + executions(10, 10, model="elm-2"), TodaysSettings())) == 1


def test_only_like_with_like() -> None:
    """Executions of other tasks are no counterpart; those that have none are counted."""
    other_kind = executions(36, 40, model="elm-2", kind="docs")
    few = executions(3, 3, model="elm-2")

    assert compare(WORSE + other_kind, TodaysSettings()) == ()
    (one,) = compare(WORSE + other_kind + executions(12, 12, model="elm-2"), TodaysSettings())
    assert (one.other.executions, one.left_out, one.strata) == (12, 40, 1)
    assert compare(WORSE + other_kind + few, TodaysSettings()) == ()


def test_the_strong_model_gets_the_hard_tasks() -> None:
    """It succeeds less often in all, and more often at each complexity."""
    easy = executions(56, 80, complexity="low", model="oak-1", at=2.0)
    hard = executions(2, 20, complexity="high", model="oak-1", at=2.0)
    strong = executions(19, 20, complexity="low", model="elm-2")
    strong += executions(32, 80, complexity="high", model="elm-2")

    (one,) = compare(easy + hard + strong, TodaysSettings())

    assert one.today.succeeded > one.other.succeeded
    assert one.other.success > one.today.success
    assert one.speaks()


def test_a_cost_that_nobody_knows() -> None:
    """A mean cost is not made up from the calls whose price is known."""
    (one,) = compare(WORSE + executions(36, 40, model="elm-2", cost=None), TodaysSettings())

    assert one.other.cost is None
    assert one.today.cost is not None


def _routes() -> list[Sample]:
    single = executions(8, 40, route="single_phase", size=0.9, at=2.0)
    return single + executions(36, 40, route="planned", size=0.9)


def test_planning_helps_tasks_of_one_size() -> None:
    """Tasks above half of today's limits are planned from now on."""
    samples = _routes() + executions(20, 30, route="single_phase", size=0.2, at=2.0)
    found = compare(samples, TodaysSettings())

    (one,) = found
    assert (one.factor, one.band, one.other.name) == ("route", "medium", "planned")
    assert threshold(found, 1.0) == 0.5
    (told,) = advice(found, TodaysSettings())
    assert dict(told.changes) == {
        ("routing", "words"): 20,
        ("routing", "files"): 1,
        ("routing", "lines"): 3,
    }


def test_planning_never_and_planning_always() -> None:
    """The mode becomes ``auto``, with limits that plan only what gains by it."""
    (told,) = advice(compare(_routes(), TodaysSettings()), TodaysSettings(planning="never"))
    assert told.changes[0] == (("planning",), "auto")

    planned = executions(8, 40, route="planned", size=0.9, at=2.0)
    single = executions(36, 40, route="single_phase", size=0.9)
    (told,) = advice(compare(planned + single, TodaysSettings()), TodaysSettings(planning="always"))
    assert (
        dict(told.changes)[
            "routing",
            "words",
        ]
        == 40
    )
    assert advice(compare(planned + single, TodaysSettings()), TodaysSettings()) == ()


def test_contexts_and_loops() -> None:
    """A better context becomes the limit of the context, a better loop the loop."""
    context = executions(5, 40, at=2.0) + executions(36, 40, context=9_000)
    loop = executions(5, 40, at=2.0) + executions(36, 40, loop="fixed")

    assert context_level(9_000) == "up to 16,000 tokens"
    assert advice(compare(context, TodaysSettings()), TodaysSettings())[0].changes == (
        (("limits", "context_tokens"), 16_000),
    )
    assert advice(compare(loop, TodaysSettings()), TodaysSettings())[0].changes == (
        (("loop",), "fixed"),
    )


def test_all_comparisons_share_one_error() -> None:
    """A lead that would count alone does not count among many others."""
    alone = executions(20, 40, at=2.0) + executions(29, 40, model="elm-2")
    crowd = alone + [
        sample for number in range(8) for sample in executions(20, 40, model=f"ash-{number}")
    ]

    assert any(one.speaks() for one in compare(alone, TodaysSettings()))
    assert not any(one.speaks() for one in compare(crowd, TodaysSettings()))


def test_what_may_be_adjusted_without_asking() -> None:
    """A better loop is followed until it disappoints; a model is never changed unasked."""
    today = TodaysSettings(levels={"loop": "hybrid", "model": "oak-1"})
    before = executions(10, 60) + executions(54, 60, loop="fixed", at=1.0)
    found = advice(compare(before, today), today)

    assert [one.id for one in adjustments(before, found)] == ["loop=fixed"]
    worse = before + executions(2, 20, loop="fixed", at=2.0)
    assert [one.id for one in advice(compare(worse, today), today)] == ["loop=fixed"]
    assert adjustments(worse, advice(compare(worse, today), today)) == ()
    models = executions(10, 60) + executions(54, 60, model="elm-2", at=1.0)
    assert adjustments(models, advice(compare(models, today), today)) == ()


def test_advice_stays_within_its_bounds() -> None:
    """However clear the numbers are, limits of planning and the context move only so far."""
    today = TodaysSettings(planning="auto", words=80, files=4, lines=12)
    planned = executions(8, 40, route="planned", size=9.0, at=2.0)
    planned += executions(36, 40, route="single_phase", size=9.0)
    single = executions(8, 40, route="single_phase", size=0.1, at=2.0)
    single += executions(36, 40, route="planned", size=0.1)
    larger = executions(5, 40, at=2.0) + executions(36, 40, context=99_000)

    (most,) = advice(compare(planned, today), today)
    (least,) = advice(compare(single, today), today)

    assert dict(most.changes)["routing", "words"] == 160
    assert dict(least.changes)["routing", "words"] == 10
    assert compare(larger, TodaysSettings())[0].speaks()
    assert advice(compare(larger, TodaysSettings()), TodaysSettings()) == ()
