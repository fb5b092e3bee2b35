"""Replace a task by others or add tasks: new lines come, every other byte stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from runner.roadmap.audit import Audit, audits, comments, is_audit
from runner.roadmap.edit import EditRefused, current, find, place_of, wanted
from runner.roadmap.lines import Splice, lines_of, spliced
from runner.roadmap.misfit import misfit_of
from runner.roadmap.new_task import NewTask
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.place import Place, Written, own_text, written
from runner.roadmap.plan import Plan, stands, unmeant
from runner.roadmap.task import Roadmap, Task

MOST = 20
"""New tasks of one edit."""
_WORDS = re.compile(rb"[ \t]*(?!#|>|~~~|```|<!--|[-*+][ \t]|\d{1,9}[.)][ \t])[^ \t]")


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
    then it was part of what was approved and goes, but for older audits. ``parsed`` saves a parse
    where it is of these very bytes. Raises ``EditRefused`` when the task is not there, is done or
    no work, or a replacement would become anything but an open task at its place.
    """
    before = current(path, content, parsed)
    if _applied(before, key, audit):
        return content
    task = wanted(before, key)
    _require_replaceable(before, task, keep_nested=keep_nested)
    _require_fit(before, task, replacements)
    return _made(before, replacement(before, task, replacements, audit, keep_nested=keep_nested))


def insert_tasks(
    path: str,
    content: bytes,
    after: str,
    tasks: Sequence[NewTask],
    *,
    parsed: Roadmap | None = None,
) -> bytes:
    """Return ``content`` with tasks added to the list of the task ``after``, behind it.

    They are written in its manner. Twice adds twice, but an id is never used twice. Raises
    ``EditRefused`` as ``replace_task``.
    """
    before = current(path, content, parsed)
    task = wanted(before, after)
    _require_fit(before, task, tasks)
    news = _written(task, tasks, place_of(before, task), first=False)
    lines = (*_lines(news), *_gap(before, task))
    splice = Splice(task.end_line + 1, task.end_line, lines)
    place = stands(news, task.end_line + 1)
    return _made(before, Plan(task, (splice,), place, replaces=False))


def replacement(
    before: Roadmap,
    task: Task,
    replacements: Sequence[NewTask],
    audit: Audit,
    *,
    keep_nested: bool = True,
) -> Plan:
    """Plan to replace a task; nothing is checked but that its line has a box."""
    place = place_of(before, task)
    news = _written(task, replacements, place, first=True)
    said = tuple(place.inside + comment.encode() for comment in comments(audit))
    said += () if keep_nested else _older_audits(before, task)
    own, rest = (*news[0].own, *said), (*news[0].nested, *_lines(news[1:]))
    rest = (*rest, *_gap(before, task))
    if not keep_nested:
        splice = Splice(task.line, task.end_line, (*own, *rest))
        return Plan(task, (splice,), stands(news, task.line, between=len(said)), replaces=True)
    splices = (
        Splice(task.line, task.text_end_line, own),
        Splice(task.end_line + 1, task.end_line, rest),
    )
    between = len(said) + task.end_line - task.text_end_line
    return Plan(task, splices, stands(news, task.line, between=between), replaces=True)


def _applied(roadmap: Roadmap, key: str, audit: Audit) -> bool:
    """Say whether the audit stands in the file, and the task no more or only with it.

    Tasks of the same words can be replaced for the same reason: each has its own audit.
    """
    task = find(roadmap, key)
    return any(
        found.audit.identity == audit.identity
        and (task is None or task.text_end_line < found.line <= task.end_line)
        for found in audits(roadmap.content)
    )


def _require_replaceable(roadmap: Roadmap, task: Task, *, keep_nested: bool) -> None:
    where = f"{roadmap.path}, line {task.line}"
    if task.checked:
        raise EditRefused(f"{where}: the task is done, so it is not replaced")
    if task.kind != "work":
        raise EditRefused(f"{where}: a {task.kind} is not worked on, so it is not replaced")
    inside = (other for other in roadmap.tasks if task.line < other.line <= task.end_line)
    if not keep_nested and any(inside):
        raise EditRefused(f"{where}: there are boxes in the task; they have to be kept")


def _require_fit(roadmap: Roadmap, task: Task, news: Sequence[NewTask]) -> None:
    where = f"{roadmap.path}, line {task.line}"
    if not 1 <= len(news) <= MOST:
        raise EditRefused(f"{where}: {len(news)} new tasks; write 1 to {MOST}")
    for number, new in enumerate(news, 1):
        if why := misfit_of(new):
            raise EditRefused(f"{where}: new task {number} cannot stand there, {why}")


def _written(like: Task, news: Sequence[NewTask], place: Place, *, first: bool) -> list[Written]:
    """Write tasks in the manner of another; ``first`` when one takes its very place."""
    texts = [own_text(new, like) for new in news]
    return [
        written(new, text, place, first=first and not number)
        for number, (new, text) in enumerate(zip(news, texts, strict=True))
    ]


def _older_audits(before: Roadmap, task: Task) -> tuple[bytes, ...]:
    """The comments of earlier recoveries, which stay where the rest of a task goes."""
    nested = lines_of(before.content, task.text_end_line + 1, task.end_line)
    return tuple(takewhile(is_audit, nested))


def _gap(before: Roadmap, task: Task) -> tuple[bytes, ...]:
    """A blank line where words follow at once: they would become part of what is written."""
    follows = lines_of(before.content, task.end_line + 1, task.end_line + 1)
    return (b"",) if follows and _WORDS.match(follows[0]) else ()


def _lines(news: Sequence[Written]) -> tuple[bytes, ...]:
    return tuple(line for new in news for line in (*new.own, *new.nested))


def _made(before: Roadmap, plan: Plan) -> bytes:
    """Make the edit if it does exactly what was planned."""
    after = parse_roadmap(before.path, spliced(before.content, plan.splices))
    if why := unmeant(plan, before, after):
        raise EditRefused(f"{before.path}: the edit of line {plan.task.line} {why}")
    return after.content
