"""What is true after every scenario: bounds, valid files, agreeing reports, words of the log."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import pairwise
from typing import Any

import yaml

from runner.graph import GRAPH
from runner.loop.strategy import MAX_CALLS, MAX_REPAIRS
from runner.state.run_state import Status
from tests.scenarios.left_behind import miscounted
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import Scenario

MOST_STEPS = 4 * (MAX_CALLS + 1) + 8
"""An answer is asked for, validated, written and tested; before and after come a few nodes."""

_PARSERS: Mapping[str, Callable[[str], object]] = {
    ".py": ast.parse,
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".yml": yaml.safe_load,
    ".yaml": yaml.safe_load,
}
_BOX = re.compile(r"^\s*- \[(?P<box>[ x])\] (?P<id>[\d.]+) ", re.MULTILINE)


def check_always(left: Left, scenario: Scenario) -> None:
    """Check what every scenario promises."""
    for iteration in left.files("iteration"):
        assert within_bounds(iteration) == []
    assert list(invalid_files(left, scenario.broken)) == []
    assert list(disagreements(left)) == []
    assert [words for words in words_of(left) if words not in said_by(left)] == []


def within_bounds(iteration: Mapping[str, Any]) -> list[str]:
    """What an attempt did more often than it may, and steps its graph does not have."""
    path = iteration["path"]
    follows = {node: set(edges.values()) for node, edges in GRAPH.items()}
    found = [f"{a}→{b}" for a, b in pairwise(path) if b not in follows[a]]
    parked = {"await_approval→await_approval"}  # decide_next, between them, is the run's own
    bounds = {"answers": MAX_CALLS + 1, "code_repairs": MAX_REPAIRS, "test_repairs": MAX_REPAIRS}
    found += [
        f"{name}: {iteration[name]}" for name, most in bounds.items() if iteration[name] > most
    ]
    found += [f"{len(path)} steps"] if len(path) > MOST_STEPS else []
    return [each for each in found if each not in parked]


def invalid_files(left: Left, broken: frozenset[str]) -> Iterator[str]:
    """Files that do not parse in any commit, or in any workspace in which code was started."""
    first, *others = left.commits
    before = left.at(first)
    written = [
        (f"{c}:{path}", path, text) for c in others for path, text in left.written(c).items()
    ]
    for copy in left.seen.iterdir():
        files = [file for file in copy.rglob("*") if file.is_file()]
        written += [(str(f), f.relative_to(copy).as_posix(), f.read_bytes()) for f in files]
    for place, path, content in written:
        untouched = path in broken and before.get(path) == content
        if not untouched and not _parses(path, content):
            yield place


def _parses(path: str, content: bytes) -> bool:
    parser = next((parse for end, parse in _PARSERS.items() if path.endswith(end)), None)
    try:
        return parser is None or parser(content.decode()) is not Ellipsis
    except (SyntaxError, ValueError, yaml.YAMLError):
        return False


def disagreements(left: Left) -> Iterator[str]:
    """What the report, the list of tasks, the roadmap and the clock do not say alike."""
    report = left.report
    if report["tasks"].keys() != {"total", *map(str, Status)}:
        yield f"report.json counts {list(report['tasks'])}"
    yield from miscounted(report["tasks"], left.todos)
    start, end = (datetime.fromisoformat(report[f"{at}_at"]) for at in ("started", "completed"))
    if report["duration_seconds"] > (end - start).total_seconds() + 1:
        yield f"{report['duration_seconds']} s of work are more than {start} to {end}"
    if not 0 <= report["success_rate"] <= 1:
        yield f"success rate {report['success_rate']}"
    boxes = {
        box["id"]: box["box"] == "x" for box in _BOX.finditer(left.tree["ROADMAP.md"].decode())
    }
    for todo in (each for each in left.todos if each["status"] != "replaced"):
        ticked = boxes.get(todo["id"], False)
        if ticked != (todo["status"] in ("completed", "in_review")):
            yield f"{todo['id']} is {todo['status']}, its box {'ticked' if ticked else 'open'}"


def words_of(left: Left) -> Iterator[str]:
    """The lines people grep for (docs/design.md, "Log lines"), as the attempts ask for them."""
    names = {todo["key"]: todo["id"] for todo in left.todos}
    for each in left.files("iteration"):
        name = names.get(each["task"])
        yield f"Executing task [{name}]"
        if "plan_task" in each["path"]:
            yield f"Planning task [{name}]"
        for number in range(each["code_repairs"]):
            yield f"Repairing code (attempt {number + 1}/2)"
        for number in range(each["test_repairs"]):
            yield f"Test repair attempt {number + 1}/2"
        if each["attempt"] > 1:
            yield f"Retrying deferred task: {name}"
        if "classify_failure" in each["path"]:
            if each["code_repairs"] or each["test_repairs"]:
                yield "Max repairs exceeded, classifying failure"
            yield f"Classified failure: {each['error']['reason'].upper()}"
        if each["outcome"] == "deferred":
            yield f"Deferring task: {name} ({each['error']['reason'].upper()})"
    for strategy in left.report["recoveries"]["by_strategy"]:
        yield f"Recovery strategy: {strategy.upper()}"


def said_by(left: Left) -> frozenset[str]:
    """The lines of the log."""
    return frozenset(left.log)
