"""Replace a task with others: new lines come, every other byte stays.

The reason is kept beside the replacement in hidden comments: one closed single-line comment per
field. Such an HTML block ends at the first ``-->``, on its own line
(https://github.github.com/gfm/#html-blocks).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile

from runner.roadmap.edit import EditPlan, EditRefused, find, place_of, unmeant, wanted
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import Splice, line_starts, lines_of, spliced
from runner.roadmap.task import NewTask, Roadmap, Task
from runner.roadmap.writing import own_text, task_fault, written
from runner.text.patterns import lazy_pattern

_MOST = 4000
"""Characters of one quoted text; what is longer is cut."""
_BREAKS = lazy_pattern("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# controls, lone surrogates and what turns the direction of reading
_UNSEEN = lazy_pattern("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
_DASHES = lazy_pattern("-(?=-)")
_LINE = lazy_pattern(
    rb"[ \t]*<!-- (?P<field>[A-Za-z-]+): (?P<value>[^\r\n]*) -->[ \t]*(?=\r|\n|\Z)"
)
_FIELDS = frozenset({b"Original", b"Reason", b"Approved-by"})
_TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Which strategy replaced a task, when (aware, kept in UTC seconds), what it was, and why.

    ``original`` is the replaced task's own text, ``approved_by`` a login, or '' where nobody was
    asked.
    """

    strategy: str
    at: datetime
    original: str
    reason: str
    approved_by: str = ""


def comments(audit: Audit) -> tuple[str, ...]:
    """Return the lines that keep an audit, without indent and line end."""
    at = audit.at.astimezone(UTC).strftime(_TIME)
    fields = (
        ("Original", audit.original),
        ("Reason", audit.reason),
        ("Approved-by", audit.approved_by),
    )
    return (
        f"<!-- RECOVERY: {audit.strategy.upper()} at {at} -->",
        *(f"<!-- {name}: {quoted(text)} -->" for name, text in fields if text),
    )


def quoted(text: str) -> str:
    """Return a text as it may be in a comment; doing it twice changes nothing."""
    text = _BREAKS.sub(r"\\n", text.strip()).replace("\t", " ")
    text = _DASHES.sub("- ", _UNSEEN.sub("\ufffd", text))
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def kept_at(content: bytes, audit: Audit) -> list[int]:
    """Return the lines on which an audit begins in a file, whenever and by whom it was made."""
    if b"<!-- RECOVERY: " not in content:
        return []
    opening, *fields = (line.encode() for line in comments(replace(audit, approved_by="")))
    opening = opening[: opening.index(b" at ") + len(b" at ")]
    lines = [line.strip(b" \t") for line in lines_of(content, 1, len(line_starts(content)))]
    return [
        number
        for number, line in enumerate(lines, 1)
        if line.startswith(opening) and lines[number : number + len(fields)] == fields
    ]


def is_audit(line: bytes) -> bool:
    """Say whether a line is one comment of an audit."""
    found = _LINE.match(line)
    return found is not None and found["field"] in _FIELDS | {b"RECOVERY"}


MOST = 20
"""New tasks of one edit."""
_WORDS = lazy_pattern(rb"[ \t]*(?!#|>|~~~|```|<!--|[-*+][ \t]|\d{1,9}[.)][ \t])[^ \t]")


def replace_task(
    path: str,
    content: bytes,
    key: str,
    replacements: Sequence[NewTask],
    *,
    audit: Audit,
    keep_nested: bool = True,
) -> bytes:
    """Return ``content`` with a task replaced; applied again (same audit) it stays as it is.

    What is nested in the task stays with the first replacement, unless ``keep_nested`` is false:
    then it was part of what was approved and is removed, except older audits. Raises
    ``EditRefused`` if the task is missing, is done or is not work, or a replacement would not
    become an open task at its place.
    """
    before = parse_roadmap(path, content)
    there = find(before, key)
    # tasks of the same words can be replaced for the same reason: each has its own audit
    for line in kept_at(content, audit):
        if there is None or there.place.text_end_line < line <= there.place.end_line:
            return content
    task = wanted(before, key)
    where = f"{path}, line {task.place.line}"
    inside = range(task.place.line + 1, task.place.end_line + 1)
    if task.checked:
        raise EditRefused(f"{where}: the task is done, so it is not replaced")
    if task.kind != "work":
        raise EditRefused(f"{where}: a {task.kind} is not worked on, so it is not replaced")
    if not keep_nested and any(other.place.line in inside for other in before.tasks):
        raise EditRefused(f"{where}: the task has checkboxes in it, which must be kept")
    if not 1 <= len(replacements) <= MOST:
        raise EditRefused(f"{where}: {len(replacements)} new tasks; write 1 to {MOST}")
    for number, new in enumerate(replacements, 1):
        if why := task_fault(new):
            raise EditRefused(f"{where}: new task {number} cannot go there: {why}")
    plan = replacement(before, task, replacements, audit, keep_nested=keep_nested)
    after = parse_roadmap(path, spliced(content, plan.splices))
    if why := unmeant(plan, before, after):
        raise EditRefused(f"{path}: the edit of line {task.place.line} {why}")
    return after.content


def replacement(
    before: Roadmap,
    task: Task,
    replacements: Sequence[NewTask],
    audit: Audit,
    *,
    keep_nested: bool = True,
) -> EditPlan:
    """Plan to replace a task; only check that its line has a checkbox."""
    content, place = before.content, task.place
    layout = place_of(before, task, line_starts(content))
    news = [
        written(new, own_text(new, task), layout, first=not number)
        for number, new in enumerate(replacements)
    ]
    lines = [layout.inside + comment.encode() for comment in comments(audit)]
    if not keep_nested:  # the comments of earlier recoveries stay
        nested = lines_of(content, place.text_end_line + 1, place.end_line)
        lines += takewhile(is_audit, nested)
    own, rest = (*news[0].own, *lines), list(news[0].nested)
    rest += (line for new in news[1:] for line in (*new.own, *new.nested))
    follows = lines_of(content, place.end_line + 1, place.end_line + 1)
    if follows and _WORDS.match(follows[0]):
        rest.append(b"")  # words that follow at once would become part of what is written
    if not keep_nested:
        whole = Splice(place.line, place.end_line, (*own, *rest))
        return EditPlan(task, (whole,), tuple(news), len(lines))
    splices = (
        Splice(place.line, place.text_end_line, own),
        Splice(place.end_line + 1, place.end_line, tuple(rest)),
    )
    between = len(lines) + place.end_line - place.text_end_line
    return EditPlan(task, splices, tuple(news), between)
