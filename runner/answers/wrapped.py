"""Files that a model wraps in something other than a named fence.

Models that were trained as agents answer in the form of their tools: tags around a file, calls of
a tool that writes files, shell commands with a here-document, patches of Codex
(https://github.com/openai/codex, "apply_patch"). Each form names its file and holds all of it, so
that nothing has to be guessed. A wrapper counts only outside the fence of a named file.

"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from runner.answers import blocks
from runner.answers.blocks import names_file
from runner.answers.edits import hunk_edit
from runner.answers.fences import FencedBlock, Outline, is_fence, is_shell
from runner.answers.json_answers import read_call
from runner.answers.pieces import AnswerPiece, FoundPieces, Known, join, unreadable
from runner.state.changes import EXECUTABLE
from runner.text.patterns import lazy_pattern

_PATH_NAMES = r"path|file_path|filepath|file_name|filename|file|name|src"
_TEXT_NAMES = r"content|contents|file_text|file_content|new_content|code|text|source"
_ATTRIBUTE = lazy_pattern(
    r"<(?P<tag>file|document|artifact|write_file|create_file|write_to_file|write)\b[^>\n]*?\b"
    rf"(?:{_PATH_NAMES})\s*=\s*[\"'](?P<path>[^\"'\n]+)[\"'][^>\n]*>",
    re.IGNORECASE,
)
_ELEMENTS = lazy_pattern(
    rf"(?:<(?!path\b)\w+>\s*)?<(?P<name>{_PATH_NAMES})>\s*(?P<path>[^<\n]+?)\s*</(?P=name)>\s*"
    rf"<(?P<tag>{_TEXT_NAMES})>",
    re.IGNORECASE,
)
_PARAMETERS = lazy_pattern(
    r"(?:<(?:antml:)?(?:invoke|function)\b[^>\n]*>\s*)?"
    rf"<(?P<tag>(?:antml:)?parameter)(?:\s+name=[\"']?|=)(?:{_PATH_NAMES})[\"']?>"
    r"\s*(?P<path>[^<\n]+?)\s*"
    rf"</(?P=tag)>\s*<(?P=tag)(?:\s+name=[\"']?|=)(?:{_TEXT_NAMES})[\"']?>",
    re.IGNORECASE,
)
_CALL = lazy_pattern(r"<(?P<tag>tool_call|function_call|tool_use|tool)>\s*(?=[{\[])", re.IGNORECASE)
_CLOSING = lazy_pattern(r"(?:\s*</[\w:]+>)*[ \t]*\n?")
_HEREDOC = lazy_pattern(
    r"^\s*(?P<program>cat|tee)\b(?P<words>.*)<<-?\s*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)(?P<more>.*)$"
)
_INTO = lazy_pattern(r"(?<!>)>\s*(?P<path>[^\s>|&;]+)")
_WORD = lazy_pattern(r"(?P<path>[^\s>|&;-][^\s>|&;]*)")
_REMOVED = lazy_pattern(r"^\s*(?:git\s+)?rm\s+(?:-f\s+)?(?P<path>[^\s;|&*-][^\s;|&*]*)\s*$")
_MOVED = lazy_pattern(
    r"^\s*(?:git\s+)?mv\s+(?:-f\s+)?(?P<source>[^\s;|&*-][^\s;|&*]*)\s+(?P<path>[^\s;|&*]+)\s*$"
)
_MADE_EXECUTABLE = lazy_pattern(
    r"^\s*(?:chmod\s+(?:[ua]*\+x|0?755)|git\s+update-index\s+--chmod=\+x)\s+(?P<path>[^\s;|&*]+)\s*$"
)
_PATCH = lazy_pattern(r"^\*\*\* (?:Add|Update|Delete) File: \S")
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_MOVE = "*** Move to: "


@dataclass(frozen=True)
class _Lines:
    """A text as lines, with the place in the text where each begins."""

    lines: Sequence[str]

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def starts(self) -> Sequence[int]:
        return [0, *itertools.accumulate(len(line) + 1 for line in self.lines)]

    def matched(self, form: re.Pattern[str], at: int) -> re.Match[str] | None:
        """Match what a line begins with, over as many lines as it takes."""
        line = self.lines[at]
        return form.match(self.text, self.starts[at] + len(line) - len(line.lstrip()))

    def line_of(self, place: int) -> int:
        """Return the index of the line that holds a place of the text."""
        return bisect_right(self.starts, place) - 1


@dataclass(frozen=True, slots=True)
class _Wrapped:
    """What one wrapper says, and the index of the first line after it."""

    found: FoundPieces
    end: int


_Reader = Callable[[_Lines, int, Known], _Wrapped | None]


def read_wrapped(text: str, known: Known, parts: Outline) -> tuple[FoundPieces, str]:
    """Return the wrapped files of an answer, and the answer with their lines blank.

    ``parts`` is the outline of ``text``. Line numbers stay as they were.
    """
    source = _Lines(text.split("\n"))
    left = list(source.lines)
    found: list[FoundPieces] = []
    done = 0
    for number, line in parts.prose:
        wrapped = _first(source, number - 1, known) if number > done and line.strip() else None
        if wrapped:
            found.append(wrapped.found)
            left[number - 1 : wrapped.end] = [""] * (wrapped.end - number + 1)
            done = wrapped.end
    for block in parts.blocks:
        inside = _in_block(block, known) if left[block.line - 1] else None
        if inside:
            found.append(inside)
            end = block.line + len(block.lines) + block.closed
            left[block.line - 1 : end] = [""] * (end - block.line + 1)
    return join(found), "\n".join(left)


def _first(source: _Lines, at: int, known: Known) -> _Wrapped | None:
    return next((made for read in _READERS if (made := read(source, at, known))), None)


def _in_block(block: FencedBlock, known: Known) -> FoundPieces | None:
    """Return what a fence without a path says that holds a patch, tags or shell commands."""
    start = next((at for at, line in enumerate(block.lines) if line.strip()), None)
    label = next((line for line in reversed(block.above) if line.strip()), "")
    if start is None or names_file(block.info, label, known):
        return None
    source = _Lines("\n".join(block.lines).rstrip().split("\n"))
    if is_shell(block.info, block.lines):
        return _commands(source, known)
    wrapped = _first(source, start, known)
    return wrapped.found if wrapped and wrapped.end >= len(source.lines) else None


def _commands(source: _Lines, known: Known) -> FoundPieces | None:
    """Return the files that shell commands write, move, remove and make executable.

    None where they neither write nor move one, nor make one executable.
    """
    found: list[FoundPieces] = []
    at = 0
    while at < len(source.lines):
        written = _heredoc(source, at, known)
        done = None if written else _command(source.lines[at], known)
        found += [written.found] if written else [FoundPieces((done,))] if done else []
        at = written.end if written else at + 1
    pieces = [piece for part in found for piece in part.pieces]
    return join(found) if any(p.text or p.source or p.mode for p in pieces) else None


def _command(line: str, known: Known) -> AnswerPiece | None:
    """Return what a command does to a file of the tree without writing it."""
    place = "a command of the answer"
    moved = _MOVED.match(line)
    if moved and moved["source"] in known.paths and not moved["path"].endswith("/"):
        return AnswerPiece(moved["path"], place, source=moved["source"])
    if made := _MADE_EXECUTABLE.match(line):
        return AnswerPiece(made["path"], place, mode=EXECUTABLE)
    if (removed := _REMOVED.match(line)) and removed["path"] in known.paths:
        return AnswerPiece(removed["path"], place)
    return None


def _tagged(source: _Lines, at: int, known: Known) -> _Wrapped | None:
    """Read a file between tags, with its path in an attribute, an element or a parameter."""
    if not source.lines[at].lstrip().startswith("<"):
        return None
    for form in (_ATTRIBUTE, _PARAMETERS, _ELEMENTS):
        opened = source.matched(form, at)
        if opened and blocks.looks_like_path(opened["path"], known.names):
            return _between_tags(source, at, opened)
    return None


def _between_tags(source: _Lines, at: int, opened: re.Match[str]) -> _Wrapped | None:
    """Read up to the closing tag; elements, or a fence around the file, are left to others."""
    inside = source.text[opened.end() : opened.end() + 200].lstrip()
    if is_fence(inside.partition("\n")[0]) or re.match(r"<(?:path|file_path)>", inside):
        return None
    end = source.text.find(f"</{opened['tag']}>", opened.end())
    if end < 0:
        return _unfinished(source, at, opened["path"], f"</{opened['tag']}>")
    after = _CLOSING.match(source.text, end)
    content = source.text[opened.end() : end].removeprefix("\n")
    piece = AnswerPiece(opened["path"], f"line {at + 1} of the answer", text=content)
    last = source.line_of((after.end() if after else end) - 1)
    return _Wrapped(FoundPieces((piece,)), last + 1)


def _called(source: _Lines, at: int, known: Known) -> _Wrapped | None:
    """Read the call of a tool that writes a file, as JSON between tags."""
    opened = source.matched(_CALL, at) if source.lines[at].lstrip().startswith("<") else None
    if opened is None:
        return None
    end = source.text.find(f"</{opened['tag']}>", opened.end())
    if end < 0:  # a server that stops at the closing tag does not send it
        whole = read_call(source.text[opened.end() :], known)
        unfinished = _unfinished(source, at, "", f"</{opened['tag']}>")
        return replace(unfinished, found=whole) if whole else unfinished
    found = read_call(source.text[opened.end() : end], known)
    return _Wrapped(found, source.line_of(end) + 1) if found else None


def _heredoc(source: _Lines, at: int, known: Known) -> _Wrapped | None:
    """Read ``cat > path <<'EOF'`` (or ``tee path``), up to the line that ends it."""
    command = _HEREDOC.match(source.lines[at])
    if command is None or ">>" in command["words"] + command["more"]:
        return None
    words = command["words"] + command["more"]
    into = _INTO.search(words) if command["program"] == "cat" else _WORD.search(words)
    path = into["path"].strip("'\"") if into else ""
    if not blocks.looks_like_path(path, known.names):
        return None
    ends = (
        n for n in range(at + 1, len(source.lines)) if source.lines[n].strip() == command["end"]
    )
    end = next(ends, None)
    if end is None:
        return _unfinished(source, at, path, command["end"])
    text = "\n".join(source.lines[at + 1 : end])
    return _Wrapped(
        FoundPieces((AnswerPiece(path, f"line {at + 1} of the answer", text=text),)), end + 1
    )


def _unfinished(source: _Lines, at: int, path: str, end: str) -> _Wrapped:
    message = f"What begins at line {at + 1} of the answer does not end: {end} is missing."
    complaint = unreadable(message, path=path, error="TruncatedAnswer")
    return _Wrapped(FoundPieces(complaints=(complaint,)), len(source.lines))


def _patch(source: _Lines, at: int, _known: Known) -> _Wrapped | None:
    """Read ``*** Begin Patch`` to ``*** End Patch``: files added, updated and deleted."""
    lines = source.lines
    if lines[at].strip() != _BEGIN:
        return None
    end = next((n for n in range(at, len(lines)) if lines[n].strip() == _END), len(lines))
    heads = [n for n in range(at, end) if _PATCH.match(lines[n])]
    found = [
        _patched(lines[start:stop], f"line {start + 1} of the answer")
        for start, stop in itertools.pairwise([*heads, end])
    ]
    nothing = FoundPieces(complaints=(unreadable(f"The patch at line {at + 1} names no file."),))
    return _Wrapped(join(found) if found else nothing, min(end + 1, len(lines)))


def ends_patch(lines: Sequence[str]) -> bool:
    """Whether the last patch that begins among these lines, if any does, also ends there."""
    marks = [line.strip() for line in lines if line.strip() in (_BEGIN, _END)]
    return not marks or marks[-1] == _END


def _patched(lines: Sequence[str], place: str) -> FoundPieces:
    """Read what a patch says about one file; its first line names it."""
    what, _, path = lines[0].removeprefix("*** ").partition(" File: ")
    path, body = path.strip(), lines[1:]
    if what == "Delete":
        return FoundPieces((AnswerPiece(path, place),))
    if what == "Add":
        text = "\n".join(line[1:] for line in body if line.startswith("+"))
        return FoundPieces((AnswerPiece(path, place, text=text),))
    borders = [at for at, line in enumerate(body) if line.startswith(("@@", "*** "))]
    spans = itertools.pairwise([-1, *borders, len(body)])
    edits = tuple(edit for a, b in spans if (edit := hunk_edit(body[a + 1 : b])))
    moved = next((line for line in body if line.startswith(_MOVE)), "").removeprefix(_MOVE).strip()
    if moved and moved != path:
        return FoundPieces((AnswerPiece(moved, place, edits=edits, source=path),))
    return FoundPieces((AnswerPiece(path, place, edits=edits),))


_READERS: tuple[_Reader, ...] = (_tagged, _called, _heredoc, _patch)
