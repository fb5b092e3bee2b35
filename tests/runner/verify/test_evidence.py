"""The table of what tests show, row by row, and what holds for any rows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.verify.evidence import LISTED, RED, Meaning, Row, evidence, meaning

CODE, TESTS = False, True
"""Whether the change writes code, or nothing but tests."""
SAME = {"same_error": True}


@pytest.mark.parametrize(
    ("before", "after", "about", "only_tests", "means"),
    [
        # old tests that pass
        ("passed", "passed", {}, CODE, "holds"),
        ("failed", "passed", {}, CODE, "shown"),
        # tests that the change adds or edits: before is the base with only them laid over it
        ("passed", "passed", {"edited": True}, CODE, "shows nothing"),
        ("failed", "passed", {"edited": True}, CODE, "shown"),
        ("failed", "passed", {"edited": True, "lacked": True, "notices": True}, CODE, "shown"),
        ("failed", "passed", {"edited": True, "lacked": True}, CODE, "shown"),
        (
            *("failed", "passed", {"edited": True, "lacked": True, "notices": False}, CODE),
            "shows nothing",
        ),
        ("failed", "passed", {"edited": True, "notices": False}, CODE, "shows nothing"),
        ("failed", "passed", {"edited": True, "notices": False, "stood": True}, CODE, "shown"),
        # bent to the answer, or meant by the task: a person has to say; a new name is no new claim
        ("failed", "passed", {"edited": True, "rewritten": True}, CODE, "shows nothing"),
        ("failed", "passed", {"edited": True, "rewritten": True, "lacked": True}, CODE, "shown"),
        ("passed", "passed", {"edited": True, "notices": True}, CODE, "shows nothing"),
        ("passed", "passed", {"edited": True, "notices": True}, TESTS, "shown"),
        ("passed", "passed", {"edited": True, "notices": False}, TESTS, "shows nothing"),
        ("passed", "passed", {"edited": True}, TESTS, "shows nothing"),
        ("new", "gone", {"edited": True}, CODE, "shows nothing"),
        ("new", "failed", {"edited": True}, CODE, "own failure"),
        ("new", "failed", {"edited": True}, TESTS, "own failure"),
        ("new", "failed", {"edited": True, "repaired": True}, TESTS, "waits"),
        ("new", "failed", {"edited": True, "lacks": "this task"}, TESTS, "waits"),
        # what no other answer can change
        ("new", "failed", {"edited": True, "unbuilt": True}, CODE, "waits"),
        ("failed", "failed", {"lacks": "this task", "unbuilt": True}, CODE, "waits"),
        ("passed", "failed", {"unbuilt": True}, CODE, "broken"),
        # what passed before
        ("passed", "failed", {}, CODE, "broken"),
        ("passed", "failed", {"reaches": False}, CODE, "broken"),
        ("passed", "gone", {}, CODE, "gone"),
        ("passed", "gone", {"taken": True}, CODE, "went along"),
        # what did not run on a side takes no part
        ("passed", "not run", {}, CODE, "not run"),
        ("not run", "failed", {}, CODE, "not run"),
        ("not run", "passed", {}, CODE, "not run"),
        # old failures
        ("failed", "gone", {}, CODE, "shows nothing"),
        ("failed", "failed", {"lacks": "another task"}, CODE, "waits"),
        ("failed", "failed", {"declared": "another task"}, CODE, "waits"),
        ("failed", "failed", {"lacks": "this task", "same_error": True}, CODE, "own failure"),
        ("failed", "failed", {"declared": "this task", "reaches": False}, CODE, "own failure"),
        ("failed", "failed", {"reaches": False}, CODE, "not this change's"),
        (
            *("failed", "failed", {"declared": "this task", "lacks": "nobody"} | SAME, CODE),
            "not this change's",
        ),
        ("failed", "failed", {}, CODE, "own failure"),
        ("failed", "failed", {"same_error": True}, CODE, "in the way"),
        ("failed", "failed", {"same_error": True, "repaired": True}, CODE, "as before"),
    ],
)
def test_a_row_of_the_table(
    before: Any, after: Any, about: dict[str, Any], only_tests: bool, means: Meaning
) -> None:
    """What one test says."""
    assert meaning(Row(test="t", before=before, after=after, **about), only_tests=only_tests) == (
        means
    )


OLD = Row(test="old", before="failed", after="failed", same_error=True, repaired=True)
HOLDS = Row(test="holds", before="passed", after="passed")
TURNED = Row(test="turned", before="failed", after="passed")


@pytest.mark.parametrize(
    ("rows", "red", "shown"),
    [
        ([], (), ()),
        ([HOLDS], (), ()),
        ([HOLDS, TURNED], (), ("turned",)),
        # an old failure that a repair left as it was is excused by what is shown, by nothing else
        ([OLD, TURNED], (), ("turned",)),
        ([OLD, HOLDS], ("old",), ()),
        ([Row(test="new", before="new", after="failed"), TURNED], ("new",), ("turned",)),
    ],
)
def test_what_the_rows_come_to(
    rows: list[Row], red: tuple[str, ...], shown: tuple[str, ...]
) -> None:
    """What refuses the change, and what shows it to work."""
    found = evidence(rows, only_tests=False)
    assert (found.red, found.shown) == (red, shown)


ROWS = st.builds(
    Row,
    test=st.sampled_from("abcd"),
    before=st.sampled_from(["passed", "failed", "new", "not run"]),
    after=st.sampled_from(["passed", "failed", "gone", "not run"]),
    edited=st.booleans(),
    same_error=st.booleans(),
    declared=st.sampled_from(["", "this task", "another task"]),
    lacks=st.sampled_from(["", "this task", "another task", "nobody"]),
    reaches=st.booleans(),
    repaired=st.booleans(),
    lacked=st.booleans(),
    notices=st.sampled_from([None, True, False]),
    taken=st.booleans(),
    rewritten=st.booleans(),
)


def _may_show(row: Row, *, only_tests: bool) -> bool:
    """It failed before and passes now; one of the change's own may have to notice a fault."""
    if row.after != "passed":
        return False
    if row.before != "failed":
        return only_tests and row.edited and row.notices is True
    bent = row.rewritten and not row.lacked
    return not row.edited or not (bent or (row.lacked and row.notices is False))


def _may_be_red(row: Row) -> bool:
    """It broke, or it fails and is this task's own, or it runs what changed."""
    if row.after == "gone":
        return row.before == "passed" and not row.taken
    own = row.before == "new" or row.edited or "this task" in (row.declared, row.lacks)
    return row.after == "failed" and (row.before == "passed" or own or row.reaches)


@given(rows=st.lists(ROWS, unique_by=lambda row: row.test), only_tests=st.booleans())
def test_nothing_is_shown_and_nothing_is_red_without_a_reason(
    rows: list[Row], only_tests: bool
) -> None:
    """Each test that shows something or refuses the change has the reason itself."""
    found = evidence(rows, only_tests=only_tests)
    by_test = {row.test: row for row in rows}

    assert all(_may_show(by_test[test], only_tests=only_tests) for test in found.shown)
    assert all(_may_be_red(by_test[test]) for test in found.red)
    assert not {*found.red, *found.shown, *found.listed} & set(found.tests.get("not run", ()))
    assert not set(RED) & set(LISTED)
    assert sum(map(len, found.tests.values())) == len(rows)
