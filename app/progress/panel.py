"""What a run used, node by node, with shares that add up to exactly 100 %."""

from __future__ import annotations

from dataclasses import dataclass

from runner.report import node_usage
from runner.shares import percents
from runner.state import RunState, Usage

_SHORTEST = 0.005
"""Seconds below which a node without model calls is not worth a line."""


@dataclass(frozen=True, slots=True)
class NodeShare:
    """One node; ``percent`` is its share of the tokens, of the time where no tokens were used."""

    node: str
    usage: Usage
    percent: float


def panel(state: RunState) -> list[NodeShare]:
    """Return a line for every node that took time or tokens; [] when none has."""
    used = {
        node: usage
        for node, usage in node_usage(state).items()
        if usage.calls or usage.seconds >= _SHORTEST
    }
    by_tokens = any(usage.tokens for usage in used.values())
    shares = percents([float(u.tokens) if by_tokens else u.seconds for u in used.values()])
    pairs = zip(used.items(), shares, strict=True)
    return [NodeShare(node, usage, share) for (node, usage), share in pairs]


def total(state: RunState) -> Usage:
    """Return what the whole run used."""
    return sum(node_usage(state).values(), Usage())
