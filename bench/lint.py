"""The lint on forty tasks labelled by hand: how much of what it says is right, and what it misses.

Whether a task is vague or too large is a judgement; the labels were written before the rules.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import yaml

from app.roadmap.view import print_roadmap, roadmap_json
from bench.finding import Finding, Line, Peer
from bench.roadmap import NAME, written
from bench.timing import medians
from runner.roadmap.lint import lint
from runner.roadmap.parse import parse_roadmap

TASKS = Path(__file__).parents[1] / "tests/data/lint/tasks.yml"
_ROUNDS = 3
_SHOWN = 3_300


@dataclass(frozen=True, slots=True)
class Labelled:
    """A task as a person wrote it, and the codes a careful reviewer gave it."""

    text: str
    under: tuple[str, ...]
    codes: frozenset[str]
    why: str

    @property
    def codes_found(self) -> frozenset[str]:
        """The codes the lint gives it, in a file of its own."""
        headings = [f"{'#' * level} {name}" for level, name in enumerate(self.under, 2)]
        file = "\n\n".join(["# Roadmap", *headings, self.text])
        return frozenset(w.code for w in lint(parse_roadmap(NAME, file.encode())))


def labelled(path: Path = TASKS) -> list[Labelled]:
    """Read the labelled tasks."""
    return [_labelled(entry) for entry in yaml.safe_load(path.read_text("utf-8"))]


def _labelled(entry: dict[str, Any]) -> Labelled:
    under = tuple(entry.get("under", ["Work"]))
    return Labelled(entry["text"], under, frozenset(entry["codes"]), entry["why"])


def precision(tasks: list[Labelled]) -> float:
    """The share of what is said that a reviewer said too."""
    findings = [(task, code) for task in tasks for code in task.codes_found]
    return sum(code in task.codes for task, code in findings) / len(findings) if findings else 1.0


def recall(tasks: list[Labelled]) -> float:
    """The share of what a reviewer said that is said."""
    wanted = [(task, code) for task in tasks for code in task.codes]
    return sum(code in task.codes_found for task, code in wanted) / len(wanted)


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """Precision and recall on the labelled tasks, and the time of lint and show for many tasks."""
    tasks = labelled()
    right = precision(tasks)
    what = f"precision of the lint on {len(tasks)} labelled tasks"
    yield Finding(what=what, value=right, unit="", goal=">= 0.9", ok=right >= 0.9)
    yield Finding(what="recall on the same", value=recall(tasks), unit="")
    large = parse_roadmap(NAME, written(10_000))
    found = medians(
        _ROUNDS,
        lint=partial(lint, large),
        parse=partial(parse_roadmap, NAME, large.content),
    )
    yield Finding(
        what="lint 10,000 tasks",
        value=found["lint"],
        unit="s",
        peer=Peer(what="parse", value=found["parse"]),
    )
    yield _shown()


def _shown() -> Finding:
    """How long ``show`` takes to print many tasks, beside its ``--json``."""
    content = written(_SHOWN)
    took = medians(
        _ROUNDS,
        table=partial(_show, content, as_json=False),
        json=partial(_show, content, as_json=True),
    )
    return Finding(
        what=f"show {_SHOWN:,} tasks",
        value=took["table"],
        unit="s",
        goal="<= 1.5 x --json",
        ok=took["table"] <= 1.5 * took["json"],
        peer=Peer(what="--json", value=took["json"]),
    )


def _show(content: bytes, *, as_json: bool) -> None:
    """What the command does: read the file, print all of it."""
    roadmap = parse_roadmap(NAME, content)
    with redirect_stdout(StringIO()) as printed:
        if as_json:
            print(json.dumps(roadmap_json(roadmap), ensure_ascii=False, indent=2))
        else:
            print_roadmap(roadmap)
    assert printed.getvalue()
