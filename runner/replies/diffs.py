"""Unified diffs in answers, read with ``unidiff``; each hunk becomes an edit whose context must
be found in the file. Line numbers and lengths, which models get wrong, are counted again first.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchedFile, PatchSet

from runner.replies.pieces import Edit, Found, Piece, unreadable

_HEADER = re.compile(r"^@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@.*|.*)$")
_FILE = re.compile(
    r"^(?:diff --git |index [0-9a-f]|--- |\+\+\+ |(?:new|deleted) file mode |rename )"
)
_NOWHERE = "/dev/null"


def is_diff(lines: Sequence[str], info: str = "") -> bool:
    """Whether the lines are a unified diff (told by ``---``/``+++`` or a hunk header)."""
    if info.split(" ")[0].lower() in {"diff", "patch", "udiff"}:
        return any(line.startswith("@@") or line.startswith("+++ ") for line in lines)
    start = [line for line in lines if line.strip()][:4]
    pair = any(a.startswith("--- ") and b.startswith("+++ ") for a, b in itertools.pairwise(start))
    return pair or bool(start and start[0].startswith(("diff --git ", "@@ -")))


def read_diff(lines: Sequence[str], *, place: str, path: str = "") -> Found:
    """Return the pieces of a diff; ``path`` is what the block says when the diff has no header."""
    text = "\n".join(_mended(lines, path)) + "\n"
    try:
        files = PatchSet(text)
    except (UnidiffParseError, ValueError) as error:
        return Found(complaints=(unreadable(f"{place} is no readable diff: {error}", path=path),))
    pieces = tuple(piece for file in files for piece in _pieces(file, place))
    if not pieces:
        return Found(complaints=(unreadable(f"{place} is a diff that changes no file", path=path),))
    return Found(pieces)


def _pieces(file: PatchedFile, place: str) -> Iterator[Piece]:
    source, target = _bare(file.source_file), _bare(file.target_file)
    if target == _NOWHERE:
        yield Piece(source, place)
        return
    if source == _NOWHERE:
        text = "".join(line.value for hunk in file for line in hunk.target_lines())
        yield Piece(target, place, text=text)
        return
    if file:
        yield Piece(target, place, edits=tuple(_edit(hunk) for hunk in file))


def _bare(name: str) -> str:
    return name if name == _NOWHERE else re.sub(r"^[abiwco]/", "", name.strip('"'))


def _edit(hunk: Hunk) -> Edit:
    search = tuple(line.value.rstrip("\n") for line in hunk.source_lines())
    replace = tuple(line.value.rstrip("\n") for line in hunk.target_lines())
    return Edit(search, replace, hunk.source_start)


def _mended(lines: Sequence[str], path: str) -> Iterator[str]:
    """Yield the diff with file headers where they lack and every hunk counted again."""
    if path and not any(line.startswith("+++ ") for line in lines):
        yield from (f"--- a/{path}", f"+++ b/{path}")
    at = 0
    while at < len(lines):
        header = _HEADER.match(lines[at]) if lines[at].startswith("@@") else None
        if header is None:
            if _FILE.match(lines[at]):
                yield lines[at]
            at += 1
            continue
        end = _hunk_end(lines, at + 1)
        yield from _counted(header[1] or "1", lines[at + 1 : end])
        at = end


def _hunk_end(lines: Sequence[str], start: int) -> int:
    for at in range(start, len(lines)):
        next_file = lines[at].startswith("--- ") and lines[at + 1 : at + 2] != []
        if lines[at].startswith(("@@", "diff --git ")) or (
            next_file and lines[at + 1].startswith("+++ ")
        ):
            return at
    return len(lines)


def _counted(start: str, body: Sequence[str]) -> Iterator[str]:
    """Yield one hunk with true lengths; a line without a mark is context that lost its blank."""
    kept = list(body)
    while kept and not kept[-1].strip():
        kept.pop()
    kept = [line if line[:1] in {" ", "+", "-", "\\"} else f" {line}" for line in kept]
    old = sum(line[0] in " -" for line in kept)
    new = sum(line[0] in " +" for line in kept)
    if old or new:
        yield f"@@ -{start},{old} +{start},{new} @@"
        yield from kept
