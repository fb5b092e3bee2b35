"""Read which tasks a model finds in a roadmap, and write those that it can quote into it."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from runner.roadmap.normalise.outline import outline
from runner.roadmap.normalise.propose import checked, draft_of, lines_of, structured
from runner.roadmap.normalise.rewrite import (
    NewLine,
    NormalizedRoadmap,
    box,
    box_item,
    content_indent,
)
from runner.roadmap.normalise.sorts import says_done
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.writing import text_fault, tidied

MOST_TASKS = 500
_MOST_CHARACTERS = 1_000_000
_STARTS = 20
"""Opening brackets at which an answer is tried as JSON."""
_Text = Annotated[str, Field(max_length=2_000)]
_Words = Annotated[str, Field(min_length=1, max_length=300)]
_BLANKS = re.compile(r"\s+")
_LEAST_QUOTED = 3
"""Characters below which a quote could be anywhere."""


class ClaimedTask(BaseModel):
    """One task as a model says it; ``source_lines`` are the first and last line, from 1."""

    title: _Words
    done: bool = False
    acceptance: list[_Text] = Field(default=[], max_length=50)
    depends_on: list[_Words] = Field(default=[], max_length=50)
    source_lines: tuple[int, int]
    quote: Annotated[str, Field(min_length=_LEAST_QUOTED, max_length=4_000)]


@dataclass(frozen=True, slots=True)
class ClaimedTasks:
    """The claims that hold, in the order of their lines; ``dropped`` says which do not, and why.

    ``problem`` is what made the answer unusable ('' if it was read).
    """

    held: tuple[ClaimedTask, ...] = ()
    dropped: tuple[str, ...] = ()
    problem: str = ""


def read_answer(text: str, lines: Sequence[str]) -> ClaimedTasks:
    """Return what of an answer holds for a file with these lines."""
    entries = _entries(text)
    if entries is None:
        return ClaimedTasks(problem="The answer is not a JSON list of tasks.")
    held: list[ClaimedTask] = []
    dropped: list[str] = []
    for number, entry in enumerate(entries, 1):
        try:
            claim = ClaimedTask.model_validate(entry)
            why = _fault(claim, lines)
            held += [] if why else [claim]
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        if why:
            title = entry.get("title")
            named = f" ({title[:80]!r})" if isinstance(title, str) else ""
            dropped.append(f"entry {number}{named}: {why}")
    held.sort(key=lambda claim: claim.source_lines)
    return ClaimedTasks(tuple(held), tuple(dropped))


def _entries(text: str) -> list[dict[str, object]] | None:
    """Return the first JSON list of objects in an answer, whatever is around it."""
    decoder = json.JSONDecoder(strict=False)
    text = text[:_MOST_CHARACTERS]
    for found in list(re.finditer(r"\[", text))[:_STARTS]:
        try:
            value, _end = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
            return value[:MOST_TASKS]
    return None


def _fault(claim: ClaimedTask, lines: Sequence[str]) -> str:
    """Say why a claim does not hold, or ''."""
    first, last = claim.source_lines
    if not 1 <= first <= last <= len(lines):
        return f"lines {first} to {last} are not in the file"
    quote = _BLANKS.sub(" ", claim.quote).strip()
    there = _BLANKS.sub(" ", "\n".join(lines[first - 1 : last]))
    if len(quote) < _LEAST_QUOTED or quote not in there:
        return f"its quote is not in lines {first} to {last}"
    texts = [tidied(text) for text in (claim.title, *claim.acceptance)]
    faults = (("has several lines" if "\n" in text else text_fault(text)) for text in texts)
    return next((f"a text {fault}" for fault in faults if fault), "")


_PREFIXES = ("T", "TASK-", "WORK-", "ITEM-", "TODO-")


def write_claims(
    path: str, content: bytes, claims: Sequence[ClaimedTask], *, beside: bool = False
) -> NormalizedRoadmap:
    """Return a file with the claimed tasks as a proposal, checked like any other.

    The item of a claim gets a checkbox; after other text, a task is added. ``beside`` says that
    they stand beside the tasks that the structure shows. Of two items on one line the outer one is
    taken.
    """
    lines = lines_of(content)
    draft = (structured if beside else draft_of)(parse_roadmap(path, content))
    parts = list(outline(lines).all())
    blocks = [block for part in parts for block in part.blocks]
    items = {i.start: i for block in blocks for outer in block.items for i in outer.nested()}
    headings = [part for part in parts if part.level]
    spans = [*((b.start, b.end) for b in blocks), *((p.start, p.body) for p in headings)]
    spans.sort()
    ids, lost = _ids(claims, content.decode("utf-8", "replace"))
    for claim, (name, needs) in zip(claims, ids, strict=True):
        first, last = (line - 1 for line in claim.source_lines)
        done = False
        if claim.done:  # only if a word or emoji of its source says so, too
            above = bisect_right([part.start for part in headings], first) - 1
            title = headings[above].title if above >= 0 else ""
            done = says_done("\n".join((*lines[first : last + 1], title)))
            reason = "its text says so" if done else "nothing in its text says so, so it stays open"
            draft.note(first, f"the model says that this is done; {reason}")
        extra = [f"- **Depends on**: {', '.join(needs)}"] if needs else []
        if claim.acceptance:
            extra += ["- **Acceptance criteria**:", *(f"  - {tidied(t)}" for t in claim.acceptance)]
        item = items.get(first)
        if item and first not in draft.boxes and box_item(draft, item, done=done, name=name):
            new = [NewLine(content_indent(lines[first]) + line) for line in extra]
            end = item.end - 1
        else:
            task = f"- {box(done)} {f'{name} {tidied(claim.title)}'.lstrip()}"
            new = [NewLine(""), NewLine(task, done), *(NewLine(f"  {line}") for line in extra)]
            new.append(NewLine(""))
            around = bisect_right(spans, (last, len(lines) + 1)) - 1
            end = max(last, spans[around][1] - 1) if around >= 0 else last
        draft.after.setdefault(end, []).extend(new)
    return replace(checked(path, content, draft), dropped=lost, by_model=True)


def _ids(
    claims: Sequence[ClaimedTask], text: str
) -> tuple[list[tuple[str, list[str]]], tuple[str, ...]]:
    """Give tasks ids when some depend on others; say which dependencies are not known.

    A dependency is the title of an earlier task, so that there is no circle.
    """
    if not any(claim.depends_on for claim in claims):
        return [("", [])] * len(claims), ()
    prefix = next((p for p in _PREFIXES if not re.search(rf"\b{p}\d", text)), "CAIRN-")
    known: dict[str, str] = {}
    named: list[tuple[str, list[str]]] = []
    lost: list[str] = []
    for number, claim in enumerate(claims, 1):
        wanted = [(title, known.get(_folded(title))) for title in claim.depends_on]
        lost += [
            f"{claim.title[:80]!r} depends on {title[:80]!r}: no task before it has this title"
            for title, name in wanted
            if name is None
        ]
        named.append((f"{prefix}{number}", [name for _, name in wanted if name]))
        known.setdefault(_folded(claim.title), f"{prefix}{number}")
    return named, tuple(lost)


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())
