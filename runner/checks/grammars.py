"""Parse with a tree-sitter grammar, bounded in size and steps, and say where the first error is.

The tree shows how the parser recovered, often far from the fault; its log shows where the fault is.
https://tree-sitter.github.io/tree-sitter/using-parsers
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import LogType, Node, Parser, Tree

from runner.code.languages import LANGUAGES, grammar
from runner.code.symbols import parsed, types_too_deep
from runner.state.findings import Complaint
from runner.text.sanitize import numbered

_MOST_STEPS, _MOST_SECONDS = 4_000, 1.5


def parse(language: str, content: bytes) -> Tree | None:
    """Return the tree; None when the file is too large or too tangled (then it has errors)."""
    too_much = is_too_much(language, content)
    return None if too_much else run(Parser(grammar(language).language), content)


def is_too_much(language: str, content: bytes) -> bool:
    """Whether a file is too large, or its types too deep, to be parsed at all.

    The parser's own stack grows with the nesting, and is freed by recursion: some 250,000 open
    tokens end the process.
    """
    row = LANGUAGES[language]
    return len(content) > row.largest or (row.angles and types_too_deep(content))


def run(parser: Parser, content: bytes, *, stop: Callable[[], bool] = lambda: False) -> Tree | None:
    """Parse within the bounds, or until ``stop`` (asked at every step) says so.

    Ordinary code takes some 20 steps a kilobyte; only hostile code reaches a bound.
    """
    steps, last = iter(range(_MOST_STEPS)), time.thread_time() + _MOST_SECONDS

    def enough(_at: int, _has_error: bool) -> bool:
        return next(steps, None) is None or time.thread_time() > last or stop()

    return parsed(parser, content, stop=enough)


def errors(tree: Tree) -> Iterator[tuple[Node, Node]]:
    """Yield the nodes that are errors or mark something missing, each with the one above it.

    In the order of the text. (``Node.parent`` recurses from the root: deep trees end the process.)
    """
    waiting = [(tree.root_node, tree.root_node)]
    while waiting:
        node, above = waiting.pop()
        if node.is_error or node.is_missing:
            yield node, above
        if node.has_error:
            waiting += [(child, node) for child in reversed(node.children)]


def count(language: str, content: bytes) -> int:
    """Return how many errors the grammar sees (one for each byte of a file it cannot parse)."""
    tree = parse(language, content)
    return sum(1 for _ in errors(tree)) if tree else len(content)


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

    def __call__(self, kind: LogType, message: str) -> None:
        if self.final or kind is not LogType.PARSE:
            return
        if found := _PROCESS.match(message):
            self.at_state, self.at = int(found[1]), (int(found[2]), int(found[3]))
        elif message.startswith("detect_error") and self.at > self.place:
            self.place, self.state = self.at, self.at_state
        elif message.startswith("resume"):  # every reading has ended
            self.final = True


@dataclass(frozen=True, slots=True)
class SyntaxPosition:
    """The first error: its offset in bytes, and in words what is wrong there."""

    offset: int
    message: str


def first_error(language: str, content: bytes, tree: Tree | None) -> SyntaxPosition:
    """Return where the first error of a file is that has one, and what it is."""
    stop = _Stop()
    if len(content) <= _LARGEST_LOGGED:
        parser = Parser(grammar(language).language, logger=stop)
        run(parser, content, stop=lambda: stop.final)
    node, above = next(errors(tree), (None, None)) if tree else (None, None)
    row, column = stop.place if stop.place[0] >= 0 else node.start_point if node else (0, 0)
    starts = [0, *(found.end() for found in re.finditer(b"\n", content))]
    offset = starts[min(row, len(starts) - 1)] + column
    if node and above and node.is_missing and node.start_byte <= offset:
        return _missing(content, node, above)
    wanted = _wanted(language, stop.state) if stop.place[0] >= 0 else set()
    return _unexpected(content, offset, wanted, tree)


def _missing(content: bytes, node: Node, above: Node) -> SyntaxPosition:
    """Return the place behind the last token before it, where compilers miss something."""
    at = len(content[: node.start_byte].rstrip())
    message = f"{_quoted(node.type)} is missing here"
    for other in above.children:
        if _PAIRS.get(other.type) == node.type:
            message += f": {_never_closed(other)}"
    return SyntaxPosition(at, message)


def _unexpected(content: bytes, offset: int, wanted: set[str], tree: Tree | None) -> SyntaxPosition:
    """Say what is at (or after the blanks at) ``offset``, and what would be valid instead."""
    blanks = len(content[offset:]) - len(content[offset:].lstrip())
    at_end = offset + blanks == len(content)
    new_line = b"\n" in content[offset : offset + blanks]
    if (new_line or at_end) and (at := _open_text(content, offset, wanted)) >= 0:
        return SyntaxPosition(at, _OPEN_TEXT)
    ended = content[:offset].rstrip()[-1:] in {b";", b"{", b"}", b","}
    if new_line and not at_end and not ended and ";" in wanted:
        return SyntaxPosition(len(content[:offset].rstrip()), "';' is missing here")
    token = _TOKEN.match(content, offset + blanks)
    if not token:
        opened = _unclosed(tree) if tree else None
        message = f": {_never_closed(opened)}" if opened else ""
        return SyntaxPosition(len(content.rstrip()), f"unexpected end of file{message}")
    if token[0].decode("utf-8", "replace") in _QUOTES:
        return SyntaxPosition(offset + blanks, _OPEN_TEXT)
    message = f"unexpected {_quoted(token[0].decode('utf-8', 'replace'))}"
    if 0 < len(wanted) <= _MOST_EXPECTED:
        message += ", expected " + " or ".join(_quoted(name) for name in sorted(wanted))
    return SyntaxPosition(offset + blanks, message)


def _open_text(content: bytes, offset: int, wanted: set[str]) -> int:
    """Return where the text begins that only a quote could have ended here, or -1."""
    if "identifier" in wanted or not all(name.isidentifier() for name in wanted - _QUOTES):
        return -1
    line = content.rfind(b"\n", 0, offset) + 1
    return max((content.rfind(q.encode(), line, offset) for q in wanted & _QUOTES), default=-1)


def _wanted(language: str, state: int) -> set[str]:
    """Return the tokens the parser would have taken."""
    rows = grammar(language).language.lookahead_iterator(state)
    names = {name for name in rows.names() if not name.startswith("_")} if rows else set()
    return names - {"comment", "end", "line_comment", "block_comment", "heredoc_body"}


def complaint(path: str, content: bytes, place: SyntaxPosition) -> Complaint:
    """Make a complaint of a place; line and column count characters from 1."""
    start = content.rfind(b"\n", 0, place.offset) + 1
    line = content.count(b"\n", 0, place.offset) + 1
    column = len(content[start : place.offset].decode("utf-8", "replace")) + 1
    excerpt = numbered(content.decode("utf-8", "replace"), line)
    return Complaint(path, "SyntaxError", place.message, line, column, excerpt)


def _quoted(token: str) -> str:
    """Quote a token; a kind of token (``type_identifier``) becomes its own word."""
    return token.replace("_", " ") if token.isidentifier() and "_" in token else f"'{token}'"


def _never_closed(bracket: Node) -> str:
    return f"'{bracket.type}' of line {bracket.start_point[0] + 1} is never closed"


def _unclosed(tree: Tree) -> Node | None:
    """Return the last bracket that is opened in the broken part and not closed."""
    opened: list[Node] = []
    for node, _ in errors(tree):
        for child in node.children if node.is_error else ():
            if child.type in _PAIRS:
                opened.append(child)
            elif child.type in _PAIRS.values() and opened:
                opened.pop()
    return opened[-1] if opened else None


Plausible = Callable[[bytes, int], bool]
"""(content, offset in bytes) → whether an error there is one, and not a gap of the grammar."""


def checked(
    path: str,
    content: bytes,
    language: str,
    plausible: Plausible | None = None,
    *,
    further: Callable[[str, bytes, Tree], SyntaxPosition | None] | None = None,
) -> Complaint | None:
    """Return the first error of a file, or None; a file too large or tangled is not looked at.

    ``further`` looks for what the grammar allows and the language does not.
    """
    if is_too_much(language, content):
        return None
    tree = parse(language, content)
    if tree is not None and not tree.root_node.has_error:
        place = further(language, content, tree) if further else None
        return complaint(path, content, place) if place else None
    place = first_error(language, content, tree)
    if plausible and not plausible(content, place.offset):
        return None
    return complaint(path, content, place)


def line_at(content: bytes, offset: int) -> bytes:
    """Return the line of an offset."""
    end = content.find(b"\n", offset)
    return content[content.rfind(b"\n", 0, offset) + 1 : end if end >= 0 else len(content)]
