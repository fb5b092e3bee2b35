"""Lines that read like tasks but are not: the reason for each, and what to write."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain, islice

from markdown_it.token import Token

from runner.roadmap.boxes import Checkbox
from runner.roadmap.headings import is_status, is_task
from runner.roadmap.markdown import Blocks, Headed, ListItem
from runner.roadmap.normalise.sorts import marked_lines
from runner.roadmap.source import RenderedText, opens_with_status, without_marks
from runner.roadmap.task import Candidate, Warning
from runner.roadmap.words import WORDS, longest
from runner.text.patterns import lazy_pattern

MOST_SUSPECTS = 50
"""Warnings of one code; the rest are counted."""

_BOX = lazy_pattern(
    r"(?P<lead>[ \t>]*)(?P<mark>(?:(?:[-*+]|\d{1,9}[.)])[ \t]*)*)(?P<head>#{1,6}[ \t]+)?"
    r"\[(?P<state>[^\[\]\n]{0,4})\](?P<after>.?)"
)
_CELL = lazy_pattern(r"\|\s*\[[ xX]\]")
_PLACES = {
    "fence": ("task-in-code", "code"),
    "code_block": ("task-in-code", "code (a line indented by four blanks or more)"),
    "html_block": ("task-in-html", "an HTML block or comment"),
    "front_matter": ("task-in-front-matter", "the front matter"),
}
_CUSTOM = lazy_pattern(r"[^\w\s]{1,2}|[A-Za-z]|WIP|TODO|DONE|N/A", re.IGNORECASE)


def warnings(blocks: Blocks, lines: Sequence[str], reported: Set[int]) -> Iterator[Warning]:
    """Check every line with a bracket that is not a task and not ``reported`` yet (from 1)."""
    tasks = {item.start for item in blocks.items if item.box}
    tasks.update(chain.from_iterable(blocks.hidden.values()))
    items = {item.start for item in blocks.items}
    code = {n: token for token in blocks.code if token.map for n in range(*token.map)}
    inside: defaultdict[int, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if "[" not in line or number in tasks or number + 1 in reported:
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
    """Keep ``MOST_SUSPECTS`` of each code, in file order; one more says how many are left out."""
    kept: list[Warning] = []
    counts: defaultdict[str, int] = defaultdict(int)
    next_one: dict[str, Warning] = {}
    for warning in sorted(found, key=lambda w: (w.line, w.column, w.code)):
        counts[warning.code] += 1
        if counts[warning.code] <= MOST_SUSPECTS:
            kept.append(warning)
        else:
            next_one.setdefault(warning.code, warning)
    for code, first in next_one.items():
        message = f"{counts[code] - MOST_SUSPECTS} more of these from here"
        kept.append(Warning(first.line, first.column, code, message))
    return tuple(sorted(kept, key=lambda w: (w.line, w.column, w.code)))


def _look(number: int, line: str, *, in_list: bool) -> Warning | None:
    if line.lstrip().startswith("|"):
        found = _CELL.search(line)
        return _warning(number, found.start(), "table-box", _TABLE) if found else None
    found = _BOX.match(line)
    if found is None or found["after"] in ("(", ":", "[") or ">" in found["lead"]:
        return None
    reason = _reason(found, in_list=in_list)
    return _warning(number, found.start("state") - 1, *reason) if reason else None


def _reason(found: re.Match[str], *, in_list: bool) -> tuple[str, str] | None:
    """The code and the message for a bracket that is not a checkbox."""
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
            f"[{state}] is neither open nor done on GitHub, so Cairn does not run this; "
            "write [ ] if it is open or [x] if it is done"
        )
    return None


def _malformed(found: re.Match[str], *, in_list: bool) -> str:
    if not in_list:
        return f"{_NO_TASK}: write a list mark and a space before it, `- [ ] what to do`"
    if found["state"] not in (" ", "x", "X"):
        return f"{_NO_TASK}: write exactly one space or x between the brackets, `- [ ] what to do`"
    if found["after"] not in (" ", "\t"):
        return f"{_NO_TASK}: write a space and a text after it, `- [ ] what to do`"
    return f"{_NO_TASK}: it needs a text on its own line, `- [ ] what to do`"


_OPEN = (
    "its `-->` is in another block or missing, so GitHub hides everything after it; "
    "close it before the next blank line, with the same indentation"
)
_NO_TASK = "GitHub does not show this as a checkbox"
_NO_MARK = f"{_NO_TASK}: it is not a list item; begin the line with `- `"
_HEADING = f"{_NO_TASK}: headings have none; write a list item, `- [ ] what to do`"
_TABLE = f"{_NO_TASK}: tables have none; write a list, `- [ ] what to do`"


def _like_a_task(line: str) -> bool:
    found = _BOX.match(line)
    return found is not None and bool(found["mark"]) and found["state"] in (" ", "x", "X")


def _hidden(token: Token, numbers: list[int]) -> Warning:
    code, place = _PLACES[token.type]
    message = f"{_stand(numbers, f'in {place}')}, so they are not tasks; move them out if they are"
    return Warning(numbers[0] + 1, 1, code, message)


def _commented(blocks: Blocks, lines: Sequence[str]) -> Iterator[Warning]:
    """Tasks behind a comment that its block of HTML does not close."""
    for line, items in blocks.hidden.items():
        if numbers := [number for number in items if _like_a_task(lines[number])]:
            where = _stand(numbers, f"behind the comment of line {line}")
            yield Warning(numbers[0] + 1, 1, "task-in-html", f"{where}: {_OPEN}")


def _stand(numbers: Sequence[int], place: str) -> str:
    """Say how many lines are in a place, and the last one."""
    if len(numbers) == 1:
        return f"this is {place}"
    return f"{len(numbers)} lines that read like tasks are {place} (to line {numbers[-1] + 1})"


def _quoted(blocks: Blocks) -> Iterator[Warning]:
    message = "a task inside a block quote is not executed; move it out of the quote"
    for item in blocks.items:
        if item.box and item.quoted:
            yield Warning(item.start + 1, 1, "quoted-task", message)


def _warning(number: int, column: int, code: str, message: str) -> Warning:
    return Warning(number + 1, column + 1, code, message)


MOST_CANDIDATES = 500
_SEVERAL = 2


def candidates(
    blocks: Blocks, boxes: Sequence[Checkbox], show: Callable[[str], RenderedText], last: int
) -> tuple[Candidate, ...]:
    """Return headings with steps, numbered and emoji bullets, rows of status tables.

    At most ``MOST_CANDIDATES``; ``last`` is the number of lines, ``show`` makes a title of a
    text.
    """
    worked = {h.line for box in boxes if box.kind != "check" for h in box.item.headings}
    found = [
        *islice(_headings(blocks, worked, last), MOST_CANDIDATES),
        *islice(_items(blocks.items), MOST_CANDIDATES),
        *islice(_rows(blocks), MOST_CANDIDATES),
        *islice(_bare(blocks), MOST_CANDIDATES),
    ]
    first = sorted(found, key=lambda c: (c.line, c.why))[:MOST_CANDIDATES]
    return tuple(replace(each, title=without_marks(show(each.title).text)) for each in first)


def _headings(blocks: Blocks, worked: set[int], last: int) -> Iterator[Candidate]:
    """Headings that are tasks: a worded one by its name, a numbered one by the steps below it."""
    stepped = {item.headings[-1].line for item in blocks.items if item.headings}
    ends = _ends(blocks.headings, last)
    for headed, end in zip(blocks.headings, ends, strict=True):
        heading = headed.path[-1]
        form = is_task(heading.text)
        if not form or heading.line in worked:
            continue
        if form == "worded" or heading.line in stepped:
            yield Candidate(heading.line, end, heading.text, "heading")


def _ends(headings: Sequence[Headed], last: int) -> list[int]:
    """The last line below each heading, up to the next of its own or a higher level."""
    ends = [last] * len(headings)
    open_ones: list[int] = []
    for number, headed in enumerate(headings):
        heading = headed.path[-1]
        while open_ones and headings[open_ones[-1]].path[-1].level >= heading.level:
            ends[open_ones.pop()] = heading.line - 1
        open_ones.append(number)
    return ends


def _items(items: Sequence[ListItem]) -> Iterator[Candidate]:
    """Numbered paragraphs under a status heading, and bullets that begin with a status mark."""
    for item in items:
        if item.box or item.quoted or item.check or not item.text:
            continue
        numbered = item.marker in ".)" and item.depth == 0
        if numbered and item.headings and is_status(item.headings[-1].text):
            yield _bullet(item, "numbered")
        elif opens_with_status(item.text):
            yield _bullet(item, "emoji")


def _bare(blocks: Blocks) -> Iterator[Candidate]:
    """Lines without a bullet that begin with a status mark, several of them below a heading."""
    places: defaultdict[int, list[Candidate]] = defaultdict(list)
    for paragraph in blocks.paragraphs:
        if paragraph.holder is None and not paragraph.content.isascii():
            lines = paragraph.content.split("\n")
            found = [(paragraph.start + n + 1, lines[n]) for n in marked_lines(paragraph.content)]
            above = paragraph.headings[-1].line if paragraph.headings else 0
            places[above] += [Candidate(line, line, text.strip(), "emoji") for line, text in found]
    for below in places.values():
        yield from below if len(below) >= _SEVERAL else ()


def _bullet(item: ListItem, why: str) -> Candidate:
    return Candidate(item.start + 1, item.end, item.text, why)


def _rows(blocks: Blocks) -> Iterator[Candidate]:
    """Rows of tables with a status column."""
    for index, _path in blocks.tables:
        rows = _table(blocks.tokens, index)
        head = [cell.casefold().strip("*_ ") for cell in next(rows)[1]]
        if not any(cell in WORDS["status_columns"] for cell in head):
            continue
        column = _title_column(head)
        for line, cells in rows:
            if column < len(cells) and cells[column]:
                yield Candidate(line + 1, line + 1, cells[column], "table")


def _title_column(head: list[str]) -> int:
    """The column that names the task; else the first that is neither a number nor the status."""
    named = (n for n, cell in enumerate(head) if cell in WORDS["task_columns"])
    other = (
        n
        for n, cell in enumerate(head)
        if cell not in {*WORDS["status_columns"], "#", "id", "no", ""}
    )
    return next(named, next(other, 0))


def _table(tokens: list[Token], index: int) -> Iterator[tuple[int, list[str]]]:
    """Yield (line from 0, cells) of each row of the table that opens at ``index``."""
    line, cells = 0, list[str]()
    while tokens[index].type != "table_close":
        token = tokens[index]
        if token.type == "tr_open":
            line, cells = (token.map or [0])[0], []
        elif token.type == "inline":
            cells.append(token.content.strip())
        elif token.type == "tr_close":
            yield line, cells
        index += 1


_SHARE = 0.2
_READ = 500
"""Characters of a text that are looked at."""

_CODE = lazy_pattern(r"`[^`]*`")
_BEFORE = lazy_pattern(
    r"[\W_]{0,4}(?:[A-Z]{0,8}-?\d{1,4}(?:[.-]\d{1,4})*[.:)]?\s+)?[*_]{0,2}(?=[\[{<])"
)
_BRACES = r"\{\{[^{}\n]{0,80}\}\}|\$\{[^{}\n]{1,80}\}"
_ANGLES = (
    r"(?<![\w`<])<(?!/|(?:a|b|i|u|p|br|hr|em|div|img|sub|sup|kbd|del|ins|code|span|link|meta|html|"
    r"head|body|form|input|button|table|t[rdh]|ul|ol|li|h[1-6]|pre|svg|video|audio|canvas|iframe|"
    r"script|style|strong|small|mark|details|summary|label|select|option|nav|main|section|template|"
    r"slot|title|dialog|textarea|header|footer|article|aside|figure|picture|source)\b)"
    r"[a-zA-Z][\w -]{1,40}>"
)
_BRACKETS = r"\[[A-Za-z][^\[\]\n]{1,80}\](?![\[(:])"
_WORD = (
    r"(?:task|name|description|title|feature|entity|component|placeholder|endpoint|service|model|path|file|"
    r"date|criterion|criteria|goal|metric|your|insert|describe|specific)"
)
_NAMED = (
    rf"(?<=\s)\[(?:{_WORD}\d*|(?=[^\[\]]*\b{_WORD}\b)[A-Za-z][^\[\]\n]* [^\[\]\n]*)\](?![\[(:])"
)
_ANYWHERE = lazy_pattern(f"{_BRACES}|{_ANGLES}|{_NAMED}", re.IGNORECASE)
_WHOLE = lazy_pattern(rf"(?:(?:{_BRACES}|{_ANGLES}|{_BRACKETS})[\s:.,*_-]*)+", re.IGNORECASE)


def templates(boxes: Sequence[Checkbox]) -> tuple[set[int], bool]:
    """Return (numbers of the checkboxes that are placeholders, whether the file is a template).

    A bracket in front of other words is more often a category ("[Backend] Add a login"), so it
    counts only when it is all there is, or says what to put in its place. "TBD" is a placeholder,
    too, but plans that are still to come do not make a template of the file.
    """
    texts = [box.item.text for box in boxes]
    whole = {n for n, text in enumerate(texts) if _is_whole(text)}
    asked = whole | {n for n, text in enumerate(texts) if _has_one(text)}
    several = len(asked) >= _SEVERAL and len(asked) >= _SHARE * len(boxes)
    several = several or _below_names_to_fill_in(boxes)
    whole |= {n for n, box in enumerate(boxes) if is_undecided(box.title)}
    return (set(range(len(boxes))) if several else whole), several


_TO_FILL_IN = lazy_pattern(r"\{\{\s*[A-Z][A-Z0-9_]*\s*\}\}")


def _below_names_to_fill_in(boxes: Sequence[Checkbox]) -> bool:
    """Say whether headings with ``{{NAMES}}``, several of them, are above most of a file's tasks.

    The file's title does not count: somebody may have forgotten that.
    """
    below = [
        [h for h in box.item.headings if h.level > 1 and _TO_FILL_IN.search(_CODE.sub("", h.text))]
        for box in boxes
    ]
    different = {heading.line for found in below for heading in found}
    return len(different) >= _SEVERAL and sum(map(bool, below)) > len(boxes) / 2


_UNDECIDED = lazy_pattern(
    r"(?:[\w.]{1,12}-\d{1,4}\s*[:-]\s*)?"
    rf"(?:(?:plans?|tasks?|details?)\s*[:-]?\s*)?"
    rf"(?:{longest(WORDS['undecided'])})"
    r"(?:\s+(?:during|in|after|at|once|by|when|bei|lors|durante|при)\b.{0,80}|\s*[(\[].{0,80}[)\]])?"
    r"[\s.!*_]*",
    re.IGNORECASE,
)


def is_undecided(title: str) -> bool:
    """Say whether a title only says that the task is still to be written ("TBD")."""
    return _UNDECIDED.fullmatch(title[:_READ]) is not None


def _is_whole(text: str) -> bool:
    text = text[:_READ]
    before = _BEFORE.match(text)
    return before is not None and _WHOLE.fullmatch(text, before.end()) is not None


def _has_one(text: str) -> bool:
    if not any(mark in text for mark in "{[<"):
        return False
    return _ANYWHERE.search(_CODE.sub("", text[:_READ])) is not None
