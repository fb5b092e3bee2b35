"""A Markdown file as parts (heading, blocks, labels, parts below), each with its lines.

Lines count from 0 here; an end is the line after the last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.front_matter import front_matter_plugin

from runner.roadmap.headings import label
from runner.roadmap.normalise.sorts import Mark, is_field, is_status, sort_of, value_mark
from runner.roadmap.source import has_front_matter

BlockKind = Literal["paragraph", "quote", "list", "table", "rule", "other"]

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
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
    ordered: bool = False


@dataclass(frozen=True)
class Part:
    """What is under a heading (level 0: the file): ``body`` is the line after the heading."""

    level: int
    title: str
    start: int
    body: int
    end: int
    blocks: tuple[OutlineBlock, ...]
    parts: tuple[Part, ...]


def split_lines(text: str) -> tuple[list[str], list[str]]:
    """Return the lines and their ends; lines end at LF, CRLF and a lone CR only."""
    found = [(m[1], m[2]) for m in _LINE.finditer(text)]
    if found and found[-1] == ("", ""):
        found.pop()
    return [line for line, _ in found], [end for _, end in found]


def outline(lines: Sequence[str]) -> Part:
    """Read the structure of a file; only its own headings count, none in lists or quotes."""
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table").disable("inline")
    text = "\n".join(lines)
    if has_front_matter(text):
        parser.use(front_matter_plugin)
    nodes = SyntaxTreeNode(parser.parse(text)).children
    headings = [at for at, node in enumerate(nodes) if node.type == "heading"]
    first = headings[0] if headings else len(nodes)
    top = _Open(0, "", 0, 0, _blocks(nodes[:first], lines), [])
    stack = [top]
    for at, following in pairwise([*headings, len(nodes)]):
        part = _opened(nodes[at], _blocks(nodes[at + 1 : following], lines))
        while stack[-1].level >= part.level:
            stack.pop()
        stack[-1].parts.append(part)
        stack.append(part)
    return _closed(top, len(lines))


@dataclass
class _Open:
    """A part on the way: it ends where the next of its level or a higher one starts."""

    level: int
    title: str
    start: int
    body: int
    blocks: tuple[OutlineBlock, ...]
    parts: list[_Open]


def _opened(node: SyntaxTreeNode, blocks: tuple[OutlineBlock, ...]) -> _Open:
    start, end = node.map or (0, 0)
    title = " ".join(node.children[0].content.split()) if node.children else ""
    return _Open(int(node.tag[1]), title, start, end, blocks, [])


def _closed(part: _Open, end: int) -> Part:
    ends = [below.start for below in part.parts[1:]] + [end]
    below = tuple(_closed(p, e) for p, e in zip(part.parts, ends, strict=False))
    return Part(part.level, part.title, part.start, part.body, end, part.blocks, below)


def _blocks(nodes: Sequence[SyntaxTreeNode], lines: Sequence[str]) -> tuple[OutlineBlock, ...]:
    return tuple(_block(node, lines) for node in nodes if node.map)


def _block(node: SyntaxTreeNode, lines: Sequence[str]) -> OutlineBlock:
    start, end = node.map or (0, 0)
    end = _trimmed(lines, start, end)
    if node.type in ("bullet_list", "ordered_list"):
        items = tuple(_item(child, lines) for child in node.children)
        return OutlineBlock("list", start, end, items=items, ordered=node.type == "ordered_list")
    if node.type == "table":
        rows = tuple(_cells(row) for group in node.children for row in group.children)
        return OutlineBlock("table", start, end, rows=rows)
    if node.type == "paragraph":
        return OutlineBlock("paragraph", start, end, text=_content(node))
    if node.type == "blockquote" and node.children and node.children[0].type == "paragraph":
        return OutlineBlock("quote", start, end, text=_content(node.children[0]))
    return OutlineBlock("rule" if node.type == "hr" else "other", start, end)


def _item(node: SyntaxTreeNode, lines: Sequence[str]) -> OutlineItem:
    start, end = node.map or (0, 0)
    first = node.children[0] if node.children else None
    opens = first is not None and first.type == "paragraph" and (first.map or (-1,))[0] == start
    lists = [c for c in node.children if c.type in ("bullet_list", "ordered_list")]
    text = _content(first) if first is not None and opens else ""
    return OutlineItem(start, _trimmed(lines, start, end), text, _blocks(lists, lines))


def _cells(row: SyntaxTreeNode) -> tuple[str, ...]:
    return tuple(_content(cell).strip() for cell in row.children)


def _content(node: SyntaxTreeNode) -> str:
    return node.children[0].content if node.children else ""


def _trimmed(lines: Sequence[str], start: int, end: int) -> int:
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end


# ruff: noqa: RUF001 - full-width punctuation is what Chinese and Japanese roadmaps are written with


_KEY = re.compile(
    r"[>\s]*[*_]{0,3}(?P<key>[^*_:：\n]{1,40})[*_]{0,3}\s?[:：][*_]{0,3}(?P<value>[^\n]*)"
)

_TEXTS = ("paragraph", "quote")


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
