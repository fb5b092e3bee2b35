"""Parse a roadmap: the task items GitHub shows, with the lines of the file they stand on.

Task lists: https://github.github.com/gfm/#task-list-items-extension-
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from runner.roadmap.task import Heading, Roadmap, Task, Warning

_BOX = re.compile(r"\[([ xX])\](?=[ \t\n])")
_ID = re.compile(
    r"(?:\*\*)?((?:[A-Z]{1,8}-?\d+(?:[.-]\d+)*)|(?:\d+(?:\.\d+)+))[.:)]?(?:\*\*)?[:.]?\s+"
)
_PATH = re.compile(r"`([\w.@-]+(?:/[\w.@-]+)*/?)`")
_TASK_LINE = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s")
_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass
class _Item:
    """A list item on the way from its opening to its closing token."""

    start: int
    end: int
    depth: int
    headings: tuple[Heading, ...]
    text: str = ""
    text_end: int = 0
    checked: bool | None = None
    parent: _Item | None = None
    quoted: bool = False
    children: int = 0
    kept: bool = False


def parse_roadmap(path: str, content: bytes) -> Roadmap:
    """Read ``content`` as GitHub does; lines count from 1 and are lines of the file."""
    text = _LINE_END.sub(b"\n", content).decode("utf-8", "replace")
    text = text.removeprefix("\ufeff")
    parser = MarkdownIt("commonmark").use(front_matter_plugin)
    items, headings, warnings = _walk(parser.parse(text))
    lines = text.split("\n")
    counts: Counter[str] = Counter()
    tasks: list[Task] = []
    known: dict[int, str] = {}
    for item in items:
        task = _task(item, lines, headings, counts, known)
        known[id(item)] = task.key
        tasks.append(task)
    return Roadmap(path=path, content=content, tasks=tuple(tasks), warnings=tuple(warnings))


def _walk(tokens: list[Token]) -> tuple[list[_Item], list[Heading], list[Warning]]:
    """Collect the task items in file order, all headings and what was left out."""
    found: list[_Item] = []
    headings: list[Heading] = []
    warnings: list[Warning] = []
    open_items: list[_Item] = []
    quotes = 0
    for index, token in enumerate(tokens):
        if token.type == "blockquote_open":
            quotes += 1
        elif token.type == "blockquote_close":
            quotes -= 1
        elif token.type == "heading_open" and not open_items and token.map:
            headings.append(
                Heading(int(token.tag[1]), token.map[0] + 1, tokens[index + 1].content.strip())
            )
        elif token.type == "list_item_open":
            open_items.append(_open(token, headings, open_items, quoted=quotes > 0))
        elif token.type == "inline" and open_items and open_items[-1].checked is None:
            _own_text(open_items[-1], token, tokens[index - 1])
        elif token.type == "list_item_close":
            open_items.pop()
            continue
        if token.type == "inline" and open_items and open_items[-1].checked is not None:
            _keep(open_items[-1], found, warnings)
    return found, headings, warnings


def _open(token: Token, headings: list[Heading], stack: list[_Item], *, quoted: bool) -> _Item:
    start, end = token.map or (0, 0)
    parent = next((item for item in reversed(stack) if item.checked is not None), None)
    return _Item(
        start=start,
        end=end,
        depth=len(stack),
        headings=_path(headings),
        parent=parent,
        quoted=quoted,
    )


def _path(headings: list[Heading]) -> tuple[Heading, ...]:
    """The headings above a place: each level's newest that no higher one has closed."""
    path: list[Heading] = []
    for heading in headings:
        path = [h for h in path if h.level < heading.level] + [heading]
    return tuple(path)


def _own_text(item: _Item, token: Token, before: Token) -> None:
    """Take the item's first paragraph as its text if it starts with a box."""
    if item.text or before.type != "paragraph_open" or not token.map:
        return
    box = _BOX.match(token.content)
    if token.map[0] != item.start or box is None:
        item.text = token.content
        return
    item.text = token.content[box.end() :].strip()
    item.text_end = token.map[1]
    item.checked = box[1] != " "


def _keep(item: _Item, found: list[_Item], warnings: list[Warning]) -> None:
    if item.kept:
        return
    item.kept = True
    if item.quoted:
        message = "a task inside a block quote is not executed; move it out of the quote"
        warnings.append(Warning(item.start + 1, 1, "quoted-task", message))
        return
    if item.parent is not None:
        item.parent.children += 1
    found.append(item)


def _task(
    item: _Item,
    lines: list[str],
    headings: list[Heading],
    counts: Counter[str],
    known: dict[int, str],
) -> Task:
    """Make the value; a task that has tasks below it is a summary and never executed."""
    written, title = _split_id(item.text)
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
        section=_section(item, lines, headings),
        files=_files(f"{item.text}\n{details}"),
        parent=known.get(id(item.parent)),
    )


def _split_id(text: str) -> tuple[str | None, str]:
    first = text.split("\n", 1)[0]
    match = _ID.match(first)
    written = match[1] if match else None
    title = first[match.end() :] if match else first
    return written, re.sub(r"[*_`]{1,2}(.+?)[*_`]{1,2}", r"\1", title).strip() or first


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


def _section(item: _Item, lines: list[str], headings: list[Heading]) -> str:
    """The text between the task's heading and the first task: often where the how is said."""
    if not item.headings:
        return ""
    here = item.headings[-1].line
    following = (h.line - 1 for h in headings if h.line > here)
    end = min(next(following, len(lines)), item.start)
    prose = takewhile(lambda line: not _TASK_LINE.match(line), lines[here:end])
    return "\n".join(prose).strip()


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
