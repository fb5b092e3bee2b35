"""The events for an operator's own systems, from their types: a page's tables and a JSON Schema."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from runner.money import Usage
from runner.state.events import Event
from runner.state.findings import Verification
from runner.state.outward import ENVELOPE, OUTWARD, VERSION, EventField, event_name

_OF_USAGE: Final = (
    EventField("tokens", (int,), "Tokens {}."),
    EventField("cost", (float, type(None)), "USD {}; null if a price is unknown."),
    EventField("seconds", (float,), "Seconds {}."),
)
_OF_VERIFICATION: Final = (
    EventField("passed", (bool,), "Whether no failure counts against the change."),
    EventField("by_tests", (bool,), "Whether it passed and tests ran."),
)

_KINDS = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}


def event_fields(kind: type[Event]) -> Iterator[EventField]:
    """The fields that a type of event has beside those of all."""
    hints = get_type_hints(kind, include_extras=True)
    for each in dataclasses.fields(kind)[2:]:
        hint = hints[each.name]
        annotated = get_origin(hint) is Annotated
        bare, what = get_args(hint)[:2] if annotated else (hint, "")
        if bare is Usage:
            yield from (dataclasses.replace(f, what=f.what.format(what)) for f in _OF_USAGE)
        elif bare is Verification:
            yield from _OF_VERIFICATION
        else:
            yield EventField(each.name, get_args(bare) or (bare,), what)


def events() -> str:
    """Return a Markdown table of the fields of every event, and a section for each type."""
    return "\n\n".join(["\n".join(_table(ENVELOPE)), *_sections()])


def events_schema() -> dict[str, Any]:
    """Return the JSON Schema of an event."""
    one_of = []
    for kind in OUTWARD:
        fields = [*ENVELOPE, *event_fields(kind)]
        known = {each.name: _type(each) | {"description": each.what} for each in fields}
        known["version"]["const"] = VERSION
        known["event"]["const"] = event_name(kind)
        one_of.append(
            {
                "title": event_name(kind),
                "description": _what(kind),
                "type": "object",
                "properties": known,
                "required": list(known),
            }
        )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An event of Cairn",
        "oneOf": one_of,
    }


def schema_text() -> str:
    """Return the JSON Schema as a file holds it."""
    return json.dumps(events_schema(), indent=2) + "\n"


def _sections() -> Iterator[str]:
    for kind in OUTWARD:
        table = "\n".join(_table(event_fields(kind)))
        yield f"#### `{event_name(kind)}`\n\n{_what(kind)}\n\n{table}"


def _what(kind: type) -> str:
    return " ".join((inspect.getdoc(kind) or "").split())


def _table(fields: Iterable[EventField]) -> Iterator[str]:
    yield from ("| field | type | what it is |", "|---|---|---|")
    for each in fields:
        kinds = " or ".join(_KINDS[kind] for kind in each.kinds)
        yield f"| `{each.name}` | {kinds} | {each.what} |"


def _type(each: EventField) -> dict[str, Any]:
    kinds = [_KINDS[kind] for kind in each.kinds]
    return {"type": kinds if len(kinds) > 1 else kinds[0]}
