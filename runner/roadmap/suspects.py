"""Lines that read like tasks but are not: the reason for each, and what to write."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain, islice, takewhile

from runner.roadmap.headings import is_status, is_task, section_ends
from runner.roadmap.kinds import Checkbox
from runner.roadmap.markdown import Blocks, ListItem
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


_OPEN = (
    "its `-->` is in another block or missing, so GitHub hides everything after it; "
    "close it before the next blank line, with the same indentation"
)
_NO_TASK = "GitHub does not show this as a checkbox"
_NO_MARK = f"{_NO_TASK}: it is not a list item; begin the line with `- `"
_HEADING = f"{_NO_TASK}: headings have none; write a list item, `- [ ] what to do`"
_TABLE = f"{_NO_TASK}: tables have none; write a list, `- [ ] what to do`"
_QUOTED = "a task inside a block quote is not executed; move it out of the quote"


def warnings(blocks: Blocks, lines: Sequence[str], reported: Set[int]) -> Iterator[Warning]:
    """Check every line with a bracket that is not a task and not ``reported`` yet (from 1).

    Then tasks in quotes, and those behind a comment that its block of HTML does not close.
    """
    tasks = {item.start for item in blocks.items if item.box}
    tasks.update(chain.from_iterable(blocks.hidden.values()))
    items = {item.start for item in blocks.items}
    code = {n: token for token in blocks.code if token.map for n in range(*token.map)}
    inside: defaultdict[int, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if "[" not in line or number in tasks or number + 1 in reported:
            continue
        found = _BOX.match(line)
        if number in code:
            if _like_a_task(line):
                inside[id(code[number])].append(number)
        elif line.lstrip().startswith("|"):
            if cell := _CELL.search(line):
                yield Warning(number + 1, cell.start() + 1, "table-box", _TABLE)
        elif found and (reason := _reason(found, in_list=number in items)):
            yield Warning(number + 1, found.start("state"), *reason)
    for token in blocks.code:
        if numbers := inside.get(id(token)):
            kind, place = _PLACES[token.type]
            where = _stand(numbers, f"in {place}")
            it = ("it is no task; move it", "they are not tasks; move them")[len(numbers) > 1]
            message = f"{where}, so {it} out if it should be run"
            yield Warning(numbers[0] + 1, 1, kind, message)
    for item in blocks.items:
        if item.box and item.quoted:
            yield Warning(item.start + 1, 1, "quoted-task", _QUOTED)
    for comment, hidden in blocks.hidden.items():
        if numbers := [number for number in hidden if _like_a_task(lines[number])]:
            where = _stand(numbers, f"behind the comment of line {comment}")
            yield Warning(numbers[0] + 1, 1, "task-in-html", f"{where}: {_OPEN}")


def _reason(found: re.Match[str], *, in_list: bool) -> tuple[str, str] | None:
    """The code and the message for a bracket that is not a checkbox."""
    state, blank = found["state"].strip(), found["after"] in ("", " ", "\t")
    empty = state in ("", "x", "X")
    if found["after"] in ("(", ":", "[") or ">" in found["lead"]:
        return None
    if found["head"]:
        return ("heading-box", _HEADING) if empty or _CUSTOM.fullmatch(state) else None
    if not found["mark"]:
        return ("malformed-box", _NO_MARK) if empty and found["state"] and blank else None
    if not empty:
        custom = in_list and blank and _CUSTOM.fullmatch(state)
        message = (
            f"[{state}] is neither open nor done on GitHub, so Cairn does not run this; "
            "write [ ] if it is open or [x] if it is done"
        )
        return ("custom-state", message) if custom else None
    if not in_list:
        ask = "write a list mark and a space before it"
    elif found["state"] not in (" ", "x", "X"):
        ask = "write exactly one space or x between the brackets"
    elif found["after"] not in (" ", "\t"):
        ask = "write a space and a text after it"
    else:
        ask = "it needs a text on its own line"
    return "malformed-box", f"{_NO_TASK}: {ask}, `- [ ] what to do`"


def _like_a_task(line: str) -> bool:
    found = _BOX.match(line)
    return found is not None and bool(found["mark"]) and found["state"] in (" ", "x", "X")


def _stand(numbers: Sequence[int], place: str) -> str:
    """Say how many lines are in a place, and the last one."""
    if len(numbers) == 1:
        return f"this is {place}"
    return f"{len(numbers)} lines that read like tasks are {place} (to line {numbers[-1] + 1})"


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
    forms = (_headings(blocks, worked, last), _items(blocks.items), _rows(blocks), _bare(blocks))
    found = [each for form in forms for each in islice(form, MOST_CANDIDATES)]
    first = sorted(found, key=lambda c: (c.line, c.why))[:MOST_CANDIDATES]
    return tuple(replace(each, title=without_marks(show(each.title).text)) for each in first)


def _headings(blocks: Blocks, worked: set[int], last: int) -> Iterator[Candidate]:
    """Headings that are tasks: a worded one by its name, a numbered one by the steps below it."""
    stepped = {item.headings[-1].line for item in blocks.items if item.headings}
    ends = section_ends((headed.path for headed in blocks.headings), last)
    for heading in (headed.path[-1] for headed in blocks.headings):
        form = is_task(heading.text)
        if heading.line not in worked and (form == "worded" or (form and heading.line in stepped)):
            yield Candidate(heading.line, ends[heading.line], heading.text, "heading")


def _items(items: Sequence[ListItem]) -> Iterator[Candidate]:
    """Numbered paragraphs under a status heading, and bullets that begin with a status mark."""
    for item in items:
        if item.box or item.quoted or item.check or not item.text:
            continue
        numbered = item.marker in ".)" and item.depth == 0 and item.headings
        why = "numbered" if numbered and is_status(item.headings[-1].text) else "emoji"
        if why == "numbered" or opens_with_status(item.text):
            yield Candidate(item.start + 1, item.end, item.text, why)


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


def _rows(blocks: Blocks) -> Iterator[Candidate]:
    """Rows of tables with a status column; the title is in the column that names the task.

    Without one it is the first that is neither a number nor the status.
    """
    for start, _path in blocks.tables:
        head: list[str] | None = None
        line, column, cells = 0, 0, list[str]()
        for token in takewhile(
            lambda t: t.type != "table_close", islice(blocks.tokens, start, None)
        ):
            if token.type == "tr_open":
                line, cells = (token.map or [0])[0], []
            elif token.type == "inline":
                cells.append(token.content.strip())
            elif token.type == "tr_close" and head is None:
                head = [cell.casefold().strip("*_ ") for cell in cells]
                if not WORDS["status_columns"].intersection(head):
                    break
                other = WORDS["status_columns"] | {"#", "id", "no", ""}
                named = [n for n, cell in enumerate(head) if cell in WORDS["task_columns"]]
                rest = [n for n, cell in enumerate(head) if cell not in other]
                column = [*named, *rest, 0][0]
            elif token.type == "tr_close" and column < len(cells) and cells[column]:
                yield Candidate(line + 1, line + 1, cells[column], "table")


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
    whole: set[int] = set()
    asked: set[int] = set()
    undecided: set[int] = set()
    for number, box in enumerate(boxes):
        text = box.item.text[:_READ]
        before = _BEFORE.match(text)
        if before and _WHOLE.fullmatch(text, before.end()):
            whole.add(number)
        elif any(mark in text for mark in "{[<") and _ANYWHERE.search(_CODE.sub("", text)):
            asked.add(number)
        if _UNDECIDED.fullmatch(box.title[:_READ]):
            undecided.add(number)
    several = len(whole | asked) >= max(_SEVERAL, _SHARE * len(boxes))
    return (set(range(len(boxes))) if several else whole | undecided), several


_UNDECIDED = lazy_pattern(
    r"(?:[\w.]{1,12}-\d{1,4}\s*[:-]\s*)?"
    rf"(?:(?:plans?|tasks?|details?)\s*[:-]?\s*)?"
    rf"(?:{longest(WORDS['undecided'])})"
    r"(?:\s+(?:during|in|after|at|once|by|when|bei|lors|durante|при)\b.{0,80}|\s*[(\[].{0,80}[)\]])?"
    r"[\s.!*_]*",
    re.IGNORECASE,
)
