"""Tasks as a person lists them in a comment: the first list of a text, with boxes or without."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from runner.roadmap.blocks import parse
from runner.roadmap.ids import split
from runner.roadmap.items import Item
from runner.roadmap.labels import is_checks
from runner.roadmap.new_task import NewTask

LONGEST = 20_000
"""Characters of a text that are read."""


def listed(text: str) -> tuple[NewTask, ...]:
    """Return the tasks of the first list of a text; () when it begins with none.

    A number or id a task is written with becomes its id; what is nested in it its details, below
    "Acceptance:" its criteria.
    """
    blocks, _ = parse(text[:LONGEST].replace("\r\n", "\n").replace("\r", "\n"))
    own = [item for item in blocks.items if not item.quoted]
    tops = [item for item in own if item.holder is None]
    words = [each.start for each in blocks.paragraphs if each.holder is None]
    after = [start for start in words if tops and start > tops[0].start]
    end = min(after, default=len(text))
    first = takewhile(lambda item: item.marker == tops[0].marker and item.start < end, tops)
    return tuple(_task(top, [item for item in own if _around(item) is top]) for top in first)


def _around(item: Item) -> Item:
    while item.holder is not None:
        item = item.holder
    return item


def _task(top: Item, inside: Sequence[Item]) -> NewTask:
    id, title = split(top.text.partition("\n")[0], top.text)
    text = title if id else top.text
    rest = top.text.partition("\n")[2]
    nested = [item for item in inside if item is not top]
    checks = [item for item in nested if item.holder and is_checks(item.holder.text)]
    checks += [item for item in nested if item.check and item not in checks]
    details = [i for i in nested if i not in checks and not is_checks(i.text)]
    return NewTask(
        text=f"{text}\n{rest}" if id and rest else text,
        id=id or "",
        details=tuple(item.text for item in details if item.text),
        acceptance=tuple(item.text for item in checks if item.text),
    )
