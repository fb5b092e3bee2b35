"""What tokens cost, and how the cost is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.money import (
    BUILT_IN,
    Prices,
    Usage,
    cost_brief,
    cost_text,
    percentages,
    prices_for,
    total,
)

ROOT = Path(__file__).parents[2]

OPENAI = "https://api.openai.com/v1"


def test_built_in_prices_are_for_openai_only():
    """Another endpoint's price is unknown even when its model has a known name."""
    assert prices_for(OPENAI).cost("gpt-5-mini", 1_000_000, 0) == BUILT_IN["gpt-5-mini"].input
    assert prices_for("http://127.0.0.1:1/v1").cost("gpt-5-mini", 1, 1) is None


def test_dated_name():
    """A dated model costs what the model costs."""
    assert Prices(BUILT_IN).cost("gpt-5-mini-2025-08-07", 0, 1_000_000) == 2.0


def test_another_model_with_the_same_beginning():
    """A model that is not in the table has no price, however its name begins."""
    assert Prices(BUILT_IN).cost("gpt-5-mini-turbo", 1, 1) is None


def test_file(tmp_path):
    """A file of prices adds models and wins over the built-in table."""
    file = tmp_path / "prices.json"
    file.write_text('{"gpt-5": {"input": 7, "output": 8}, "mine": {"input": 0, "output": 0}}')
    prices = prices_for(OPENAI, file)

    assert prices.cost("gpt-5", 1_000_000, 1_000_000) == 15.0
    assert prices.cost("mine", 10, 10) == 0.0


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{", "the form is"),
        ('{"m": {"input": 1}}', "m.output"),
        ('{"m": {"input": "much", "output": 1}}', "m.input"),
        ('{"m": {"input": -1, "output": 1}}', "negative"),
        (None, "cannot read"),
    ],
)
def test_bad_file(tmp_path, text, names):
    """A price file that cannot be used is told with its place and the form it should have."""
    file = tmp_path / "prices.json"
    if text is not None:
        file.write_text(text)

    with pytest.raises(ValueError, match="CAIRN_PRICES") as caught:
        prices_for(OPENAI, file)
    assert names in str(caught.value)


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
