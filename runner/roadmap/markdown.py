"""The block structure of a roadmap as GitHub shows it: list items, headings, code, comments.

GitHub's parser differs from CommonMark: a tag on a line right below a list item, a quote or a table
begins a block of HTML (https://github.com/executablebooks/markdown-it-py/issues/434), and a link
definition begins a paragraph. An HTML comment may outlive its block: GitHub hides what follows up
to its end (https://html.spec.whatwg.org/multipage/parsing.html#comment-state).
https://github.github.com/gfm/
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.common.html_re import HTML_OPEN_CLOSE_TAG_STR
from markdown_it.rules_block import (
    StateBlock,
    html_block,
    lheading,
    list_block,
    paragraph,
    reference,
)
from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.front_matter import front_matter_plugin

from runner.roadmap.checks import are_wishes, is_checks, labels_checks
from runner.roadmap.headings import (
    Path,
    divides_checks,
    is_done,
    is_files,
    is_task,
    is_work,
    label,
    number,
)
from runner.roadmap.source import DEEPEST, has_front_matter
from runner.roadmap.task import Heading

_BOX = re.compile(r"\[([ xX])\](?=[ \t])")


@dataclass(slots=True, eq=False)
class ListItem:
    """A list item; lines count from 0, ``end`` and ``text_end`` are the lines after.

    ``box`` is what is between the brackets of a task, '' for other items. ``text`` is the paragraph
    it opens with, without the checkbox. ``holder`` is the item around it, ``parent`` the task.
    ``check`` says that its list is one of checks.
    """

    start: int
    end: int
    depth: int
    headings: Path
    quoted: bool
    holder: ListItem | None
    label: str
    marker: str
    text_end: int
    check: bool
    text: str = ""
    box: str = ""

    def take(self, text: str) -> None:
        """Take the text the item opens with, and its checkbox if it has one and more text."""
        found = _BOX.match(text)
        rest = text[found.end() :].strip() if found else text
        if found and rest:
            self.box = found[1]
        self.text = rest

    @property
    def is_task(self) -> bool:
        """Whether it is a task that counts."""
        return bool(self.box) and not self.quoted

    @property
    def parent(self) -> ListItem | None:
        """The nearest item around it that is a task."""
        item = self.holder
        while item is not None and not item.box:
            item = item.holder
        return item


def opening_text(tokens: list[Token], index: int) -> tuple[str, int]:
    """Return the text that the item opening at ``index`` begins with, and the line after it.

    GitHub looks for the checkbox before it reads what follows as a paragraph, an underlined heading
    or the head of a table; it must be on the line of the item's mark.
    """
    start, end = tokens[index].map or (0, 0)
    block = tokens[index + 1]
    if not block.map or block.map[0] != start:
        return "", min(end, start + 1)
    if block.type == "paragraph_open" or (block.type == "heading_open" and block.markup in "=-"):
        return tokens[index + 2].content, block.map[1]
    if block.type == "table_open":
        return tokens[index + 5].content, block.map[1]
    return "", min(end, start + 1)


_LONE_TAG = re.compile(HTML_OPEN_CLOSE_TAG_STR + r"\s*\Z")
_ENDS = ["paragraph", "reference", "blockquote"]
"""What the rules for lists and for HTML may end, as the library has it."""
_INDENTED_CODE = 4
"""Blanks from which a line is code, or continues a paragraph."""


def use(parser: MarkdownIt) -> MarkdownIt:
    """Let ``parser`` read as GitHub does; it must not parse two texts at once."""
    rules = _Rules()
    parser.block.ruler.at("list", rules.list, {"alt": _ENDS})
    parser.block.ruler.at("html_block", rules.html, {"alt": _ENDS})
    parser.block.ruler.at("reference", _definitions)
    return parser


class _Rules:
    """The library's rules; knows besides how far the items around a line are indented."""

    def __init__(self) -> None:
        self._indents: list[int] = []

    def list(self, state: StateBlock, start: int, end: int, silent: bool) -> bool:
        """Read a list as the library does."""
        if silent:
            return list_block(state, start, end, silent)
        self._indents.append(state.blkIndent)
        found = list_block(state, start, end, silent)
        self._indents.pop()
        return found

    def html(self, state: StateBlock, start: int, end: int, silent: bool) -> bool:
        """Read HTML as the library does; a lone tag ends a block it is not in."""
        if html_block(state, start, end, silent):
            return True
        return silent and _outside(state, start) and self._lone(state, start)

    def _lone(self, state: StateBlock, line: int) -> bool:
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
        return (
            text.startswith("<")
            and state.sCount[line] - self._around(state, line) < _INDENTED_CODE
            and _LONE_TAG.match(text) is not None
        )

    def _around(self, state: StateBlock, line: int) -> int:
        """The indent of the innermost item that a line is in; a quote counts from 0 again."""
        indents = [*self._indents, state.blkIndent]
        last_quote = len(indents) - 1 - indents[::-1].index(0)
        within = indents[last_quote:]
        return within[bisect_right(within, state.sCount[line]) - 1]


def _outside(state: StateBlock, line: int) -> bool:
    """Whether a line is outside the block that it could continue, or is a row of a table.

    Lines that continue a quote without its mark have indent -1 and are already decided.
    """
    indent = state.sCount[line]
    return indent >= 0 and (state.parentType in ("blockquote", "table") or indent < state.blkIndent)


def _definitions(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a link definition as the library does, then the rest of the paragraph."""
    if not reference(state, start, end, silent):
        return False
    while not silent and _goes_on(state, state.line, end):
        line = state.line
        if not reference(state, line, end, silent):
            return lheading(state, line, end, silent) or paragraph(state, line, end, silent)
    return True


def _goes_on(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line continues the paragraph above it."""
    if line >= state.lineMax or state.isEmpty(line):
        return False
    if state.sCount[line] < 0 or state.sCount[line] - state.blkIndent >= _INDENTED_CODE:
        return True
    around, state.parentType = state.parentType, "paragraph"
    ended = any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("paragraph"))
    state.parentType = around
    return not ended


_END = re.compile(r"--!?>")
_HTML = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|(?P<open>\Z)))|<[!?][^>]*+(?:>|\Z)"
    # atomic, for ``*+`` of a group takes too much before Python 3.11.5 (cpython issue 106052)
    r"|</?[A-Za-z](?>(?:=\s*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z))|[^=>]+|=)*)(?:>|\Z)",
    re.DOTALL,
)
"""A comment, declaration or tag: what looks like a comment inside the others is not one."""
_INLINE = MarkdownIt("commonmark", {"maxNesting": 20})


def behind(tokens: Sequence[Token]) -> dict[int, int]:
    """Return by place in ``tokens`` what is in an open comment: the line (from 1) it begins."""
    found: dict[int, int] = {}
    line = 0
    for index, token in enumerate(tokens):
        if line:
            found[index] = line
        if token.type == "html_block":
            line = _after(token, line)
        elif line and token.type == "inline" and "-->" in token.content:
            line = 0 if any(_END.search(html) for html in _inline(token.content)) else line
    return found


def _after(block: Token, line: int) -> int:
    """The line of the comment that is open behind a block of HTML; 0 for none."""
    start = 0
    if line:
        end = _END.search(block.content)
        if end is None:
            return line
        start = end.end()
    opened = next((f for f in _HTML.finditer(block.content, start) if f["open"] is not None), None)
    if opened is None:
        return 0
    return (block.map or [0])[0] + 1 + block.content.count("\n", 0, opened.start())


def _inline(text: str) -> list[str]:
    """The HTML in a paragraph: elsewhere in it a ``-->`` is shown as text."""
    children = _INLINE.parseInline(text)[0].children or []
    return [token.content for token in children if token.type == "html_inline"]


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
    """A paragraph that is not the opening of an item, with its place; lines from 0."""

    start: int
    content: str
    headings: Path
    holder: ListItem | None


@dataclass(slots=True)
class Blocks:
    """What a walk through the tokens collects, all in file order.

    ``items`` are all list items, tasks or not; ``tables`` places in ``tokens``; ``too_deep`` the
    line (from 1) where nesting was deeper than is read, 0 when it was not. What is behind an open
    comment is in none of them: ``hidden`` has the lines of its items (from 0), by the line (from 1)
    of the comment.
    """

    tokens: list[Token]
    items: list[ListItem] = field(default_factory=list)
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
    if has_front_matter(text):
        parser.use(front_matter_plugin)
    tokens = use(parser).parse(text, env)
    return _Walk(tokens).run(), env


class _Walk:
    """One pass over the tokens; knows at each of them the headings, lists and quotes around."""

    def __init__(self, tokens: list[Token]) -> None:
        self.found = Blocks(tokens)
        self._tokens = tokens
        self._behind = behind(tokens)
        self._above: Path = ()
        self._items: list[ListItem] = []
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
        if _names_a_file(item) or _says_when_done(item):
            item.check = True
        if "\n" in text and _is_keyword(name := label(text)):
            self._labels[-1] = name  # without a blank line before it, a label joins the last item
        if token.level >= DEEPEST - 1 and not self.found.too_deep:
            self.found.too_deep = item.start + 1
        self._items.append(item)

    def _begun(self, token: Token, text_end: int) -> ListItem:
        """The item that opens here, by its place."""
        start, end = token.map or (0, 0)
        parts, holder = self._labels[-1], self._items[-1] if self._items else None
        return ListItem(
            start=start,
            end=end,
            depth=len(self._items),
            headings=self._above,
            quoted=self._quotes > 0,
            holder=holder,
            label=parts,
            marker=token.markup,
            text_end=text_end,
            check=_checked(parts, holder, under=self._under),
        )

    def _list(self, index: int, _token: Token) -> None:
        """The paragraph above a list may be its label; so may the text of the item it is in."""
        before = self._tokens[index - 1].type == "paragraph_close" if index else False
        heading = label(self._tokens[index - 2].content) if before else ""
        if heading and self._items and self._items[-1].box and not _is_keyword(heading):
            own = self._tokens[index - 4].type == "list_item_open"
            heading = "" if own else heading
        self._labels.append(heading)

    def _paragraph(self, index: int, token: Token) -> None:
        opening = self._tokens[index - 1].type == "list_item_open"
        if opening or self._quotes or index in self._behind:
            return
        start = token.map[0] if token.map else 0
        holder = self._items[-1] if self._items else None
        content = self._tokens[index + 1].content
        self.found.paragraphs.append(Paragraph(start, content, self._above, holder))

    def _heading(self, index: int, token: Token) -> None:
        """Continue below a heading: it closes those of its own and of deeper levels."""
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


def _is_keyword(text: str) -> bool:
    return labels_checks(text) or is_work(text)


def _checked(label: str, holder: ListItem | None, *, under: bool) -> bool:
    """Say whether items of a list are checks: by its label, else by what is around or above it."""
    if label and labels_checks(label):
        return True
    if label and is_work(label):
        return False
    if holder is not None:
        return holder.check
    return under


def _names_a_file(item: ListItem) -> bool:
    """A list of files is not a list of work: its checkboxes say which of them exist."""
    if not item.box or item.holder is not None or not _PATH.match(item.text):
        return False
    above = item.label or (item.headings[-1].text if item.headings else "")
    return is_files(above)


def _says_when_done(item: ListItem) -> bool:
    """Say whether an item is an open one below "Done:" in the section of a task."""
    if item.box != " " or not is_done(item.label) or not item.headings:
        return False
    return bool(is_task(item.headings[-1].text))


def _under_checks(above: Path) -> bool:
    """The nearest heading decides; further out only sections that are divided, not a title.

    Phases divide what is right below a heading of checks: "Phase 2 (MVP)" below "Success metrics".
    """
    if above and are_wishes(above[-1].text):  # "Nice to have" below "Success criteria"
        return False
    for place, heading in reversed([*enumerate(above)]):
        if is_checks(heading.text):
            return heading is above[-1] or heading.level > 1
        named = number(heading.text) and not divides_checks(above, place)
        if named or is_work(heading.text):
            return False
    return False
