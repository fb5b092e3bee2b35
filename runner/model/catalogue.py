"""Prices and windows of the models that companies sell, from the snapshot in genai-prices.

Imported late: it takes 40 ms, and a local model is not in it.

``_LATER`` has what the snapshot of version ``SNAPSHOT`` lacks or has wrong. The newer of both wins:
a row here while that version is installed, and with a later version what that one says.
"""

from __future__ import annotations

from decimal import Decimal

import genai_prices
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ClauseRegex, ModelInfo, ModelPrice, Provider, Tier, TieredPrices

from runner.model.prices import is_public
from runner.windows import seller_of

SNAPSHOT = "0.2.3"
"""The version of genai-prices that ``_LATER`` was compared with, on 2026-11-28."""


def _dollars(base: str, long: str) -> TieredPrices:
    """USD per million tokens, and in a call whose prompt has more than 272,000 tokens."""
    return TieredPrices(base=Decimal(base), tiers=[Tier(start=272_000, price=Decimal(long))])


_LATER: tuple[tuple[str, ModelInfo], ...] = (
    (
        "openai",
        ModelInfo(
            # https://developers.openai.com/api/docs/models/gpt-6.2-sol, 2026-11-28
            id="gpt-6.2-sol",
            match=ClauseRegex(regex=r"^gpt-6\.2-sol(-\d{4}-\d{2}-\d{2})?$"),
            context_window=1_050_000,
            prices=ModelPrice(
                input_mtok=_dollars("2", "4"),
                cache_read_mtok=_dollars("0.1", "0.2"),
                cache_write_mtok=_dollars("2.5", "5"),
                output_mtok=_dollars("10", "15"),
            ),
        ),
    ),
)


def cost(
    base_url: str, model: str, *, prompt: int, completion: int, cached: int, written: int
) -> float | None:
    """Return what one exchange with a server costs in USD; None for a server nobody knows."""
    known = _at(base_url, model)
    if known is None:
        return None
    provider, info = known
    if not info.prices:
        return None
    usage = genai_prices.Usage(
        input_tokens=prompt,
        output_tokens=completion,
        cache_read_tokens=cached,
        cache_write_tokens=written,
    )
    return float(info.calc_price(usage, provider).total_price)


def window(base_url: str, model: str) -> int | None:
    """Return how many tokens a model reads and writes at once; None if nobody knows.

    It is known of a model at its company's own server, and of one that a single company serves
    wherever it is asked, by its name.
    """
    known = _at(base_url, model)
    if known is None and (seller := seller_of(model)):
        sold_by = get_snapshot().find_provider(None, seller.provider, None)
        known = _model(sold_by, seller.name)
        # one that is newer than the snapshot: as much as any of theirs has had for two years
        return (known[1].context_window if known else None) or _AT_LEAST
    return known[1].context_window if known else None


_AT_LEAST = 128_000


def _at(base_url: str, model: str) -> tuple[Provider, ModelInfo] | None:
    if not is_public(base_url):
        return None
    try:
        provider = get_snapshot().find_provider(None, None, base_url)
    except LookupError:
        return None
    return _model(provider, model)


def _model(provider: Provider, name: str) -> tuple[Provider, ModelInfo] | None:
    lower = name.lower()
    rows = (row for maker, row in _LATER if maker == provider.id and row.is_match(lower))
    later = next(rows, None)
    known = provider.find_model(lower, all_providers=get_snapshot().providers)
    if known is None or (later and genai_prices.__version__ == SNAPSHOT):
        known = later
    return (provider, known) if known else None
