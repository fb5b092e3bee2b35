"""The tasks of a run as a small mermaid graph: which builds on which, and how each stands.

GitHub draws it: https://docs.github.com/get-started/writing-on-github/working-with-advanced-formatting/creating-diagrams
"""

from __future__ import annotations

import re

from runner.roadmap.task import Task
from runner.state import Attempt, RunState, Status

MOST = 30
"""Tasks that are drawn, the newest."""

_LABEL = 40
_UNSAFE = re.compile(r"[^\w .,:/()+-]+")
_CLASSES = (
    "classDef done fill:#a6e3b0,stroke:#2a8a43,color:#000",
    "classDef failed fill:#f2b0b0,stroke:#b02a2a,color:#000",
    "classDef now fill:#ffe08a,stroke:#b08800,color:#000,stroke-width:3px",
    "classDef other fill:#e0e0e0,stroke:#888,color:#000",
)
_CLASS = {
    Status.COMPLETED: "done",
    Status.FAILED: "failed",
    Status.BLOCKED: "failed",
    Status.IN_PROGRESS: "now",
}


def graph(state: RunState) -> str:
    """Return the mermaid source; '' before the first task is picked."""
    tasks = {task.key: task for task in state.tasks}
    attempts = [attempt for attempt in state.attempts.values() if attempt.task in tasks][-MOST:]
    if not attempts:
        return ""
    names: dict[str, str] = {}
    lines = ["flowchart LR"]
    for number, attempt in enumerate(attempts, 1):
        lines += _below(attempt, names)
        lines.append(f"    t{number}{_shape(tasks[attempt.task], attempt)}")
        lines.append(f"    {names[attempt.below]} --> t{number}")
        if attempt.branch:
            names[attempt.branch] = f"t{number}"
    return "\n".join([*lines, *(f"    {line}" for line in _CLASSES)])


def _below(attempt: Attempt, names: dict[str, str]) -> list[str]:
    """Draw the branch a task builds on where no task of this run made it."""
    if attempt.below in names:
        return []
    names[attempt.below] = f"b{len(names)}"
    return [f'    {names[attempt.below]}(["{_label(attempt.below)}"])']


def _shape(task: Task, attempt: Attempt) -> str:
    name = task.id or ""
    kind = _CLASS.get(attempt.status, "other")
    return f'["{_label(f"{name} {task.title}")}"]:::{kind}'


def _label(text: str) -> str:
    """Letters, digits and a few signs: nothing that mermaid or Markdown reads as its own."""
    plain = " ".join(_UNSAFE.sub(" ", text).split())
    return plain if len(plain) <= _LABEL else plain[: _LABEL - 1] + "…"
