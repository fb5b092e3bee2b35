"""Lines that read like tasks and are none on GitHub, each with the reason and what to write."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain

from markdown_it.token import Token

from runner.roadmap.blocks import Blocks
from runner.roadmap.task import Warning

MOST = 50
"""Warnings of one code; the rest are counted."""

_BOX = re.compile(
    r"(?P<lead>[ \t>]*)(?P<mark>(?:(?:[-*+]|\d{1,9}[.)])[ \t]*)*)(?P<head>#{1,6}[ \t]+)?"
    r"\[(?P<state>[^\[\]\n]{0,4})\](?P<after>.?)"
)
_CELL = re.compile(r"\|\s*\[[ xX]\]")
_PLACES = {
    "fence": ("task-in-code", "code"),
    "code_block": ("task-in-code", "code (a line indented by four blanks or more)"),
    "html_block": ("task-in-html", "an HTML block or comment"),
    "front_matter": ("task-in-front-matter", "the front matter"),
}
_CUSTOM = re.compile(r"[^\w\s]{1,2}|[A-Za-z]|WIP|TODO|DONE|N/A", re.IGNORECASE)


def warnings(blocks: Blocks, lines: Sequence[str], told: Set[int]) -> Iterator[Warning]:
    """Look at every line with a bracket that is neither a task's nor ``told`` (from 1) already."""
    tasks = {item.start for item in blocks.items if item.box}
    tasks.update(chain.from_iterable(blocks.hidden.values()))
    items = {item.start for item in blocks.items}
    code = {n: token for token in blocks.code if token.map for n in range(*token.map)}
    inside: defaultdict[int, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if "[" not in line or number in tasks or number + 1 in told:
            continue
        if number in code:
            if _like_a_task(line):
                inside[(code[number].map or [0])[0]].append(number)
        elif warning := _look(number, line, in_list=number in items):
            yield warning
    for start, numbers in inside.items():
        yield _hidden(code[start], numbers)
    yield from _quoted(blocks)
    yield from _commented(blocks, lines)


def bounded(found: Iterable[Warning]) -> tuple[Warning, ...]:
    """Keep ``MOST`` of each code, in file order; one more says how many are left out."""
    kept: list[Warning] = []
    counts: defaultdict[str, int] = defaultdict(int)
    next_one: dict[str, Warning] = {}
    for warning in sorted(found, key=lambda w: (w.line, w.column, w.code)):
        counts[warning.code] += 1
        if counts[warning.code] <= MOST:
            kept.append(warning)
        else:
            next_one.setdefault(warning.code, warning)
    for code, first in next_one.items():
        message = f"{counts[code] - MOST} more of these from here on"
        kept.append(Warning(first.line, first.column, code, message))
    return tuple(sorted(kept, key=lambda w: (w.line, w.column, w.code)))


def _look(number: int, line: str, *, in_list: bool) -> Warning | None:
    if line.lstrip().startswith("|"):
        found = _CELL.search(line)
        return _warning(number, found.start(), "table-box", _TABLE) if found else None
    found = _BOX.match(line)
    if found is None or found["after"] in ("(", ":", "[") or ">" in found["lead"]:
        return None
    said = _reason(found, in_list=in_list)
    return _warning(number, found.start("state") - 1, *said) if said else None


def _reason(found: re.Match[str], *, in_list: bool) -> tuple[str, str] | None:
    """The code and the message for a bracket that is no box."""
    state, blank = found["state"].strip(), found["after"] in ("", " ", "\t")
    empty = state in ("", "x", "X")
    if found["head"]:
        return ("heading-box", _HEADING) if empty or _CUSTOM.fullmatch(state) else None
    if not found["mark"]:
        return ("malformed-box", _NO_MARK) if empty and found["state"] and blank else None
    if empty:
        return "malformed-box", _malformed(found, in_list=in_list)
    if in_list and blank and _CUSTOM.fullmatch(state):
        return "custom-state", (
            f"[{state}] is neither open nor done on GitHub, so this is not run; "
            "write [ ] to have it done or [x] when it is"
        )
    return None


def _malformed(found: re.Match[str], *, in_list: bool) -> str:
    if not in_list:
        return f"{_NO_TASK}: a list mark and a blank must stand before it, `- [ ] what to do`"
    if found["state"] not in (" ", "x", "X"):
        return f"{_NO_TASK}: exactly one blank or x stands between the brackets, `- [ ] what to do`"
    if found["after"] not in (" ", "\t"):
        return f"{_NO_TASK}: a blank and a text must follow it, `- [ ] what to do`"
    return f"{_NO_TASK}: it needs a text on its own line, `- [ ] what to do`"


_OPEN = (
    "its `-->` stands in another block or is missing, so GitHub shows nothing of what follows; "
    "close it before the next blank line, indented as it begins"
)
_NO_TASK = "GitHub does not show this as a box"
_NO_MARK = f"{_NO_TASK}: it is no list item; begin the line with `- `"
_HEADING = f"{_NO_TASK}: headings have none; write a list item, `- [ ] what to do`"
_TABLE = f"{_NO_TASK}: tables have none; write a list, `- [ ] what to do`"


def _like_a_task(line: str) -> bool:
    found = _BOX.match(line)
    return found is not None and bool(found["mark"]) and found["state"] in (" ", "x", "X")


def _hidden(token: Token, numbers: list[int]) -> Warning:
    code, place = _PLACES[token.type]
    message = f"{_stand(numbers, f'in {place}')}: no tasks; move them out if they are meant to be"
    return Warning(numbers[0] + 1, 1, code, message)


def _commented(blocks: Blocks, lines: Sequence[str]) -> Iterator[Warning]:
    """Tasks behind a comment that its block of HTML does not close."""
    for line, items in blocks.hidden.items():
        if numbers := [number for number in items if _like_a_task(lines[number])]:
            where = _stand(numbers, f"behind the comment of line {line}")
            yield Warning(numbers[0] + 1, 1, "task-in-html", f"{where}: {_OPEN}")


def _stand(numbers: Sequence[int], place: str) -> str:
    """Say how many lines stand in a place, the last one too."""
    if len(numbers) == 1:
        return f"this stands {place}"
    return f"{len(numbers)} lines that read like tasks stand {place} (to line {numbers[-1] + 1})"


def _quoted(blocks: Blocks) -> Iterator[Warning]:
    message = "a task inside a block quote is not executed; move it out of the quote"
    for item in blocks.items:
        if item.box and item.quoted:
            yield Warning(item.start + 1, 1, "quoted-task", message)


def _warning(number: int, column: int, code: str, message: str) -> Warning:
    return Warning(number + 1, column + 1, code, message)
