"""Our parser against two others, for every file of the collection: lines, states, depth, text."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.roadmap.lint import PARSED
from runner.roadmap.lint.rules import RULES
from runner.roadmap.parse import parse_roadmap
from tests.runner.roadmap.references import Seen, by_cmark, by_markdown_it, ours

FILES = sorted((Path(__file__).parents[2] / "data/roadmaps").glob("*.md"))
NAMES = [path.name for path in FILES]

Lines = dict[int, str]
QUOTED = "a quoted task is left out, and told"
NAMED = "cmark takes any [x] on the line for the state; a tick changes the box alone"

NOT_CMARK: dict[str, Lines] = {
    "seed-sections.md": {27: NAMED},
    "boxes-named-in-text.md": {3: NAMED, 4: NAMED},
}
"""Lines on which we and cmark-gfm differ, and why that is meant."""
NOT_MARKDOWN_IT: dict[str, Lines] = {
    "structure-quotes.md": {5: QUOTED, 6: QUOTED, 9: QUOTED},
}
"""The same for markdown-it-py."""


def differing(one: list[Seen], other: list[Seen]) -> set[int]:
    """Lines on which two readings do not say the same."""
    return {seen[0] for seen in set(one) ^ set(other)}


@pytest.fixture(params=FILES, ids=NAMES)
def file(request: pytest.FixtureRequest) -> Path:
    """One file of the collection."""
    path: Path = request.param
    return path


def test_the_collection_is_large() -> None:
    """There are files of every kind of trap, the styles of the five seeds among them."""
    assert len(FILES) >= 40
    assert len([name for name in NAMES if name.startswith("seed-")]) == 5


def test_as_cmark_reads_it(file: Path) -> None:
    """GitHub's parser shows the same boxes, but for the lines that are listed with the reason."""
    content = file.read_bytes()
    found = differing(ours(parse_roadmap(file.name, content)), by_cmark(content))

    assert found == set(NOT_CMARK.get(file.name, {}))


def test_as_markdown_it_reads_it(file: Path) -> None:
    """markdown-it's rule for task lists finds the same, but for the lines that are listed."""
    content = file.read_bytes()
    found = differing(ours(parse_roadmap(file.name, content)), by_markdown_it(content))

    assert found == set(NOT_MARKDOWN_IT.get(file.name, {}))


def test_bytes_and_keys(file: Path) -> None:
    """The content is kept as it is, keys tell all tasks apart, and every warning is documented."""
    content = file.read_bytes()
    roadmap = parse_roadmap(file.name, content)

    assert roadmap.content == content
    assert len({task.key for task in roadmap.tasks}) == len(roadmap.tasks)
    assert {warning.code for warning in roadmap.warnings} <= {*PARSED, *(r.code for r in RULES)}


def test_warnings_point_into_the_file(file: Path) -> None:
    """Lines and columns of warnings, candidates and sections are places of the file."""
    roadmap = parse_roadmap(file.name, file.read_bytes())
    last = roadmap.content.count(b"\n") + roadmap.content.count(b"\r") + 1

    assert all(1 <= w.line <= last and w.column >= 1 for w in roadmap.warnings)
    assert all(1 <= c.line <= c.end_line <= last for c in roadmap.candidates)
    assert all(1 <= s.line <= s.end_line <= last for s in roadmap.sections)
