"""GitHub's own descriptions as checks: operations, examples, webhook schemas.

The files are OpenAPI 3.0; JSON Schema tools need ``nullable`` turned into a null type first.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

DATA = Path(__file__).parents[1] / "data" / "github"
SLASHED = {"path", "ref", "basehead", "branch", "name"}
# The description asks that whoever owns an installation is a user and an enterprise at once
_CORRECTED = {
    "apps/list-installations": {
        "type": "array",
        "items": {"$ref": "#/components/schemas/installation"},
    }
}
OPAQUE = {"example", "examples", "default", "enum", "x-github", "discriminator"}


@dataclass(frozen=True)
class Operation:
    """One operation of the description. ``permission`` is the ``any_of`` of app-permissions."""

    method: str
    template: str
    id: str
    pattern: re.Pattern[str]
    raw: dict[str, Any] = field(repr=False)
    parameters: tuple[dict[str, Any], ...] = field(repr=False)
    permission: tuple[Any, ...] = ()


@cache
def load(name: str) -> Any:
    """Read a data file (the answer is shared: copy before changing)."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def convert(node: Any, urn: str) -> Any:
    """Turn an OpenAPI 3.0 schema into JSON Schema with references to the document ``urn``."""
    if isinstance(node, list):
        return [convert(item, urn) for item in node]
    if not isinstance(node, dict):
        return node
    done = {k: v if k in OPAQUE else convert(v, urn) for k, v in node.items() if k != "nullable"}
    if isinstance(done.get("$ref"), str):
        done = {"$ref": done["$ref"].replace("#/", f"{urn}#/", 1)}
    return _nullable(done) if node.get("nullable") is True else done


def _nullable(node: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(node.get("type"), str):
        return {"anyOf": [node, {"type": "null"}]}
    node["type"] = [node["type"], "null"]
    if "enum" in node and None not in node["enum"]:
        node["enum"] = [*node["enum"], None]
    return node


@cache
def _registry(name: str) -> jsonschema_rs.Registry:
    urn = f"urn:{name}"
    schemas = convert(load(name)["components"]["schemas"], urn)
    return jsonschema_rs.Registry([(urn, {"components": {"schemas": schemas}})])


def validator(name: str, schema: dict[str, Any]) -> Any:
    """Compile a schema that stands in the data file ``name``."""
    return jsonschema_rs.Draft202012Validator(
        convert(schema, f"urn:{name}"), registry=_registry(name), validate_formats=False
    )


def complaints(check: Any, value: Any) -> list[str]:
    """Say what is wrong with ``value``, at most three things, each with its place."""
    found = []
    for error in check.iter_errors(value):
        place = "/".join(str(step) for step in error.instance_path) or "(top)"
        found.append(f"{place}: {error.message[:300]}")
    return found[:3]


def resolve(node: dict[str, Any], name: str = "openapi-subset.json") -> dict[str, Any]:
    """Follow ``$ref`` within the data file ``name``."""
    while "$ref" in node:
        target: Any = load(name)
        for step in node["$ref"][2:].split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def _pattern(template: str, parameters: tuple[dict[str, Any], ...]) -> re.Pattern[str]:
    numbers = {p["name"] for p in parameters if resolve(p["schema"]).get("type") == "integer"}

    def part(match: re.Match[str]) -> str:
        name = match[1]
        body = r"\d+" if name in numbers else ".+" if name in SLASHED else "[^/]+"
        return f"(?P<{name}>{body})"

    return re.compile(re.sub(r"\\\{(\w+)\\\}", part, re.escape(template)) + r"\Z")


@cache
def operations() -> tuple[Operation, ...]:
    """All operations, those with more literal steps first, so that literals win."""
    permissions = load("app-permissions.json")["operations"]
    found = []
    for template, methods in load("openapi-subset.json")["paths"].items():
        for method, raw in methods.items():
            parameters = tuple(resolve(p) for p in raw.get("parameters", ()))
            allowed = tuple(permissions.get(f"{method.upper()} {template}", {}).get("any_of", ()))
            pattern = _pattern(template, tuple(p for p in parameters if p["in"] == "path"))
            found.append(
                Operation(
                    method.upper(), template, raw["operationId"], pattern, raw, parameters, allowed
                )
            )
    return tuple(sorted(found, key=_literals, reverse=True))


def _literals(operation: Operation) -> int:
    return sum("{" not in step for step in operation.template.split("/"))


@cache
def operation(identity: str) -> Operation:
    """The operation with this operationId. Raises ``StopIteration`` when there is none."""
    return next(o for o in operations() if o.id == identity)


def find(method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
    """The operation that serves a raw path, with its decoded path parameters."""
    for candidate in operations():
        match = candidate.pattern.match(path) if candidate.method == method else None
        if match:
            return candidate, {k: unquote(v) for k, v in match.groupdict().items()}
    return None


@cache
def example(identity: str, status: str = "200", name: str = "") -> str:
    """GitHub's own example of an answer, as JSON text (so that nobody changes it)."""
    response = resolve(operation(identity).raw["responses"][status])
    examples = response["content"]["application/json"]["examples"]
    chosen = resolve(examples[name] if name else next(iter(examples.values())))
    return json.dumps(chosen["value"])


@cache
def response_check(identity: str, status: str) -> Any | None:
    """The check of a JSON answer; None where the description says nothing of this status."""
    raw = operation(identity).raw["responses"].get(status)
    content = resolve(raw).get("content", {}) if raw else {}
    media = content.get("application/json")
    schema = _CORRECTED.get(identity) or (media and media["schema"])
    return validator("openapi-subset.json", schema) if schema else None


@cache
def webhook_check(event: str, action: str | None) -> Any | None:
    """The check of a webhook payload; None for an event the description does not hold."""
    key = "-".join(p for p in (event, action) if p).replace("_", "-")
    raw = load("webhooks-subset.json")["x-webhooks"].get(_ALIKE.get(key, key))
    if raw is None:
        return None
    schema = raw["post"]["requestBody"]["content"]["application/json"]["schema"]
    if key in _ALIKE:
        shown = load("webhooks-subset.json")["components"]["schemas"][schema["$ref"].split("/")[-1]]
        named = {"type": "string", "enum": [action]}
        schema = {**shown, "properties": {**shown["properties"], "action": named}}
    return validator("webhooks-subset.json", schema)


_ALIKE = {"issues-locked": "issues-reopened", "issues-unlocked": "issues-reopened"}
"""Webhooks that the subset leaves out, and one of the same form but for its action."""
