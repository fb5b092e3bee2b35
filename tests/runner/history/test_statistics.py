"""What the history adds up to, and the sentences and tables about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.analysis.recorded import samples_of
from runner.history.inquiry import Totals, asked
from runner.history.records import (
    ExecutionChecks,
    ExecutionEnd,
    ExecutionModels,
    ExecutionRecovery,
    ExecutionRoute,
    NodeRecord,
    for_programs,
)
from runner.history.statistics import Statistics, as_json, named, percent, statistics_of
from runner.history.totals import DayTotal, counted, merged, taken_back
from runner.money import Usage
from runner.people.history_sentences import (
    NOTHING,
    as_lines,
    as_markdown,
    error_line,
    errors_table,
    recent_table,
    share,
    strategy_here,
    strategy_line,
    summary,
    tables,
)
from runner.roadmap.parse import parse_roadmap
from runner.state.task_size import kind_of
from runner.windows import undated
from tests.runner.history.made import NOW, execution

QUERY = asked(now=NOW, days=30)


def statistics(*executions: object, **more: int) -> Statistics:
    """What these records say."""
    days = tuple(
        DayTotal(each.day, *key, tally)
        for each in executions
        for key, tally in counted(each).items()
    )
    return statistics_of(Totals(days, **more), QUERY)


@pytest.mark.parametrize(
    ("part", "whole", "shown"), [(34, 41, 83), (1, 2, 50), (1, 8, 13), (0, 5, 0), (0, 0, None)]
)
def test_shares_are_rounded_half_up(part, whole, shown):
    """Whole percents; none of nothing."""
    assert percent(part, whole) == shown


def test_errors_say_how_many_were_recovered():
    """Each attempt counts once for a type, however often it saw it."""
    seen = [execution(f"r{n}", errors=("import", "import")) for n in range(34)]
    seen += [
        execution(f"f{n}", status="failed", error="import", errors=("import",)) for n in range(7)
    ]

    line = error_line(named(statistics(*seen).errors, "import"))

    assert line == "import errors: 41 seen, 34 recovered (83 %)"


@pytest.mark.parametrize(
    ("by", "error", "recovered"),
    [("", "test", 1), ("ada", "test", 0), ("ada", "rate_limit", 1)],
    ids=["by itself", "a person decided", "waited out before"],
)
def test_recovered_is_what_needed_no_person(by, error, recovered):
    """A proposal that a person approved helped, but the error did not go away by itself."""
    recovery = ExecutionRecovery("rewrite", "approve" if by else "", by, "", "applied", True)
    one = execution(status="replaced", error="test", errors=(error,), recovery=recovery)

    assert named(statistics(one).errors, error).tally.good == recovered


def test_a_strategy_is_judged_by_what_was_applied():
    """Proposals that wait or were turned down say nothing about it."""

    def proposed(run: str, outcome: str, finished: bool) -> object:
        recovery = ExecutionRecovery("rewrite", "", "", "", outcome, finished)
        return execution(run, status="replaced", error="test", recovery=recovery)

    every = [proposed(f"r{n}", "applied", n < 7) for n in range(9)]
    found = statistics(*every, proposed("w", "waiting", False))

    assert strategy_line(found.strategies[0]) == "rewrite: 7 of 9 finished"
    expected = "In this repository so far, rewrite: 7 of 9 finished."
    assert strategy_here(found, "rewrite") == expected
    assert strategy_here(found, "defer") == ""


def test_an_open_attempt_is_neither_finished_nor_failed():
    """It is seen, and the share is that of the others."""
    found = statistics(execution("r1"), execution("r2", status="awaiting_approval", error="test"))

    assert share(found.attempts) == "1 of 1 (100 %)"
    assert "1 not over yet." in summary(found)


def test_nothing_says_so():
    """An empty history has a sentence, no tables and no numbers."""
    assert summary(statistics()) == [NOTHING]
    assert tables(statistics()) == ()


def test_what_is_left_out_is_said():
    """Records of another version, from the future, and calls without a price."""
    unpriced = replace(execution(), used=Usage(1.0, 100, 0.0, 2, 2))

    text = " ".join(summary(statistics(unpriced, other_versions=3, future=1)))

    assert "3 records written by another version" in text
    assert "1 record left out because of a time in the future" in text
    assert "unknown; 2 calls without a known price" in text


def test_a_cost_that_is_not_known_is_null_for_programs():
    """Neither totals nor records tell 0, which would be free."""
    unpriced = replace(
        execution(),
        used=Usage(1.0, 100, 0.0, 2, 2),
        nodes=(NodeRecord("execute_task", 1, Usage(1.0, 100, 0.0, 2, 2)),),
    )
    told, record = as_json(statistics(unpriced)), for_programs(unpriced)

    assert (told["attempts"]["cost"], told["days"][0]["cost"]) == (None, None)
    assert (record["used"]["cost"], record["nodes"][0]["usage"]["cost"]) == (None, None)
    assert for_programs(execution())["used"]["cost"] == 0.25


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Add `clamp` and its tests", "feature"),
        ("Add clamp(low, high), with tests", "feature"),
        ("Give `clamp` an upper bound (with unit tests and docs)", "feature"),
        ("Export to CSV including documentation", "feature"),
        ("Parser + tests", "feature"),
        ("Add a stack and tests for it", "feature"),
        ("Fix the crash of an empty list, with a regression test", "fix"),
        ("Add tests for `clamp`", "tests"),
        ("Write unit tests and docs", "tests"),
        ("Add unit and integration tests for the parser", "tests"),
        ("Document `clamp` and its tests", "docs"),
        ("Test coverage of the parser", "tests"),
    ],
)
def test_what_a_task_is_about(title, kind):
    """Tests and documentation that come with the work are not what it is about."""
    [task] = parse_roadmap("ROADMAP.md", f"- [ ] {title}\n".encode()).tasks

    assert kind_of(task) == kind


def test_a_model_that_was_renamed_is_two_and_a_dated_one_is_one():
    """A date in a model's name is its version; another name is another model."""
    assert undated("gpt-5-mini-2025-08-07") == "gpt-5-mini"
    old = replace(execution("r1"), models=ExecutionModels(undated("m-2025-01-01")))
    new = replace(execution("r2"), models=ExecutionModels(undated("m-2026-01-01")))
    renamed = replace(execution("r3"), models=ExecutionModels("n"))

    found = statistics(old, new, renamed)

    assert [(each.name, each.tally.seen) for each in found.models] == [("m", 2), ("n", 1)]


def test_what_a_pattern_does_is_no_models():
    """It is counted under its own name, and no comparison of models knows of it."""
    by_model = replace(execution("r1"), models=ExecutionModels("m"))
    by_pattern = replace(execution("r2"), models=ExecutionModels(pattern="config_setup"))

    found = statistics(by_model, by_pattern)

    assert {each.name for each in found.models} == {"m", "pattern config_setup"}
    assert [each.model for each in samples_of([by_model, by_pattern])] == ["m"]


def test_repairs_are_counted_by_what_shows_them():
    """With a regression test, without one, and those that were not made."""
    fix = ExecutionRoute(kind="fix")
    shown = replace(execution("r1"), route=fix, checks=ExecutionChecks(verdict="shown"))
    bare = replace(execution("r2"), route=fix, checks=ExecutionChecks(verdict="unbroken"))
    lost = replace(execution("r3"), route=fix, end=ExecutionEnd("failed"))

    found = statistics(shown, bare, lost, execution("r4"))

    counts = {each.name: each.tally.seen for each in found.fixes}
    assert counts == {"with a regression test": 1, "without one": 1, "not made": 1}


def test_a_price_that_changed_leaves_the_past_as_it_was_paid():
    """Costs are those of the time; nothing is computed anew."""
    found = statistics(execution("r1", cost=1.0, ago=2), execution("r2", cost=0.1))

    assert found.models[0].tally.used.cost == pytest.approx(1.1)
    assert [each.tally.used.cost for each in found.days] == [1.0, 0.1]


def test_what_is_taken_back_leaves_nothing():
    """An attempt that is recorded anew counts only once, to the last digit."""
    counts = [counted(execution(f"r{n}", cost=0.1 * n)) for n in range(10)]

    assert merged(*counts, *map(taken_back, counts)) == {}


def test_every_place_shows_the_same_digits():
    """The terminal, the comment and the JSON agree."""
    found = statistics(
        *(execution(f"r{n}", cost=0.0123 * n, status="failed" if n == 3 else "completed",
                    error="test" if n == 3 else "") for n in range(7))
    )  # fmt: skip
    data = as_json(found)
    (by_model,) = [table for table in tables(found) if table.title == "By model"]

    assert data["attempts"]["percent"] == 86
    row = by_model.rows[0]
    assert row[:3] == ("gpt-5", "7", "6 of 7 (86 %)")
    assert row[4] == f"${data['attempts']['cost'] / 7:.4f}"
    for cell in row:
        assert cell in as_markdown(by_model)
        assert cell in "\n".join(as_lines(by_model))


def test_text_of_others_is_harmless_in_a_comment():
    """A title cannot break the table, mention people or close issues."""
    title = "Fix | <img src=x> @everyone fixes #1\nnew line"
    bad = replace(execution(status="failed", error="test"), place=replace(
        execution().place, title=title))  # fmt: skip

    for table in (recent_table([bad]), errors_table([bad])):
        text = as_markdown(table)
        assert len(text.splitlines()) == 5
        assert "<img" not in text
        assert "@everyone" not in text
