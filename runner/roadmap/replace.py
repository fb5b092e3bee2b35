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

from runner.roadmap.edit import (
    EditPlan,
    EditRefused,
    current,
    find,
    place_of,
    stands,
    unmeant,
    wanted,
)
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import Splice, line_starts, lines_of, spliced
from runner.roadmap.task import NewTask, Roadmap, Task
from runner.roadmap.writing import TaskLayout, Written, own_text, task_fault, written
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
    parsed: Roadmap | None = None,
) -> bytes:
    """Return ``content`` with a task replaced; applied again (same audit) it stays as it is.

    What is nested in the task stays with the first replacement, unless ``keep_nested`` is false:
    then it was part of what was approved and is removed, except older audits. ``parsed`` saves a
    parse if it is of exactly these bytes. Raises ``EditRefused`` if the task is missing, is done or
    is not work, or a replacement would not become an open task at its place.
    """
    before = current(path, content, parsed)
    if _applied(before, key, audit):
        return content
    task = wanted(before, key)
    _require_replaceable(before, task, keep_nested=keep_nested)
    _require_fit(before, task, replacements)
    return _made(before, replacement(before, task, replacements, audit, keep_nested=keep_nested))


def replacement(
    before: Roadmap,
    task: Task,
    replacements: Sequence[NewTask],
    audit: Audit,
    *,
    keep_nested: bool = True,
) -> EditPlan:
    """Plan to replace a task; only check that its line has a checkbox."""
    place = place_of(before, task)
    news = _written(task, replacements, place)
    lines = tuple(place.inside + comment.encode() for comment in comments(audit))
    lines += () if keep_nested else _older_audits(before, task)
    own, rest = (*news[0].own, *lines), (*news[0].nested, *_lines(news[1:]))
    rest = (*rest, *_gap(before, task))
    if not keep_nested:
        splice = Splice(task.place.line, task.place.end_line, (*own, *rest))
        return EditPlan(task, (splice,), stands(news, task.place.line, between=len(lines)))
    splices = (
        Splice(task.place.line, task.place.text_end_line, own),
        Splice(task.place.end_line + 1, task.place.end_line, rest),
    )
    between = len(lines) + task.place.end_line - task.place.text_end_line
    return EditPlan(task, splices, stands(news, task.place.line, between=between))


def _applied(roadmap: Roadmap, key: str, audit: Audit) -> bool:
    """Say whether the audit is in the file, and the task is gone or only there with it.

    Tasks of the same words can be replaced for the same reason: each has its own audit.
    """
    task = find(roadmap, key)
    return any(
        task is None or task.place.text_end_line < line <= task.place.end_line
        for line in kept_at(roadmap.content, audit)
    )


def _require_replaceable(roadmap: Roadmap, task: Task, *, keep_nested: bool) -> None:
    where = f"{roadmap.path}, line {task.place.line}"
    if task.checked:
        raise EditRefused(f"{where}: the task is done, so it is not replaced")
    if task.kind != "work":
        raise EditRefused(f"{where}: a {task.kind} is not worked on, so it is not replaced")
    inside = (
        other
        for other in roadmap.tasks
        if task.place.line < other.place.line <= task.place.end_line
    )
    if not keep_nested and any(inside):
        raise EditRefused(f"{where}: the task has checkboxes in it, which must be kept")


def _require_fit(roadmap: Roadmap, task: Task, news: Sequence[NewTask]) -> None:
    where = f"{roadmap.path}, line {task.place.line}"
    if not 1 <= len(news) <= MOST:
        raise EditRefused(f"{where}: {len(news)} new tasks; write 1 to {MOST}")
    for number, new in enumerate(news, 1):
        if why := task_fault(new):
            raise EditRefused(f"{where}: new task {number} cannot go there: {why}")


def _written(like: Task, news: Sequence[NewTask], place: TaskLayout) -> list[Written]:
    """Write tasks in the manner of another, whose very place the first one takes."""
    texts = [own_text(new, like) for new in news]
    return [
        written(new, text, place, first=not number)
        for number, (new, text) in enumerate(zip(news, texts, strict=True))
    ]


def _older_audits(before: Roadmap, task: Task) -> tuple[bytes, ...]:
    """The comments of earlier recoveries, which stay where the rest of a task goes."""
    nested = lines_of(before.content, task.place.text_end_line + 1, task.place.end_line)
    return tuple(takewhile(is_audit, nested))


def _gap(before: Roadmap, task: Task) -> tuple[bytes, ...]:
    """A blank line where words follow at once: they would become part of what is written."""
    follows = lines_of(before.content, task.place.end_line + 1, task.place.end_line + 1)
    return (b"",) if follows and _WORDS.match(follows[0]) else ()


def _lines(news: Sequence[Written]) -> tuple[bytes, ...]:
    return tuple(line for new in news for line in (*new.own, *new.nested))


def _made(before: Roadmap, plan: EditPlan) -> bytes:
    """Make the edit if it does exactly what was planned."""
    after = parse_roadmap(before.path, spliced(before.content, plan.splices))
    if why := unmeant(plan, before, after):
        raise EditRefused(f"{before.path}: the edit of line {plan.task.place.line} {why}")
    return after.content
