"""What a call costs: by a file of one's own, else by the snapshot that genai-prices ships.

Nothing is downloaded: the package updates its prices only for those who start ``UpdatePrices``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from runner.text.invalid import first_fault
from runner.windows import undated

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens of the prompt (``input``) and of the answer (``output``).

    ``cached`` are prompt tokens the server had read before; None: they cost as much as others.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    input: float
    output: float
    cached: float | None = None


@dataclass(frozen=True)
class Prices:
    """The prices at one endpoint: those of ``table``, else what is known of ``base_url``.

    In ``table`` a dated model name falls back to the undated one.
    """

    table: Mapping[str, Price] = field(default_factory=dict)
    base_url: str = ""

    def cost(
        self, model: str, prompt: int, completion: int, *, cached: int = 0, written: int = 0
    ) -> float | None:
        """Return what one exchange costs in USD, None when the model's price is unknown.

        All are numbers of tokens. Of those of the prompt, ``cached`` came from the server's cache
        and ``written`` were put there, which some models charge for.
        """
        cached = min(cached, prompt)
        price = self.table.get(model) or self.table.get(undated(model))
        if price is not None:
            again = price.input if price.cached is None else price.cached
            inputs = (prompt - cached) * price.input + cached * again
            return (inputs + completion * price.output) / _MILLION
        if not is_public(self.base_url):
            return None
        # imported here: no run needs it before its first answer, and a local model never does
        from runner.model import catalogue

        return catalogue.cost(
            self.base_url,
            model,
            prompt=prompt,
            completion=completion,
            cached=cached,
            written=min(written, prompt - cached),
        )

    def most(self, model: str, prompt: int, completion: int) -> float | None:
        """Return what one exchange costs at most: nothing comes from a cache, all is put there."""
        costs = (self.cost(model, prompt, completion, written=n) for n in (0, prompt))
        return max((cost for cost in costs if cost is not None), default=None)


def prices_for(base_url: str, file: Path | None = None) -> Prices:
    """Return the prices of an endpoint; what ``file`` says wins over what is known.

    Raises ``ValueError`` with what to do when the file cannot be read or understood.
    """
    return Prices(_read(file) if file else {}, base_url)


def _read(file: Path) -> dict[str, Price]:
    # imported here: pydantic is slow to import and most commands never read a price file
    from pydantic import TypeAdapter, ValidationError

    form = '{"MODEL": {"input": 1.0, "output": 5.0, "cached": 0.1}}, in USD per million tokens'
    try:
        table = TypeAdapter(dict[str, Price]).validate_json(file.read_bytes())
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise ValueError(
            f"{file} has an error: {first_fault(error)}. The form is {form}"
        ) from error
    for name, price in table.items():
        if not all(0 <= (n or 0) < math.inf for n in (price.input, price.output, price.cached)):
            raise ValueError(f"{file}: the prices of {name} must be finite numbers, zero or more")
    return table


def is_public(base_url: str) -> bool:
    """Whether a server can be a company's own: neither this machine nor one of its network."""
    host = urlsplit(base_url).hostname or ""
    return "." in host and not re.fullmatch(r"[\d.]+", host)


def unknown_price(model: str, *, repeats: bool = False) -> str:
    """Say why a limit of money cannot be kept, and what to do; only runs are resumed."""
    return (
        f"The price of model {model} is unknown, so Cairn cannot keep to a cost limit. Put its "
        "price in a file (CAIRN_PRICES), or leave out --max-cost"
        + (
            "."
            if repeats
            else " (for a run that has already begun, type cairn resume --max-cost none)."
        )
    )
