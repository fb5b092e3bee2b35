"""Parse a roadmap: the task items GitHub shows, with the lines of the file they stand on.

Task lists: https://github.github.com/gfm/#task-list-items-extension-
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from runner.roadmap.task import Heading, Roadmap, Task, Warning

_BOX = re.compile(r"\[([ xX])\](?=[ \t\n])")
# where the file defines a link [x], the box is shown as its text
_SHOWN_BOX = re.compile(r"^(?:\[[ xX]\]|[xX])(?:\s|$)")
_ID = re.compile(r"((?:[A-Z]{1,8}-?\d+(?:[.-]\d+)*)|(?:\d+(?:\.\d+)+))[.:)]?\s+")
_PATH = re.compile(r"`([\w.@-]+(?:/[\w.@-]+)*/?)`")
_LINE_END = re.compile(rb"\r\n|\n|\r")
_DEEPEST = 100
"""Nesting that is still read: a list takes two levels, and the deepest seen has six lists."""


@dataclass
class _Item:
    """A list item on the way from its opening to its closing token."""

    opening: Token
    depth: int
    headings: tuple[Heading, ...]
    quoted: bool
    parent: _Item | None
    text: str = ""
    shown: str = ""
    text_end: int = 0
    checked: bool | None = None
    children: int = 0
    kept: bool = False

    @property
    def start(self) -> int:
        return self.opening.map[0] if self.opening.map else 0

    @property
    def end(self) -> int:
        return self.opening.map[1] if self.opening.map else 0


@dataclass
class _Found:
    """What a walk through the tokens collects, in file order.

    ``headings`` come with the line (from 0) their section starts at; ``above`` is the heading path
    of the place the walk is at.
    """

    items: list[_Item] = field(default_factory=list)
    headings: list[tuple[Heading, int]] = field(default_factory=list)
    above: tuple[Heading, ...] = ()
    warnings: list[Warning] = field(default_factory=list)


def parse_roadmap(path: str, content: bytes) -> Roadmap:
    """Read ``content`` as GitHub does; lines count from 1 and are lines of the file."""
    text = _LINE_END.sub(b"\n", content).decode("utf-8", "replace")
    text = text.removeprefix("\ufeff")
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).use(front_matter_plugin)
    found = _walk(parser.parse(text))
    lines = text.split("\n")
    sections = _sections(found, lines)
    counts: Counter[str] = Counter()
    tasks: list[Task] = []
    known: dict[int, str] = {}
    for item in found.items:
        task = _task(item, lines, sections, counts, known)
        known[id(item)] = task.key
        tasks.append(task)
    return Roadmap(path=path, content=content, tasks=tuple(tasks), warnings=tuple(found.warnings))


def _walk(tokens: list[Token]) -> _Found:
    """Collect the task items, all headings and what was left out."""
    found = _Found()
    stack: list[_Item] = []
    quotes = 0
    for index, token in enumerate(tokens):
        if token.type == "blockquote_open":
            quotes += 1
        elif token.type == "blockquote_close":
            quotes -= 1
        elif token.type == "heading_open" and not stack and not quotes:
            _enter(found, token, tokens[index + 1])
        elif token.type == "list_item_open":
            stack.append(_open(token, found, stack, quoted=quotes > 0))
        elif token.type == "list_item_close":
            stack.pop()
        elif token.type == "inline" and stack:
            if _opens_with(stack[-1], tokens[index - 2 : index]):
                _own_text(stack[-1], token)
            _keep(stack[-1], found)
    return found


def _enter(found: _Found, token: Token, inline: Token) -> None:
    """Go on below a heading: it closes those of its own and of deeper levels."""
    start, end = token.map or (0, 0)
    heading = Heading(int(token.tag[1]), start + 1, inline.content.strip())
    found.headings.append((heading, end))
    found.above = (*(h for h in found.above if h.level < heading.level), heading)


def _open(token: Token, found: _Found, stack: list[_Item], *, quoted: bool) -> _Item:
    parent = next((item for item in reversed(stack) if item.checked is not None), None)
    return _Item(
        opening=token, depth=len(stack), headings=found.above, quoted=quoted, parent=parent
    )


def _opens_with(item: _Item, before: list[Token]) -> bool:
    """Say whether a paragraph is the item's first block: ``before`` are the tokens it follows."""
    return before[0] is item.opening and before[1].type == "paragraph_open"


def _own_text(item: _Item, token: Token) -> None:
    """Take the paragraph an item opens with as its text if it starts with a box."""
    start, end = token.map or (0, 0)
    box = _BOX.match(token.content)
    if start != item.start or box is None:
        return
    item.text = token.content[box.end() :].strip()
    item.shown = _SHOWN_BOX.sub("", _first_line(token), count=1).strip()
    item.text_end = end
    item.checked = box[1] != " "


def _first_line(token: Token) -> str:
    """The first line as it is shown: without the marks of emphasis, code and links."""
    children = takewhile(lambda t: t.type not in ("softbreak", "hardbreak"), token.children or ())
    return "".join(child.content for child in children if child.type != "html_inline")


def _keep(item: _Item, found: _Found) -> None:
    if item.kept or item.checked is None:
        return
    item.kept = True
    if item.quoted:
        message = "a task inside a block quote is not executed; move it out of the quote"
        found.warnings.append(Warning(item.start + 1, 1, "quoted-task", message))
        return
    if item.parent is not None:
        item.parent.children += 1
    found.items.append(item)


def _sections(found: _Found, lines: list[str]) -> dict[int, str]:
    """By heading line: the text between a heading and its first task, where the how is said."""
    first: dict[int, int] = {}
    for item in reversed(found.items):
        if item.headings:
            first[item.headings[-1].line] = item.start
    return {
        heading.line: "\n".join(lines[start : first[heading.line]]).strip()
        for heading, start in found.headings
        if heading.line in first
    }


def _task(
    item: _Item,
    lines: list[str],
    sections: dict[int, str],
    counts: Counter[str],
    known: dict[int, str],
) -> Task:
    """Make the value; a task that has tasks below it is a summary and never executed."""
    written, title = _split_id(item)
    own_end, end = item.text_end, _trim(lines, item.start, item.end)
    details = "\n".join(lines[own_end:end])
    return Task(
        key=_key(written, item, counts),
        id=written,
        title=title,
        text=item.text,
        line=item.start + 1,
        text_end_line=own_end,
        end_line=end,
        checked=bool(item.checked),
        depth=item.depth,
        kind="summary" if item.children else "work",
        headings=item.headings,
        details=details.strip("\n"),
        section=sections[item.headings[-1].line] if item.headings else "",
        files=_files(f"{item.text}\n{details}"),
        parent=known.get(id(item.parent)),
    )


def _split_id(item: _Item) -> tuple[str | None, str]:
    """Return the written id and the title, which is what is shown without it."""
    shown = item.shown or item.text.split("\n", 1)[0]
    match = _ID.match(shown + " ")
    if match is None:
        return None, shown
    return match[1], shown[match.end() :].strip() or shown


def _key(written: str | None, item: _Item, counts: Counter[str]) -> str:
    """Hash id, text and headings; equal ones are told apart by how manyth they are."""
    parts = [written or "", " ".join(item.text.split()), *(h.text for h in item.headings)]
    base = "\0".join(parts)
    counts[base] += 1
    return hashlib.sha256(f"{base}\0{counts[base]}".encode()).hexdigest()[:10]


def _trim(lines: list[str], start: int, end: int) -> int:
    """Leave out blank lines at the end of an item."""
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _files(text: str) -> tuple[str, ...]:
    """Code spans that look like a path of this repository (hints, not limits)."""
    spans = dict.fromkeys(_PATH.findall(text))
    return tuple(s for s in spans if _is_path(s))


def _is_path(span: str) -> bool:
    stem, dot, suffix = span.rpartition(".")
    named = bool(
        dot and stem and 1 <= len(suffix) <= 5 and suffix.isalnum() and suffix[0].isalpha()
    )
    return ".." not in span and not span.startswith("/") and ("/" in span or named)
