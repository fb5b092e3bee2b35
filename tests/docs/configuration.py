"""The keys of ``.github/cairn.yml`` as a table, from its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from runner.config import config_schema

_UNITS = {20: "m", 30: "g"}


def configuration() -> str:
    """Return a Markdown table of every key: default, what it may be, what it does."""
    schema = config_schema()
    head = ["| key | default | values | what it does |", "|---|---|---|---|"]
    return "\n".join([*head, *_rows("", schema, schema.get("$defs", {}))])


def _rows(prefix: str, group: dict[str, Any], known: dict[str, Any]) -> Iterator[str]:
    for name, key in group["properties"].items():
        below = known.get(str(key.get("$ref", "")).rpartition("/")[2])
        if below and "properties" in below:
            yield from _rows(f"{prefix}{name}.", below, known)
        else:
            cells = (f"`{prefix}{name}`", _default(key), _values(key), key["description"])
            yield f"| {' | '.join(cells)} |"


def _default(key: dict[str, Any]) -> str:
    value = key.get("default")
    if value in (None, [], ""):
        return "none"
    if "anyOf" in key and isinstance(value, int):
        shift = max((bits for bits in _UNITS if value % (1 << bits) == 0), default=0)
        return f"`{value >> shift}{_UNITS.get(shift, '')}`"
    return f"`{json.dumps(value).strip(chr(34))}`"


def _values(key: dict[str, Any]) -> str:
    if "enum" in key:
        return ", ".join(f"`{value}`" for value in key["enum"])
    if "anyOf" in key:
        kinds = [each for each in key["anyOf"] if each.get("type") != "null"]
        return _values(kinds[0]) if len(kinds) == 1 else "bytes, or like `512m`"
    low, high = key.get("minimum"), key.get("maximum")
    kind = str(key.get("type", ""))
    if low is not None and high is not None:
        return f"{low} … {high}"
    return {"array": "a list", "boolean": "`true`, `false`", "string": "text"}.get(kind, kind)
