"""A repository's history of 300 attempts with three models, one of which has a flaw.

``oak-1`` fails at half of its tasks. ``elm-2``, which got most
of the hard tasks, and ``yew-3`` do not.
"""

from __future__ import annotations

import random

from runner.history.records import (
    DAY,
    Execution,
    ExecutionEnd,
    ExecutionKey,
    ExecutionModels,
    ExecutionPlace,
    ExecutionRoute,
)
from runner.money import Usage
from runner.state.task_size import TaskSize

SIZES = {"low": (12, 1, 1), "medium": (30, 2, 4), "high": (60, 3, 9)}
SUCCESS = {"oak-1": 0.45, "elm-2": 0.82, "yew-3": 0.8}
EASIER = {"low": 0.1, "medium": 0.0, "high": -0.15}
DOLLARS = {"oak-1": 0.010, "elm-2": 0.012, "yew-3": 0.030}


def flawed(
    now: float, *, repository_id: int = 0, repository: str = "", number: int = 300, seed: int = 17
) -> list[Execution]:
    """Draw the history, the newest attempt a day before ``now``; the same for the same seed."""
    draw = random.Random(seed)  # noqa: S311 - the same history for the same seed
    return [
        _attempt(draw, at, now - DAY - (number - at) * 3600, repository_id, repository)
        for at in range(number)
    ]


def _attempt(
    draw: random.Random, number: int, at: float, repository_id: int, repository: str
) -> Execution:
    model = draw.choice(list(SUCCESS))
    weights = (1, 2, 4) if model == "elm-2" else (3, 2, 1)
    complexity = draw.choices(list(SIZES), weights)[0]
    words, files, lines = SIZES[complexity]
    done = draw.random() < SUCCESS[model] + EASIER[complexity]
    tokens = int(draw.lognormvariate(8, 0.4))
    return Execution(
        key=ExecutionKey(f"run{number // 5:04}", f"task{number:04}"),
        place=ExecutionPlace(repository, repository_id, 0, "ROADMAP.md", f"{number}", "Add a part"),
        at=at,
        route=ExecutionRoute(
            route="planned" if complexity == "high" else "single_phase",
            complexity=complexity,  # type: ignore[arg-type]
            kind=draw.choice(("feature", "fix")),
            size=TaskSize(words, files, lines),
            loop="hybrid",
            context_bytes=12_000,
        ),
        models=ExecutionModels(model, {"execute_task": model}, "edits"),
        used=Usage(draw.uniform(20, 90), tokens, DOLLARS[model], 2),
        end=ExecutionEnd("completed") if done else ExecutionEnd("failed", "test", "test", "error"),
    )
