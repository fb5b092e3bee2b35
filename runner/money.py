"""What a run used and what that costs: prices, sums, shares, and how people read them.

This is the only module that adds up tokens and dollars or writes them down. A call whose price is
unknown counts as a call without a price, never as a free one.

Prices are facts that age, so the built-in table is small, dated, and used for OpenAI's own
endpoint only; every other endpoint (and every newer price) needs a file of its own, named by
``CAIRN_PRICES``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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


def unknown_price(model: str) -> str:
    """Say why a limit of money cannot be kept, and what to do."""
    return (
        f"The price of model {model} is unknown, so Cairn cannot keep to a cost limit. Put its "
        "price in a file (CAIRN_PRICES), or leave out --max-cost."
    )


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used: wall ``seconds``, model ``tokens``, ``cost`` (USD) and ``calls``.

    ``unpriced`` are the calls whose price is unknown: their part of the cost is not in ``cost``.
    """

    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    calls: int = 0
    unpriced: int = 0

    @classmethod
    def of_call(cls, seconds: float, tokens: int, cost: float | None) -> Usage:
        """Return what one call used; ``cost`` is None when its price is unknown."""
        return cls(seconds, tokens, cost or 0.0, calls=1, unpriced=int(cost is None))

    @property
    def known_cost(self) -> float | None:
        """The cost for programs: None as soon as one call has no known price."""
        return None if self.unpriced else round(self.cost, 6)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.seconds + other.seconds,
            self.tokens + other.tokens,
            self.cost + other.cost,
            self.calls + other.calls,
            self.unpriced + other.unpriced,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.seconds - other.seconds,
            self.tokens - other.tokens,
            self.cost - other.cost,
            self.calls - other.calls,
            self.unpriced - other.unpriced,
        )


def total(usages: Iterable[Usage]) -> Usage:
    """Return what all of them used together."""
    return sum(usages, Usage())


def by_name(usages: Iterable[Mapping[str, Usage]]) -> dict[str, Usage]:
    """Return what each node (or model) used in all of these, by its name."""
    found: dict[str, Usage] = {}
    for usage in usages:
        for name, used in usage.items():
            found[name] = found.get(name, Usage()) + used
    return found


_SHORTEST = 0.005
"""Seconds below which a node without model calls is not worth a line."""


@dataclass(frozen=True, slots=True)
class NodeShare:
    """One node; ``percent`` is its share of the tokens, of the time where no tokens were used."""

    node: str
    usage: Usage
    percent: float


def percentages(nodes: Mapping[str, Usage]) -> tuple[NodeShare, ...]:
    """Return every node that took time or tokens, with shares that add up to exactly 100 %."""
    used = {n: u for n, u in nodes.items() if u.calls or u.seconds >= _SHORTEST}
    by_tokens = any(usage.tokens for usage in used.values())
    parts = _percents([float(u.tokens) if by_tokens else u.seconds for u in used.values()])
    pairs = zip(used.items(), parts, strict=True)
    return tuple(NodeShare(node, usage, part) for (node, usage), part in pairs)


def _percents(weights: Sequence[float]) -> list[float]:
    """Return each weight's share in percent, in tenths; [0.0, ...] where nothing weighs anything.

    The largest remainders get what rounding down leaves over (Hamilton's method).
    """
    if not any(weights):
        return [0.0] * len(weights)
    whole = sum(weights)
    exact = [1000 * weight / whole for weight in weights]
    tenths = [int(share) for share in exact]
    by_remainder = sorted(range(len(exact)), key=lambda n: tenths[n] - exact[n])
    for n in by_remainder[: 1000 - sum(tenths)]:
        tenths[n] += 1
    return [share / 10 for share in tenths]


def dollars(amount: float) -> str:
    """An amount of money, to the hundredth of a cent: one answer often costs less than a cent."""
    return f"${amount:.4f}"


def tokens_text(used: Usage) -> str:
    """The tokens in words: ``1,234 tokens``."""
    return f"{used.tokens:,} token{'' if used.tokens == 1 else 's'}"


def cost_text(used: Usage) -> str:
    """The cost in words, and how many calls are missing from it because nobody knows their price.

    ``$0.0123``, ``at least $0.0123; 2 calls without a known price``, or ``unknown; ...``.
    """
    if not used.unpriced:
        return dollars(used.cost)
    calls = "1 call" if used.unpriced == 1 else f"{used.unpriced:,} calls"
    return f"{cost_brief(used)}; {calls} without a known price"


def cost_brief(used: Usage) -> str:
    """The cost for a cell of a table, where the number of unpriced calls has no room."""
    if not used.unpriced:
        return dollars(used.cost)
    return f"at least {dollars(used.cost)}" if used.cost else "unknown"


def price_hint(used: Usage) -> str:
    """What to do about calls without a known price, as a further sentence; '' without any."""
    return " Put the price in a file: see CAIRN_PRICES." if used.unpriced else ""
