"""What a run used and what that cost: sums, shares, and how people read them.

This is the only module that adds up tokens and dollars or writes them down. A call whose price is
unknown counts as a call without a price, never as a free one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from runner.text.counting import counted

NO_LIMIT = sys.maxsize
"""Dollars or tokens: takes a limit away where None keeps the one there is."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used: wall ``seconds``, model ``tokens``, ``cost`` (USD) and ``calls``.

    ``unpriced`` are the calls whose price is unknown: their part of the cost is not in ``cost``.
    Of the tokens ``cached`` came from the endpoint's cache.
    """

    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    calls: int = 0
    unpriced: int = 0
    cached: int = 0

    @classmethod
    def of_call(cls, seconds: float, tokens: int, cost: float | None, cached: int = 0) -> Usage:
        """Return what one call used; ``cost`` is None when its price is unknown."""
        return cls(seconds, tokens, cost or 0.0, 1, int(cost is None), cached)

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
            self.cached + other.cached,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.seconds - other.seconds,
            self.tokens - other.tokens,
            self.cost - other.cost,
            self.calls - other.calls,
            self.unpriced - other.unpriced,
            self.cached - other.cached,
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
    """The tokens in words: ``1,234 tokens, 800 of them from a cache``."""
    cached = f", {used.cached:,} of them from a cache" if used.cached else ""
    return f"{counted(used.tokens, 'token')}{cached}"


def cost_text(used: Usage) -> str:
    """The cost in words, and how many calls are missing from it because nobody knows their price.

    ``$0.0123``, ``at least $0.0123; 2 calls without a known price``, or ``unknown; ...``.
    """
    if not used.unpriced:
        return dollars(used.cost)
    return f"{cost_brief(used)}; {counted(used.unpriced, 'call')} without a known price"


def cost_brief(used: Usage) -> str:
    """The cost for a cell of a table, where the number of unpriced calls has no room."""
    if not used.unpriced:
        return dollars(used.cost)
    return f"at least {dollars(used.cost)}" if used.cost else "unknown"


def cost_cell(used: Usage) -> str:
    """The same where there may have been no call at all, which costs nothing and has no price."""
    return cost_brief(used) if used.calls else "-"


def price_hint(used: Usage) -> str:
    """What to do about calls without a known price, as a further sentence; '' without any."""
    return " Put the price in a file: see CAIRN_PRICES." if used.unpriced else ""
