"""What the operator's own systems hear: events as versioned JSON, by webhook or in a file.

A field may be added at any time. A field that is renamed, removed or means something else makes a
new ``VERSION``. ``docs/operations.md`` is made from these types.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from runner.money import Usage
from runner.state.events import (
    BudgetReserved,
    CheckpointMerged,
    CheckpointPublished,
    Event,
    NodeFinished,
    ProposalDecided,
    ProposalMade,
    RunChanged,
    RunQueued,
    TaskChanged,
    Verified,
)
from runner.state.findings import Verification

VERSION: Final = 1
LONGEST: Final = 2_000
"""Characters of one text."""

OUTWARD: Final[tuple[type[Event], ...]] = (
    RunQueued,
    RunChanged,
    NodeFinished,
    Verified,
    BudgetReserved,
    TaskChanged,
    ProposalMade,
    ProposalDecided,
    CheckpointPublished,
    CheckpointMerged,
)


@dataclass(frozen=True, slots=True)
class EventField:
    """A field of the JSON: its name, what a value may be, and what it is."""

    name: str
    kinds: tuple[type, ...]
    what: str


ENVELOPE: Final = (
    EventField("version", (int,), f"The version of this format: {VERSION}."),
    EventField("id", (str,), "Identifies the event. If it is sent again, its id is the same."),
    EventField("event", (str,), "What happened; see below."),
    EventField("at", (str,), "When it was reported: UTC, ISO 8601."),
    EventField("repository", (str,), "`owner/name`; on a checkout the folder's name."),
    EventField("run", (str,), "The run's id; empty if it is about no run."),
    EventField("task", (str,), "The task's name; empty if it is about no single task."),
)


@dataclass(frozen=True, slots=True)
class OutwardEvent:
    """An event that is ready to be sent; ``fields`` are all of its JSON."""

    id: str
    run: str
    name: str
    fields: Mapping[str, object]


def event_name(kind: type[Event]) -> str:
    """The name of a type of event: ``TaskChanged`` is ``task_changed``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def values_of(event: Event) -> dict[str, object]:
    """The values of an event's own fields."""
    found: dict[str, object] = {}
    for each in dataclasses.fields(event)[2:]:
        value = getattr(event, each.name)
        match value:
            case Usage():
                seconds = round(value.seconds, 3)
                found |= {"tokens": value.tokens, "cost": value.known_cost, "seconds": seconds}
            case Verification():
                found |= {"passed": value.passed, "by_tests": value.verified}
            case _:
                found[each.name] = value
    return found


def lasting_id(event: Event, repository: str) -> str:
    """The id of an event that can be told again from what is kept; '' for all others."""
    match event:
        case RunQueued():
            what: tuple[object, ...] = ()
        case RunChanged(status="ready"):
            what = (event.status,)
        case TaskChanged():
            what = (event.attempt, event.status)
        case ProposalMade():
            what = (event.attempt, event.proposal)
        case ProposalDecided():
            what = (event.attempt, event.proposal, event.verdict, event.by)
        case CheckpointPublished():
            what = (event.attempt, event.commit)
        case CheckpointMerged():
            what = (repository, event.number)
        case _:
            return ""
    told = "\0".join(map(str, (event_name(type(event)), event.run, event.task, *what)))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def outward(
    event: Event, *, id: str, at: str, repository: str, task: str, mask: Callable[[str], str]
) -> OutwardEvent:
    """Return what is sent about an event; ``task`` is what people call its task."""
    name = event_name(type(event))
    head = (VERSION, id, name, at, repository, event.run, task)
    fields = dict(zip((each.name for each in ENVELOPE), head, strict=True)) | values_of(event)
    safe = {k: mask(v)[:LONGEST] if isinstance(v, str) else v for k, v in fields.items()}
    return OutwardEvent(id, event.run, name, safe)
