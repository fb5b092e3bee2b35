"""Why tasks failed: sixty labelled by hand, by patterns alone and with a model's closed answer.

The labels were written before the patterns (tests/data/failures). The scripted model names the
label of whatever it is asked, so what is measured is how often the patterns are wrong, and how
much they leave to a model.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import yaml

from bench.finding import Finding, Line
from runner.recovery.classify import classify
from runner.recovery.facts import FailureFacts, facts_of
from runner.roadmap.parse import parse_roadmap
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint, Level, TestFailure, Verification
from runner.state.options import Options, Request, SandboxOptions
from runner.state.proposal import Reason
from runner.state.run_state import (
    Answered,
    Attempt,
    Checked,
    Failure,
    Plan,
    Planned,
    RunStack,
    RunState,
    Spent,
    VerifiedWork,
)

FOLDER = Path(__file__).parents[1] / "tests/data/failures"


@dataclass(frozen=True)
class Labelled:
    """A failure as it was seen, the reason a person gave it, and why."""

    id: str
    label: str
    why: str
    state: RunState
    facts: FailureFacts

    @property
    def by_patterns(self) -> str:
        """The reason by patterns, '' when they leave it to a model."""
        found = classify(self.facts)
        return found.reason if found else ""


def labelled() -> list[Labelled]:
    """Read the sixty failures."""
    guessed = (reason for reason in get_args(Reason) if reason != "already_done")
    return [case for reason in guessed for case in cases(reason)]


def cases(name: str) -> list[Labelled]:
    """Read the failures of one file; its name is their label."""
    entries = yaml.safe_load((FOLDER / f"{name}.yml").read_text("utf-8"))
    return [_labelled(entry, name) for entry in entries]


def near_misses() -> list[tuple[Labelled, list[str]]]:
    """Read what only looks like a reason, each with what may be said of it ('' for nothing)."""
    entries = yaml.safe_load((FOLDER / "near_misses.yml").read_text("utf-8"))
    return [(_labelled(e, ""), [word or "" for word in e["is"]]) for e in entries]


def held_out() -> list[Labelled]:
    """Read the failures that were never looked at while the patterns were written."""
    entries = yaml.safe_load((FOLDER / "held_out.yml").read_text("utf-8"))
    return [_labelled(entry, entry["is"]) for entry in entries]


def with_model(case: Labelled) -> str:
    """The reason when what is left to a model is answered as the person did."""
    return case.by_patterns or case.label


def state_of(entry: dict[str, Any]) -> RunState:
    """A run whose task in hand failed as the entry tells."""
    roadmap = parse_roadmap("ROADMAP.md", entry["roadmap"].encode())
    named = str(entry["task"])
    found = [t for t in roadmap.tasks if named in (t.id, t.text)]
    assert len(found) == 1, (named, [(t.id, t.text) for t in roadmap.tasks])
    task = found[0]
    complaints = tuple(Complaint(**{"path": "", **c}) for c in entry.get("complaints", ()))
    plan = Plan(**{"acceptance": (), **entry["plan"]}) if "plan" in entry else None
    attempt = Attempt(
        task=task.key,
        base="0" * 40,
        below="main",
        failure=Failure(**entry["failure"]) if "failure" in entry else None,
        planned=Planned(plan=plan),
        answered=Answered(
            answers=entry.get("answers", 1),
            changes=ChangeSet({p: Write(b"x") for p in entry.get("changed", ())}),
            avoid=tuple(entry.get("avoid", ())),
        ),
        checked=Checked(complaints=complaints),
        tested=VerifiedWork(verification=_verification(entry)),
        spent=Spent(path=("verify_task",), reasons=tuple(entry.get("reasons", ()))),
    )
    setup = (("pip", "install", "-r", "requirements.txt"),) if entry.get("setup") else ()
    state = RunState(
        Request("r1", options=Options(sandbox=SandboxOptions(setup=setup))),
        "classify_failure",
        roadmap,
        RunStack(tip="0" * 40, branch="main"),
        current=task.key,
    )
    return state.put(attempt)


def _labelled(entry: dict[str, Any], label: str) -> Labelled:
    state = state_of(entry)
    facts = facts_of(state, entry["paths"], entry.get("manifests", {}))
    return Labelled(entry["id"], label, entry.get("why", ""), state, facts)


def _verification(entry: dict[str, Any]) -> Verification | None:
    failures = tuple(TestFailure(**failure) for failure in entry.get("failures", ()))
    if not failures and "output" not in entry:
        return None
    level = Level(
        "tests",
        "failed",
        exit_code=entry.get("exit_code", 1),
        output=entry.get("output", ""),
        reason=entry.get("reason", ""),
        failures=failures,
    )
    return Verification("t", (level,))


def shares(cases: list[Labelled]) -> tuple[float, float]:
    """(right with a model, right without a model call), as shares of all."""
    right = sum(with_model(case) == case.label for case in cases)
    alone = sum(case.by_patterns == case.label for case in cases)
    return right / len(cases), alone / len(cases)


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """How many of the sixty are right with a model, and how many without asking one."""
    found = labelled()
    right, alone = shares(found)
    what = f"{len(found)} labelled failures classified right"
    yield Finding(what=what, value=right, unit="", goal=">= 0.9", ok=right >= 0.9)
    yield Finding(
        what="of them without a model call", value=alone, unit="", goal=">= 0.6", ok=alone >= 0.6
    )
    others = held_out()
    right, alone = shares(others)
    yield Finding(what=f"of {len(others)} never looked at before, right", value=right, unit="")
    yield Finding(what="of them without a model call", value=alone, unit="")
    fits = [case.by_patterns in may for case, may in near_misses()]
    yield Finding(
        what=f"{len(fits)} near misses not taken in", value=sum(fits) / len(fits), unit=""
    )
