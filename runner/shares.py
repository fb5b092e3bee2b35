"""Share a whole out so that the parts, as they are shown, add up to exactly 100 %."""

from __future__ import annotations

from collections.abc import Sequence


def percents(weights: Sequence[float]) -> list[float]:
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
