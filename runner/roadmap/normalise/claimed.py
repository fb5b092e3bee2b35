"""Read which tasks a model finds in a roadmap, and write those that it can quote into it."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from runner.roadmap.normalise.outline import OutlineBlock, OutlineItem, Part, outline
from runner.roadmap.normalise.propose import checked, draft_of, lines_of, structured
from runner.roadmap.normalise.rewrite import (
    NewLine,
    NormalizedRoadmap,
    ReviewNote,
    RoadmapDraft,
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
        claim = _claim(entry)
        why = claim if isinstance(claim, str) else _fault(claim, lines)
        if isinstance(claim, ClaimedTask) and not why:
            held.append(claim)
        else:
            dropped.append(f"entry {number}{_named(entry)}: {why}")
    held.sort(key=lambda claim: claim.source_lines)
    return ClaimedTasks(tuple(held), tuple(dropped))


def _entries(text: str) -> list[object] | None:
    """Return the first JSON list of objects in an answer, whatever is around it."""
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


def _claim(entry: object) -> ClaimedTask | str:
    try:
        return ClaimedTask.model_validate(entry)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _fault(claim: ClaimedTask, lines: Sequence[str]) -> str:
    """Say why a claim does not hold, or ''."""
    first, last = claim.source_lines
    if not 1 <= first <= last <= len(lines):
        return f"lines {first} to {last} are not in the file"
    quote = _BLANKS.sub(" ", claim.quote).strip()
    if len(quote) < _LEAST_QUOTED or quote not in _BLANKS.sub(
        " ", "\n".join(lines[first - 1 : last])
    ):
        return f"its quote is not in lines {first} to {last}"
    texts = [tidied(text) for text in (claim.title, *claim.acceptance)]
    faults = (("has several lines" if "\n" in text else text_fault(text)) for text in texts)
    return next((f"a text {fault}" for fault in faults if fault), "")


def _named(entry: object) -> str:
    title = entry.get("title") if isinstance(entry, dict) else None
    return f" ({title[:80]!r})" if isinstance(title, str) else ""


_PREFIXES = ("T", "TASK-", "WORK-", "ITEM-", "TODO-")


@dataclass(frozen=True, slots=True)
class _Named:
    """A claim with its id ('' when none is needed), the ids it waits for, and its state."""

    claim: ClaimedTask
    id: str
    needs: tuple[str, ...]
    done: bool

    def lines(self) -> list[str]:
        """Return the bullets nested in the task."""
        needs = [f"- **Depends on**: {', '.join(self.needs)}"] if self.needs else []
        checks = [f"  - {tidied(text)}" for text in self.claim.acceptance]
        return [*needs, *(["- **Acceptance criteria**:", *checks] if checks else [])]


@dataclass(frozen=True, slots=True)
class _Places:
    """Where tasks can be written: items by first line, and the first lines and ends of blocks."""

    items: dict[int, OutlineItem]
    starts: list[int]
    ends: list[int]
    headings: list[Part]

    def end_of(self, line: int) -> int:
        """Return the last line of the block (or heading) that a line belongs to."""
        at = bisect_right(self.starts, line) - 1
        return max(line, self.ends[at] - 1) if at >= 0 else line

    def above(self, line: int) -> str:
        """Return the title of the heading above a line."""
        at = bisect_right([part.start for part in self.headings], line) - 1
        return self.headings[at].title if at >= 0 else ""


def write_claims(
    path: str, content: bytes, claims: Sequence[ClaimedTask], *, beside: bool = False
) -> NormalizedRoadmap:
    """Return a file with the claimed tasks as a proposal, checked like any other.

    ``beside`` says that they stand beside the tasks that the structure shows.
    """
    lines = lines_of(content)
    draft = (structured if beside else draft_of)(parse_roadmap(path, content))
    places = _places(outline(lines))
    ids, lost = _ids(claims, content.decode("utf-8", "replace"))
    for claim, (name, needs) in zip(claims, ids, strict=True):
        done = _done(draft, claim, places, lines)
        _write(draft, places, _Named(claim, name, needs, done), lines)
    return replace(checked(path, content, draft), dropped=lost, by_model=True)


def _write(draft: RoadmapDraft, places: _Places, named: _Named, lines: Sequence[str]) -> None:
    """Give a checkbox to the item of a claim; after other text, add a task."""
    at = named.claim.source_lines[0] - 1
    item = places.items.get(at)
    extra = named.lines()
    if item and at not in draft.boxes and box_item(draft, item, done=named.done, name=named.id):
        indent = content_indent(lines[at])
        draft.add(item.end - 1, [NewLine(indent + line) for line in extra])
        return
    title = " ".join(part for part in (named.id, tidied(named.claim.title)) if part)
    task = NewLine(f"- [{'x' if named.done else ' '}] {title}", named.done)
    end = places.end_of(named.claim.source_lines[1] - 1)
    draft.add(end, [NewLine(""), task, *(NewLine(f"  {line}") for line in extra), NewLine("")])


def _done(draft: RoadmapDraft, claim: ClaimedTask, places: _Places, lines: Sequence[str]) -> bool:
    """A task is done if the model says so and a word or emoji of its source does too."""
    first, last = claim.source_lines
    if not claim.done:
        return False
    source = "\n".join((*lines[first - 1 : last], places.above(first - 1)))
    done = says_done(source)
    reason = "its text says so" if done else "nothing in its text says so, so it stays open"
    draft.notes.append(ReviewNote(first, f"the model says that this is done; {reason}"))
    return done


def _ids(
    claims: Sequence[ClaimedTask], text: str
) -> tuple[list[tuple[str, tuple[str, ...]]], tuple[str, ...]]:
    """Give tasks ids when some depend on others; say which dependencies are not known.

    A dependency is the title of an earlier task, so that there is no circle.
    """
    if not any(claim.depends_on for claim in claims):
        return [("", ())] * len(claims), ()
    prefix = next((p for p in _PREFIXES if not re.search(rf"\b{p}\d", text)), "CAIRN-")
    known: dict[str, str] = {}
    named: list[tuple[str, tuple[str, ...]]] = []
    lost: list[str] = []
    for number, claim in enumerate(claims, 1):
        wanted = [(title, known.get(_folded(title))) for title in claim.depends_on]
        lost += [_unknown(claim.title, title) for title, name in wanted if name is None]
        named.append((f"{prefix}{number}", tuple(name for _, name in wanted if name)))
        known.setdefault(_folded(claim.title), f"{prefix}{number}")
    return named, tuple(lost)


def _unknown(title: str, wanted: str) -> str:
    return f"{title[:80]!r} depends on {wanted[:80]!r}: no task before it has this title"


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())


def _places(top: Part) -> _Places:
    parts = list(_all(top))
    blocks = [block for part in parts for block in part.blocks]
    headings = [part for part in parts if part.level]
    spans = sorted([(b.start, b.end) for b in blocks] + [(p.start, p.body) for p in headings])
    items = {item.start: item for item in _items(blocks)}
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    return _Places(items, starts, ends, headings)


def _all(part: Part) -> Iterator[Part]:
    yield part
    for below in part.parts:
        yield from _all(below)


def _items(blocks: Iterable[OutlineBlock]) -> Iterator[OutlineItem]:
    """Yield items, those inside others first: of two on one line the outer one is taken."""
    for block in blocks:
        for item in block.items:
            yield from _items(item.lists)
            yield item
