"""Two other readings of a roadmap: GitHub's parser in C, and markdown-it's rule for task lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options
from markdown_it import MarkdownIt
from markdown_it.utils import EnvType
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from runner.roadmap.task import Roadmap

Seen = tuple[int, bool, int, str]
"""What the parsers are held against each other by: line, done, depth, the words of the text."""

_FRONT = re.compile(r"---\n.*?\n---\n", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_OPTIONS = Options.CMARK_OPT_SOURCEPOS | Options.CMARK_OPT_UNSAFE
_BLOCKS = {"ul", "ol", "pre", "blockquote", "table", "hr", "div", "details"}
_SHOW = MarkdownIt("commonmark").enable("strikethrough")


def decoded(content: bytes) -> str:
    """The text all three read: LF line ends, no byte order mark, no front matter."""
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front = _FRONT.match(text)
    return "\n" * front[0].count("\n") + text[front.end() :] if front else text


def ours(roadmap: Roadmap) -> list[Seen]:
    """What our parser says, in the same words."""
    links: EnvType = {}
    _SHOW.parse(decoded(roadmap.content), links)
    return [
        (
            task.place.line,
            task.checked,
            task.place.depth,
            _words(_SHOW.renderInline(task.text, links)),
        )
        for task in roadmap.tasks
    ]


def by_markdown_it(content: bytes) -> list[Seen]:
    """The task items of markdown-it-py with its plugin for task lists."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(tasklists_plugin)
    tokens = parser.parse(decoded(content))
    for token in tokens:
        if token.type == "list_item_open" and token.map:
            token.attrSet("data-sourcepos", f"{token.map[0] + 1}:1")
    return _shown(parser.renderer.render(tokens, parser.options, {}))


def by_cmark(content: bytes) -> list[Seen]:
    """The task items of cmark-gfm, read off its HTML with source positions."""
    return _shown(cmarkgfm.github_flavored_markdown_to_html(decoded(content), _OPTIONS))


def _shown(html: str) -> list[Seen]:
    """The boxes of a page: what an open comment hides is not among them."""
    reader = _Boxes()
    reader.feed(html)
    found = (item for item in reader.items if item.done is not None)
    return [(i.line, bool(i.done), i.depth, " ".join(i.text.split())) for i in found]


@dataclass
class _Item:
    line: int
    depth: int
    done: bool | None = None
    text: str = ""
    closed: bool = False


@dataclass
class _Boxes(HTMLParser):
    """Collects list items with their lines; the own text of one ends at its first other block."""

    items: list[_Item] = field(default_factory=list)
    stack: list[_Item] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "li":
            self._close()
            line = int((given["data-sourcepos"] or "").split(":")[0])
            item = _Item(line, len(self.stack))
            self.items.append(item)
            self.stack.append(item)
        elif tag == "input" and self.stack and given.get("type") == "checkbox":
            self.stack[-1].done = "checked" in given
        elif tag in _BLOCKS or (tag == "p" and self.stack and self.stack[-1].text.strip()):
            self._close()

    def handle_endtag(self, tag: str) -> None:
        if tag == "li" and self.stack:  # its beginning may stand in a comment
            self.stack.pop()

    def handle_data(self, data: str) -> None:
        if self.stack and not self.stack[-1].closed:
            self.stack[-1].text += data

    def _close(self) -> None:
        if self.stack:
            self.stack[-1].closed = True


def _words(html: str) -> str:
    return " ".join(unescape(_TAG.sub("", html)).split())
