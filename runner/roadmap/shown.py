"""The first line of a text as GitHub shows it: without marks of emphasis, code and links."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType

MOST = 500
"""Characters of a text that are read for its title; inline Markdown is not linear in its length."""

_ACTIVE = re.compile(r"[*_`\[\]<>&\\!~]")
_INNER = re.compile(r"\W*~(?!~)[^~]+~\W*")
_FORMAT = re.compile(
    r"<!--|</?(?:a|b|br|code|del|em|font|i|img|ins|kbd|mark|s|small|span|strong|sub|sup|tt|u)\b",
    re.IGNORECASE,
)
_BREAKS = ("softbreak", "hardbreak")


@dataclass(frozen=True, slots=True)
class Shown:
    """``text`` is the first line as shown, ``kept`` that without what is struck through."""

    text: str
    kept: str

    @property
    def struck(self) -> bool:
        """Whether anything is struck through."""
        return self.kept != self.text


class Inline:
    """Reads the inline Markdown of one file: its link definitions change what a text shows."""

    def __init__(self, env: EnvType) -> None:
        self._parser = MarkdownIt("commonmark", {"maxNesting": 20}).enable("strikethrough")
        self._env = env

    def __call__(self, text: str) -> Shown:
        """Show the first line of ``text``; only its first ``MOST`` characters are read."""
        text = text[:MOST].strip()
        if not _ACTIVE.search(text):
            plain = text.split("\n", 1)[0].strip()
            return Shown(plain, plain)
        children = self._parser.parseInline(text, self._env)[0].children or []
        line = list(takewhile(lambda token: token.type not in _BREAKS, children))
        shown = _joined(line)
        kept = _joined(_kept(line)) if "~" in text else shown
        if kept == shown and _INNER.fullmatch(text.split("\n", 1)[0]):
            return Shown(
                shown.strip("~ "), ""
            )  # one tilde a side strikes through on GitHub as well
        return Shown(shown, kept)


def _joined(tokens: Iterable[Token]) -> str:
    """The text of tokens; of HTML what formats is left out, what is talked about (<T>) stays."""
    kept = (t.content for t in tokens if t.type != "html_inline" or not _FORMAT.match(t.content))
    return "".join(kept).strip()


def _kept(tokens: Iterable[Token]) -> list[Token]:
    depth, kept = 0, []
    for token in tokens:
        depth += token.nesting if token.type in ("s_open", "s_close") else 0
        if not depth:
            kept.append(token)
    return kept
