"""Where a file stops being its language: the first token no reading of the grammar can take.

The tree shows how the parser recovered, often far from the fault; its log shows where it stood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import LogType, Node, Parser, Tree

from runner.findings import Complaint
from runner.text import numbered
from runner.validators import grammar as grammars
from runner.validators.grammar import Grammar

_PROCESS = re.compile(r"process version:\d+, version_count:\d+, state:(\d+), row:(\d+), col:(\d+)")
_TOKEN = re.compile(rb"\w+|[^\w\s]")
_PAIRS = {"{": "}", "(": ")", "[": "]"}
_QUOTES = {"'", '"', "`"}
_MOST_EXPECTED = 4
_LARGEST_LOGGED = 64 << 10
_OPEN_TEXT = "the text that begins here is never closed"


@dataclass(slots=True)
class _Stop:
    """What the log says: the farthest place (row, byte) where a reading ended, and its state."""

    place: tuple[int, int] = (-1, 0)
    state: int = 0
    at: tuple[int, int] = (0, 0)
    at_state: int = 0
    final: bool = False

    def __call__(self, kind: LogType, said: str) -> None:
        if self.final or kind is not LogType.PARSE:
            return
        if found := _PROCESS.match(said):
            self.at_state, self.at = int(found[1]), (int(found[2]), int(found[3]))
        elif said.startswith("detect_error") and self.at > self.place:
            self.place, self.state = self.at, self.at_state
        elif said.startswith("resume"):  # every reading has ended
            self.final = True


@dataclass(frozen=True, slots=True)
class Place:
    """The first error: its offset in bytes, and in words what is wrong there."""

    offset: int
    said: str


def first_error(grammar: Grammar, content: bytes, tree: Tree | None) -> Place:
    """Return where the first error of a file is that has one, and what it is."""
    stop = _Stop()
    if len(content) <= _LARGEST_LOGGED:
        parser = Parser(grammars.language(grammar), logger=stop)
        grammars.run(parser, content, stop=lambda: stop.final)
    node, above = next(grammars.errors(tree), (None, None)) if tree else (None, None)
    row, column = stop.place if stop.place[0] >= 0 else node.start_point if node else (0, 0)
    starts = _line_starts(content)
    offset = starts[min(row, len(starts) - 1)] + column
    if node and above and node.is_missing and node.start_byte <= offset:
        return _missing(content, node, above)
    wanted = _wanted(grammar, stop.state) if stop.place[0] >= 0 else set()
    return _unexpected(content, offset, wanted, tree)


def _missing(content: bytes, node: Node, above: Node) -> Place:
    """Return the place behind the last token before it, where compilers miss something."""
    at = len(content[: node.start_byte].rstrip())
    said = f"{_quoted(node.type)} is missing here"
    for other in above.children:
        if _PAIRS.get(other.type) == node.type:
            said += f": {_never_closed(other)}"
    return Place(at, said)


def _unexpected(content: bytes, offset: int, wanted: set[str], tree: Tree | None) -> Place:
    """Say what stands at (or behind the blanks at) ``offset``, and what would do instead."""
    blanks = len(content[offset:]) - len(content[offset:].lstrip())
    at_end = offset + blanks == len(content)
    new_line = b"\n" in content[offset : offset + blanks]
    if (new_line or at_end) and (at := _open_text(content, offset, wanted)) >= 0:
        return Place(at, _OPEN_TEXT)
    ended = content[:offset].rstrip()[-1:] in {b";", b"{", b"}", b","}
    if new_line and not at_end and not ended and ";" in wanted:
        return Place(len(content[:offset].rstrip()), "';' is missing here")
    token = _TOKEN.match(content, offset + blanks)
    if not token:
        opened = _unclosed(tree) if tree else None
        said = f": {_never_closed(opened)}" if opened else ""
        return Place(len(content.rstrip()), f"unexpected end of file{said}")
    if token[0].decode("utf-8", "replace") in _QUOTES:
        return Place(offset + blanks, _OPEN_TEXT)
    said = f"unexpected {_quoted(token[0].decode('utf-8', 'replace'))}"
    if 0 < len(wanted) <= _MOST_EXPECTED:
        said += ", expected " + " or ".join(_quoted(name) for name in sorted(wanted))
    return Place(offset + blanks, said)


def _open_text(content: bytes, offset: int, wanted: set[str]) -> int:
    """Return where the text begins that only a quote could have ended here, or -1."""
    if "identifier" in wanted or not all(name.isidentifier() for name in wanted - _QUOTES):
        return -1
    line = content.rfind(b"\n", 0, offset) + 1
    return max((content.rfind(q.encode(), line, offset) for q in wanted & _QUOTES), default=-1)


def _line_starts(content: bytes) -> list[int]:
    return [0, *(found.end() for found in re.finditer(b"\n", content))]


def _wanted(grammar: Grammar, state: int) -> set[str]:
    """Return the tokens the parser would have taken."""
    rows = grammars.language(grammar).lookahead_iterator(state)
    names = {name for name in rows.names() if not name.startswith("_")} if rows else set()
    return names - {"comment", "end", "line_comment", "block_comment", "heredoc_body"}


def complaint(path: str, content: bytes, place: Place) -> Complaint:
    """Make a complaint of a place; line and column count characters from 1."""
    start = content.rfind(b"\n", 0, place.offset) + 1
    line = content.count(b"\n", 0, place.offset) + 1
    column = len(content[start : place.offset].decode("utf-8", "replace")) + 1
    excerpt = numbered(content.decode("utf-8", "replace"), line)
    return Complaint(path, "SyntaxError", place.said, line, column, excerpt)


def _quoted(token: str) -> str:
    """Quote a token; a kind of token (``type_identifier``) is a word of its own."""
    return token.replace("_", " ") if token.isidentifier() and "_" in token else f"'{token}'"


def _never_closed(bracket: Node) -> str:
    return f"'{bracket.type}' of line {bracket.start_point[0] + 1} is never closed"


def _unclosed(tree: Tree) -> Node | None:
    """Return the last bracket that is opened in the broken part and not closed."""
    opened: list[Node] = []
    for node, _ in grammars.errors(tree):
        for child in node.children if node.is_error else ():
            if child.type in _PAIRS:
                opened.append(child)
            elif child.type in _PAIRS.values() and opened:
                opened.pop()
    return opened[-1] if opened else None
