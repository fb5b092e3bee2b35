"""Repair syntax faults without a model: a repair is kept only if the file then parses.

A file that already parses is never touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from runner.checks import programs
from runner.checks.validate import syntax_complaint
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint

_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})[\w+-]*\s*$")
_UNSEEN = re.compile("[\ufeff\u200b\u2060]")
_COMMA = re.compile(r'("(?:\\.|[^"\\])*"?)|,(\s*[\]}])', re.DOTALL)
_FOUR = re.compile(r"(?m)(?P<start>^[ \tbrufBRUF]*)?(?<![\"'\\])(?P<quotes>\"{4}(?!\")|'{4}(?!'))"
                   r"(?P<end>[ \t\r;)\],:]*$)?")  # fmt: skip
_CURLY = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "\u00a0": " "})  # noqa: RUF001
_ROUNDS = 200
_LARGEST = 64 << 10


def _without_fence(text: str) -> str:
    """Drop a fence line that was left at the start or the end."""
    lines = text.split("\n")
    body = [at for at, line in enumerate(lines) if line.strip()]
    for at in dict.fromkeys((*body[-1:], *body[:1])):
        if _FENCE.match(lines[at]):
            del lines[at]
    return "\n".join(lines)


def _with_three_quotes(text: str) -> str:
    """Put three quotes where a docstring begins or ends with four."""

    def three(found: re.Match[str]) -> str:
        edge = found["start"] is not None or found["end"] is not None
        quotes = found["quotes"][:3] if edge else found["quotes"]
        return (found["start"] or "") + quotes + (found["end"] or "")

    return _FOUR.sub(three, text)


def _with_plain_quotes(text: str) -> str:
    """Put plain quotes and blanks on the lines the compiler stumbles over, one after another."""
    for _ in range(_ROUNDS):
        complaint = programs.check_python("", text.encode("utf-8", "replace"))
        lines = text.split("\n")
        at = ((complaint.line if complaint else 0) or 0) - 1
        plain = lines[at].translate(_CURLY) if 0 <= at < len(lines) else ""
        if complaint is None:
            return text
        if not plain or plain == lines[at]:
            break
        lines[at] = plain
        text = "\n".join(lines)
    return text.translate(_CURLY)


Repairs = tuple[tuple[str, Callable[[str], str]], ...]

_OF_ALL: Repairs = (
    ("dropped a leftover fence line", _without_fence),
    ("dropped a byte-order mark", lambda text: _UNSEEN.sub("", text)),
)
_OF_JSON: Repairs = (
    ("dropped trailing commas", lambda text: _COMMA.sub(lambda found: found[1] or found[2], text)),
)
_OF_PYTHON: Repairs = (
    ("replaced four quotes with three", _with_three_quotes),
    ("replaced typographic quotes with plain ones", _with_plain_quotes),
)


def auto_repair(
    changes: ChangeSet, complaints: Iterable[Complaint]
) -> tuple[ChangeSet, tuple[str, ...]]:
    """Return the change set with all possible repairs, and what was done to each file.

    ``complaints`` are those of ``validate``; validate again what comes back. Every repair is tried
    alone, then all together; large files are left to the model.
    """
    files, notes = dict(changes.files), []
    for path in dict.fromkeys(complaint.path for complaint in complaints):
        write = files.get(path)
        if write is None or len(write.content) > _LARGEST or _parses(path, write.content):
            continue
        try:
            text = write.content.decode("utf-8")
        except UnicodeDecodeError:
            continue
        repairs = _OF_ALL
        repairs += _OF_PYTHON if path.endswith((".py", ".pyi")) else ()
        repairs += _OF_JSON if path.endswith(".json") else ()
        all_at_once, done = text, list[str]()
        for what, repair in repairs:
            after = repair(text)
            if after != text and _parses(path, after.encode("utf-8", "replace")):
                all_at_once, done = after, [what]
                break
        else:
            for what, repair in repairs:
                after = repair(all_at_once)
                done += [what] if after != all_at_once else []
                all_at_once = after
                if done and _parses(path, after.encode("utf-8", "replace")):
                    break
            else:
                continue
        files[path] = Write(all_at_once.encode("utf-8"), write.mode)
        notes.append(f"{path}: {', '.join(done)}")
    return ChangeSet(files), tuple(notes)


def _parses(path: str, content: bytes) -> bool:
    """Whether there is something left of a file, and it parses."""
    return bool(content.strip()) and syntax_complaint(path, content) is None
