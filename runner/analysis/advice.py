"""From what was compared to changes of ``.github/cairn.yml``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from runner.analysis.compare import ERROR, Comparison
from runner.analysis.routing import threshold
from runner.analysis.sample import Factor, Sample, band_of, level
from runner.analysis.today import FILES, LINES, WORDS, TodaysSettings

Path = tuple[str, ...]
Value = str | int

MOST_WORDS, FEWEST_WORDS = 160, 10
"""Between which ``routing.words`` is advised; the other limits go along with it."""

MOST_CONTEXT, FEWEST_CONTEXT = 32_000, 2_000
"""Between which ``limits.context_tokens`` is advised."""

_LOOPS = ("hybrid", "repair", "fixed", "ralph")


@dataclass(frozen=True, slots=True)
class Advice:
    """Change these keys, because of these comparisons.

    ``id`` is the same as long as the same change is advised: who declined it is not asked again.
    """

    id: str
    factor: Factor
    changes: tuple[tuple[Path, Value], ...]
    evidence: tuple[Comparison, ...]


def advice(
    comparisons: Sequence[Comparison], today: TodaysSettings, error: float = ERROR
) -> tuple[Advice, ...]:
    """Return what to change, what gains most first; nothing that no key of the file can change.

    How much a change gains is judged by the lower limit of the difference.
    """
    spoken = sorted((c for c in comparisons if c.speaks(error)), key=lambda c: -c.difference.low)
    found: dict[Factor, Advice] = {}
    for one in spoken:
        changes = _routing(spoken, today) if one.factor == "route" else _changes(one)
        if changes and one.factor not in found:
            of_route = one.factor == "route"
            evidence = tuple(c for c in spoken if c.factor == "route") if of_route else (one,)
            id = ", ".join(f"{'.'.join(path)}={value}" for path, value in changes)
            found[one.factor] = Advice(id, one.factor, changes, evidence)
    return tuple(found.values())


_UNASKED: tuple[Factor, ...] = ("route", "loop", "context")
"""What Cairn may change without asking; never the model, whose price people choose."""

_TRIED = 20
"""The newest attempts with a setting; if they do worse than the configured one, it is undone."""


def adjustments(samples: Sequence[Sample], found: Sequence[Advice]) -> tuple[Advice, ...]:
    """Return the advice that may be followed without asking, as long as it does not disappoint.

    Whoever follows it records attempts with the new setting, and the next analysis compares these
    with the configured one. So a change whose rate falls is undone by the next run.
    """
    return tuple(
        one
        for one in found
        if one.factor in _UNASKED and all(_holds(samples, each) for each in one.evidence)
    )


def _holds(samples: Sequence[Sample], one: Comparison) -> bool:
    tried = [
        each
        for each in sorted(samples, key=lambda each: each.at)
        if level(each, one.factor) == one.other.name
        and (not one.band or band_of(each).name == one.band)
    ][-_TRIED:]
    return sum(each.succeeded for each in tried) >= one.today.success * len(tried)


def _changes(one: Comparison) -> tuple[tuple[Path, Value], ...]:
    name = one.other.name
    if one.factor == "model":
        return ((("model", "name"), name),)
    if one.factor == "loop" and name in _LOOPS:
        return ((("loop",), name),)
    if one.factor == "context":
        tokens = int("".join(c for c in name if c.isdigit()))
        if name.startswith("up to") and FEWEST_CONTEXT <= tokens <= MOST_CONTEXT:
            return ((("limits", "context_tokens"), tokens),)
    return ()


def _routing(spoken: Sequence[Comparison], today: TodaysSettings) -> tuple[tuple[Path, Value], ...]:
    size = threshold(spoken, today.threshold)
    if size is None:
        return ()
    wanted = MOST_WORDS if math.isinf(size) else round(size * WORDS)
    words = min(max(wanted, FEWEST_WORDS), MOST_WORDS)
    share = words / WORDS
    mode: tuple[tuple[Path, Value], ...] = (
        () if today.planning in ("", "auto") else ((("planning",), "auto"),)
    )
    return (
        *mode,
        (("routing", "words"), words),
        (("routing", "files"), max(1, round(FILES * share))),
        (("routing", "lines"), max(1, round(LINES * share))),
    )
