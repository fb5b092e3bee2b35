"""What tokens cost."""

from __future__ import annotations

import pytest

from runner.model.budget import BUILT_IN, Prices, prices_for

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
