"""How large a task is and what it is about, judged by its text alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from runner.code.languages import is_among_tests, names_a_file
from runner.roadmap.task import Task

Complexity = Literal["low", "medium", "high"]
TaskKind = Literal["tests", "docs", "fix", "refactor", "setup", "feature"]

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TaskSize:
    """Words of a task's text, files that it names beside tests, and lines nested in it."""

    words: int = 0
    files: int = 0
    lines: int = 0

    def exceeds(self, other: TaskSize) -> bool:
        """Say whether any of them is larger."""
        return self.words > other.words or self.files > other.files or self.lines > other.lines


def size_of(task: Task) -> TaskSize:
    """Return the size of a task, by what it says itself.

    Criteria of its section belong to all tasks there, and say nothing about the size of one.
    """
    nested = sum(1 for line in task.details.split("\n") if line.strip())
    # files to change: tests go with the code, and `Counter.most_common` is none
    places = (path for path in task.files if "/" in path or names_a_file(path))
    files = [path for path in places if not is_among_tests(path)]
    return TaskSize(len(_WORD.findall(task.text)), len(files), nested)


_LOW: Final = TaskSize(words=20, files=1, lines=2)
_MEDIUM: Final = TaskSize(words=40, files=2, lines=6)


def complexity_of(size: TaskSize) -> Complexity:
    """Return how hard a task of this size looks; the bounds never follow the configuration."""
    if size.exceeds(_MEDIUM):
        return "high"
    return "medium" if size.exceeds(_LOW) else "low"


_WORDS: Final[Mapping[TaskKind, str]] = {
    "tests": r"tests?|coverage|specs?",
    "docs": r"docs?|document(?:ation|ed)?|readme|changelog|docstrings?|guide",
    "fix": r"fix(?:es|ed)?|bugs?|repair|correct|crash(?:es)?|regression",
    "refactor": r"refactor(?:ing)?|rename|move|clean ?up|simplify|extract|split|remove",
    "setup": r"configure|configuration|config|ci|build|deploy|docker|dependenc(?:y|ies)|setup",
}
_KINDS: Final = {k: re.compile(rf"\b(?:{w})\b", re.IGNORECASE) for k, w in _WORDS.items()}


_BESIDE: Final = re.compile(
    r"(?<=\w)\W*(?:"
    r"\b(?:with|including|plus)\s+(?:\w+\s+){0,2}?|[&+]\s*|"
    r"(?:,|,?\s\band)\s+(?:(?:its|their|the|a|some|matching|regression)\s+)*"
    r")(?:tests?|specs?|coverage|docs?|documentation|docstrings?)\b",
    re.IGNORECASE,
)
"""What a task names beside what it is about: "X with tests", "X and its tests"."""


def kind_of(task: Task) -> TaskKind:
    """Return what a task is about, by the first word of its title that says so.

    Tests and documentation that come with the work are not what it is about.
    """
    title = _BESIDE.sub("", task.title)
    found = [(m.start(), kind) for kind, words in _KINDS.items() if (m := words.search(title))]
    return min(found)[1] if found else "feature"
