"""A Markdown file as parts (heading, blocks, labels, parts below), each with its lines.

Lines count from 0 here; an end is the line after the last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.front_matter import front_matter_plugin

from runner.roadmap.headings import label
from runner.roadmap.normalise.sorts import Mark, is_field, is_status, sort_of, value_mark
from runner.roadmap.source import has_front_matter

BlockKind = Literal["paragraph", "quote", "list", "table", "rule", "other"]
_KINDS: dict[str, BlockKind] = {
    "bullet_list": "list",
    "ordered_list": "list",
    "table": "table",
    "paragraph": "paragraph",
    "hr": "rule",
}
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """A list item; ``text`` is the paragraph it opens with ('' when it opens with another block).

    ``lists`` are the lists nested in it.
    """

    start: int
    end: int
    text: str
    lists: tuple[OutlineBlock, ...]

    def nested(self) -> Iterator[OutlineItem]:
        """Yield the items inside this one, the inner ones first, then itself."""
        for block in self.lists:
            for item in block.items:
                yield from item.nested()
        yield self


@dataclass(frozen=True, slots=True)
class OutlineBlock:
    """One block of a part: ``rows`` are a table's cells, the header first.

    ``text`` is a paragraph's, and of a quote that of the paragraph it opens with.
    """

    kind: BlockKind
    start: int
    end: int
    text: str = ""
    items: tuple[OutlineItem, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(eq=False, slots=True)
class Part:
    """What is under a heading (level 0: the file): ``body`` is the line after the heading."""

    level: int
    title: str
    start: int
    body: int
    end: int
    blocks: list[OutlineBlock]
    parts: list[Part]

    def all(self) -> Iterator[Part]:
        """Yield this part and those below it, in file order."""
        yield self
        for below in self.parts:
            yield from below.all()


def outline(lines: Sequence[str]) -> Part:
    """Read the structure of a file; only its own headings count, none in lists or quotes."""
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table").disable("inline")
    text = "\n".join(lines)
    if has_front_matter(text):
        parser.use(front_matter_plugin)
    top = Part(0, "", 0, 0, len(lines), [], [])
    above = [top]
    for node in SyntaxTreeNode(parser.parse(text)).children:
        if node.map and node.type == "heading":
            start, body = node.map
            title = " ".join(_content(node).split())
            part = Part(int(node.tag[1]), title, start, body, len(lines), [], [])
            while above[-1].level >= part.level:
                above.pop().end = start
            above[-1].parts.append(part)
            above.append(part)
        elif node.map:
            above[-1].blocks.append(_block(node, lines))
    return top


def _block(node: SyntaxTreeNode, lines: Sequence[str]) -> OutlineBlock:
    start, end = _span(node, lines)
    kind = _KINDS.get(node.type, "other")
    if kind == "list":
        items = tuple(_item(child, lines) for child in node.children)
        return OutlineBlock(kind, start, end, items=items)
    if kind == "table":
        rows = (row for group in node.children for row in group.children)
        cells = tuple(tuple(_content(cell).strip() for cell in row.children) for row in rows)
        return OutlineBlock(kind, start, end, rows=cells)
    if node.type == "blockquote" and node.children and node.children[0].type == "paragraph":
        return OutlineBlock("quote", start, end, text=_content(node.children[0]))
    return OutlineBlock(kind, start, end, text=_content(node) if kind == "paragraph" else "")


def _item(node: SyntaxTreeNode, lines: Sequence[str]) -> OutlineItem:
    start, end = _span(node, lines)
    first = node.children[0] if node.children else None
    opens = first is not None and first.type == "paragraph" and (first.map or (-1,))[0] == start
    lists = tuple(_block(child, lines) for child in node.children if child.type.endswith("_list"))
    return OutlineItem(start, end, _content(first) if first and opens else "", lists)


def _content(node: SyntaxTreeNode) -> str:
    return node.children[0].content if node.children else ""


def _span(node: SyntaxTreeNode, lines: Sequence[str]) -> tuple[int, int]:
    """The lines of a block without the blank ones at its end."""
    start, end = node.map or (0, 0)
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return start, end


# ruff: noqa: RUF001 - full-width punctuation is what Chinese and Japanese roadmaps are written with


_KEY = re.compile(
    r"[>\s]*[*_]{0,3}(?P<key>[^*_:：\n]{1,40})[*_]{0,3}\s?[:：][*_]{0,3}(?P<value>[^\n]*)"
)


def label_before(blocks: Sequence[OutlineBlock], at: int) -> str:
    """Return the label of a block, which is the paragraph right before it."""
    before = blocks[at - 1] if at else None
    return label(before.text) if before and before.kind == "paragraph" else ""


def keyed(text: str) -> bool:
    """Say whether a text is a key with a value ("**Goal**: fast"), and the key is a known one."""
    found = _KEY.match(text)
    return bool(found and is_field(found["key"]))


def tells_fields(part: Part) -> bool:
    """Say whether a part has fields of a task: keys, labelled lists or headings of them."""
    return (
        any(sort_of(below.title) == "field" for below in part.parts)
        or any(keyed(line) for _, line in _lines(part))
        or any(is_field(label(b.text)) for b in part.blocks if b.kind == "paragraph")
    )


def is_prose(part: Part) -> bool:
    """Say whether a part says more than lists, tables, keys and their labels."""
    return any(
        block.kind == "other" or bool(block.text and not (label(block.text) or keyed(block.text)))
        for block in part.blocks
    )


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
        if block.text:
            yield from enumerate(block.text.split("\n"), block.start)
        for item in block.items:
            yield item.start, item.text.partition("\n")[0]
