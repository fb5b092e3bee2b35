"""What tokens cost, and how the cost is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.money import Usage, cost_brief, cost_cell, cost_text, percentages, total

ROOT = Path(__file__).parents[2]

KNOWN = Usage.of_call(1.0, 1_200, 0.0123)
NOBODY_KNOWS = Usage.of_call(1.0, 300, None)


@pytest.mark.parametrize(
    ("used", "brief", "whole"),
    [
        (Usage(), "$0.0000", "$0.0000"),
        (KNOWN, "$0.0123", "$0.0123"),
        (Usage.of_call(1.0, 10, 0.0), "$0.0000", "$0.0000"),
        (NOBODY_KNOWS, "unknown", "unknown; 1 call without a known price"),
        (
            total([KNOWN, NOBODY_KNOWS, NOBODY_KNOWS]),
            "at least $0.0123",
            "at least $0.0123; 2 calls without a known price",
        ),
    ],
)
def test_what_is_not_known_is_said(used, brief, whole):
    """A call without a price is neither free nor forgotten."""
    assert (cost_brief(used), cost_text(used)) == (brief, whole)


def test_programs_get_no_number_that_is_too_small():
    """The cost is null as soon as one call has no known price."""
    assert (KNOWN.known_cost, (KNOWN + NOBODY_KNOWS).known_cost) == (0.0123, None)


def test_what_a_step_added_can_be_told_apart():
    """A sum less what was there before is what came since."""
    assert (KNOWN + NOBODY_KNOWS) - KNOWN == NOBODY_KNOWS


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
def test_shares_add_up(tokens):
    """Shown with one digit, the shares of the nodes are 100.0 in all."""
    parts = percentages({f"n{i}": Usage(1.0, t, 0.0, 1) for i, t in enumerate(tokens)})

    assert round(sum(float(f"{row.percent:.1f}") for row in parts), 1) == 100.0


def test_a_node_that_did_nothing_is_no_line():
    """A node without calls and without time to speak of is left out."""
    nodes = {"decide_next": Usage(0.001), "verify_task": Usage(2.0), "plan_task": NOBODY_KNOWS}

    assert [each.node for each in percentages(nodes)] == ["verify_task", "plan_task"]


def test_no_other_module_writes_dollars():
    """One module formats amounts of money, so that no two places can tell different costs."""
    written = re.compile(r"\$\{+[^}]*(:[.,]\d*f|format)")
    rooms = (path for room in ("app", "handlers", "runner") for path in (ROOT / room).rglob("*.*"))
    sources = [path for path in rooms if path.suffix in (".py", ".j2")]

    found = [path.name for path in sources if written.search(path.read_text())]
    assert found == ["money.py"]


def test_nothing_was_asked() -> None:
    """A cell says nothing of money then, also where the price of the model is unknown."""
    assert [cost_cell(used) for used in (Usage(), NOBODY_KNOWS, KNOWN)] == [
        "-",
        "unknown",
        "$0.0123",
    ]
