"""The rules of ``cairn roadmap lint``: one table, one function per rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass

from runner.roadmap.lint.reading import (
    FEATURES,
    FILLER,
    MEASURE,
    OPEN_SET,
    PROJECT_VERBS,
    QUALITY,
    SCOPE,
    SWEEP,
    WHOLE_THING,
    LintFinding,
    TaskReading,
    about,
    readings,
    short,
)
from runner.roadmap.normalise.sorts import is_legend
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import read
from runner.roadmap.task import Candidate, Heading, Roadmap, Task, Warning
from runner.roadmap.words import any_of
from runner.text.patterns import lazy_pattern

_DONE = (
    r"done|completed?|finished|implemented|shipped|fertig|erledigt|terminée?|hecho|"
    r"完了|已完成|готово"
)
_OPEN = (
    r"to-?do|pending|wip|work in progress|in progress|not done|not started|incomplete|unfinished|"
    r"not (?:yet )?(?:implemented|finished|done|working|complete|completed|tested)|"
    r"partially (?:done|implemented|complete)|offen|未完了|未完成"
)
_CHECK = "[✅☑✔]\ufe0f?"
_AT_WORK = "[⏳⌛🚧🔄]\ufe0f?"
_SHOWN = r"(?<!\bwith )(?<!\bas )(?<!\bto )(?<!\bthe )(?<!\ban )(?<!\ba )(?<!\bor )(?<!\band )"


def _remark(words: str, capitals: str, emoji: str) -> re.Pattern[str]:
    """A remark on the task's state: in brackets, before a colon, after a dash, or an emoji."""
    return lazy_pattern(
        rf"[(\[]\s*(?i:{words})\s*[)\]]"
        rf"|^\W*(?:{capitals})\s*[:\u2013\u2014]"
        rf"|(?:\s[\u2013\u2014-]|:)\s*\**(?i:{words})\**\s*[.!]?$"
        rf"|^\W*{emoji}\s"
        rf"|{_SHOWN}{emoji}\W{{0,4}}$"
    )


SAYS_DONE = _remark(_DONE, "DONE|COMPLETED?|FINISHED", _CHECK)
SAYS_OPEN = _remark(_OPEN, "TODO|WIP|PENDING|FIXME|NOT DONE", _AT_WORK)
_STATUS = lazy_pattern(r"^[ \t>*+_-]*status\b[ \t*_]*:[ \t*_]*(?P<value>[^\n]{1,40})", re.I | re.M)
_STATUS_DONE = lazy_pattern(rf"{_CHECK}|(?:{_DONE})\b", re.IGNORECASE)
_STATUS_OPEN = lazy_pattern(
    rf"(?:{_AT_WORK}\s*)?(?:{_OPEN}|open|planned)\b|{_AT_WORK}", re.IGNORECASE
)
_HEADING_DONE = lazy_pattern(rf"{_CHECK}|[(\[]\s*(?:{_DONE})\s*[)\]]\s*$", re.IGNORECASE)


def contradiction(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find tasks whose words contradict their checkbox, and done headings over open tasks."""
    below: Counter[Heading] = Counter()
    for task in roadmap.tasks:
        if task.kind != "work" or task.marks.struck:
            continue
        if not (task.checked or task.marks.optional):
            below.update(task.place.headings)
        if task.marks.template:
            continue
        first = TaskReading(task).prose.partition("\n")[0]
        found = (SAYS_OPEN if task.checked else SAYS_DONE).search(first)
        text = found[0].strip() if found else ""
        status = _STATUS.search(task.details[:2000])
        value = _STATUS_OPEN if task.checked else _STATUS_DONE
        if not found and status and value.match(status["value"]):
            text = f"Status: {status['value'].strip(' *_')}"
        ask = (
            "clear the checkbox if it is not done; otherwise remove the remark"
            if task.checked
            else "tick it if it is done; otherwise remove the remark. Until then it counts as open"
        )
        is_so = "ticked" if task.checked else "open"
        if text:
            said = f'the checkbox is {is_so}, but the text says "{short(text)}"; {ask}'
            yield about(task, said, text)
    for heading, count in below.items():
        if _HEADING_DONE.search(heading.text[:500]):
            tasks = f"{count} open tasks are" if count > 1 else "an open task is"
            ask = "tick them or change the heading. Cairn goes by the checkboxes"
            message = f"the heading says done, but {tasks} below it; {ask}"
            yield LintFinding(heading.line, message)


_NEAR = 2
"""Lines between two that are said together."""


def unboxed(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find lines with the emoji of a state that have no checkbox, beside tasks that have one."""
    if not any(task.kind == "work" for task in roadmap.tasks):
        return  # "no-task" says it of the whole file
    groups: list[list[Candidate]] = []
    text = read(roadmap.content).lines
    for line in (each for each in roadmap.candidates if each.why == "emoji"):
        if is_legend(text[line.line - 1].lstrip(" \t-*+")):
            continue
        if groups and line.line <= groups[-1][-1].end_line + _NEAR:
            groups[-1].append(line)
        else:
            groups.append([line])
    for group in groups:
        what = "this line shows a status but has no checkbox, so Cairn does not read it"
        ask = "write `- [x]` or `- [ ]` before it if it is a task"
        if len(group) > 1:
            numbers = ", ".join(str(each.line) for each in group)
            what = (
                f"lines {numbers} show a status but have no checkbox, so Cairn does not read them"
            )
            ask = "write `- [x]` or `- [ ]` before each that is a task"
        yield LintFinding(group[0].line, f"{what}; {ask}")


def unread_dependency(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find "depends on web#1.1" in a task's words where nothing was understood as a dependency."""
    names = {task.key: task.id for task in roadmap.tasks}
    for task in roadmap.tasks:
        if task.kind != "work" or task.checked:
            continue
        known = {names.get(key) for key in task.depends_on}
        inside = range(task.place.line, task.place.end_line + 1)
        told = [each.message for each in roadmap.warnings if each.line in inside]
        lines = [task.text, *task.details.split("\n")]
        for found in (each for line in lines for each in DEPENDS.finditer(line[:_LONGEST])):
            ref = found["ref"].rstrip(".")
            if ref in known or any(ref in each for each in (*task.depends_text, *told)):
                continue
            ask = "name a task of this file as `(depends on ID)`, or leave the words out"
            message = f'"{short(found[0])}" names no task here that Cairn would wait for; {ask}'
            yield about(task, message, found["ref"])


_LONGEST = 2_000
DEPENDS = lazy_pattern(
    rf"(?<!\w)(?:{any_of('said')})[\s:`*]*(?P<ref>[\w./-]*#\w[\w.]*|\d{{1,3}}(?:\.\d{{1,3}})+(?![\w+]))",
    re.IGNORECASE,
)
"""A task of another file, or an id with a point; a version has other words before it."""


def duplicate_id(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find written ids that an earlier task has; such a task is only known by its key."""
    for task, first in _again(roadmap, lambda task: task.id if task.kind != "check" else None):
        same = f"the task in line {first.place.line} has the same id {short(task.name)}"
        ask = f"give this task its own, or name it by its key {task.key}"
        yield about(task, f"{same}; {ask}", task.name)


def duplicate_title(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find a title that is twice under the same headings and parent, one of them open."""

    def place(task: Task) -> Hashable:
        if task.kind != "work" or task.marks.struck or task.marks.template:
            return None
        title = " ".join(task.title.casefold().split())
        return title, task.place.parent, tuple(heading.line for heading in task.place.headings)

    for task, first in _again(roadmap, place):
        ask = "remove one of them, or say how they differ"
        yield about(task, f"the same task is in line {first.place.line}; {ask}")


def _again(roadmap: Roadmap, said: Callable[[Task], Hashable]) -> Iterator[tuple[Task, Task]]:
    """Each task that says what an earlier one does, with that; not where both are ticked."""
    first: dict[Hashable, Task] = {}
    for task in (task for task in roadmap.tasks if said(task) is not None):
        other = first.setdefault(said(task), task)
        if other is not task and not (other.checked and task.checked):
            yield task, other


TOO_MANY = 2
"""Points that make a task too large."""

_BULLET = lazy_pattern(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+(?P<text>\S.*)$", re.MULTILINE)
_PARTS = lazy_pattern(r"[,;+\n]|\s[&]\s|\band\b", re.IGNORECASE)


def files(reading: TaskReading) -> int:
    """Count the distinct files the task itself names (not those of its section)."""
    text = f"{reading.task.text}\n{reading.task.details}"
    return sum(file in text for file in reading.task.files)


def _points(reading: TaskReading) -> int:
    """Count what is listed below the task and is not an acceptance criterion."""
    criteria = {" ".join(text.split()) for text in reading.task.acceptance}
    bullets = (" ".join(found["text"].split()) for found in _BULLET.finditer(reading.task.details))
    return sum(bullet not in criteria for bullet in bullets)


def _verbs(reading: TaskReading) -> int:
    """Count distinct verbs of construction that begin a clause of the task's own text."""
    return len({found[1].lower() for found in PROJECT_VERBS.finditer(reading.prose)})


_MEASURES: Sequence[tuple[str, Callable[[TaskReading], int], int, int]] = (
    ("it names {n} files", files, 5, 8),
    ("it asks to do {n} kinds of work", _verbs, 3, 4),
    (
        "it lists {n} features",
        lambda reading: sum(bool(FEATURES.search(part)) for part in _PARTS.split(reading.prose)),
        3,
        4,
    ),
    ("it has {n} points below it", _points, 8, 14),
    (
        "it is about a whole application",
        lambda reading: int(any(p.search(reading.prose) for p in (WHOLE_THING, SWEEP, SCOPE))),
        1,
        1,
    ),
)
"""Ways to be large: what is said, how it is counted, and from which numbers on it is a point, or
enough."""


def large(reading: TaskReading) -> LintFinding | None:
    """Find a task with two points or more; the message names what was counted."""
    counted = [(say, count(reading), much, far) for say, count, much, far in _MEASURES]
    points = sum(TOO_MANY if n >= far else n >= much for _, n, much, far in counted)
    if points < TOO_MANY:
        return None
    why = ", ".join(say.replace("{n}", str(n)) for say, n, much, _ in counted if n >= much)
    ask = "split it into tasks of one change each that can be tested separately"
    return about(reading.task, f"this task is too large ({why}); {ask}")


def vague(reading: TaskReading) -> LintFinding | None:
    """Find a task made of words that fit any project, with nothing to explain it.

    A terse task ("Add tests") is fine if its headings or its parent say of what, unless its words
    promise an unknown amount of work.
    """
    if reading.explained:
        return None
    open_set = OPEN_SET.search(reading.own)
    if open_set is None and reading.specific:
        return None
    filler = FILLER.search(reading.own)
    if open_set is None and filler is None and reading.placed:
        return None
    found = open_set or filler
    why = "it names nothing of this project"
    if found:
        says = "can be any" if open_set else "says neither what nor where"
        why = f'"{short(found[0])}" {says}'
    ask = "name the file or function, and what it does when the task is done"
    at = found[0] if found else ""
    return about(reading.task, f"this task is vague, {why}; {ask}", at)


_HABIT = 0.75
_FEWEST = 4
_ASK = 'below it, add "Acceptance:" and what can be checked'


def no_acceptance(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find tasks whose goal cannot be checked, and those that alone have no criteria.

    A goal like "faster" or "gracefully" needs a number, a case or a way. The others only where
    three of four open tasks (at least four) have criteria: there a task without is an oversight,
    elsewhere it is the author's manner.
    """
    tasks = list(readings(roadmap))
    with_criteria = sum(bool(reading.task.acceptance) for reading in tasks)
    usual = with_criteria >= max(_FEWEST, _HABIT * len(tasks))
    for reading in tasks:
        if reading.explained or reading.explanation or vague(reading):
            continue
        found = QUALITY.search(reading.own)
        if found and not MEASURE.search(reading.own):
            word = found[0].strip(" *_")
            said = f'nothing says when "{short(word)}" is reached; {_ASK}'
            yield about(reading.task, said, word)
        elif usual:
            why = f"{with_criteria} of {len(tasks)} open tasks here have acceptance criteria"
            yield about(reading.task, f"{why}, this one has none; {_ASK}")


_BOX = lazy_pattern(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\[[ xX]\]\s")


@dataclass(frozen=True, slots=True)
class Rule:
    """A code, what it reports, and the function that finds it in a roadmap.

    ``alone`` rules judge a single task, also one that is only proposed.
    """

    code: str
    reports: str
    find: Callable[[Roadmap], Iterator[LintFinding]]
    alone: bool = False


def _each(
    judge: Callable[[TaskReading], LintFinding | None],
) -> Callable[[Roadmap], Iterator[LintFinding]]:
    """Apply a rule about one task to every task that is still to be worked on."""

    def find(roadmap: Roadmap) -> Iterator[LintFinding]:
        return (found for reading in readings(roadmap) if (found := judge(reading)))

    return find


def _no_task(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find that a run has nothing to take from the file, and say what makes tasks of it."""
    if roadmap.asks:
        why = roadmap.asks.rstrip(".")
        if why not in (warning.message for warning in roadmap.warnings):
            yield LintFinding(1, why)
    elif not roadmap.tasks:
        yield LintFinding(
            1,
            "the file has no task, so Cairn cannot run it; write each task as `- [ ] what to do`, "
            "or let `cairn roadmap normalize` propose checkboxes",
        )


RULES = (
    Rule(
        "no-task",
        "a file that Cairn cannot run: it is empty, or has no checkbox, or only checks or "
        "placeholders",
        _no_task,
    ),
    Rule(
        "vague",
        "an open task that, with its surroundings, names no file, part or behaviour "
        '("Various fixes")',
        _each(vague),
        alone=True,
    ),
    Rule(
        "too-large",
        "an open task that is really several: it touches many files, asks for several kinds of "
        "work, lists many features or points, or is about a whole "
        "application",
        _each(large),
        alone=True,
    ),
    Rule(
        "no-acceptance",
        'an open task whose goal is a matter of degree ("faster", "gracefully") with no number, '
        "case or method; or a task without criteria in a file where most tasks have some",
        no_acceptance,
        alone=True,
    ),
    Rule(
        "contradiction",
        "a ticked task that calls itself TODO or in progress, an open one that calls itself done, "
        "a heading marked done over open tasks",
        contradiction,
        alone=True,
    ),
    Rule(
        "no-checkbox",
        "lines with the emoji of a state (`- ✅ a`, `🚧 b`) and no checkbox, in a file with tasks",
        unboxed,
    ),
    Rule(
        "unread-dependency",
        'words like "depends on web#1.1" that name no task of the file to wait for',
        unread_dependency,
    ),
    Rule("duplicate-id", "a written id that an earlier task has", duplicate_id),
    Rule(
        "duplicate-title",
        "a title that appears twice under the same headings and parent, and is open at least once",
        duplicate_title,
    ),
)
"""Checked in this order; ``PARSED`` come from reading the file itself."""

PARSED: dict[str, str] = {
    "unresolved-dependency": (
        "a dependency that does not name exactly one phase, section or task of the file"
    ),
    "dependency-cycle": "tasks that wait for each other in a circle",
    "quoted-task": "a task inside a block quote: GitHub shows it, but it is not run",
    "broken-fence": "a code fence that ends too early or never, and the tasks it hides",
    "custom-state": "a checkbox that is neither open nor done (`[~]`, `[-]`): it is not run",
    "malformed-box": "a checkbox that GitHub does not show (`-[ ]`, `[]`, `[x]text`)",
    "heading-box": "a checkbox in a heading, which GitHub does not show",
    "table-box": "a checkbox in a table, which GitHub does not show",
    "task-in-code": "lines in code that read like tasks",
    "task-in-html": "lines in an HTML block or comment that read like tasks",
    "task-in-front-matter": "lines in the front matter that read like tasks",
    "not-utf8": "bytes that are not UTF-8",
    "too-deep": "lists or quotes nested so deeply that the rest is not read",
    "file-too-large": "a file that is too large to read",
    "unreadable-plan": "a JSON plan that is not valid JSON, or not in the form its tool writes",
    "unknown-status": "a task in JSON with a status that its tool does not have: it is not run",
    "waves": "waves of tasks (Kiro) that are not valid JSON, or name a task twice",
}
"""What the parser reports while reading, by code."""


def lint(roadmap: Roadmap, projects: Collection[str] = ()) -> tuple[Warning, ...]:
    """Return what a person should look at, in file order, what the parser found included.

    A finding points to the piece of text it is about, else to where its line's text begins. For
    tasks of these ``projects`` (``api#1.2``) a run waits, so they are none.
    """
    lines = ["", *read(roadmap.content).lines]
    found = list(roadmap.warnings)
    for code, each in ((rule.code, each) for rule in RULES for each in rule.find(roadmap)):
        first = lines[each.line]
        line, column = each.line, len(first) - len(first.lstrip())
        if each.at:
            places = range(each.line, max(each.last, each.line) + 1)
            line = next((number for number in places if each.at in lines[number]), line)
            column = lines[line].find(each.at) if each.at in lines[line] else column
        found.append(Warning(line, column + 1, code, each.message))
    if projects:
        known = re.compile(rf"(?<![\w-])(?:{'|'.join(projects)})#", re.IGNORECASE)
        found = [w for w in found if w.code not in _OTHERS or not known.search(w.message)]
    return tuple(sorted(found, key=lambda w: (w.line, w.column, w.code)))


_OTHERS = ("unresolved-dependency", "unread-dependency")


def lint_text(text: str) -> tuple[str, ...]:
    """Return what is wrong with a single task, with or without its checkbox; () for nothing.

    For proposed tasks: what needs the rest of the file (ids, dependencies) is not looked at.
    """
    item = text.strip().replace("\r\n", "\n").replace("\n", "\n  ")
    item = text if _BOX.match(text) else f"- [ ] {item}"
    roadmap = parse_roadmap("task", item.encode("utf-8", "replace"))
    return tuple(finding.message for rule in RULES if rule.alone for finding in rule.find(roadmap))


def rules_table() -> str:
    """Every rule as a Markdown table, for the documentation."""
    rows = [(rule.code, rule.reports) for rule in RULES] + list(PARSED.items())
    return "\n".join(
        ["| code | reports |", "|---|---|", *(f"| `{code}` | {what} |" for code, what in rows)]
    )
