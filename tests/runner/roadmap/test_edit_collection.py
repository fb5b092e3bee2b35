"""Real roadmaps: each task can be ticked and replaced, and nothing else in the file moves."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from runner.roadmap.edit import EditRefused, tick_all, untick_all
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.replace import replace_task
from runner.roadmap.task import NewTask, Roadmap, Task
from runner.roadmap.writing import propose_ids
from tests.runner.roadmap.edits import AUDIT, COLLECTION, PATH, lines_of

_A_FILE = 12
"""Tasks of a file that are edited, spread over it."""


@pytest.mark.parametrize("file", COLLECTION, ids=lambda file: file.name)
def test_every_file(file: Path) -> None:
    """Toggling changes one byte and back; a replacement keeps every line outside its task."""
    content = file.read_bytes()
    roadmap = parse_roadmap(PATH, content)
    for task in roadmap.tasks[:: max(1, len(roadmap.tasks) // _A_FILE)]:
        check_toggle(roadmap, task.key, done=task.checked)
        check_replace(roadmap, task.key)


def check_toggle(roadmap: Roadmap, key: str, *, done: bool) -> None:
    content = roadmap.content
    there, back = (untick_all, tick_all) if done else (tick_all, untick_all)
    changed = there(PATH, content, [key])
    differ = [at for at, (a, b) in enumerate(zip(content, changed, strict=True)) if a != b]
    assert len(differ) == 1
    restored = back(PATH, changed, [key])
    assert restored.replace(b"[X]", b"[x]") == content.replace(b"[X]", b"[x]")


def _edited(roadmap: Roadmap, task: Task, news: list[NewTask]) -> bytes | None:
    """Replace a task; None where that has to be refused."""
    equal = any(t.text == task.text and t.place.line > task.place.line for t in roadmap.tasks)
    if task.checked or task.kind != "work" or equal:
        with suppress(EditRefused):
            return replace_task(PATH, roadmap.content, task.key, news, audit=AUDIT)
        return None
    return replace_task(PATH, roadmap.content, task.key, news, audit=AUDIT)


def check_replace(roadmap: Roadmap, key: str) -> None:
    [task] = [task for task in roadmap.tasks if task.key == key]
    texts = ("Write `src/part_one.py` for this", "Write the tests of part one")
    names = propose_ids(roadmap, task, len(texts))
    news = [NewTask(text, name) for text, name in zip(texts, names, strict=True)]
    after = _edited(roadmap, task, news)
    if after is None:
        return
    old, new = lines_of(roadmap.content), lines_of(after)
    behind = old[task.place.end_line :]
    assert new[: task.place.line - 1] == old[: task.place.line - 1]
    assert new[len(new) - len(behind) :] == behind
    assert len(parse_roadmap(PATH, after).tasks) == len(roadmap.tasks) + 1


def test_the_collection_is_there() -> None:
    """The files are found."""
    assert len(COLLECTION) >= 20
