"""The JSON that closed questions may be answered with, where a model is known to do well with it.

An answer is read the same way whether it came in this form or in words.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Final

from runner.ports import Form
from runner.prompts import render_text

_TEXT: Final[dict[str, object]] = {"type": "string"}
_TEXTS: Final[dict[str, object]] = {"type": "array", "items": _TEXT}


def _object(**properties: object) -> dict[str, object]:
    # all required and no others: what endpoints that enforce a schema ask for
    # https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _one_of(*words: str) -> dict[str, object]:
    return {"type": "string", "enum": list(words)}


_TASK = _object(title=_TEXT, details=_TEXTS, acceptance=_TEXTS)
_CLAIM = _object(
    title=_TEXT,
    done={"type": "boolean"},
    acceptance=_TEXTS,
    depends_on=_TEXTS,
    source_lines={"type": "array", "items": {"type": "integer"}},
    quote=_TEXT,
)

_SCHEMAS: Final[dict[str, dict[str, object]]] = {
    "plan": _object(
        likely_files=_TEXTS,
        steps=_TEXTS,
        acceptance=_TEXTS,
        complexity=_one_of("low", "medium", "high"),
    ),
    "reason": _object(
        reason=_one_of(
            *("task_too_vague", "task_too_complex", "missing_dependency", "environment_issue"),
            "unknown",
        ),
        why=_TEXT,
    ),
    "rewrite": _TASK,
    "decompose": _object(tasks={"type": "array", "items": _TASK}),
    "normalise": _object(tasks={"type": "array", "items": _CLAIM}),
}
FORMS: Final = tuple(_SCHEMAS)


@cache
def form(name: str) -> Form:
    """Return the form of a closed question, one of ``FORMS``."""
    text = json.dumps(_SCHEMAS[name])
    return Form(name, text, render_text("form", schema=text).strip())
