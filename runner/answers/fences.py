"""Find the fenced blocks of an answer, and undo what models do to the text in them.

Wider than CommonMark (https://spec.commonmark.org/0.31.2/#fenced-code-blocks) where models are: any
indentation, a fence inside a fence of equal length (recognised by its language word), and a block
that is not closed before the next file begins. A text is changed only if *all* of it shows the mark
(line numbers, plus signs, escapes).
"""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runner.code.languages import LANGUAGES, python_tree

_FENCE = re.compile(r"^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})(.*)$")


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """One fenced block; ``number`` and ``line`` (of its opening fence) count from 1.

    ``above`` holds the lines between the block before and this one.
    """

    number: int
    line: int
    info: str
    lines: tuple[str, ...]
    above: tuple[str, ...]
    closed: bool = True

    @property
    def place(self) -> str:
        return f"block {self.number} (line {self.line} of the answer)"

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Outline:
    """An answer cut into blocks and the text around them; ``prose`` is (line, text) pairs."""

    blocks: tuple[FencedBlock, ...]
    prose: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class _Fence:
    indent: str
    mark: str
    info: str

    def closes(self, opening: _Fence) -> bool:
        return not self.info and self.same_kind(opening)

    def same_kind(self, opening: _Fence) -> bool:
        return self.mark[0] == opening.mark[0] and len(self.mark) >= len(opening.mark)


def outline(text: str, names_file: Callable[[str, str], bool]) -> Outline:
    """Cut ``text`` into blocks and prose.

    ``names_file(info, line above)`` says whether an opening fence begins another file: inside an
    open block it then begins a new block (the one before was not closed).
    """
    lines = text.split("\n")
    blocks: list[FencedBlock] = []
    prose: list[tuple[int, str]] = []
    at = above = 0
    while at < len(lines):
        opening = _fence(lines[at])
        if opening is None:
            prose.append((at + 1, lines[at]))
            at += 1
            continue
        end, closed = _end(lines, at, opening, names_file)
        inner = tuple(line.removeprefix(opening.indent) for line in lines[at + 1 : end])
        over = tuple(lines[above:at])
        blocks.append(FencedBlock(len(blocks) + 1, at + 1, opening.info, inner, over, closed))
        at = above = end + closed
    return Outline(tuple(blocks), tuple(prose))


def is_fence(line: str) -> bool:
    """Whether the line opens or closes a fenced block."""
    return _fence(line) is not None


def _fence(line: str) -> _Fence | None:
    found = _FENCE.match(line)
    return _Fence(found[1], found[2], found[3].strip()) if found else None


def _end(
    lines: Sequence[str], start: int, opening: _Fence, names_file: Callable[[str, str], bool]
) -> tuple[int, bool]:
    """Return the index of the line that ends the block and whether that is a closing fence."""
    depth, first_bare = 0, None
    for at in range(start + 1, len(lines)):
        fence = _fence(lines[at])
        if fence is None or not fence.same_kind(opening):
            continue
        if fence.closes(opening):
            if depth == 0:
                return at, True
            first_bare = first_bare or at
            depth -= 1
        elif not is_markdown(opening.info) and names_file(
            fence.info,
            lines[at - 1] if at - 1 > start else "",  # the opening names the file that it begins
        ):
            label = 0 if names_file(fence.info, "") else 1  # the path's own line is not the file's
            return (first_bare, True) if first_bare else (at - label, False)
        else:
            depth += 1
    return (first_bare, True) if first_bare else (len(lines), False)


def is_markdown(info: str) -> bool:
    """Whether a fence says that it holds Markdown."""
    return bool(re.search(r"(?i)\b(?:md|markdown)\b", info))


_SHELL = {"bash", "sh", "shell", "zsh", "console", "terminal", "powershell", "output"}
_HERE_DOCUMENT = re.compile(r"\s*(?:cat|tee)\b.*<<-?\s*['\"]?\w")
_SUFFIXES: dict[str, tuple[str, ...]] = {
    **{word: row.suffixes for name, row in LANGUAGES.items() for word in (name, *row.words)},
    "cpp": (*LANGUAGES["cpp"].suffixes, ".h"),
    "c++": (*LANGUAGES["cpp"].suffixes, ".h"),
    "typescript": (*LANGUAGES["typescript"].suffixes, ".tsx"),
    "ts": (*LANGUAGES["typescript"].suffixes, ".tsx"),
    "tsx": (*LANGUAGES["typescript"].suffixes, ".tsx"),
    "css": (".css", ".scss"),
    "json": (".json",),
    "yaml": (".yaml", ".yml"),
    "yml": (".yaml", ".yml"),
    "toml": (".toml",),
    "markdown": (".md", ".mdx"),
    "md": (".md", ".mdx"),
    "sql": (".sql",),
}
"""The word of a code block, and the suffixes of the files that it can be."""


def fits(info: str, path: str) -> bool:
    """Whether a block with this info string can be the file; an unknown word fits every file."""
    word = info.split(" ")[0].lower()
    suffixes = _SUFFIXES.get(word)
    return suffixes is None or path.endswith(suffixes)


def is_shell(info: str, lines: Sequence[str] = ()) -> bool:
    """Whether a block is commands to type or what they print, not a file."""
    return info.split(" ")[0].lower() in _SHELL or is_here_document(lines)


def is_here_document(lines: Sequence[str]) -> bool:
    """Whether lines begin with a command that a here-document follows."""
    first = next((line for line in lines if line.strip()), "")
    return _HERE_DOCUMENT.match(first) is not None


def is_program(text: str) -> bool:
    """Whether a text is Python that does something (one word of prose parses, too)."""
    try:
        body = python_tree(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(not isinstance(node, ast.Expr | ast.AnnAssign) for node in body)


_THINK = re.compile(r"^\s*<(think|thinking|thought|reasoning|scratchpad)>", re.IGNORECASE)
_THINK_END = re.compile(r"^(.*?)</(?:think|thinking|thought|reasoning|scratchpad)>", re.I)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#39|#x27|#34);")
_STRING = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_NUMBERED = re.compile(r"^ {0,6}(\d{1,6})(?:\s*[|:│]|[.)](?=\s|$)|(?=\s|$))(.*)$")
_NO_NUMBERS = (".md", ".mdx", ".txt", ".rst", ".csv", ".tsv")
_MARKUP = (".html", ".htm", ".xml", ".svg", ".md", ".mdx", ".vue", ".jsx", ".tsx")


def clean_answer(text: str) -> str:
    """Drop byte-order mark, carriage returns and thinking; the line numbers stay as they were."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return drop_thinking(text)


def drop_thinking(text: str) -> str:
    """Blank the lines of ``<think>`` sections outside fences; one never closed runs to the end."""
    lines = text.split("\n")
    at, inside = _end_of_orphan(lines), False
    lines[:at] = [""] * at
    while at < len(lines):
        if not inside and _THINK.match(lines[at]):
            at = _blank_thinking(lines, at)
            continue
        inside ^= is_fence(lines[at])
        at += 1
    return "\n".join(lines)


def _end_of_orphan(lines: list[str]) -> int:
    """Return how many lines belong to thinking whose opening tag the server swallowed."""
    for at, line in enumerate(lines):
        if _THINK.match(line):
            return 0
        if line.strip().lower() in {"</think>", "</thinking>"}:
            return at + 1
    return 0


def _blank_thinking(lines: list[str], start: int) -> int:
    """Blank one thinking section in place; return the index of the line after it."""
    for at in range(start, len(lines)):
        end = _THINK_END.match(lines[at])
        if end:
            lines[at] = lines[at][end.end() :]
            return at
        lines[at] = ""
    return len(lines)


def clean_block(lines: Sequence[str], path: str) -> tuple[list[str], list[str]]:
    """Return the lines of one complete file without marks, and what was removed."""
    notes, now = [], list(lines)
    for step, what in _STEPS:
        after = step(now, path)
        if after != now:
            notes.append(f"{path}: {what}")
            now = after
    return now, notes


def unescape_entities(lines: list[str], path: str) -> list[str]:
    """Undo HTML escapes when the file shows them in place of the characters."""
    text = "\n".join(lines)
    if not _ENTITY.search(_STRING.sub("", text)) or "<" in text or ">" in text:
        return lines
    if path.endswith(_MARKUP) and "&lt;" not in text:
        return lines
    return html.unescape(text).split("\n")


def drop_line_numbers(lines: list[str], path: str) -> list[str]:
    """Drop line numbers when every line has one and they count up by one."""
    found = [_NUMBERED.match(line) for line in _without_blank_tail(lines)]
    if len(found) < 2 or path.endswith(_NO_NUMBERS):
        return lines
    numbers = [int(match[1]) for match in found if match]
    if len(numbers) != len(found) or numbers != list(range(numbers[0], numbers[0] + len(found))):
        return lines
    return _outdent([match[2] for match in found if match])


def drop_plus_marks(lines: list[str], path: str) -> list[str]:
    """Drop the ``+`` of a diff when every line has it."""
    body = [line for line in lines if line.strip()]
    if len(body) < 2 or path.endswith(_NO_NUMBERS) or not all(line[0] == "+" for line in body):
        return lines
    return [line[1:] for line in lines]


def unescape_newlines(text: str, path: str) -> str:
    r"""Undo a double escape: no line break at all, but ``\n`` where the breaks should be."""
    if "\n" in text.strip() or "\\n" not in text:
        return text
    if path.endswith(".py") and _parses(text):
        return text
    pairs = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'", "\\\\": "\\"}
    return re.sub(r"\\[nt\"'\\]", lambda found: pairs[found[0]], text)


def _parses(text: str) -> bool:
    try:
        python_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _without_blank_tail(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _outdent(lines: list[str]) -> list[str]:
    """Remove the blanks that all lines share (they were between number and code)."""
    body = [line for line in lines if line.strip()]
    shared = min((len(line) - len(line.lstrip(" \t")) for line in body), default=0)
    return [line[shared:] for line in lines]


_STEPS = (
    (drop_plus_marks, "removed a + before every line"),
    (drop_line_numbers, "removed line numbers"),
    (unescape_entities, "turned HTML entities back into characters"),
)
