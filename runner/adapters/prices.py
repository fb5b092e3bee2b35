"""What a model's tokens cost, in USD per million of them.

Prices are facts that age, so the built-in table is small, dated, and used for OpenAI's own
endpoint only; every other endpoint (and every newer price) needs a file of its own, named by
``CAIRN_PRICES``. An unknown price is unknown: None, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

OPENAI_HOST = "api.openai.com"
_MILLION = 1_000_000
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
"""OpenAI answers with the dated name of a model (``gpt-5-mini-2025-08-07``)."""


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens of the prompt (``input``) and of the answer (``output``)."""

    input: float
    output: float


BUILT_IN: Mapping[str, Price] = {
    # https://platform.openai.com/docs/pricing, standard tier, as of 2026-03
    "gpt-5.4": Price(2.50, 15.00),
    "gpt-5.1": Price(1.25, 10.00),
    "gpt-5": Price(1.25, 10.00),
    "gpt-5-mini": Price(0.25, 2.00),
    "gpt-5-nano": Price(0.05, 0.40),
    "gpt-4.1": Price(2.00, 8.00),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1-nano": Price(0.10, 0.40),
    "gpt-4o": Price(2.50, 10.00),
    "gpt-4o-mini": Price(0.15, 0.60),
    "o3": Price(2.00, 8.00),
    "o4-mini": Price(1.10, 4.40),
    "text-embedding-3-small": Price(0.02, 0.0),
    "text-embedding-3-large": Price(0.13, 0.0),
    "text-embedding-ada-002": Price(0.10, 0.0),
}


@dataclass(frozen=True)
class Prices:
    """A price table; a dated model name falls back to the undated one."""

    table: Mapping[str, Price] = field(default_factory=dict)

    def cost(self, model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return what one exchange costs in USD, None when the model's price is unknown."""
        price = self.table.get(model) or self.table.get(_DATED.sub("", model))
        if price is None:
            return None
        return (prompt_tokens * price.input + completion_tokens * price.output) / _MILLION


def prices_for(base_url: str, file: Path | None = None) -> Prices:
    """Return the prices of an endpoint; what ``file`` says wins over what is built in.

    Raises ``ValueError`` with what to do when the file cannot be read or understood.
    """
    built_in = BUILT_IN if urlsplit(base_url).hostname == OPENAI_HOST else {}
    return Prices({**built_in, **(_read(file) if file else {})})


def _read(file: Path) -> dict[str, Price]:
    # imported here: pydantic is slow to import and most commands never read a price file
    from pydantic import TypeAdapter, ValidationError

    form = '{"MODEL": {"input": USD per million tokens, "output": USD per million tokens}}'
    try:
        table = TypeAdapter(dict[str, Price]).validate_json(file.read_bytes())
    except OSError as error:
        raise ValueError(f"CAIRN_PRICES: cannot read {file}: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ValueError(
            f"CAIRN_PRICES: {file}: {place}: {first['msg']}; the form is {form}"
        ) from error
    negative = [name for name, price in table.items() if min(price.input, price.output) < 0]
    if negative:
        raise ValueError(f"CAIRN_PRICES: {file}: {negative[0]}: a price cannot be negative")
    return table
