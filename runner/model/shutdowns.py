"""When models are switched off, as their company has said, and how a person is warned of it.

A server's own list wins (``shutdown_date`` of ``GET /v1/models``): this table is for servers whose
list says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from runner.ports import Endpoint
from runner.windows import undated

_DECEMBER, _JANUARY = date(2026, 12, 11), date(2027, 1, 14)
SHUTDOWNS = {
    # https://developers.openai.com/api/docs/deprecations, 2026-11-28
    "gpt-5": _DECEMBER,
    "gpt-5-mini": _DECEMBER,
    "gpt-5-nano": _DECEMBER,
    "gpt-5-pro": _DECEMBER,
    "o3": _DECEMBER,
    "o3-pro": _DECEMBER,
    "gpt-4o": _JANUARY,
    "gpt-4o-mini": _JANUARY,
    "gpt-4.1": _JANUARY,
    "gpt-4.1-mini": _JANUARY,
}
_WARNED = 60
"""Days before the end from which on people are told."""


def shutdown_by_name(model: str) -> date | None:
    """Return the day from which a model no longer answers; None if none is known.

    A dated name (``gpt-5-2025-08-07``) ends with the model, as does one with its company before it.
    """
    return SHUTDOWNS.get(undated(model.lower().rpartition("/")[2]))


async def endings(names: Iterable[str], endpoint: Endpoint, today: date) -> list[str]:
    """Warn of each of these models that ends within 60 days or has ended; one line each."""
    days = [(name, await endpoint.shutdown(name)) for name in names]
    return [text for name, ends in days if (text := shutdown_warning(name, ends, today))]


def shutdown_warning(model: str, ends: date | None, today: date) -> str:
    """Say that a model ends within 60 days, or has ended; '' where there is nothing to say."""
    left = (ends - today).days if ends else _WARNED + 1
    if left > _WARNED:
        return ""
    if left <= 0:
        when = f"was switched off on {ends}"
    else:
        when = f"will be switched off on {ends}, in {left} day{'s' * (left > 1)}"
    return f"The model {model} {when}. {CHOOSE}"


CHOOSE = (
    "Choose another one where it is set: CAIRN_MODEL, --model, .github/cairn.yml or a workflow."
)
