"""The JSON forms for closed questions, and the hint for each kind of task.

An answer is read the same way whether it came as JSON or in words.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Final, Literal

from runner.code.languages import is_among_tests
from runner.prompts import render_text
from runner.prompts.questions import AnswerFormat
from runner.roadmap.task import Task

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
def form(name: str) -> AnswerFormat:
    """Return the form of a closed question, one of ``FORMS``."""
    text = json.dumps(_SCHEMAS[name])
    return AnswerFormat(name, text, render_text("form", schema=text).strip())


Kind = Literal["code", "tests", "configuration", "scripts", "documentation"]

_SUFFIXES: dict[str, Kind] = {
    **dict.fromkeys(("md", "rst", "txt", "adoc"), "documentation"),
    **dict.fromkeys(("json", "yaml", "yml", "toml", "ini", "cfg", "env"), "configuration"),
    **dict.fromkeys(("sh", "bash", "zsh", "ps1", "mk"), "scripts"),
}
_NAMES: dict[str, Kind] = {"Makefile": "scripts", "Dockerfile": "configuration"}
_WORDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("tests", re.compile(r"^\W*(?:write|add|create)?\W*(?:unit |integration )?tests?\b", re.I)),
    ("documentation", re.compile(r"^\W*(?:document|describe|write (?:the )?docs?)\b", re.I)),
)


def kind_of(task: Task) -> Kind:
    """Return the kind that most of its files are of, else what its first words say."""
    counted = Counter(_kinds(task.files))
    if counted:
        return counted.most_common(1)[0][0]
    kinds = (kind for kind, pattern in _WORDS if pattern.search(task.title))
    return next(kinds, "code")


def _kinds(files: Iterable[str]) -> Iterable[Kind]:
    for path in files:
        name = path.rpartition("/")[2]
        if is_among_tests(path):
            yield "tests"
        else:
            yield _NAMES.get(name) or _SUFFIXES.get(name.rpartition(".")[2], "code")
