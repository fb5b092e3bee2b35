"""One set of words for how things stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from app.store.runs import Status as StoredStatus
from runner.files.decisions import State
from runner.graph import GRAPH
from runner.state.findings import Level
from runner.state.run_state import Status
from runner.state.status_words import (
    CHECKS,
    OUTCOMES,
    PROPOSALS,
    RUNS,
    STEPS,
    TASKS,
    task_word,
    tone_of,
)

ROOT = Path(__file__).parents[3]
SOURCES = [
    path
    for room in ("app", "handlers", "runner")
    for path in (ROOT / room).rglob("*.py")
    if "verify" not in path.parts  # where the words of other tools are read
]
NAMES = {*map(str, Status), *(s.name for s in Status), *RUNS, *CHECKS, *OUTCOMES, *PROPOSALS}
ORDERS = {("app/store/runs.py", "cancelling")}
"""A map from a status to what is to be done about it, which is neither a word nor a sign."""


def test_every_status_has_its_word():
    """Of tasks, of runs on a server and on a checkout, and of levels."""
    levels = get_args(get_type_hints(Level)["result"])

    assert set(TASKS) == set(Status)
    assert set(RUNS) >= {*get_args(StoredStatus), *get_args(State)}
    assert set(CHECKS) == set(levels)


@pytest.mark.parametrize(
    ("status", "says"),
    [
        ("running", "is running"),
        ("waiting", "is waiting"),
        ("ended", "has ended"),
        ("refused", "was not started"),
        ("cancelled", "was cancelled"),
    ],
)
def test_a_run_in_a_sentence(status, says):
    """The same words follow the name of a run wherever it is told."""
    assert RUNS[status].sentence == says


def test_every_node_has_its_words():
    """Pages say what Cairn does, not what the loop calls it."""
    assert set(STEPS) == set(GRAPH)


def test_a_task_in_words():
    """No status shows the underscore that programs read."""
    assert task_word("awaiting_approval") == "awaiting approval"
    assert not [word.text for word in TASKS.values() if "_" in word.text]


def test_each_status_has_a_colour_that_the_pages_know():
    """What the style sheet paints are the tones, not the statuses."""
    sheet = (ROOT / "app/pages/static/pages.css").read_text()

    for status in (*Status, *RUNS):
        tone = tone_of(str(status))
        assert tone == "other" or f".status.{tone} " in sheet


def _maps(path: Path) -> Iterator[str]:
    """The first status of each map from several statuses to texts."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Dict):
            continue
        named = [
            _name(key)
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(value, ast.Constant | ast.JoinedStr | ast.Tuple | ast.Call)
            and not (isinstance(value, ast.Constant) and not isinstance(value.value, str))
        ]
        found = [name for name in named if name in NAMES]
        if len(found) > 1 and len(found) == len(node.keys):
            yield found[0]


def _name(key: ast.expr | None) -> object:
    if isinstance(key, ast.Attribute):
        return key.attr
    return key.value if isinstance(key, ast.Constant) else None


def test_no_other_module_maps_statuses_to_words():
    """A second map would soon say something else."""
    found = {
        (str(path.relative_to(ROOT)), first)
        for path in SOURCES
        if path.stem != "status_words"
        for first in _maps(path)
    }

    assert found == ORDERS
