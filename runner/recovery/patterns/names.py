"""Who is going to make what is missing: the open task whose files or words name it."""

from __future__ import annotations

import re
from collections.abc import Callable

from runner.roadmap.task import Task

_READ = 10_000


def naming_path(others: tuple[Task, ...], fits: Callable[[str], bool]) -> Task | None:
    """Return the first open task that names a file which fits."""
    return next((task for task in others if any(fits(file) for file in task.files)), None)


def naming_word(others: tuple[Task, ...], *words: str) -> Task | None:
    """Return the first open task whose own text or details have one of the words, as a word."""
    pattern = re.compile("|".join(rf"(?<![\w.]){re.escape(word)}(?!\w)" for word in words if word))
    return next(
        (task for task in others if pattern.pattern and pattern.search(words_of(task))), None
    )


def words_of(task: Task) -> str:
    """What a task says by itself."""
    return f"{task.text}\n{task.details}"[:_READ]


def told(task: Task) -> str:
    """A task as evidence names it."""
    return f"task {task.name} ({' '.join(task.title.split())[:100]})"


def without_suffix(path: str) -> str:
    """A path without its ending, and without what stands for its folder."""
    stem = re.sub(r"\.[A-Za-z]{1,5}$", "", path.rstrip("/"))
    return re.sub(r"(?:/__init__|/index|/mod)$", "", stem)
