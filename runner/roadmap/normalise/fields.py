"""Labels and keys in the text of a part: "**Status**: Done", "Tasks:", "- **Goal**: ..."."""

# ruff: noqa: RUF001 - full-width punctuation is what Chinese and Japanese roadmaps are written with

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from runner.roadmap.labels import label
from runner.roadmap.normalise.outline import Block, Part
from runner.roadmap.normalise.sorts import is_field, is_status, sort_of
from runner.roadmap.normalise.states import Mark, value_mark

_KEY = re.compile(
    r"[>\s]*[*_]{0,3}(?P<key>[^*_:：\n]{1,40})[*_]{0,3}\s?[:：][*_]{0,3}(?P<value>[^\n]*)"
)

_TEXTS = ("paragraph", "quote")


def label_before(blocks: Sequence[Block], at: int) -> str:
    """Return the label of a block, which is the paragraph right before it."""
    before = blocks[at - 1] if at else None
    return label(before.text) if before and before.kind == "paragraph" else ""


def keyed(text: str) -> bool:
    """Say whether a text is a key with a value ("**Goal**: fast"), and the key is a known one."""
    found = _KEY.match(text)
    return bool(found and is_field(found["key"]))


def tells_fields(part: Part) -> bool:
    """Say whether a part has fields of a task: keys, labelled lists or headings of them."""
    if any(sort_of(below.title) == "field" for below in part.parts):
        return True
    if any(keyed(line) for _, line in _lines(part)):
        return True
    return any(is_field(label(b.text)) for b in part.blocks if b.kind == "paragraph")


def is_prose(part: Part) -> bool:
    """Say whether a part says more than lists, tables, keys and their labels."""
    for block in part.blocks:
        if block.kind == "other":
            return True
        if block.kind in _TEXTS and not (label(block.text) or keyed(block.text)):
            return True
    return False


def status_of(part: Part) -> tuple[Mark, int] | None:
    """Return what a status field of a part says and its line; None without one that is known."""
    for at, line in _lines(part):
        found = _KEY.match(line)
        if found and is_status(found["key"]):
            mark = value_mark(found["value"])
            return (mark, at) if mark else None
    return None


def _lines(part: Part) -> Iterator[tuple[int, str]]:
    """Yield the lines of paragraphs and quotes and the first lines of items, with their numbers."""
    for block in part.blocks:
        if block.kind in _TEXTS:
            yield from enumerate(block.text.split("\n"), block.start)
        for item in block.items:
            yield item.start, item.text.partition("\n")[0]
