"""Repair syntax faults without a model: each repair is kept only if the file then parses.

A file that already parses is never touched.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable

from runner.answers.fences import drop_line_numbers, unescape_newlines
from runner.checks import programs
from runner.checks.validate import syntax_complaint
from runner.code.languages import python_tree
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint

Repair = Callable[[str, str], str | None]
"""(path, text) → the repaired text, or None if there is nothing to do."""

_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})[\w+-]*\s*$")


def drop_fence(_path: str, text: str) -> str | None:
    """Drop a fence line that was left at the start or the end."""
    lines = text.split("\n")
    body = [at for at, line in enumerate(lines) if line.strip()]
    if not body:
        return None
    for at in dict.fromkeys((body[-1], body[0])):
        if _FENCE.match(lines[at]):
            del lines[at]
    return "\n".join(lines)


def drop_mark(_path: str, text: str) -> str | None:
    """Drop byte-order marks and zero-width characters."""
    return re.sub("[\ufeff\u200b\u2060]", "", text)


def drop_diff_marks(_path: str, text: str) -> str | None:
    """Drop the first column where it holds a ``+`` or a blank on every line, as in a diff."""
    lines = text.split("\n")
    body = [line for line in lines if line.strip()]
    if not any(line[0] == "+" for line in body) or any(line[0] not in "+ " for line in body):
        return None
    return "\n".join(line[1:] for line in lines)


def drop_numbers(path: str, text: str) -> str | None:
    """Drop line numbers that count up by one."""
    return "\n".join(drop_line_numbers(text.split("\n"), path))


TEXT_REPAIRS: tuple[tuple[str, Repair], ...] = (
    ("dropped a leftover fence line", drop_fence),
    ("dropped a byte-order mark", drop_mark),
    ("removed the marks of a diff", drop_diff_marks),
    ("removed line numbers", drop_numbers),
    ("undid a double escape", lambda path, text: unescape_newlines(text, path)),
)


_TRAILING = re.compile(r'("(?:\\.|[^"\\])*"?)|,(\s*[\]}])', re.DOTALL)


def drop_trailing_commas(_path: str, text: str) -> str | None:
    """Drop commas before a closing bracket; strings are left alone."""
    return _TRAILING.sub(lambda found: found[1] or found[2], text)


JSON_REPAIRS: tuple[tuple[str, Repair], ...] = (("dropped trailing commas", drop_trailing_commas),)


_MOST_STUMBLES = 40
LineRepair = Callable[[str, Complaint], str | None]
"""(line, the compiler's message about it) → the repaired line, or None."""


def line_by_line(path: str, text: str, repair: LineRepair) -> str:
    """Repair the lines that the compiler names, up to one that cannot be repaired."""
    for _ in range(_MOST_STUMBLES):
        complaint = programs.check_python(path, text.encode("utf-8", "replace"))
        if complaint is None:
            return text
        lines = text.split("\n")
        at = (complaint.line or 0) - 1
        after = repair(lines[at], complaint) if 0 <= at < len(lines) else None
        if after is None or after == lines[at]:
            return text
        text = "\n".join([*lines[:at], after, *lines[at + 1 :]])
    return text


def meaning(text: str) -> str | None:
    """Return the syntax tree in words; None for what does not compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "text", "exec", dont_inherit=True)
            return ast.dump(python_tree(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def only_reading(texts: Iterable[str]) -> str | None:
    """Return the text that compiles, when all that do mean the same; None when they differ."""
    readings: dict[str, str] = {}
    for text in texts:
        before = meaning(text)
        if before is not None:
            readings.setdefault(before, text)
    return next(iter(readings.values())) if len(readings) == 1 else None


_MOST_LEVELS, _LONGEST_DOCSTRING, _LARGEST_LAYOUT = 12, 60, 64 << 10
_DOCSTRING = re.compile(r"\s*[rRuU]?(\"\"\"|''')(?!.*\1)")
_BEFORE_DOCSTRING = re.compile(
    r"\s*(?:(?:async\s+)?def|class)\b.*:\s*(?:#.*)?|.*\)\s*(?:->.*)?:\s*"
)


def indent_line(path: str, text: str) -> str | None:
    """Move one line that fits no level to the only level at which the file compiles."""
    complaint, lines = _stumble(path, text)
    if (
        complaint is None
        or complaint.error != "IndentationError"
        or "expected an" in complaint.message
    ):
        return None
    at = (complaint.line or 1) - 1
    if not 0 <= at < len(lines):
        return None
    body = lines[at].lstrip(" ")
    levels = {len(line) - len(line.lstrip(" ")) for line in lines[:at] if line.strip()}
    levels |= {level + 4 for level in levels}
    return only_reading(
        "\n".join([*lines[:at], " " * level + body, *lines[at + 1 :]])
        for level in sorted(levels)[:_MOST_LEVELS]
    )


def close_docstring(path: str, text: str) -> str | None:
    """Close an open docstring before the first line from which on everything is code."""
    complaint, lines = _stumble(path, text)
    at = ((complaint.line if complaint else 0) or 0) - 1
    if (
        complaint is None
        or "unterminated triple-quoted" not in complaint.message
        or not 0 < at < len(lines)
    ):
        return None
    quotes = _DOCSTRING.match(lines[at])
    if not quotes or not _BEFORE_DOCSTRING.fullmatch(lines[at - 1]):
        return None
    for end in range(at, min(len(lines), at + _LONGEST_DOCSTRING)):
        closed = "\n".join([*lines[:end], lines[end].rstrip() + quotes[1], *lines[end + 1 :]])
        if meaning(closed) is not None:
            return closed if _is_code("\n".join(lines[end + 1 :])) else None
    return None


def _is_code(text: str) -> bool:
    """Whether no line is a lone word, which prose and code have in common."""
    return not re.search(r"^\s*(?!pass\b|return\b|break\b|continue\b|raise\b)\w+\s*$", text, re.M)


def _stumble(path: str, text: str) -> tuple[Complaint | None, list[str]]:
    if len(text) > _LARGEST_LAYOUT:
        return None, []
    return programs.check_python(path, text.encode("utf-8", "replace")), text.split("\n")


_PRINT = re.compile(r"(?P<blanks>\s*)print\s+(?P<what>[^\s(>=.,+\-*/%&|^].*[^,\s])\s*")


def call_print(path: str, text: str) -> str | None:
    """Put Python 2's print statement into a call; ``>>`` and a comma at the end are not guessed."""

    def repair(line: str, complaint: Complaint) -> str | None:
        found = _PRINT.fullmatch(line)
        if not found or not complaint.message.startswith("Missing parentheses in call to 'print'"):
            return None
        return None if "#" in line else f"{found['blanks']}print({found['what']})"

    return line_by_line(path, text, repair)


_FOUR = re.compile(r"(?<![\"'\\])(?:\"{4}(?!\")|'{4}(?!'))")
_CURLY = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "\u00a0": " "})  # noqa: RUF001
_ROUNDS = 200


def three_quotes(_path: str, text: str) -> str | None:
    """Put three quotes where a docstring begins or ends with four."""
    lines = []
    for line in text.split("\n"):
        start = len(line) - len(line.lstrip(" \tbrufBRUF"))
        end = len(line.rstrip(" \t\r;)],:"))
        lines.append(_FOUR.sub(lambda m, s=start, e=end: _three(m, s, e), line))  # type: ignore[misc]
    return "\n".join(lines)


def _three(found: re.Match[str], start: int, end: int) -> str:
    at_edge = found.start() == start or found.end() == end
    return found[0][:3] if at_edge else found[0]


def straight_quotes(path: str, text: str) -> str | None:
    """Put plain quotes and blanks on the lines the compiler stumbles over, one after another."""
    for _ in range(_ROUNDS):
        complaint = programs.check_python(path, text.encode("utf-8", "replace"))
        if complaint is None:
            return text
        lines = text.split("\n")
        at = (complaint.line or 0) - 1
        plain = lines[at].translate(_CURLY) if 0 <= at < len(lines) else ""
        if not plain or plain == lines[at]:
            return text.translate(_CURLY)
        lines[at] = plain
        text = "\n".join(lines)
    return text


def blanks_for_tabs(_path: str, text: str) -> str | None:
    """Put blanks for tabs in indentation when every width that compiles means the same code."""
    return only_reading(
        "\n".join(_expanded(line, width) for line in text.split("\n")) for width in (4, 8, 2)
    )


def _expanded(line: str, width: int) -> str:
    body = line.lstrip(" \t")
    return line[: len(line) - len(body)].expandtabs(width) + body


PYTHON_REPAIRS: tuple[tuple[str, Repair], ...] = (
    ("replaced four quotes with three", three_quotes),
    ("replaced typographic quotes with plain ones", straight_quotes),
    ("replaced tabs with spaces", blanks_for_tabs),
    ("turned print into a call", call_print),
    ("moved a line to the only indentation that fits", indent_line),
    ("closed a docstring", close_docstring),
)


_LARGEST = 64 << 10


def auto_repair(
    changes: ChangeSet, complaints: Iterable[Complaint]
) -> tuple[ChangeSet, tuple[str, ...]]:
    """Return the change set with all possible repairs, and what was done to each file.

    ``complaints`` are those of ``validate``; validate again what comes back.
    """
    files, notes = dict(changes.files), []
    for path in dict.fromkeys(complaint.path for complaint in complaints):
        write = files.get(path)
        if write is None or syntax_complaint(path, write.content) is None:
            continue
        repaired, what = _repaired(path, write.content)
        if what:
            files[path] = Write(repaired, write.mode)
            notes.append(f"{path}: {', '.join(what)}")
    return ChangeSet(files), tuple(notes)


def _repaired(path: str, content: bytes) -> tuple[bytes, list[str]]:
    """Try every repair alone, then all together; large files are left to the model."""
    if len(content) > _LARGEST:
        return content, []
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content, []
    for what, repair in _repairs(path):
        after = repair(path, text)
        if after is not None and after != text and _parses(path, after):
            return after.encode("utf-8"), [what]
    return _all_together(path, text)


def _all_together(path: str, text: str) -> tuple[bytes, list[str]]:
    done: list[str] = []
    for what, repair in _repairs(path):
        after = repair(path, text)
        if after is not None and after != text:
            text = after
            done.append(what)
            if _parses(path, text):
                return text.encode("utf-8"), done
    return b"", []


def _repairs(path: str) -> tuple[tuple[str, Repair], ...]:
    if path.endswith((".py", ".pyi")):
        return (*TEXT_REPAIRS, *PYTHON_REPAIRS)
    return (*TEXT_REPAIRS, *JSON_REPAIRS) if path.endswith(".json") else TEXT_REPAIRS


def _parses(path: str, text: str) -> bool:
    """Whether there is something left of a file, and it parses."""
    return bool(text.strip()) and syntax_complaint(path, text.encode("utf-8", "replace")) is None
