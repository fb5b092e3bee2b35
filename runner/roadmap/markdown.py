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
from collections.abc import Sequence
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
    is_files,
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
    text: str
    box: str
    check: bool

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
        """Read HTML as the library does; a lone tag ends a block it is not in.

        Lines that continue a quote without its mark have indent -1 and are already decided. The
        indent of a line counts from the innermost item it is in; in a quote from 0 again.
        """
        if html_block(state, start, end, silent):
            return True
        indent = state.sCount[start]
        inside = state.parentType not in ("blockquote", "table") and indent >= state.blkIndent
        text = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
        if not silent or indent < 0 or inside or not text.startswith("<"):
            return False
        indents = [*self._indents, state.blkIndent]
        within = indents[len(indents) - 1 - indents[::-1].index(0) :]
        around = within[bisect_right(within, indent) - 1]
        return indent - around < _INDENTED_CODE and _LONE_TAG.match(text) is not None


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
        if line and token.type == "inline" and "-->" in token.content:
            children = _INLINE.parseInline(token.content)[0].children or ()
            html = (child.content for child in children if child.type == "html_inline")
            line = 0 if any(map(_END.search, html)) else line
        elif token.type == "html_block":
            end = _END.search(token.content) if line else None
            if end is None and line:
                continue
            tags = _HTML.finditer(token.content, end.end() if end else 0)
            opened = next((tag.start() for tag in tags if tag["open"] is not None), None)
            above = (token.map or [0])[0] + 1
            line = 0 if opened is None else above + token.content.count("\n", 0, opened)
    return found


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
    rules = _Rules()
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable("table").disable(_PLAIN)
    if has_front_matter(text):
        parser.use(front_matter_plugin)
    # it reads as GitHub does, and must not parse two texts at once
    parser.block.ruler.at("list", rules.list, {"alt": _ENDS})
    parser.block.ruler.at("html_block", rules.html, {"alt": _ENDS})
    parser.block.ruler.at("reference", _definitions)
    return _walked(parser.parse(text, env)), env


def _walked(tokens: list[Token]) -> Blocks:
    """Go once over the tokens, and know at each the headings, lists and quotes around it."""
    found, hidden = Blocks(tokens), behind(tokens)
    above: Path = ()
    items: list[ListItem] = []
    labels: list[str] = []
    quotes, under = 0, False
    for index, token in enumerate(tokens):
        kind = token.type
        if kind in ("list_item_open", "blockquote_open"):
            start = (token.map or [0])[0]
            if token.level >= DEEPEST - 1 and not found.too_deep:
                found.too_deep = start + 1
            if kind == "blockquote_open":
                quotes += 1
                continue
            item = _item(tokens, index, above, items[-1] if items else None, labels[-1], under)
            item.quoted, item.depth = quotes > 0, len(items)
            if comment := hidden.get(index):
                found.hidden.setdefault(comment, []).append(start)
                item.text = item.box = ""
            else:
                found.items.append(item)
            text, _ = opening_text(tokens, index)
            if "\n" in text and _is_keyword(name := label(text)):
                labels[-1] = name  # without a blank line before it, a label joins the last item
            items.append(item)
        elif kind == "list_item_close":
            items.pop()
        elif kind == "blockquote_close":
            quotes -= 1
        elif kind in ("bullet_list_open", "ordered_list_open"):
            labels.append(_label_above(tokens, index, items))
        elif kind in ("bullet_list_close", "ordered_list_close"):
            labels.pop()
        elif kind in _CODE:
            found.code.append(token)
        elif quotes or index in hidden:
            continue
        elif kind == "paragraph_open" and tokens[index - 1].type != "list_item_open":
            start, content = (token.map or [0])[0], tokens[index + 1].content
            found.paragraphs.append(Paragraph(start, content, above, items[-1] if items else None))
        elif kind == "heading_open" and not items:  # it closes those of its and of deeper levels
            start, end = token.map or (0, 0)
            heading = Heading(int(token.tag[1]), start + 1, tokens[index + 1].content.strip())
            above = (*(h for h in above if h.level < heading.level), heading)
            under = _under_checks(above)
            found.headings.append(Headed(above, end))
        elif kind == "table_open":
            found.tables.append((index, above))
    return found


_CODE = ("fence", "code_block", "html_block", "front_matter")


def _item(
    tokens: list[Token], index: int, above: Path, holder: ListItem | None, label: str, under: bool
) -> ListItem:
    """The item that opens here. Its label says if it is a check, else what is around or above it.

    A list of files is not a list of work: its checkboxes say which of them exist.
    """
    token = tokens[index]
    text, text_end = opening_text(tokens, index)
    box = _BOX.match(text)
    rest = text[box.end() :].strip() if box else text
    if label and labels_checks(label):
        check = True
    elif label and is_work(label):
        check = False
    else:
        check = under if holder is None else holder.check
    if box and rest and holder is None and _PATH.match(rest):
        check |= is_files(label or (above[-1].text if above else ""))
    start, end = token.map or (0, 0)
    return ListItem(
        start=start,
        end=end,
        depth=0,
        headings=above,
        quoted=False,
        holder=holder,
        label=label,
        marker=token.markup,
        text_end=text_end,
        text=rest,
        box=box[1] if box and rest else "",
        check=check,
    )


def _label_above(tokens: list[Token], index: int, items: Sequence[ListItem]) -> str:
    """The paragraph above a list may be its label; so may the text of the item it is in."""
    if not index or tokens[index - 1].type != "paragraph_close":
        return ""
    found = label(tokens[index - 2].content)
    own = found and items and items[-1].box and tokens[index - 4].type == "list_item_open"
    return "" if own and not _is_keyword(found) else found


def _is_keyword(text: str) -> bool:
    return labels_checks(text) or is_work(text)


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
