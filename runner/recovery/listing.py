"""Tasks to be, as people write and read them in a list. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from runner.roadmap.lint import lint_text
from runner.roadmap.misfit import misfit_of
from runner.roadmap.new_task import NewTask
from runner.roadmap.replace import MOST

_LONGEST_NAME = 60


def as_item(task: NewTask) -> str:
    """The task as an item of a list, with a box."""
    lines = [f"- [ ] {task.id} {task.text}" if task.id else f"- [ ] {task.text}"]
    lines += [f"  - {line}" for line in task.details]
    lines += ["  - Acceptance:"] * bool(task.acceptance)
    lines += [f"    - {line}" for line in task.acceptance]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return f'"{" ".join(text.split())[:_LONGEST_NAME]}"'


def problems_of(
    tasks: Sequence[NewTask], *, quoted: Callable[[str], str] = _quoted
) -> Iterator[str]:
    """Say what keeps listed tasks from being written into a roadmap, one sentence each.

    ``quoted`` makes a task's text safe to stand in the sentence.
    """
    if len(tasks) > MOST:
        yield f"There are {len(tasks)} tasks; write at most {MOST}."
    for number, task in enumerate(tasks[:MOST], 1):
        for said in [why] if (why := misfit_of(task)) else lint_text(as_item(task)):
            yield f"Task {number} ({quoted(task.text)}): {said}."
