"""Advice on simulated histories whose best answer is known: how often it is right, false, silent.

``python -m bench advice [--histories N] [--seeds N ...]``. The same seeds print the same numbers.
Beside each share of histories in which a difference was noticed stands what the best test could
notice in the same histories with an error of 5 % (``bench/power.py``).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from bench.finding import Finding, Line, Peer
from bench.loop.stats import share
from bench.power import reachable, settings_of
from bench.simulated_histories import SETTINGS, World, history
from runner.analysis.advice import advice
from runner.analysis.compare import Comparison, compare
from runner.analysis.preview import ComingTask, preview
from runner.analysis.sample import FACTORS, Factor, Sample
from runner.analysis.today import TodaysSettings

EVERYTHING = {setting: len(names) for setting, names in SETTINGS.items()}
_AS_SHOWN = {"3000": "up to 4,000 tokens", "12000": "up to 16,000 tokens"}
_MOST_FALSE, _LEAST_RIGHT = 0.05, 0.95
_PLANNING = {"single_phase": "never", "planned": "always"}


@dataclass(frozen=True)
class Case:
    """One kind of world: how to draw it, how long its histories are, and what is better in it."""

    name: str
    world: Callable[[random.Random], World]
    lengths: Sequence[int]
    even: Factor | None = None

    def draw(self, seed: int) -> tuple[World, list[Sample], TodaysSettings]:
        """Draw a world, its history, and how it is configured today."""
        # text is a seed of its own, so that each case is drawn by itself
        draw = random.Random(f"{self.name} {seed}")  # noqa: S311 - the same world each time
        world = self.world(draw)
        samples = history(
            world, draw.choice(self.lengths), f"{self.name} {seed + 1}", even=self.even or ""
        )
        if self.even is None:
            return world, samples, TodaysSettings()
        worst = min(
            SETTINGS[self.even][: world.varied[self.even]],
            key=lambda name: world.points.get((str(self.even), name), 0.0),
        )
        if self.even == "route":
            return world, samples, TodaysSettings(planning=_PLANNING[worst])
        today = TodaysSettings(levels={self.even: _AS_SHOWN.get(worst, worst)})
        return world, samples, today


def true(world: World, one: Comparison) -> bool:
    """Whether the other setting is better than today's in the world that was drawn."""
    inside = {shown: name for name, shown in _AS_SHOWN.items()}
    today, other = (
        world.points.get((one.factor, inside.get(side.name, side.name)), 0.0)
        for side in (one.today, one.other)
    )
    return other > today


def null_cases() -> Iterator[Case]:
    """Worlds in which no setting matters."""
    lengths = (40, 80, 160, 320, 640)
    yield Case("two models", lambda d: World(_base(d), {"model": 2}), lengths)
    yield Case("every setting varies", lambda d: World(_base(d), EVERYTHING), lengths)
    yield Case(
        "two models, one gets the hard tasks",
        lambda d: World(_base(d), {"model": 2}, hard_to="model", pull=d.uniform(2, 6), spread=0.2),
        lengths,
    )
    yield Case(
        "every setting varies, one level gets the hard tasks",
        lambda d: World(_base(d), EVERYTHING, hard_to=d.choice(FACTORS), pull=d.uniform(2, 6)),
        lengths,
    )


def cases_by_success(points: float, executions: int) -> Iterator[tuple[int, Case]]:
    """Two models, and how often (in percent) today's finishes a task of medium complexity."""
    for percent in range(10, 71, 10):
        yield (
            percent,
            Case(
                f"today's finishes {percent} %",
                lambda _, p=percent: World(  # type: ignore[misc]
                    p / 100, {"model": 2}, {("model", "elm-2"): points}, only="medium", spread=0.0
                ),
                (2 * executions,),
                even="model",
            ),
        )


def case_among_others(points: float, executions: int) -> Case:
    """A better loop, while models and contexts, which do not matter, vary as well."""
    varied = {"loop": 2, "model": 2, "context": 2}
    return Case(
        "loop, among four settings that vary",
        lambda d: World(_base(d), varied, {("loop", "fixed"): points}),
        (2 * executions,),
        even="loop",
    )


def cases_with_a_difference(points: float, executions: int) -> Iterator[Case]:
    """Worlds in which one setting adds points, with so many executions on each side."""
    for factor in FACTORS:
        levels = SETTINGS[factor][:2]
        for confounded in (False, True):
            if confounded and factor == "route":
                continue  # routes are compared within one size, and so within one complexity
            yield Case(
                f"{factor}{', the better one gets the hard tasks' * confounded}",
                lambda d, f=factor, c=confounded, b=levels[1]: World(  # type: ignore[misc]
                    _base(d),
                    {f: 2},
                    {(f, b): points},
                    hard_to=f if c else "",
                    pull=d.uniform(1.5, 2.5) if c else 1.0,
                    only="high" if f == "route" else "",
                ),
                (2 * executions,),
                even=factor,
            )


def mixed_case() -> Case:
    """Worlds like real ones: every setting varies, one to three matter, and any gets the hard."""

    def world(draw: random.Random) -> World:
        points = {}
        for factor in draw.sample(FACTORS, draw.randint(1, 3)):
            better = draw.choice(SETTINGS[factor])
            points[str(factor), better] = draw.uniform(0.15, 0.40)
        hard = draw.choice((*FACTORS, ""))
        return World(_base(draw) - 0.1, EVERYTHING, points, hard_to=hard, pull=draw.uniform(1, 5))

    return Case("anything", world, (160, 320, 640))


def _base(draw: random.Random) -> float:
    return draw.uniform(0.55, 0.65)


@dataclass(frozen=True)
class Told:
    """What was said about the histories of a case."""

    histories: int
    false: int
    heard: int
    spoken: int
    right: int
    reachable: float = 0.0
    """In how many of them the best test could notice the difference, on average."""

    def __add__(self, other: Told) -> Told:
        return Told(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Told)))


def told(case: Case, histories: int, seed: int) -> Told:
    """Analyse that many histories of a case."""
    false = heard = spoken = right = 0
    best = 0.0
    for number in range(histories):
        world, samples, today = case.draw(seed + 2 * number)
        said = [one for one in compare(samples, today) if one.speaks()]
        correct = [one for one in said if true(world, one)]
        false += len(correct) < len(said)
        heard += bool(correct)
        spoken += len(said)
        right += len(correct)
        best += _reachable(case, world, samples)
    return Told(histories, false, heard, spoken, right, best)


def _reachable(case: Case, world: World, samples: Sequence[Sample]) -> float:
    if case.even is None:
        return 0.0
    first, second = sorted(
        SETTINGS[case.even][: world.varied[case.even]],
        key=lambda name: world.points.get((str(case.even), name), 0.0),
    )
    return reachable(world, samples, case.even, (first, second), _MOST_FALSE)


def followed(case: Case, histories: int, seed: int) -> tuple[float, float, int]:
    """Return the chance that a task is done before and after the surest advice is followed.

    Both are the chances that were drawn, over all histories in which something was advised.
    """
    before = after = 0.0
    advised = 0
    for number in range(histories):
        world, samples, today = case.draw(seed + 2 * number)
        found = advice(compare(samples, today), today)
        one = next((a.evidence[0] for a in found if not a.evidence[0].band), None)
        if one is None:
            continue
        inside = {shown: name for name, shown in _AS_SHOWN.items()}
        for sample in samples[-50:]:
            levels = settings_of(sample)
            names = [inside.get(side.name, side.name) for side in (one.today, one.other)]
            old, new = ({**levels, one.factor: name} for name in names)
            before += world.chance(sample.kind, sample.complexity, old) / 50
            after += world.chance(sample.kind, sample.complexity, new) / 50
        advised += 1
    return before / max(1, advised), after / max(1, advised), advised


def previews(histories: int, seed: int) -> dict[str, float]:
    """Return how often the ranges of tokens, cost and finished tasks held."""
    held = {"tokens": 0, "cost": 0, "finished": 0}
    asked = 0
    for number in range(histories):
        draw = random.Random(seed + number)  # noqa: S311 - the same world for the same seed
        world = World(_base(draw), {"model": 1, "route": 2})
        past = draw.choice((40, 80, 160, 320))
        coming = draw.choice((1, 3, 10, 30))
        everything = history(world, past + coming, f"preview {seed + number}")
        tasks = [ComingTask(s.kind, s.complexity, s.route, s.model) for s in everything[past:]]
        found = preview(tasks, everything[:past])
        if found is None or found.cost is None:
            continue
        asked += 1
        after = everything[past:]
        really = (
            ("tokens", found.tokens, float(sum(s.tokens for s in after))),
            ("cost", found.cost, sum(s.cost or 0.0 for s in after)),
            ("finished", found.finished, float(sum(s.succeeded for s in after))),
        )
        for name, interval, value in really:
            held[name] += interval.low - 1e-9 <= value <= interval.high + 1e-9
    return {name: number / asked for name, number in held.items()}


async def measure(_: Path, arguments: Sequence[str] = ()) -> AsyncIterator[Line | str]:
    """Yield what the analyser said about histories whose best answer is known."""
    parser = argparse.ArgumentParser(prog="python -m bench advice")
    parser.add_argument("--histories", type=int, default=1000, help="of each case and seed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[17])
    chosen = parser.parse_args(list(arguments))
    number, seeds = chosen.histories, chosen.seeds
    yield f"   seeds {', '.join(map(str, seeds))}, {number:,} histories of each case and seed"
    for case in null_cases():
        found = _all(case, number, seeds)
        what = f"false advice, no difference: {case.name}"
        yield _line(what, found.false, found.histories, most=_MOST_FALSE)
    for points, executions, goal in ((0.25, 40, 0.75), (0.15, 160, 0.85)):
        every = Told(0, 0, 0, 0, 0)
        for case in cases_with_a_difference(points, executions):
            found = _all(case, number, seeds)
            every += found
            yield _spoke(f"{points:.0%}, {executions} each: {case.name}", found, goal)
        yield _spoke(f"{points:.0%}, {executions} each: all of these", every, goal)
        yield _line("  right when it speaks", every.right, every.spoken, least=_LEAST_RIGHT)
        for _percent, case in cases_by_success(points, executions):
            yield _spoke(f"{points:.0%}, {executions} each: {case.name}", _all(case, number, seeds))
        among = case_among_others(points, executions)
        yield _spoke(f"{points:.0%}, {executions} each: {among.name}", _all(among, number, seeds))
    found = _all(mixed_case(), number, seeds)
    what = "right when it speaks: one to three differences"
    yield _line(what, found.right, found.spoken, least=_LEAST_RIGHT)
    yield _better([followed(mixed_case(), number, seed) for seed in seeds])
    held = [previews(number, seed) for seed in seeds]
    for name in held[0]:
        worst = min(each[name] for each in held)
        yield Finding(
            what=f"cost preview: the range of {name} holds, in the worst seed",
            value=100 * worst,
            unit="%",
            goal=">= 80 %",
            ok=worst >= 0.8,
        )


def _all(case: Case, histories: int, seeds: Sequence[int]) -> Told:
    return sum((told(case, histories, seed) for seed in seeds), Told(0, 0, 0, 0, 0))


def _better(found: Sequence[tuple[float, float, int]]) -> Finding:
    advised = sum(each[2] for each in found)
    before, after = (sum(e[at] * e[2] for e in found) / max(1, advised) for at in (0, 1))
    return Finding(
        what=f"tasks done after advice about all sizes is followed, in {advised} such histories",
        value=100 * after,
        unit="%",
        peer=Peer(what="before", value=100 * before),
        goal="> before",
        ok=after > before,
    )


def _spoke(what: str, found: Told, least: float | None = None) -> Finding:
    best = Peer(what="the best test", value=100 * found.reachable / found.histories)
    return replace(_line(f"speaks at {what}", found.heard, found.histories, least=least), peer=best)


def _line(
    what: str, hits: int, of: int, *, most: float | None = None, least: float | None = None
) -> Finding:
    value = share(hits, of)
    limit = f"<= {most:.0%}" if most is not None else f">= {least:.0%}" if least is not None else ""
    ok = None
    if most is not None:
        ok = value.value <= most
    elif least is not None:
        ok = value.value >= least
    return Finding(
        what=f"{what} ({100 * value.low:.1f} to {100 * value.high:.1f})",
        value=100 * value.value,
        unit="%",
        goal=limit,
        ok=ok,
    )
