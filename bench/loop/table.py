"""What was played, as tables for people (markdown)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import commonprefix
from statistics import median

from bench.loop.play import Played
from bench.loop.stats import Estimate, mean, share
from bench.loop.theory import Model, expected
from runner.history.totals import errors_of

_HEAD = (
    "| p | x | strategy | runs | finished | ideal, same draws | theory | claimed and wrong "
    "| theory | calls | theory | prompt | completion |"
)


_CACHED = 0.9
"""What is saved on a token from a cache, as most companies sell it."""

_BESIDE = ("single", "regenerate")
_WITHIN = 0.03
_RECOVERED, _AT = 0.7, 0.5
"""The share of errors that should be recovered, and p and x from which on."""
COMMON = ("syntax", "missing_path", "import", "timeout", "rate_limit", "test")
"""The everyday errors of code that a loop should get over by itself."""


def table(cell: tuple[float, float], played: Mapping[str, Sequence[Played]]) -> Iterator[str]:
    """One line a strategy: shares with 95 % intervals, beside the theory."""
    for strategy, runs in played.items():
        yield _line(cell, strategy, runs)


def head() -> Iterator[str]:
    """The head of the table."""
    yield _HEAD
    yield "|" + " --- |" * (_HEAD.count("|") - 1)


def _line(cell: tuple[float, float], strategy: str, runs: Sequence[Played]) -> str:
    exact = expected(Model(*cell), strategy)
    finished = share(sum(run.result.finished for run in runs), len(runs))
    claimed = share(sum(run.result.claimed_wrong for run in runs), len(runs))
    best = share(sum(run.ideal.end == "finished" for run in runs), len(runs))
    columns = [
        f"{cell[0]:g}",
        f"{cell[1]:g}",
        strategy,
        str(len(runs)),
        _percent(finished),
        f"{best.value:.1%} ({_signed(difference(runs))})",
        f"{exact.finished:.1%}",
        _percent(claimed),
        f"{exact.claimed:.1%}",
        f"{_mean(runs, lambda run: run.result.calls).value:.2f}",
        f"{exact.calls:.2f}",
        f"{_mean(runs, lambda run: run.result.prompt_tokens).value:,.0f}",
        f"{_mean(runs, lambda run: run.result.completion_tokens).value:,.0f}",
    ]
    return "| " + " | ".join(columns) + " |"


def verdict(cell: tuple[float, float], played: Mapping[str, Sequence[Played]]) -> str:
    """Hold the default loop against the goals: the theory's values, and both baselines.

    By the ideal loop on the same draws, for it says what luck these draws had.
    """
    runs = played["hybrid"]
    finished = difference(runs)
    claimed = _mean(runs, lambda run: run.result.claimed_wrong - (run.ideal.end == "claimed"))
    beside = {name: _over(runs, played[name]) for name in _BESIDE if name in played}
    ok = finished.value >= -_WITHIN and claimed.low <= 0
    ok = ok and all(over.high >= 0 for over in beside.values())
    parts = [f"finished {_signed(finished)}", f"claimed and wrong {_signed(claimed)}"]
    parts += [f"over {name} {_signed(over)}" for name, over in beside.items()]
    place = f"p = {cell[0]:g}, x = {cell[1]:g}"
    return f"{place}: hybrid minus ideal: {', '.join(parts)}: {'ok' if ok else 'MISSED'}"


def _over(runs: Sequence[Played], others: Sequence[Played]) -> Estimate:
    """Share finished less that of another strategy on the same tasks and seeds."""
    pairs: dict[tuple[str, int], list[float]] = {}
    for factor, each in ((1.0, runs), (-1.0, others)):
        for run in each:
            key = run.result.task.name, run.result.who.seed
            pairs.setdefault(key, []).append(factor * run.result.finished)
    groups: dict[str, list[float]] = {}
    for (task, _), values in pairs.items():
        groups.setdefault(task, []).append(sum(values))
    return mean(list(groups.values()))


def difference(runs: Sequence[Played]) -> Estimate:
    """Share finished less that of the ideal loop on the same draws."""
    return _mean(runs, lambda run: run.result.finished - (run.ideal.end == "finished"))


def _mean(runs: Sequence[Played], value: Callable[[Played], float]) -> Estimate:
    groups: dict[str, list[float]] = {}
    for run in runs:
        groups.setdefault(run.result.task.name, []).append(value(run))
    return mean(list(groups.values()))


def paths(runs: Sequence[Played]) -> str:
    """The lengths of the node paths, and how often each came up."""
    lengths = Counter(len(run.result.path) for run in runs)
    worst = max(lengths, default=0)
    often = ", ".join(f"{length}: {count}" for length, count in sorted(lengths.items()))
    return f"nodes an attempt: at most {worst} ({often})"


def beginnings(runs: Sequence[Played]) -> Iterator[str]:
    """How much of a task's questions an endpoint's cache has already: their common beginning.

    In percent of the shorter question: with the question just before, and with the earlier
    question of the task that begins most alike.
    """
    before: dict[tuple[str, str], list[float]] = {}
    best: list[float] = []
    characters = cached = 0
    for run in runs:
        asked = [(event.node, event.exchange.prompt) for event in run.result.answers]
        characters += sum(len(prompt) for _, prompt in asked)
        for at, (node, prompt) in enumerate(asked[1:], 1):
            common = [len(commonprefix((prompt, o))) for _, o in asked[:at]]  # noqa: RUF071
            alike = [c / min(len(prompt), len(o)) for c, (_, o) in zip(common, asked, strict=False)]
            before.setdefault((asked[at - 1][0], node), []).append(alike[-1])
            best.append(max(alike))
            cached += max(common)
    if not best:
        return
    pairs = ", ".join(f"{a} > {b} {median(x):.0%} ({len(x)})" for (a, b), x in before.items())
    yield f"common beginning with the question before, median: {pairs}"
    every = [each for alike in before.values() for each in alike]
    yield (
        f"of all {len(every)}: {median(every):.0%}; with any earlier one: {median(best):.0%}; "
        f"all prompts: {characters:,} characters, {cached / characters:.0%} of them in a cache, at "
        f"a tenth of the price {1 - _CACHED * cached / characters:.0%} of what they cost without"
    )


def repairs(found: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """Repairs by fault."""
    yield "| fault repaired | repairs asked for | answered rightly |"
    yield "| --- | --- | --- |"
    for fault, (asked, right) in found.items():
        yield f"| {fault} | {asked} | {right} |"


def recovered(cell: tuple[float, float], runs: Sequence[Played]) -> Iterator[str]:
    """Errors by type as the history counts them, and how many a finished task had without a person.

    A task that is claimed and wrong is not recovered here, although the history cannot know it.
    """
    seen: Counter[str] = Counter()
    good: Counter[str] = Counter()
    for run in runs:
        record = run.result.record
        for error in errors_of(record) if record else ():
            seen[error] += 1
            good[error] += run.result.finished
    if not seen:
        yield f"errors recovered without a person, p={cell[0]:g} x={cell[1]:g}: there were none"
        return
    parts = [f"{error} {good[error]} of {seen[error]}" for error in sorted(seen)]
    common = [error for error in COMMON if seen[error]]
    whole = share(sum(good[error] for error in common), sum(seen[error] for error in common))
    verdict = ""
    if min(cell) >= _AT:
        verdict = f" | goal >= {_RECOVERED:.0%} | {'ok' if whole.value >= _RECOVERED else 'MISSED'}"
    yield f"errors recovered without a person, p={cell[0]:g} x={cell[1]:g}: {', '.join(parts)}"
    yield f"of common types: {_percent(whole)}{verdict}"
    retries = [
        Counter(run.result.record.calls.errors).most_common(1)[0][1] - 1
        for run in runs
        if run.result.record and run.result.record.calls.errors
    ]
    most = max(retries, default=0)
    yield f"errors of one type after the first one, in one task: at most {most}"


def _percent(estimate: Estimate) -> str:
    return f"{estimate.value:.1%} [{estimate.low:.1%}, {estimate.high:.1%}]"


def _signed(estimate: Estimate) -> str:
    return f"{100 * estimate.value:+.1f} [{100 * estimate.low:+.1f}, {100 * estimate.high:+.1f}]"
