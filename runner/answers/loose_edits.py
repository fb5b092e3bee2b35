"""Find the lines that an edit means though it writes them in another way.

The way may differ in blanks (also blank lines), tabs, quotes, and a number in front of each line.
What replaces the lines is indented as the file is; a place must still be the only one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from runner.answers.pieces import FileEdit

_NUMBER = re.compile(r"^[ \t]{0,6}\d{1,6}(?: ?[|:\u2502\u2192] ?|[.)]? {1,2}(?=\S|$)|\t| ?$)")
_BLANK = re.compile(r"\s+")
_PLAIN = str.maketrans(
    {"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2018": "'", "\u2019": "'", "\u00a0": " "}
)
_SAME = str.maketrans({"'": '"', "`": '"'})
_LEAST = 3
"""Characters other than blanks that a loose search must have: a bracket alone is no place."""


def loosely(lines: Sequence[str], edit: FileEdit) -> tuple[FileEdit, list[int]] | None:
    """Return the edit as the file would write it, and where its search is; None where nowhere.

    With several places the edit is that of the first: the caller refuses it.
    """
    return _loosely(lines, edit) or _loosely(lines, _without_numbers(edit))


def _loosely(lines: Sequence[str], edit: FileEdit) -> tuple[FileEdit, list[int]] | None:
    edit = _trimmed(edit)
    wanted = [key for line in edit.search if (key := _key(line))]
    if sum(map(len, wanted)) < _LEAST:
        return None
    keys = [(at, key) for at, line in enumerate(lines) if (key := _key(line))]
    size = len(wanted)
    found = [
        (keys[at][0], keys[at + size - 1][0] + 1)
        for at in range(len(keys) - size + 1)
        if keys[at][1] == wanted[0] and [key for _, key in keys[at : at + size]] == wanted
    ]
    if not found:
        return None
    start, end = found[0]
    replace = _indented(edit, lines[start:end], lines)
    if replace is None:
        return None
    return FileEdit(tuple(lines[start:end]), replace, edit.line), [first for first, _ in found]


def _key(line: str) -> str:
    return _BLANK.sub("", line.translate(_PLAIN)).translate(_SAME)


def _without_numbers(edit: FileEdit) -> FileEdit:
    """The edit without the numbers in front of its lines, where every line of its search has one.

    Those of its replacement go too, if each has one: new lines often have none.
    """
    search = [line for line in edit.search if line.strip()]
    if not search or not all(map(_NUMBER.match, search)):
        return edit
    numbered = all(_NUMBER.match(line) for line in edit.replace if line.strip())
    replace = tuple(_NUMBER.sub("", line) for line in edit.replace) if numbered else edit.replace
    return FileEdit(tuple(_NUMBER.sub("", line) for line in edit.search), replace, edit.line)


def _trimmed(edit: FileEdit) -> FileEdit:
    """The edit without the blank lines that both sides begin or end with."""
    search, replace = list(edit.search), list(edit.replace)
    for end in (0, -1):
        while search and replace and not search[end].strip() and not replace[end].strip():
            del search[end], replace[end]
    return FileEdit(tuple(search), tuple(replace), edit.line)


def _indented(edit: FileEdit, found: Sequence[str], file: Sequence[str]) -> tuple[str, ...] | None:
    """The replacement with the file's indentation; None where the two do not agree on levels."""
    lines = [line for line in edit.search if line.strip()]
    there = [line for line in found if line.strip()]
    levels: dict[str, str] = {}
    for mine, its in zip(lines, there, strict=True):
        if levels.setdefault(_indent(mine), _indent(its)) != _indent(its):
            return None
    plain = any(line != line.translate(_PLAIN) for line in lines)
    replace = [line.translate(_PLAIN) if plain else line for line in edit.replace]
    levels |= _further_left(replace, levels, {_indent(line) for line in file})
    same = {mine.rstrip(): its for mine, its in zip(lines, there, strict=True)}
    return tuple(same.get(line.rstrip()) or _shifted(line, levels) for line in replace)


def _further_left(new: Sequence[str], levels: dict[str, str], file: set[str]) -> dict[str, str]:
    """The levels of new lines that stand to the left of all that the edit looks for.

    They are moved with the rest if the file has all levels that they get, else they stay: who
    writes two blanks for the file's four means each level by itself.
    """
    mine, its = next(iter(levels.items()))
    shift = its.removesuffix(mine)
    left = {
        own
        for own in map(_indent, filter(str.strip, new))
        if not any(own.startswith(level) for level in levels)
    }
    alike = all(shift + mine == its for mine, its in levels.items())
    moves = alike and {shift + own for own in left} <= file
    return {own: shift + own if moves else own for own in left}


def _shifted(line: str, levels: dict[str, str]) -> str:
    if not line.strip():
        return ""
    own = _indent(line)
    known = max((level for level in levels if own.startswith(level)), key=len)
    more = own[len(known) :]
    if any("\t" in level for level in levels.values()) and "\t" not in more:
        more = "\t" * -(-len(more) // _width(levels))
    return levels[known] + more + line.lstrip()


def _width(levels: dict[str, str]) -> int:
    """How many spaces the edit writes for one tab of the file."""
    widths = (
        len(mine) // its.count("\t")
        for mine, its in levels.items()
        if its.count("\t") and "\t" not in mine and len(mine) >= its.count("\t")
    )
    return next(widths, 4)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
