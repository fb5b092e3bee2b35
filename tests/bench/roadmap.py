"""A roadmap of 10,000 tasks: read, ticked, and whether the time grows with the file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

from markdown_it import MarkdownIt

from runner.roadmap.edit import tick
from runner.roadmap.parse import parse_roadmap
from tests.bench.finding import Finding, Line, Peer
from tests.bench.timing import medians

NAME = "ROADMAP.md"
_ROUNDS = 3
_SECTION = 20


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """Parse against markdown-it-py alone, tick against parse, 10,000 tasks against 1,000."""
    large, small = written(10_000), written(1_000)
    parser = MarkdownIt("commonmark")
    last = parse_roadmap(NAME, large).tasks[-1].key
    found = medians(
        _ROUNDS,
        parse=partial(parse_roadmap, NAME, large),
        alone=partial(parser.parse, large.decode()),
        tick=partial(tick, NAME, large, last),
        small=partial(parse_roadmap, NAME, small),
        small_alone=partial(parser.parse, small.decode()),
    )
    yield _finding("parse 10,000 tasks", found["parse"], "markdown-it-py", found["alone"], 3)
    yield _finding("tick the last of them", found["tick"], "one parse", found["parse"], 2.2)
    growth = found["parse"] / found["small"] / 10
    yield Finding(
        what="10,000 tasks over 10 x 1,000",
        value=growth,
        unit="times",
        peer=Peer(what="markdown-it-py", value=found["alone"] / found["small_alone"] / 10),
        goal="<= 1.5",
        ok=growth <= 1.5,
    )


def written(tasks: int) -> bytes:
    """A roadmap with headings, ids, details and code spans."""
    lines = ["# Roadmap"]
    for n in range(tasks):
        if n % _SECTION == 0:
            lines += ["", f"## Phase {n // _SECTION + 1}", "", "Some words about the phase.", ""]
        lines.append(f"- [ ] {n // _SECTION + 1}.{n % _SECTION + 1} Add `src/module_{n}.py`")
        if n % 2:
            lines.append("  - it returns 0 for an empty list")
    return "\n".join(lines).encode()


def _finding(what: str, ours: float, name: str, theirs: float, most: float) -> Finding:
    return Finding(
        what=what,
        value=ours,
        unit="s",
        peer=Peer(what=name, value=theirs),
        goal=f"ratio <= {most}",
        ok=ours <= most * theirs,
    )
