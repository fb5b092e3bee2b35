"""Histories of which the best answer is known, drawn without any code of the analysis.

A world has kinds of tasks, each easier or harder, and settings. The chance that a task is done is
that of its kind and complexity plus what each setting adds, in points; so a difference of 25 points
is one of 25 points in every group of tasks. In a *confounded* world the settings are not drawn by
chance: the better model (or any other) gets the hard tasks, and so do plans.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from runner.analysis.sample import Sample

KINDS = {"feature": -1.0, "fix": 0.0, "docs": 1.0}
COMPLEXITIES = {"low": 1.0, "medium": 0.0, "high": -1.0}
"""How much easier they are; times the world's ``spread`` it is in points.

Kinds differ a third as much as complexities.
"""

SIZES = {"low": (0.1, 0.5), "medium": (0.5, 1.0), "high": (1.0, 2.0)}
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "model": ("oak-1", "elm-2", "yew-3"),
    "route": ("single_phase", "planned"),
    "loop": ("hybrid", "fixed"),
    "context": ("3000", "12000"),
}
DAY = 86_400


@dataclass(frozen=True)
class World:
    """``points`` are what a level of a setting adds to the chance (0.25: 25 points).

    ``varied`` says how many levels of each setting occur; the others have one. ``hard_to`` is the
    setting whose last level gets more hard tasks than easy ones, by the factor ``pull``; its other
    levels get fewer by the same factor. ``only`` is the one complexity that occurs ('': all).
    """

    base: float
    varied: Mapping[str, int]
    points: Mapping[tuple[str, str], float] = field(default_factory=dict)
    hard_to: str = ""
    pull: float = 1.0
    only: str = ""
    spread: float = 0.08

    def chance(self, kind: str, complexity: str, levels: Mapping[str, str]) -> float:
        """How likely it is that such a task is done with these settings."""
        added = sum(self.points.get((setting, name), 0.0) for setting, name in levels.items())
        easier = COMPLEXITIES[complexity] + KINDS[kind] / 3
        chance = self.base + self.spread * easier + added
        return min(max(chance, 0.01), 0.99)


def history(world: World, executions: int, seed: str, *, even: str = "") -> list[Sample]:
    """Draw a history; the levels of the setting ``even`` get equally many executions each."""
    draw = random.Random(seed)  # noqa: S311 - the same history for the same seed
    found = []
    for number in range(executions):
        levels = {
            setting: draw.choice(names[: world.varied.get(setting, 1)])
            for setting, names in SETTINGS.items()
        }
        if even:
            names = SETTINGS[even][: world.varied[even]]
            levels[even] = names[number % len(names)]
        complexity = _complexity(world, levels, draw)
        kind = draw.choice(list(KINDS))
        done = draw.random() < world.chance(kind, complexity, levels)
        found.append(_sample(number, kind, complexity, levels, done=done, draw=draw))
    return found


def _complexity(world: World, levels: Mapping[str, str], draw: random.Random) -> str:
    names = [world.only] if world.only else list(COMPLEXITIES)
    if world.only or not world.hard_to:
        return draw.choice(names)
    last = SETTINGS[world.hard_to][world.varied[world.hard_to] - 1]
    pull = world.pull if levels[world.hard_to] == last else 1 / world.pull
    return draw.choices(names, [1.0, pull**0.5, pull])[0]


def _sample(
    number: int,
    kind: str,
    complexity: str,
    levels: Mapping[str, str],
    *,
    done: bool,
    draw: random.Random,
) -> Sample:
    tokens = int(draw.lognormvariate(8.0, 0.6) * (1.6 if levels["route"] == "planned" else 1.0))
    return Sample(
        task=f"task {number}",
        kind=kind,
        complexity=complexity,
        size=draw.uniform(*SIZES[complexity]),
        route="planned" if levels["route"] == "planned" else "single_phase",
        model=levels["model"],
        loop=levels["loop"],
        context=int(levels["context"]),
        succeeded=done,
        tokens=tokens,
        cost=tokens * 2e-6,
        seconds=draw.lognormvariate(4.0, 0.5),
        at=number * DAY / 4,
    )
