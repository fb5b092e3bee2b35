"""Answers given as fenced blocks: which block is which file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.findings import Complaint
from runner.replies import labels
from runner.replies.diffs import is_diff, read_diff
from runner.replies.edits import has_edits, read_edits
from runner.replies.fences import Block, Outline
from runner.replies.languages import is_shell
from runner.replies.pieces import Edit, Found, Known, Piece, join, unreadable
from runner.replies.targets import target


def read_blocks(parts: Outline, known: Known, *, truncated: bool) -> Found:
    """Return what the blocks say; a block without a path is placed or reported."""
    found: list[Found] = []
    unnamed: list[Block] = []
    labelled = [(block, path_of(block, known)) for block in parts.blocks]
    whole = {path: block.lines for block, path in labelled if path and not _is_part(block)}
    for block, path in labelled:
        if truncated and not block.closed and block is parts.blocks[-1]:
            found.append(_cut_off(block, path))
        elif has_edits(block.lines):
            found.append(edits_of(block.lines, known, place=block.place, path=path))
        elif is_diff(block.lines, block.info) and _explains(block, path, whole):
            found.append(Found(notes=(f"{block.place} repeats a change as a diff: ignored",)))
        elif is_diff(block.lines, block.info):
            found.append(read_diff(block.lines, place=block.place, path=path))
        elif path:
            found.append(_whole(block, path, known))
        else:
            unnamed.append(block)
    pieces = [piece for part in found for piece in part.pieces]
    named = not all(known.is_example(piece.path) for piece in pieces)
    found.append(_unnamed(unnamed, known, named=named))
    return join(found)


def _is_part(block: Block) -> bool:
    return has_edits(block.lines) or is_diff(block.lines, block.info)


def _explains(block: Block, path: str, whole: Mapping[str, Sequence[str]]) -> bool:
    """Whether a diff only shows what changed in a file that the answer also gives whole."""
    given = [whole[path]] if path in whole else [] if path else list(whole.values())
    there = {line.rstrip() for lines in given for line in lines}
    added = {line[1:].rstrip() for line in block.lines if re.match(r"\+(?!\+\+ )", line)}
    return bool(there) and added <= there | {""}


def names_file(info: str, above: str, known: Known) -> bool:
    """Whether a fence with this info string under this line begins a file."""
    return bool(labels.from_info(info, known.names) or labels.from_line(above, known.names))


def path_of(block: Block, known: Known) -> str:
    """Return the path written beside a block ('' when there is none)."""
    first = next((line for line in block.lines if line.strip()), "")
    markdown = block.info.lower().startswith(("md", "markdown"))
    return (
        labels.from_info(block.info, known.names)
        or labels.from_above(block.above, known.names)
        or labels.from_first_line(first, known.names, markdown=markdown)
    )


def edits_of(lines: Sequence[str], known: Known, *, place: str, path: str) -> Found:
    """Return the search/replace edits of a block; a path line above an edit names its file."""
    edits = read_edits(lines)
    if isinstance(edits, int):
        message = f"{place}: the edit that begins at its line {edits + 1} has no end marker."
        return Found(complaints=(unreadable(message, path=path),))
    pieces: list[Piece] = []
    for at, edit in edits:
        label = next((line for line in reversed(lines[:at]) if line.strip()), "")
        path = labels.from_line(label.lstrip("#/ "), known.names) or path
        if not path:
            return Found(complaints=(unreadable(f"{place} edits a file without naming it."),))
        _join_edit(pieces, _edit_piece(path, place, edit))
    return Found(tuple(pieces))


def _join_edit(pieces: list[Piece], piece: Piece) -> None:
    """Put edits of one file together: they are applied all or not at all."""
    last = pieces[-1] if pieces else None
    if last and last.path == piece.path and last.text is None and piece.text is None:
        pieces[-1] = replace(last, edits=(*last.edits, *piece.edits))
    else:
        pieces.append(piece)


def _edit_piece(path: str, place: str, edit: Edit) -> Piece:
    if not any(line.strip() for line in edit.search):
        return Piece(path, place, text="\n".join(edit.replace), edits=(edit,))
    return Piece(path, place, edits=(edit,))


def _whole(block: Block, path: str, known: Known) -> Found:
    lines = _without_label(block, path, known)
    notes = () if block.closed else (f"{path}: the fence of {block.place} was not closed",)
    return Found((Piece(path, block.place, text="\n".join(lines)),), notes=notes)


def _without_label(block: Block, path: str, known: Known) -> tuple[str, ...]:
    """Drop a first line that is only the path, unless the file had that line before."""
    at = next((i for i, line in enumerate(block.lines) if line.strip()), None)
    if at is None:
        return block.lines
    label = labels.from_first_line(block.lines[at], known.names, markdown=path.endswith(".md"))
    old = known.read(path) if path in known.names else None
    kept = old is not None and old.split(b"\n")[0].strip() == block.lines[at].strip().encode(
        "utf-8", "replace"
    )
    return block.lines[at + 1 :] if label and label == path and not kept else block.lines


def _cut_off(block: Block, path: str) -> Found:
    what = path or block.place
    message = (
        f"The answer stops in the middle of {what}, after {len(block.lines)} lines. "
        "Answer again with the whole file, shorter if possible."
    )
    return Found(complaints=(unreadable(message, path=path, error="TruncatedAnswer"),))


def _unnamed(blocks: Sequence[Block], known: Known, *, named: bool) -> Found:
    """Place blocks without a path; beside named ones they are examples and are ignored."""
    if named:
        return Found(notes=tuple(f"{block.place} has no path: ignored" for block in blocks))
    found: list[Found] = []
    targets = [target(block.lines, block.info, known) for block in blocks]
    wanted = {path for path in targets if path}
    placed: set[str] = set()
    for block, path in zip(blocks, targets, strict=True):
        if path and path not in placed and (len(wanted) == 1 or targets.count(path) == 1):
            placed.add(path)
            note = f"{path}: taken from {block.place}, which names no path"
            found += [Found(notes=(note,)), _whole(block, path, known)]
        elif is_shell(block.info) or path in placed or (placed and placed == set(known.expected)):
            found.append(Found(notes=(f"{block.place} has no path: ignored",)))
        else:
            found.append(Found(complaints=(_pathless(block),)))
    return join(found)


def _pathless(block: Block) -> Complaint:
    return unreadable(
        f"{block.place.capitalize()} has no path. Write the path of the file on a line of its own, "
        "then the fence."
    )
