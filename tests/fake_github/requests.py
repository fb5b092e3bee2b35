"""Is a request what GitHub's description says? Unknown fields count as mistakes here."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests.fake_github.spec import Operation, complaints, operation, resolve, validator

SPEC = "openapi-subset.json"


def read_query(found: Operation, given: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Query parameters in their described types, and what is wrong with them."""
    known = {p["name"]: p for p in found.parameters if p["in"] == "query"}
    values: dict[str, Any] = {}
    wrong = []
    for name, text in given.items():
        if name not in known:
            wrong.append(f"unknown query parameter {name!r}")
            continue
        values[name] = _typed(text, resolve(known[name]["schema"]))
        wrong += [
            f"query {name}: {c}" for c in complaints(_query_check(found.id, name), values[name])
        ]
    missing = [n for n, p in known.items() if p.get("required") and n not in given]
    return values, wrong + [f"query parameter {n!r} is missing" for n in missing]


@cache
def _query_check(identity: str, name: str) -> Any:
    found = next(p for p in operation(identity).parameters if p["name"] == name)
    return validator(SPEC, found["schema"])


def _typed(text: str, schema: dict[str, Any]) -> Any:
    kind = schema.get("type")
    if kind == "integer" and text.lstrip("-").isdigit():
        return int(text)
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return text


def body_complaints(found: Operation, body: Any) -> list[str]:
    """What is wrong with a JSON body (None: there was none)."""
    described = found.raw.get("requestBody")
    if described is None:
        return ["a body, but the operation takes none"] if body not in (None, {}) else []
    if body is None:
        return ["the body is missing"] if described.get("required") else []
    media = described.get("content", {}).get("application/json")
    if media is None:
        return []
    wrong = complaints(_body_check(found.id), body)
    return wrong + list(_unknown(media["schema"], body, "body"))


@cache
def _body_check(identity: str) -> Any:
    content = operation(identity).raw["requestBody"]["content"]
    return validator(SPEC, content["application/json"]["schema"])


def _variants(schema: dict[str, Any]) -> list[dict[str, Any]]:
    schema = resolve(schema)
    inner = [s for key in ("oneOf", "anyOf", "allOf") for s in schema.get(key, ())]
    return [schema, *(v for s in inner for v in _variants(s))]


def _unknown(schema: dict[str, Any], value: Any, place: str) -> list[str]:
    variants = _variants(schema)
    found: list[str] = []
    if isinstance(value, list):
        items = [v["items"] for v in variants if "items" in v]
        for at, item in enumerate(value):
            found += _unknown({"anyOf": items}, item, f"{place}/{at}") if items else []
    if isinstance(value, dict):
        known: dict[str, list[dict[str, Any]]] = {}
        for variant in variants:
            for name, inner in variant.get("properties", {}).items():
                known.setdefault(name, []).append(inner)
        for name, inner in value.items() if known else ():
            if name in known:
                found += _unknown({"anyOf": known[name]}, inner, f"{place}/{name}")
            else:
                found.append(f"{place}: unknown field {name!r}")
    return found
