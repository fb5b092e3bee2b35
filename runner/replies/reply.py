"""Understand a model's answer: text in, change set and complaints out; nothing is raised."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from runner.changes import ChangeSet
from runner.findings import Complaint
from runner.python_tree import python_tree
from runner.replies import labels
from runner.replies.assemble import assemble
from runner.replies.blocks import edits_of, names_file, read_blocks
from runner.replies.cleanup import clean_answer
from runner.replies.diffs import is_diff, read_diff
from runner.replies.edits import has_edits
from runner.replies.fences import outline
from runner.replies.json_answers import read_json
from runner.replies.pieces import Found, Known, Piece, join, unreadable
from runner.replies.targets import target
from runner.replies.wrapped import read_wrapped

LONGEST_ANSWER = 1_000_000
MOST_BLOCKS = 500
_DELETE = re.compile(r"^[\s*`>-]*DELETE:?\s+[`*\"']*([^\s`*\"']+)[`*\"']*\s*$")


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer says; ``repairs`` are notes on what was put right or left out."""

    changes: ChangeSet
    complaints: tuple[Complaint, ...] = ()
    repairs: tuple[str, ...] = ()


def parse_reply(
    text: str,
    *,
    paths: Collection[str],
    expected: Sequence[str] = (),
    named: Collection[str] = (),
    partial: Collection[str] = (),
    seen: str = "",
    read: Callable[[str], bytes | None],
    truncated: bool = False,
) -> Reply:
    """Read an answer against a tree; never raises for any text.

    ``paths`` are the tree's files, ``expected`` those the task asks for, ``named`` all that it
    names; ``partial`` those of which the question, ``seen``, showed only a part: a whole file may
    not take away lines that were not shown. ``read`` returns a file's content. ``truncated`` says
    that the server cut the answer (``finish_reason`` length).
    """
    shown = frozenset(line.strip() for line in seen.split("\n")) if partial else frozenset[str]()
    meant = [path for path in expected if labels.looks_like_path(path, paths)]  # not `Sheet.add`
    known = Known(frozenset(paths), tuple(meant), read, tuple(named), tuple(partial), shown)
    if len(text) > LONGEST_ANSWER:
        message = f"The answer is longer than {LONGEST_ANSWER} characters."
        return Reply(ChangeSet(), (unreadable(message),))
    cleaned = clean_answer(text)
    found = _found(cleaned, known, truncated=truncated)
    changes, complaints, notes = assemble(found, known)
    missing = [path for path in known.expected if path not in changes.files]
    if truncated and (missing or not changes) and not _says_truncated(complaints):
        complaints = (*complaints, _cut(missing))
    if not changes and not complaints:
        complaints = (_nothing(cleaned),)
    return Reply(changes, complaints, notes)


def _found(text: str, known: Known, *, truncated: bool) -> Found:
    as_json = read_json(text, known)
    if as_json is not None:
        if truncated and as_json.complaints:
            return replace(as_json, complaints=())
        return as_json
    parts = outline(text, lambda info, above: names_file(info, above, known))
    if len(parts.blocks) > MOST_BLOCKS:
        message = f"The answer has {len(parts.blocks)} blocks; {MOST_BLOCKS} are read at most."
        return Found(complaints=(unreadable(message),))
    wrapped, rest = read_wrapped(text, known, parts)
    if wrapped.pieces or wrapped.complaints:
        parts = outline(rest, lambda info, above: names_file(info, above, known))
    deletions = Found(tuple(_deletions(parts.prose, known)))
    if parts.blocks:
        return join([wrapped, read_blocks(parts, known, truncated=truncated), deletions])
    if wrapped.pieces or wrapped.complaints:
        return join([wrapped, deletions])
    return join([_bare(text, known, truncated=truncated), deletions])


def _deletions(prose: Sequence[tuple[int, str]], known: Known) -> list[Piece]:
    found = ((number, _DELETE.match(line)) for number, line in prose)
    return [
        Piece(match[1], f"line {number} of the answer")
        for number, match in found
        if match and labels.looks_like_path(match[1], known.names)
    ]


def _bare(text: str, known: Known, *, truncated: bool) -> Found:
    """Read an answer without any fence: edits, a diff, or nothing but one file's code."""
    lines = text.split("\n")
    if has_edits(lines):
        return edits_of(lines, known, place="the answer", path="")
    if is_diff(lines):
        return read_diff(lines, place="the answer")
    path = "" if truncated else target(lines, "", known)
    if not _is_program(text, path):
        return Found()
    note = f"{path}: the answer is code without a block around it"
    return Found((Piece(path, "the answer", text=text.strip("\n")),), notes=(note,))


def _is_program(text: str, path: str) -> bool:
    """Whether the text is Python that does something (one word of prose parses, too)."""
    if not path.endswith(".py"):
        return False
    try:
        body = python_tree(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(not isinstance(node, ast.Expr | ast.AnnAssign) for node in body)


def _says_truncated(complaints: Sequence[Complaint]) -> bool:
    return any(complaint.error == "TruncatedAnswer" for complaint in complaints)


def _cut(missing: Sequence[str]) -> Complaint:
    left = f" Still missing: {', '.join(missing)}." if missing else ""
    message = f"The answer was cut off before it was complete.{left}"
    return unreadable(message, error="TruncatedAnswer")


def _nothing(text: str) -> Complaint:
    if not text.strip():
        return unreadable("The answer is empty.", error="EmptyAnswer")
    return unreadable(
        "No file was found in the answer. Give each file as its path on a line of its own, then "
        "its content between fences (```)."
    )
