"""Read what a model says about a failure: one of five words, or tasks, in whatever form. Pure."""

from __future__ import annotations

import json
import re
from typing import get_args

from runner.recovery.values import Classification, Reason
from runner.replies.cleanup import clean_answer

LONGEST = 20_000
"""Characters of an answer that are read; a list of tasks needs a tenth of it."""
_LONGEST_WHY = 200

_REASON = re.compile(
    r"(?<!not )(?<!no )\b(?:(?P<task_too_vague>(?:task[ _-])?too[ _-]vague)"
    r"|(?P<task_too_complex>(?:task[ _-])?too[ _-]complex)"
    r"|(?P<missing_dependency>missing[ _-]dependency)"
    r"|(?P<environment_issue>environment[ _-]issue)|(?P<unknown>unknown))\b",
    re.IGNORECASE,
)
_EDGES = " \t\n:;,.*_`\"'{}[]()-–—="  # noqa: RUF001 - dashes as models write them
_KEYS = re.compile(r"^[\s{\"']*(?:reason|answer|classification)[\"'\s]*:", re.IGNORECASE)


def read_reason(text: str) -> Classification:
    """Return the reason a model named; what names none, or several, is unknown."""
    text = clean_answer(text[:LONGEST])
    if (named := _in_form(text)) is not None:
        return named
    first = next((line for line in text.split("\n") if line.strip()), "")
    found = _one(first) or _one(text)
    if found is None:
        return Classification("unknown", (), by="nobody")
    why = _why(text)
    return Classification(found, (f"the model says: {why}",) if why else (), by="model")


def _in_form(text: str) -> Classification | None:
    """The reason of an answer in JSON: what the other words of it say does not count."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    reason = said.get("reason") if isinstance(said, dict) else None
    named: Reason | None = next((known for known in get_args(Reason) if known == reason), None)
    if named is None:
        return None
    why = " ".join(str(said.get("why", "")).split())[:_LONGEST_WHY]
    return Classification(named, (f"the model says: {why}",) if why else (), by="model")


def _one(text: str) -> Reason | None:
    """The one reason a text names; ``unknown`` is a usual word and yields to another."""
    names = {match.lastgroup for match in _REASON.finditer(text)}
    if len(names) > 1:
        names.discard("unknown")
    return names.pop() if len(names) == 1 else None  # type: ignore[return-value]


def _why(text: str) -> str:
    """The first words that are not the reason itself, on one line."""
    for line in text.split("\n"):
        rest = _REASON.sub(" ", _KEYS.sub(" ", line)).strip(_EDGES)
        rest = re.sub(r"^(?:why|because|explanation)[\"'\s]*:\s*", "", rest, flags=re.IGNORECASE)
        rest = " ".join(rest.split()).strip(_EDGES)
        if len(rest) > 2:
            return rest[:_LONGEST_WHY]
    return ""
