"""Advice on simulated histories whose best answer is known: how often it is right, false, silent.

``python -m bench advice [--histories N] [--seed N]``. Every line says how many histories it is of;
the same seed prints the same numbers.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.finding import Finding, Line, Peer
from bench.loop.stats import share
from bench.simulated_histories import SETTINGS, World, history
from runner.analysis.advice import advice
from runner.analysis.compare import Comparison, compare
from runner.analysis.preview import ComingTask, preview
from runner.analysis.sample import FACTORS, Factor, Sample
from runner.analysis.today import TodaysSettings

EVERYTHING = {setting: len(names) for setting, names in SETTINGS.items()}
_AS_SHOWN = {"3000": "up to 4,000 tokens", "12000": "up to 16,000 tokens"}
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


def told(case: Case, histories: int, seed: int) -> Told:
    """Analyse that many histories of a case."""
    false = heard = spoken = right = 0
    for number in range(histories):
        world, samples, today = case.draw(seed + 2 * number)
        said = [one for one in compare(samples, today) if one.speaks()]
        correct = [one for one in said if true(world, one)]
        false += len(correct) < len(said)
        heard += bool(correct)
        spoken += len(said)
        right += len(correct)
    return Told(histories, false, heard, spoken, right)


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
            levels = {
                "model": sample.model,
                "route": sample.route,
                "loop": sample.loop,
                "context": str(sample.context),
                "form": sample.form,
            }
            names = [inside.get(side.name, side.name) for side in (one.today, one.other)]
            old, new = (levels | {one.factor: name} for name in names)
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
    parser.add_argument("--histories", type=int, default=1000, help="of each case")
    parser.add_argument("--seed", type=int, default=17)
    chosen = parser.parse_args(list(arguments))
    number, seed = chosen.histories, chosen.seed
    yield f"   seed {seed}, {number:,} histories of each case"
    for case in null_cases():
        found = told(case, number, seed)
        yield _line(f"false advice, no difference: {case.name}", found.false, number, most=0.05)
    for points, executions, goal in ((0.25, 40, 0.75), (0.15, 160, 0.85)):
        every = [Told(0, 0, 0, 0, 0)]
        for case in cases_with_a_difference(points, executions):
            found = told(case, number, seed)
            every.append(found)
            yield _line(
                f"speaks at {points:.0%}, {executions} each: {case.name}", found.heard, number
            )
        heard, asked = sum(t.heard for t in every), sum(t.histories for t in every)
        what = f"speaks at {points:.0%}, {executions} each: all of these"
        yield _line(what, heard, asked, least=goal)
        right, spoken = sum(t.right for t in every), sum(t.spoken for t in every)
        yield _line("  right when it speaks", right, spoken, least=0.95)
    found = told(mixed_case(), number, seed)
    yield _line(
        "right when it speaks: one to three differences", found.right, found.spoken, least=0.95
    )
    before, after, advised = followed(mixed_case(), number, seed)
    yield Finding(
        what=f"tasks done after advice about all sizes is followed, in {advised} such histories",
        value=100 * after,
        unit="%",
        peer=Peer(what="before", value=100 * before),
        goal="> before",
        ok=after > before,
    )
    for name, held in previews(number, seed).items():
        yield Finding(
            what=f"cost preview: the range of {name} holds",
            value=100 * held,
            unit="%",
            goal=">= 80 %",
            ok=held >= 0.8,
        )


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
