"""Break changed lines in small ways, to see whether the new tests notice.

The faults are those of the mutation testing literature (Jia and Harman, "An Analysis and Survey of
the Development of Mutation Testing", 2011): another comparison, ``and`` for ``or``, a number off
by one, the other truth value, plus for minus. Only code is touched, never a text, a pattern or a
comment, and only what still parses counts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from runner.checks.blanks import added_lines
from runner.checks.validate import syntax_complaint
from runner.code.languages import comment_of, language_of
from runner.code.symbols import syntax_tree

_LARGEST = 200_000
_OTHER = {
    "==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=",
    ">=": ">", "and": "or", "or": "and", "&&": "||", "||": "&&", "+": "-", "-": "+", 
    "True": "False", "False": "True", "true": "false", "false": "true", "+=": "-=", "-=": "+=",
    "min": "max", "max": "min", "any": "all", "all": "any",
}  # fmt: skip
_TOKEN = re.compile(
    r"===|!==|==|!=|<=|>=|=>|->|<<|>>|\+\+|--|\*\*|//|\+=|-=|&&|\|\||[<>+*-]"
    r"|(?<![\w.])\d+(?![\w.])|(?<![\w.])[A-Za-z]+(?!\w)"
)
_NO_CODE = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|`(?:[^`\\]|\\.)*`'
    r'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/',
    re.DOTALL,
)
_WITH_PATTERNS = frozenset({"javascript", "typescript", "tsx"})
_COMMENT = {"#": re.compile(r"#[^\n]*"), "//": re.compile(r"//[^\n]*")}
_DECLARES = re.compile(
    r"^\s*(?:import|from|package|use|#include|export\s+\{|@)\b|^\s*(?:export\s+)?(?:declare\b|type\s+\w+\s*[=<])"
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One broken version of a file: line ``line`` has ``now`` in place of ``was``."""

    path: str
    line: int
    was: str
    now: str
    content: bytes

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: `{self.was}` in place of `{self.now}`"


def mutants(path: str, old: bytes | None, new: bytes, *, most: int) -> tuple[Mutant, ...]:
    """Return at most ``most`` broken versions of a changed file, the same ones every time.

    Only lines that ``old`` does not have are broken, each at most once.
    """
    if len(new) > _LARGEST:
        return ()
    text = new.decode("utf-8", "replace")
    lines = added_lines(text, (old or b"").decode("utf-8", "replace"))
    sites = [site for site in _sites(path, text) if site[0] in lines]
    found: dict[int, Mutant] = {}
    for line, start, was, now in sorted(sites, key=lambda site: _drawn(path, site)):
        content = f"{text[:start]}{now}{text[start + len(was) :]}".encode()
        if line not in found and syntax_complaint(path, content) is None:
            found[line] = Mutant(path, line, now, was, content)
        if len(found) == most:
            break
    return tuple(found.values())


def _sites(path: str, text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield line, offset, old and new token of each place that can be broken."""
    code = _only_code(path, _without_patterns(path, text))
    starts = [0, *(found.end() for found in re.finditer("\n", code))]
    for number, line in enumerate(code.split("\n"), 1):
        if _DECLARES.match(line):
            continue
        for found in _TOKEN.finditer(line):
            if now := _other(found[0], line, found.start()):
                yield number, starts[number - 1] + found.start(), found[0], now


def _other(word: str, line: str, at: int) -> str:
    if word.isdigit():
        return str(int(word) + 1) if len(word) < 10 else ""
    if word in "+-" and not re.search(r"[\w)\]\"'`]\s*$", line[:at]):
        return ""  # a sign
    if word == "*" and not re.search(r"[\w)\]]\s*$", line[:at]):
        return ""  # arguments
    return _OTHER.get(word, "")


def _only_code(path: str, text: str) -> str:
    """The text with blanks in place of strings and comments; every offset stays."""
    comment = _COMMENT[comment_of(path) or "//"]
    pattern = re.compile(f"{_NO_CODE.pattern}|{comment.pattern}", re.DOTALL)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _without_patterns(path: str, text: str) -> str:
    """The text with spaces for literals of regular expressions: their words are no operators."""
    content = text.encode()
    root = syntax_tree(path, content) if language_of(path) in _WITH_PATTERNS else None
    left, found = [root] if root else [], []
    while left:
        node = left.pop()
        if node.type == "regex":
            found.append((node.start_byte, node.end_byte))
        left += node.named_children
    kept, done = [], 0
    for start, end in sorted(found):
        kept += [content[done:start].decode(), " " * len(content[start:end].decode())]
        done = end
    return "".join((*kept, content[done:].decode()))


def _drawn(path: str, site: Sequence[object]) -> str:
    """A key that spreads the sites over the file, and is the same every time."""
    return hashlib.sha256(f"{path}{site}".encode()).hexdigest()


_EMPTY = {
    "python": 'raise AssertionError("emptied")', "go": 'panic("emptied");',
    "rust": 'panic!("emptied");',
    **dict.fromkeys(("javascript", "typescript", "tsx"), 'throw new Error("emptied");'),
}  # fmt: skip
"""What ends a function loudly before its first statement: its text stays for those who read it."""
BREAKABLE = frozenset(_EMPTY)
"""Languages in which faults are put."""
COMPILED = frozenset({"go", "rust"})
"""Those of them where a fault may keep everything from being built, which shows nothing."""


def emptied(
    path: str, content: bytes, lines: Collection[int], *, loud: bool = False
) -> Mutant | None:
    """Return the file with every function emptied that has one of these lines.

    It returns nothing, or what comes next to it in its type; a ``loud`` one fails when it is
    called. None where there is no such function, or where the language is not known.
    """
    if language_of(path) not in BREAKABLE:
        return None
    changed, first = content, 0
    for body in reversed(_bodies_of(path, content)):
        if not frozenset(lines).isdisjoint(_whole(body)) and (
            end := _ended(path, content, body, loud=loud)
        ):
            changed = changed[: end[0]] + end[1] + changed[end[0] :]
            first = _whole(body).start
    if not first or syntax_complaint(path, changed) is not None:
        return None
    return Mutant(path, first, "an empty function", "its code", changed)


def with_old_heads(path: str, old: bytes, content: bytes, lines: Collection[int]) -> Mutant | None:
    """Return the file with functions that have some of these lines taking again what they took.

    Only those whose parameters went away: a call that needs a new one fails without it anyhow.
    """
    was = {head[0]: head[1] for head in map(_head, _bodies_of(path, old)) if head}
    changed, first = content, 0
    for body in reversed(_bodies_of(path, content)):
        head, inside = _head(body), not frozenset(lines).isdisjoint(_whole(body))
        before = was.get(head[0]) if head and inside else None
        if head and before and _words(head[1].text) < _words(before.text):
            end = changed[head[1].end_byte :]
            changed = changed[: head[1].start_byte] + (before.text or b"") + end
            first = _whole(body).start
    if not first or syntax_complaint(path, changed) is not None:
        return None
    return Mutant(path, first, "the old parameters", "its parameters", changed)


def _head(body: Node) -> tuple[bytes, Node] | None:
    """A function's name, and its parameters."""
    names = body.parent and body.parent.child_by_field_name("name")
    parameters = body.parent and body.parent.child_by_field_name("parameters")
    return (names.text or b"", parameters) if names and parameters else None


def _words(text: bytes | None) -> frozenset[bytes]:
    return frozenset(re.findall(rb"\w+", text or b""))


def lines_outside(path: str, content: bytes, lines: Collection[int]) -> frozenset[int]:
    """Those of ``lines`` that are code, no import, and in no function."""
    text = _only_code(path, content.decode("utf-8", "replace")).split("\n")
    inside = {number for body in _bodies_of(path, content) for number in _whole(body)}
    left = (number for number in lines if number not in inside and number <= len(text))
    return frozenset(n for n in left if text[n - 1].strip() and not _DECLARES.match(text[n - 1]))


def _whole(body: Node) -> range:
    """The lines of a function: one with another name or other parameters was changed as well."""
    return range((body.parent or body).start_point[0] + 1, body.end_point[0] + 2)


def _ended(path: str, content: bytes, body: Node, *, loud: bool) -> tuple[int, bytes] | None:
    """Where a function has to end that does nothing, and by which text; None where nothing is."""
    language = language_of(path)
    end = _EMPTY[language].encode() if loud else _returning(language, body)
    if language_of(path) != "python":
        return body.start_byte + 1, b" " + end
    code = [node for node in body.named_children if node.type != "comment"]
    if (
        code
        and code[0].type == "expression_statement"
        and code[0].named_children[0].type == "string"
    ):
        code = code[1:]  # its docstring
    if not code:
        return None
    before = content[: code[0].start_byte].rpartition(b"\n")[2]
    return code[0].start_byte, end + (b"; " if before.strip() else b"\n" + before)


def _returning(language: str, body: Node) -> bytes:
    """The statement that returns nothing, as a function's type has it."""
    function = body.parent or body
    if language == "rust" and (kind := function.child_by_field_name("return_type")):
        fails = (kind.text or b"").partition(b"<")[0].endswith(b"Result")
        return b"return Ok(Default::default());" if fails else b"return Default::default();"
    if language == "go" and (kind := function.child_by_field_name("result")):
        kinds = kind.named_children if kind.type == "parameter_list" else [kind]
        if not any(each.child_by_field_name("name") for each in kinds):
            return (
                b"return " + b", ".join(b"*new(%s)" % (each.text or b"") for each in kinds) + b";"
            )
    return b"return" if language == "python" else b"return;"


def _bodies_of(path: str, content: bytes) -> list[Node]:
    root = syntax_tree(path, content) if len(content) <= _LARGEST else None
    return list(_bodies(root)) if root else []


def _bodies(root: Node) -> Iterator[Node]:
    """The bodies of functions, the outer ones only, in their order."""
    left = [root]
    while left:
        node = left.pop()
        body = node.child_by_field_name("body") if node.type in _FUNCTIONS else None
        if body is not None and body.type in ("block", "statement_block"):
            yield body
        else:
            left += reversed(node.named_children)


_FUNCTIONS = frozenset({
    "function_definition", "function_declaration", "function_expression", "arrow_function",
    "method_definition", "generator_function_declaration", "method_declaration", "function_item",
})  # fmt: skip
