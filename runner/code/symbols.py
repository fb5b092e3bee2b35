"""What a file defines, uses and imports, found with tree-sitter; bounded for hostile files.

Some inputs cost a parser seconds and gigabytes (a Java file of nothing but ``a<b<``; measured), so
deep nesting is not parsed at all and the rest gets a time limit. A file that is given up on has no
symbols; search still finds it.

"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count

from tree_sitter import Node, Parser, Point, QueryCursor, Tree

from runner.code.languages import LANGUAGES, SymbolGrammar, grammar, language_of

MAX_SECONDS, _MOST_SECONDS, _ORDINARY = 0.5, 4.0, 64_000
"""Of processor time for a file of ordinary size (bytes), so that a busy machine gives the same
symbols. A larger one gets more time and may have more symbols, in proportion."""

MAX_DEFINITIONS = 400
MAX_REFERENCES = 800
MAX_IMPORTS = 200
_DEEPEST = 250
_DEEPEST_MATCH = 60
_MOST_CHILDREN = 20_000
_CHUNK = 4096
_PATIENT = 16
"""How often a parser asks whether to stop until the clock is looked at: a fraction of a ms."""

_BRACKETS = re.compile(rb"[\[\](){}]")
_OPENING = frozenset(b"([{")
_ANGLES = re.compile(rb"[<>;{}]")
_DEEPEST_TYPE = 100
_MAX_SIGNATURE = 160


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition; lines count from 1, ``depth`` is how many others contain it."""

    name: str
    line: int
    end_line: int
    signature: str
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Symbols:
    """A file's definitions in order, the names it uses, and its imports as they are written."""

    definitions: tuple[Definition, ...] = ()
    references: frozenset[str] = frozenset()
    imports: tuple[str, ...] = ()


NONE = Symbols()


# several checks look at the same two contents, one after the other
@lru_cache(maxsize=8)
def symbols_of(
    path: str,
    content: bytes,
    *,
    clock: Callable[[], float] = time.thread_time,
    most: int = 0,
) -> Symbols:
    """Return the symbols of a file; none for an unknown language or one too wild to parse.

    ``most`` bounds the definitions (0: as the size of the file allows).
    """
    larger = max(1.0, len(content) / _ORDINARY)
    root = syntax_tree(path, content, clock=clock)
    if root is None:
        return NONE
    known = grammar(language_of(path))
    return _read(known, root, content, most or int(MAX_DEFINITIONS * larger), larger)


def syntax_tree(
    path: str, content: bytes, *, clock: Callable[[], float] = time.thread_time
) -> Node | None:
    """Return the root of a file's syntax tree; None as ``symbols_of`` has no symbols."""
    name = language_of(path)
    if not name or _too_deep(content) or (LANGUAGES[name].angles and types_too_deep(content)):
        return None
    end = clock() + min(MAX_SECONDS * max(1.0, len(content) / _ORDINARY), _MOST_SECONDS)
    asked = count(1)  # each look at the clock is a call of the kernel
    tree = parsed(
        Parser(grammar(name).language),
        content,
        stop=lambda _at, _error: next(asked) % _PATIENT == 0 and clock() > end,
    )
    if tree is None:
        return None
    # looking at each of very many children costs their square
    return None if tree.root_node.child_count > _MOST_CHILDREN else tree.root_node


@dataclass
class _ReadBuffer(threading.local):
    """What the parser of a thread reads from, and the views of it that it was ever given.

    tree-sitter 0.26 never lets go of what a read callback returns
    (https://github.com/tree-sitter/py-tree-sitter/blob/master/tree_sitter/binding/parser.c). If
    that were parts of the file, each file would stay in memory, and one that is hard to parse many
    times. So the file is copied into a buffer that is kept, and all files share the same views.
    """

    content: bytearray = field(default_factory=bytearray)
    views: dict[tuple[int, int], memoryview] = field(default_factory=dict)

    def fill(self, content: bytes) -> None:
        """Make the buffer begin with a file's content."""
        if len(content) > len(self.content):
            self.content = bytearray(1 << max(len(content).bit_length(), _SMALLEST))
            self.views = {}
        self.content[: len(content)] = content

    def view(self, at: int, end: int) -> memoryview | bytes:
        """Return what is at an offset, as one of few possible lengths, up to ``end``."""
        if at >= end:
            return b""
        whole = at == 0 and end <= _CHUNK  # one look at most files
        size = end if whole else min(_CHUNK, 1 << (end - at).bit_length() - 1)
        if (found := self.views.get((at, size))) is None:
            found = memoryview(self.content)[at : at + size]
            if len(self.views) < _MOST_VIEWS:
                self.views[at, size] = found
        return found


_SMALLEST, _MOST_VIEWS = 17, 1 << 16
_BUFFER = _ReadBuffer()


def parsed(parser: Parser, content: bytes, *, stop: Callable[[int, bool], bool]) -> Tree | None:
    """Parse a file; None if ``stop`` said so, which is asked again and again meanwhile."""
    buffer, parsing = _BUFFER, True
    buffer.fill(content)

    def read(at: int, _point: Point) -> memoryview | bytes:
        # queries read texts of the tree later, when the buffer may hold another file
        return buffer.view(at, len(content)) if parsing else content[at : at + _CHUNK]

    try:
        return parser.parse(read, progress_callback=stop)
    except ValueError:  # stopped by the callback
        return None
    finally:
        parsing = False


def _too_deep(content: bytes) -> bool:
    """Whether brackets nest deeper than people write them."""
    depth = 0
    if sum(map(content.count, _OPENING)) <= _DEEPEST:
        return False
    for found in _BRACKETS.finditer(content):
        depth = depth + 1 if content[found.start()] in _OPENING else max(depth - 1, 0)
        if depth > _DEEPEST:
            return True
    return False


def types_too_deep(content: bytes) -> bool:
    """Whether more ``<`` are open within one statement than the types of people's code nest.

    Some grammars follow every reading of each ``<`` at once: thousands take a gigabyte.
    """
    depth = 0
    if content.count(b"<") <= _DEEPEST_TYPE:
        return False
    for found in _ANGLES.finditer(content):
        sign = found[0]
        depth = depth + 1 if sign == b"<" else max(depth - 1, 0) if sign == b">" else 0
        if depth > _DEEPEST_TYPE:
            return True
    return False


def _read(known: SymbolGrammar, root: Node, content: bytes, most: int, larger: float) -> Symbols:
    found: dict[tuple[int, int], Definition] = {}
    references: set[bytes] = set()
    imports: list[str] = []
    cursor = QueryCursor(known.query, match_limit=256)
    cursor.set_max_start_depth(_DEEPEST_MATCH)  # a progress callback crashes tree-sitter 0.26
    for _, captures in cursor.matches(root):
        if "ref" in captures:  # most are
            if len(references) < MAX_REFERENCES * larger:
                references.update([content[n.start_byte : n.end_byte] for n in captures["ref"]])
        elif "def" in captures and len(found) < most:
            node, name = captures["def"][0], captures["name"][0]
            found.setdefault((name.start_byte, name.end_byte), _definition(node, name, content))
        elif "import" in captures and len(imports) < MAX_IMPORTS:
            imports += [_text(node, content)[:1000] for node in captures["import"]]
    names = frozenset(sys.intern(name.decode("utf-8", "replace")) for name in references)
    return Symbols(_nested(list(found.values())), names, tuple(imports))


def _definition(node: Node, name: Node, content: bytes) -> Definition:
    body = node.child_by_field_name("body")
    head = content[node.start_byte : body.start_byte if body else node.end_byte]
    line = head if body else head.partition(b"\n")[0]
    signature = " ".join(line[:1000].decode("utf-8", "replace").split())
    around = node.parent  # each of these asks the tree
    outer = around if around and around.type == "decorated_definition" else node
    first, (last, column) = outer.start_point.row + 1, outer.end_point
    return Definition(
        sys.intern(_text(name, content)[:100]),
        first,
        max(last + (column > 0), first),
        signature[:_MAX_SIGNATURE].rstrip("{ :") if body else signature[:_MAX_SIGNATURE],
    )


def _nested(found: list[Definition]) -> tuple[Definition, ...]:
    """Order definitions by place and count what contains each."""
    open_: list[Definition] = []
    nested = []
    for one in sorted(found, key=lambda d: (d.line, -d.end_line)):
        while open_ and open_[-1].end_line < one.line:
            open_.pop()
        inside = len(open_)
        nested.append(replace(one, depth=inside) if inside else one)
        if one.end_line > one.line:
            open_.append(one)
    return tuple(nested)


def _text(node: Node, content: bytes) -> str:
    return content[node.start_byte : node.end_byte].decode("utf-8", "replace")
