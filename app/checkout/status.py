"""``cairn status``: the runs of this folder and what waits in them."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from app.checkout.asked import FOLDER
from app.checkout.runs import Kept, Waiting, parked, states
from app.checkout.text import NO_RUN, how_to_answer
from app.composition.checkout import kept_in
from app.terminal import any_encoding, one_line
from runner.adapters.file_runs import KnownRun
from runner.errors import PortError
from runner.report import table
from runner.state import RunState

MOST_RUNS = 10


def command(folder: Path, *, json: bool) -> int:
    """Print the newest runs; 2 when what they left cannot be read."""
    any_encoding()
    try:
        found = asyncio.run(_read(kept_in(folder / FOLDER)))
    except PortError as error:
        print(error.message, file=sys.stderr)
        return 2
    if json:
        print(jsonlib.dumps({"runs": [_object(*each) for each in found]}, ensure_ascii=False))
        return 0
    for text in _lines(found):
        print(text)
    return 0


Found = tuple[KnownRun, RunState, list[Waiting]]


async def _read(kept: Kept) -> list[Found]:
    found = await states(kept.runs.all()[:MOST_RUNS], kept)
    return [(run, state, list(parked(run, state, kept.inbox))) for run, state in found]


def _lines(found: list[Found]) -> Iterator[str]:
    if not found:
        yield NO_RUN
    for run, state, open_ in found:
        yield _heading(run, state)
        if run.reason:
            yield f"  {one_line(run.reason)}"
        for row in table(state) if (run, state, open_) == found[0] else ():
            yield f"  {row['status']:<18} {_named(row)}"
        for text in how_to_answer(open_):
            yield f"  {text}"
        if run.state in ("interrupted", "paused"):
            yield f"  To go on: cairn resume {run.id}"


def _heading(run: KnownRun, state: RunState) -> str:
    counts = ", ".join(f"{number} {status}" for status, number in _counts(state).items())
    began = datetime.fromtimestamp(run.began, UTC).isoformat(" ", "minutes")
    return f"{run.id}  {run.state}  {one_line(state.request.roadmap)}  {began[:16]} UTC  {counts}"


def _named(row: Mapping[str, object]) -> str:
    return one_line(f"{row['name']} {row['title']}")


def _counts(state: RunState) -> Counter[str]:
    return Counter(str(row["status"]).replace("_", " ") for row in table(state))


def _object(run: KnownRun, state: RunState, open_: list[Waiting]) -> dict[str, object]:
    return {
        "run": run.id,
        "state": run.state,
        "reason": run.reason,
        "until": run.until.isoformat() if run.until else None,
        "roadmap": state.request.roadmap,
        "began": datetime.fromtimestamp(run.began, UTC).isoformat(timespec="seconds"),
        "tasks": table(state),
        "proposals": [_proposal(each) for each in open_],
    }


def _proposal(each: Waiting) -> dict[str, object]:
    proposal = each.proposal
    return {
        "id": proposal.id,
        "task": proposal.task,
        "kind": proposal.kind,
        "strategy": proposal.strategy,
        "reason": proposal.reason,
        "explanation": proposal.explanation,
        "evidence": list(proposal.evidence),
        "tasks": [task.text for task in proposal.replacements],
        "decision": each.decision.verdict if each.decision else None,
    }
