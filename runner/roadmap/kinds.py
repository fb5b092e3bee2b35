"""Which boxes are work, which are checks of it, and which only sum it up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runner.roadmap.headings import Path, number
from runner.roadmap.items import Item
from runner.roadmap.task import Kind

_WHOLE = (
    r"(?:section|phase|milestone|sprint|stage|epic|module|part|chapter|thrust|этап|фаза|阶段"
    r"|フェーズ)"
)
_SECTION_BOX = re.compile(
    rf"(?:(?:complete|finish|close|done with)\s+(?:the\s+|all\s+of\s+)?{_WHOLE}\s+\d[\d.]*"
    rf"|{_WHOLE}\s+[\d.]+\s+(?:is\s+)?(?:complete|completed|done|finished))\W*\Z",
    re.IGNORECASE,
)
_WORDED = re.compile(rf"{_WHOLE}\b", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class Box:
    """A task on the way to its value: an item, what it is called, its place among the others."""

    item: Item
    id: str | None
    title: str
    key: str
    parent: Box | None = None
    kind: Kind = "work"


def family(boxes: Sequence[Box]) -> None:
    """Give each box its parent: the task it is nested in, else the one its id goes on from."""
    by_item = {id(box.item): box for box in boxes}
    written: dict[tuple[Path, Item | None], dict[str, Box]] = {}
    for box in boxes:
        nested = box.item.parent
        known = written.setdefault((box.item.headings, box.item.holder), {})
        box.parent = by_item.get(id(nested)) if nested else _prefix(box.id, known)
        if box.id:
            known[box.id] = box


def _prefix(written: str | None, known: dict[str, Box]) -> Box | None:
    """The task called 1 when this is 1.1: sub-tasks may stand beside their parent (Kiro)."""
    while written and "." in written:
        written = written.rpartition(".")[0]
        if written in known:
            return known[written]
    return None


def decide(boxes: Sequence[Box], headings: Iterable[Path]) -> None:
    """Set the kind of every box. What sums up other boxes is never work."""
    for box in boxes:
        if _SECTION_BOX.match(box.title):
            box.kind, box.item.check = "summary", False  # it often ends a list of checks
        elif box.item.check:
            box.kind = "check"
    for box in boxes:
        if box.kind != "check" and box.parent is not None and box.parent.kind != "check":
            box.parent.kind = "summary"
    detailed = _with_work(boxes, headings)
    for box in boxes:
        if box.kind == "work" and _stands_for(box, detailed):
            box.kind = "summary"


def _with_work(boxes: Sequence[Box], headings: Iterable[Path]) -> dict[str, set[int]]:
    """By name and number of a phase or section: lines of headings with work of their own below."""
    busy = {h.line for box in boxes if box.kind == "work" for h in box.item.headings}
    found: dict[str, set[int]] = {}
    for path in headings:
        heading = path[-1]
        if heading.line in busy and (name := _name(heading.text)):
            found.setdefault(name, set()).add(heading.line)
    return found


def _stands_for(box: Box, detailed: dict[str, set[int]]) -> bool:
    """A line of an overview whose phase has a section with tasks of its own (GSD)."""
    if not box.id or not _WORDED.match(box.id):
        return False
    own = {heading.line for heading in box.item.headings}
    return bool(detailed.get(_name(box.id), set()) - own)


def _name(text: str) -> str:
    """'Phase 1: Core' → 'phase 1'."""
    found = _WORDED.search(text)
    return f"{found[0].casefold()} {number(text)}" if found and number(text) else ""
