"""The block structure of a roadmap: list items, headings, code, as CommonMark and GFM have it.

https://github.github.com/gfm/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.front_matter import front_matter_plugin

from runner.roadmap import gfm_rules
from runner.roadmap.comments import behind
from runner.roadmap.headings import Path, number
from runner.roadmap.items import Item, opening_text
from runner.roadmap.labels import is_checks, is_files, is_work, label
from runner.roadmap.limits import DEEPEST
from runner.roadmap.task import Heading

_PATH = re.compile(r"[*_]{0,2}`[^`\s]*[./][^`\s]*`")
_PLAIN = ("inline", "text_join")
"""Core rules that are left out: inline Markdown is read where a title needs it (``shown``)."""


@dataclass(frozen=True, slots=True)
class Headed:
    """A heading outside lists and quotes; ``start`` is the line (from 0) its own text starts at."""

    path: Path
    start: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph that is not the opening of an item, with where it stands; lines from 0."""

    start: int
    content: str
    headings: Path
    holder: Item | None


@dataclass(slots=True)
class Blocks:
    """What a walk through the tokens collects, all in file order.

    ``items`` are all list items, tasks or not; ``tables`` places in ``tokens``; ``too_deep`` the
    line (from 1) where nesting was deeper than is read, 0 when it was not. What stands behind an
    open comment is in none of them: ``hidden`` has the lines of its items (from 0), by the line
    (from 1) of the comment.
    """

    tokens: list[Token]
    items: list[Item] = field(default_factory=list)
    headings: list[Headed] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    code: list[Token] = field(default_factory=list)
    tables: list[tuple[int, Path]] = field(default_factory=list)
    hidden: dict[int, list[int]] = field(default_factory=dict)
    too_deep: int = 0


def parse(text: str) -> tuple[Blocks, EnvType]:
    """Read the blocks of a text with LF line ends; the second value holds its link definitions."""
    env: EnvType = {}
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable("table").disable(_PLAIN)
    tokens = gfm_rules.use(parser.use(front_matter_plugin)).parse(text, env)
    return _Walk(tokens).run(), env


class _Walk:
    """One pass over the tokens; knows at each of them the headings, lists and quotes around."""

    def __init__(self, tokens: list[Token]) -> None:
        self.found = Blocks(tokens)
        self._tokens = tokens
        self._behind = behind(tokens)
        self._above: Path = ()
        self._items: list[Item] = []
        self._labels: list[str] = []
        self._quotes = 0
        self._under = False
        self._steps: dict[str, Callable[[int, Token], object]] = {
            "list_item_open": self._item,
            "list_item_close": lambda *_: self._items.pop(),
            "paragraph_open": self._paragraph,
            "bullet_list_open": self._list,
            "ordered_list_open": self._list,
            "bullet_list_close": lambda *_: self._labels.pop(),
            "ordered_list_close": lambda *_: self._labels.pop(),
            "heading_open": self._heading,
            "blockquote_open": self._quote,
            "blockquote_close": self._unquote,
            "table_open": self._table,
            **dict.fromkeys(_CODE, self._code),
        }

    def run(self) -> Blocks:
        steps = self._steps
        for index, token in enumerate(self._tokens):
            if step := steps.get(token.type):
                step(index, token)
        return self.found

    def _item(self, index: int, token: Token) -> None:
        text, text_end = opening_text(self._tokens, index)
        item = self._begun(token, text_end)
        if comment := self._behind.get(index):
            self.found.hidden.setdefault(comment, []).append(item.start)
        else:
            item.take(text)
            self.found.items.append(item)
        if _names_a_file(item):
            item.check = True
        if "\n" in text and _is_keyword(said := label(text)):
            self._labels[-1] = said  # without a blank line before it, a label joins the last item
        if token.level >= DEEPEST - 1 and not self.found.too_deep:
            self.found.too_deep = item.start + 1
        self._items.append(item)

    def _begun(self, token: Token, text_end: int) -> Item:
        """The item that opens here, by where it stands."""
        start, end = token.map or (0, 0)
        said, holder = self._labels[-1], self._items[-1] if self._items else None
        return Item(
            start=start,
            end=end,
            depth=len(self._items),
            headings=self._above,
            quoted=self._quotes > 0,
            holder=holder,
            label=said,
            marker=token.markup,
            text_end=text_end,
            check=_checked(said, holder, under=self._under),
        )

    def _list(self, index: int, _token: Token) -> None:
        """The paragraph above a list may be its label; so may the text of the item it is in."""
        before = self._tokens[index - 1].type == "paragraph_close" if index else False
        said = label(self._tokens[index - 2].content) if before else ""
        if said and self._items and self._items[-1].box and not _is_keyword(said):
            own = self._tokens[index - 4].type == "list_item_open"
            said = "" if own else said
        self._labels.append(said)

    def _paragraph(self, index: int, token: Token) -> None:
        opening = self._tokens[index - 1].type == "list_item_open"
        if opening or self._quotes or index in self._behind:
            return
        start = token.map[0] if token.map else 0
        holder = self._items[-1] if self._items else None
        content = self._tokens[index + 1].content
        self.found.paragraphs.append(Paragraph(start, content, self._above, holder))

    def _heading(self, index: int, token: Token) -> None:
        """Go on below a heading: it closes those of its own and of deeper levels."""
        if self._items or self._quotes or index in self._behind:
            return
        start, end = token.map or (0, 0)
        heading = Heading(int(token.tag[1]), start + 1, self._tokens[index + 1].content.strip())
        self._above = (*(h for h in self._above if h.level < heading.level), heading)
        self._under = _under_checks(self._above)
        self.found.headings.append(Headed(self._above, end))

    def _quote(self, _index: int, token: Token) -> None:
        self._quotes += 1
        if token.level >= DEEPEST - 1 and not self.found.too_deep:
            self.found.too_deep = (token.map or [0])[0] + 1

    def _unquote(self, _index: int, _token: Token) -> None:
        self._quotes -= 1

    def _table(self, index: int, _token: Token) -> None:
        if not self._quotes and index not in self._behind:
            self.found.tables.append((index, self._above))

    def _code(self, _index: int, token: Token) -> None:
        self.found.code.append(token)


_CODE: Iterable[str] = ("fence", "code_block", "html_block", "front_matter")


def _is_keyword(said: str) -> bool:
    return is_checks(said) or is_work(said)


def _checked(label: str, holder: Item | None, *, under: bool) -> bool:
    """Say whether items of a list are checks: by its label, else by what it stands in or under."""
    if label and is_checks(label):
        return True
    if label and is_work(label):
        return False
    if holder is not None:
        return holder.check
    return under


def _names_a_file(item: Item) -> bool:
    """A list of files is no list of work: its boxes say which of them are there."""
    if not item.box or item.holder is not None or not _PATH.match(item.text):
        return False
    above = item.label or (item.headings[-1].text if item.headings else "")
    return is_files(above)


def _under_checks(above: Path) -> bool:
    """The nearest heading decides; further out only sections that are divided, not a title."""
    for heading in reversed(above):
        if is_checks(heading.text):
            return heading is above[-1] or heading.level > 1
        if is_work(heading.text) or number(heading.text):
            return False
    return False
