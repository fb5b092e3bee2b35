"""What a call costs: by one's own file, by the snapshot of genai-prices, by the rows it lacks."""

from __future__ import annotations

from pathlib import Path

import genai_prices
import pytest
from genai_prices.data_snapshot import get_snapshot

from runner.model import catalogue
from runner.model.prices import Prices, prices_for

OPENAI = "https://api.openai.com/v1"
LUNA, TERRA, SOL = "gpt-6-luna", "gpt-6.1-terra", "gpt-6.2-sol"


@pytest.mark.parametrize(
    ("model", "prompt", "completion", "cached", "written", "dollars"),
    [
        (TERRA, 100_000, 100_000, 0, 0, 0.60),
        (LUNA, 100_000, 100_000, 0, 0, 0.06),
        (SOL, 100_000, 100_000, 0, 0, 1.20),
        ("gpt-6.2-sol-2026-11-17", 100_000, 0, 0, 0, 0.20),
        (TERRA, 100_000, 0, 80_000, 0, 0.02 + 0.004),
        (TERRA, 100_000, 0, 0, 100_000, 0.125),
        (TERRA, 300_000, 0, 0, 0, 0.60),  # a long prompt costs twice as much
        (SOL, 300_000, 100_000, 300_000, 0, 0.06 + 1.5),
        (TERRA, 1_000, 0, 9_999_999, 9_999_999, 0.00005),  # more than there is counts as all
        ("text-embedding-3-small", 1_000_000, 0, 0, 0, 0.02),
    ],
)
def test_what_is_known_of_openai(
    model: str, prompt: int, completion: int, cached: int, written: int, dollars: float
) -> None:
    """Prompt, answer, cached tokens, tokens put into the cache, and long prompts."""
    cost = prices_for(OPENAI).cost(model, prompt, completion, cached=cached, written=written)

    assert cost == pytest.approx(dollars)


@pytest.mark.parametrize(
    ("base_url", "model"),
    [
        ("http://127.0.0.1:1/v1", TERRA),
        ("http://llm:8000/v1", TERRA),
        ("https://llm.example.org/v1", TERRA),
        (OPENAI, "gpt-6.1-terra-turbo"),
        (OPENAI, ""),
    ],
)
def test_what_nobody_knows_has_no_price(base_url: str, model: str) -> None:
    """A known name at another server costs what that server asks; a longer name is another."""
    assert prices_for(base_url).cost(model, 1, 1) is None


def test_another_company_has_its_own_prices() -> None:
    """Not only OpenAI's server is known."""
    prices = prices_for("https://openrouter.ai/api/v1")

    assert prices.cost("openai/gpt-6.1-terra", 100_000, 0) == pytest.approx(0.1)


def test_a_reservation_is_the_dearest_a_call_can_be() -> None:
    """Nothing comes from the cache, and all is put there."""
    assert Prices(base_url=OPENAI).most(TERRA, 100_000, 0) == pytest.approx(0.125)


def test_a_row_of_ours_counts_only_until_the_package_is_newer() -> None:
    """With each new version somebody looks whether the rows are still needed."""
    assert genai_prices.__version__ == catalogue.SNAPSHOT, "compare _LATER with the new snapshot"
    with pytest.raises(LookupError):
        get_snapshot().find_provider_model(SOL, None, "openai", None)


def test_nothing_is_downloaded() -> None:
    """The prices are those inside the package."""
    assert not get_snapshot().from_auto_update


def test_file(tmp_path: Path) -> None:
    """A file adds models and wins over what is known, also for the dated name."""
    file = tmp_path / "prices.json"
    file.write_text(
        '{"gpt-6.1-terra": {"input": 7, "output": 8, "cached": 1},'
        ' "mine": {"input": 0, "output": 0}, "ours": {"input": 2, "output": 2}}'
    )
    prices = prices_for(OPENAI, file)

    assert prices.cost(TERRA, 1_000_000, 1_000_000) == 15.0
    assert prices.cost("gpt-6.1-terra-2026-10-26", 1_000_000, 0, cached=500_000) == 4.0
    assert prices.cost("mine", 10, 10) == 0.0
    assert prices.cost("ours", 1_000_000, 0, cached=1_000_000) == 2.0


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{", "The form is"),
        ('{"m": {"input": 1}}', "m.output"),
        ('{"m": {"input": "much", "output": 1}}', "m.input"),
        ('{"m": {"input": 1, "output": 1, "cahced": 1}}', "m.cahced"),
        ('{"m": {"input": -1, "output": 1}}', "zero or more"),
        ('{"m": {"input": 1, "output": NaN}}', "the prices of m must"),
        (None, "cannot be read"),
    ],
)
def test_bad_file(tmp_path: Path, text: str | None, names: str) -> None:
    """A price file that cannot be used is told with its place and the form it should have."""
    file = tmp_path / "prices.json"
    if text is not None:
        file.write_text(text)

    with pytest.raises(ValueError, match="prices") as caught:
        prices_for(OPENAI, file)
    assert names in str(caught.value)
