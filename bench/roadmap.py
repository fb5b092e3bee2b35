"""A roadmap of 10,000 tasks: read, and whether time and memory grow with the file."""

from __future__ import annotations

import tracemalloc
from collections.abc import AsyncIterator
from functools import partial
from math import sqrt
from pathlib import Path

from markdown_it import MarkdownIt

from bench.finding import Finding, Line, Peer
from bench.timing import medians
from runner.roadmap.parse import parse_roadmap

NAME = "ROADMAP.md"
_ROUNDS = 3
_SECTION = 20
_TASKS = 10_000
_MOST = 3.0
_DOUBLING = 2.4
"""What twice the tasks may take: what is linear takes 2, and on a busy machine times vary."""


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """Parse against markdown-it-py alone; 20,000 tasks against 5,000, as two doublings."""
    half, whole, double = (written(_TASKS * times // 2) for times in (1, 2, 4))
    full = detailed(_TASKS)
    parser = MarkdownIt("commonmark")
    found = medians(
        _ROUNDS,
        parse=partial(parse_roadmap, NAME, whole),
        alone=partial(parser.parse, whole.decode()),
        full=partial(parse_roadmap, NAME, full),
        full_alone=partial(parser.parse, full.decode()),
        half=partial(parse_roadmap, NAME, half),
        half_alone=partial(parser.parse, half.decode()),
        double=partial(parse_roadmap, NAME, double),
        double_alone=partial(parser.parse, double.decode()),
    )
    yield _against(f"parse {_TASKS:,} tasks", found["parse"], found["alone"])
    yield _against("the same with checks, fields and code", found["full"], found["full_alone"])
    alone = sqrt(found["double_alone"] / found["half_alone"])
    yield _growth("time of twice the tasks", sqrt(found["double"] / found["half"]), alone)
    small, large = _peak(half), _peak(double)
    yield _growth("memory of twice the tasks", sqrt(large / small))
    yield Finding(what="memory of one task, at the peak", value=large / _TASKS / 2048, unit="kB")


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


def detailed(tasks: int) -> bytes:
    """A roadmap with all a parser looks for: fields, checks, dependencies, code, emoji, tables."""
    lines = ["# Roadmap"]
    for n in range(tasks):
        phase, number = n // _SECTION + 1, n % _SECTION + 1
        if number == 1:
            lines += [
                "",
                f"## ✅ Phase {phase}: Core",
                "",
                f"**Depends on**: Phase {phase - 1}",
                "",
            ]
            lines += ["| part | status |", "|---|---|", "| reader | ⏳ |", ""]
            lines += ["```python", "# - [ ] no task", "```", "", "**Tasks**:", ""]
        lines.append(f"- [ ] **{phase}.{number} Add** `src/module_{n}.py` (~2 hours)")
        if number == _SECTION:
            lines += ["", "**Success Criteria**:", "", "- [ ] all tests pass", "- [~] half"]
        elif n % 2:
            lines += [f"  - **Depends on**: {phase}.{number - 1}", "  - Acceptance: it returns 0"]
    return "\n".join(lines).encode()


def _peak(content: bytes) -> float:
    """The most bytes that one parse holds at a time, its result included."""
    parse_roadmap.cache_clear()
    tracemalloc.start()
    try:
        parse_roadmap(NAME, content)
        return float(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


def _against(what: str, ours: float, alone: float) -> Finding:
    return Finding(
        what=what,
        value=ours,
        unit="s",
        peer=Peer(what="markdown-it-py", value=alone),
        goal=f"ratio <= {_MOST:g}",
        ok=ours <= _MOST * alone,
    )


def _growth(what: str, grown: float, alone: float | None = None) -> Finding:
    return Finding(
        what=what,
        value=grown,
        unit="times",
        peer=Peer(what="markdown-it-py", value=alone) if alone else None,
        goal=f"<= {_DOUBLING:g}",
        ok=grown <= _DOUBLING,
    )
