"""Read what a model says the tasks of a roadmap are; what it cannot quote is dropped."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from runner.roadmap.misfit import misfit, tidied

MOST_TASKS = 500
_MOST_CHARACTERS = 1_000_000
_STARTS = 20
"""Opening brackets at which an answer is tried as JSON."""
_Text = Annotated[str, Field(max_length=2_000)]
_Words = Annotated[str, Field(min_length=1, max_length=300)]
_BLANKS = re.compile(r"\s+")
_LEAST_QUOTED = 3
"""Characters below which a quote could stand anywhere."""


class Claim(BaseModel):
    """One task as a model says it; ``source_lines`` are the first and last line, from 1."""

    title: _Words
    done: bool = False
    acceptance: list[_Text] = Field(default=[], max_length=50)
    depends_on: list[_Words] = Field(default=[], max_length=50)
    source_lines: tuple[int, int]
    quote: Annotated[str, Field(min_length=_LEAST_QUOTED, max_length=4_000)]


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims that hold, in the order of their lines; ``dropped`` says which do not, and why.

    ``problem`` is what made the whole answer unusable ('' when it was read).
    """

    held: tuple[Claim, ...] = ()
    dropped: tuple[str, ...] = ()
    problem: str = ""


def read_answer(text: str, lines: Sequence[str]) -> Claims:
    """Return what of an answer holds for a file with these lines."""
    entries = _entries(text)
    if entries is None:
        return Claims(problem="The answer is not a JSON list of tasks.")
    held: list[Claim] = []
    dropped: list[str] = []
    for number, entry in enumerate(entries, 1):
        claim = _claim(entry)
        why = claim if isinstance(claim, str) else _fault(claim, lines)
        if isinstance(claim, Claim) and not why:
            held.append(claim)
        else:
            dropped.append(f"entry {number}{_named(entry)}: {why}")
    held.sort(key=lambda claim: claim.source_lines)
    return Claims(tuple(held), tuple(dropped))


def _entries(text: str) -> list[object] | None:
    """Return the first JSON list of objects in an answer, whatever stands around it."""
    decoder = json.JSONDecoder(strict=False)
    text = text[:_MOST_CHARACTERS]
    at = -1
    for _ in range(_STARTS):
        at = text.find("[", at + 1)
        if at < 0:
            return None
        try:
            value, _end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
            return value[:MOST_TASKS]
    return None


def _claim(entry: object) -> Claim | str:
    try:
        return Claim.model_validate(entry)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _fault(claim: Claim, lines: Sequence[str]) -> str:
    """Say why a claim does not hold, or ''."""
    first, last = claim.source_lines
    if not 1 <= first <= last <= len(lines):
        return f"lines {first} to {last} are not in the file"
    said = _BLANKS.sub(" ", claim.quote).strip()
    if len(said) < _LEAST_QUOTED or said not in _BLANKS.sub(
        " ", "\n".join(lines[first - 1 : last])
    ):
        return f"its quote does not stand in lines {first} to {last}"
    texts = [tidied(text) for text in (claim.title, *claim.acceptance)]
    faults = (("has several lines" if "\n" in text else misfit(text)) for text in texts)
    return next((f"a text {fault}" for fault in faults if fault), "")


def _named(entry: object) -> str:
    title = entry.get("title") if isinstance(entry, dict) else None
    return f" ({title[:80]!r})" if isinstance(title, str) else ""
