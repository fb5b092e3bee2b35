"""Circles of dependencies: told with their path, and taken apart so that none blocks for ever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.roadmap.cycles import circles, way_round
from runner.roadmap.dependencies import CYCLE, Stated
from runner.roadmap.order import links
from runner.roadmap.task import Task, Warning

_MOST_SHOWN = 12


def untangled(
    tasks: Sequence[Task], stated: Mapping[str, Stated]
) -> tuple[tuple[Task, ...], list[Warning]]:
    """Return the tasks without the dependencies that go round in a circle; those become text.

    ``stated`` is what was stated of each task, by key. Every such dependency lies on a circle, so
    which ones go does not depend on where one begins to look.
    """
    to = links(tasks)
    made = list(tasks)
    warnings: list[Warning] = []
    for circle in circles(to):
        way = [node for node in way_round(to, circle) if node < len(tasks)]
        warnings.append(_warning([tasks[node] for node in way]))
        _take_apart(made, [node for node in circle if node < len(tasks)], stated)
    return tuple(made), warnings


def _take_apart(made: list[Task], circle: Sequence[int], stated: Mapping[str, Stated]) -> None:
    """Let no task of a circle wait for another one of it; shared lists stay shared."""
    within = {made[node].key for node in circle}
    kept: dict[int, tuple[str, ...]] = {}
    touched: dict[int, bool] = {}
    for node in circle:
        task = made[node]
        if id(task.depends_on) not in kept:
            kept[id(task.depends_on)] = tuple(k for k in task.depends_on if k not in within)
        texts = []
        for target in stated[task.key].targets:
            if id(target.work) not in touched:
                touched[id(target.work)] = not within.isdisjoint(target.work.keys)
            if touched[id(target.work)]:
                texts.append(target.text)
        made[node] = replace(
            task,
            depends_on=kept[id(task.depends_on)],
            depends_text=(*task.depends_text, *(t for t in texts if t not in task.depends_text)),
        )


def _warning(way: Sequence[Task]) -> Warning:
    names = [task.name for task in way]
    if len(names) > _MOST_SHOWN:
        names[_MOST_SHOWN // 2 : -_MOST_SHOWN // 2] = ["…"]
    message = (
        f"{' → '.join(names)}: these tasks wait for each other, so none of them is made to wait. "
        "Take one of the dependencies out."
    )
    return Warning(way[0].line, 1, CYCLE, message)
