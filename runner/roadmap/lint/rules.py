"""The rules of ``cairn roadmap lint``: one table, one function per rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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
from runner.roadmap.words import SAID, any_of
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
    for task in roadmap.tasks:
        if task.kind == "work" and not (task.marks.struck or task.marks.template):
            found = _remarked(TaskReading(task))
            if found:
                yield found
    yield from _done_headings(roadmap)


def _remarked(reading: TaskReading) -> LintFinding | None:
    task = reading.task
    words = SAYS_OPEN if task.checked else SAYS_DONE
    value = _STATUS_OPEN if task.checked else _STATUS_DONE
    if found := words.search(_first(reading.prose)):
        return _finding(task, found[0].strip())
    status = _STATUS.search(task.details[:2000])
    if status and value.match(status["value"]):
        return _finding(task, f"Status: {status['value'].strip(' *_')}")
    return None


def _first(prose: str) -> str:
    """The first line: remarks on the state are there."""
    return prose.partition("\n")[0]


def _finding(task: Task, text: str) -> LintFinding:
    if task.checked:
        ask = "clear the checkbox if it is not done; otherwise remove the remark"
        return about(
            task, f'the checkbox is ticked, but the text says "{short(text)}"; {ask}', text
        )
    ask = "tick it if it is done; otherwise remove the remark. Until then it counts as open"
    return about(task, f'the checkbox is open, but the text says "{short(text)}"; {ask}', text)


def _done_headings(roadmap: Roadmap) -> Iterator[LintFinding]:
    below: dict[Heading, int] = {}
    for task in roadmap.tasks:
        if task.kind == "work" and not (task.checked or task.marks.struck or task.marks.optional):
            below |= {heading: below.get(heading, 0) + 1 for heading in task.place.headings}
    for heading, count in below.items():
        if _HEADING_DONE.search(heading.text[:500]):
            tasks = f"{count} open tasks are" if count > 1 else "an open task is"
            ask = "tick them or change the heading. Cairn goes by the checkboxes"
            message = f"the heading says done, but {tasks} below it; {ask}"
            yield LintFinding(heading.line, message)


def unboxed(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find lines with the emoji of a state that have no checkbox, beside tasks that have one."""
    if not any(task.kind == "work" for task in roadmap.tasks):
        return  # "no-task" says it of the whole file
    groups: list[list[Candidate]] = []
    text = ["", *read(roadmap.content).lines]
    for line in (each for each in roadmap.candidates if each.why == "emoji"):
        if is_legend("".join(text[line.line : line.line + 1]).lstrip(" \t-*+")):
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


_NEAR = 2
"""Lines between two that are said together."""


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
        for found in (each for line in lines for each in _DEPENDS.finditer(line[:_LONGEST])):
            ref = found["ref"].rstrip(".")
            if ref in known or any(ref in each for each in (*task.depends_text, *told)):
                continue
            ask = "name a task of this file as `(depends on ID)`, or leave the words out"
            message = f'"{short(found[0])}" names no task here that Cairn would wait for; {ask}'
            yield about(task, message, found["ref"])


_LONGEST = 2_000
_DEPENDS = lazy_pattern(
    rf"(?<!\w)(?:{any_of(SAID)})[\s:`*]*(?P<ref>[\w./-]*#\w[\w.]*|\d{{1,3}}(?:\.\d{{1,3}})+(?![\w+]))",
    re.IGNORECASE,
)
"""A task of another file, or an id with a point; a version has other words before it."""


def duplicate_id(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find written ids that an earlier task has; such a task is only known by its key."""
    first: dict[str, Task] = {}
    for task in roadmap.tasks:
        if task.id is None or task.kind == "check":
            continue
        other = first.setdefault(task.id, task)
        if other is not task and not (other.checked and task.checked):
            ask = f"give it its own id, or name it by its key {task.key}"
            message = f"line {other.place.line} has the same id {short(task.id)}; {ask}"
            yield about(task, message, task.id)


def duplicate_title(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find a title that is twice under the same headings and parent, one of them open."""
    first: dict[tuple[object, ...], Task] = {}
    for task in roadmap.tasks:
        if task.kind != "work" or task.marks.struck or task.marks.template:
            continue
        title = " ".join(task.title.casefold().split())
        place = (title, task.place.parent, tuple(heading.line for heading in task.place.headings))
        other = first.setdefault(place, task)
        if other is not task and not (other.checked and task.checked):
            ask = "remove one of them, or say how they differ"
            yield about(task, f"the same task is on line {other.place.line}; {ask}")


TOO_MANY = 2
"""Points that make a task too large."""

_BULLET = lazy_pattern(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+(?P<text>\S.*)$", re.MULTILINE)
_PARTS = lazy_pattern(r"[,;+\n]|\s[&]\s|\band\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measure:
    """One way to be large: from ``much`` on it is a point, from ``far`` on it is enough."""

    name: str
    count: Callable[[TaskReading], float]
    much: float
    far: float


def large(reading: TaskReading) -> LintFinding | None:
    """Find a task with two points or more; the message names what was counted."""
    counted = [(measure, measure.count(reading)) for measure in MEASURES]
    reached = [(m, n) for m, n in counted if n >= m.much]
    points = sum(TOO_MANY if n >= m.far else 1 for m, n in reached)
    if points < TOO_MANY:
        return None
    why = ", ".join(_measured(m, n) for m, n in reached)
    ask = "split it into tasks of one change each that can be tested separately"
    return about(reading.task, f"this task is too large ({why}); {ask}")


def _measured(measure: Measure, number: float) -> str:
    return measure.name.replace("{n}", f"{number:g}")


def files(reading: TaskReading) -> float:
    """Count the distinct files the task itself names (not those of its section)."""
    text = f"{reading.task.text}\n{reading.task.details}"
    return sum(file in text for file in reading.task.files)


def verbs(reading: TaskReading) -> float:
    """Count distinct verbs of construction that begin a clause of the task's own text."""
    return len({found[1].lower() for found in PROJECT_VERBS.finditer(reading.prose)})


def features(reading: TaskReading) -> float:
    """Count the listed parts that are each a feature of an application."""
    return sum(bool(FEATURES.search(part)) for part in _PARTS.split(reading.prose))


def nested(reading: TaskReading) -> float:
    """Count what is listed below the task and is not an acceptance criterion."""
    criteria = {" ".join(text.split()) for text in reading.task.acceptance}
    bullets = (" ".join(found["text"].split()) for found in _BULLET.finditer(reading.task.details))
    return sum(bullet not in criteria for bullet in bullets)


def scope(reading: TaskReading) -> float:
    """Return 1 if the task is about an entire application, whatever it is called."""
    prose = reading.prose
    return float(any(pattern.search(prose) for pattern in (WHOLE_THING, SWEEP, SCOPE)))


MEASURES = (
    Measure("it names {n} files", files, 5, 8),
    Measure("it asks to do {n} kinds of work", verbs, 3, 4),
    Measure("it lists {n} features", features, 3, 4),
    Measure("it has {n} points below it", nested, 8, 14),
    Measure("it is about a whole application", scope, 1, 1),
)


def vague(reading: TaskReading) -> LintFinding | None:
    """Find a task made of words that fit any project, with nothing to explain it.

    A terse task ("Add tests") is fine if its headings or its parent say of what, unless its words
    promise an unknown amount of work.
    """
    if reading.explained:
        return None
    if found := OPEN_SET.search(reading.own):
        return _vague_finding(reading, f'"{short(found[0])}" can be any', found[0])
    if reading.specific:
        return None
    if found := FILLER.search(reading.own):
        return _vague_finding(reading, f'"{short(found[0])}" says neither what nor where', found[0])
    return None if reading.placed else _vague_finding(reading, "it names nothing of this project")


def _vague_finding(reading: TaskReading, why: str, at: str = "") -> LintFinding:
    ask = "name the file or function, and what it does when the task is done"
    return about(reading.task, f"this task is vague, {why}; {ask}", at)


_HABIT = 0.75
_FEWEST = 4
_ASK = 'add "Acceptance:" and what can be checked, below it'


def no_acceptance(roadmap: Roadmap) -> Iterator[LintFinding]:
    """Find tasks whose goal cannot be checked, and those that alone have no criteria.

    The second only where three of four open tasks (at least four) have some: there a task
    without is an oversight, elsewhere it is the author's manner.
    """
    tasks = list(readings(roadmap))
    with_criteria = sum(bool(reading.task.acceptance) for reading in tasks)
    usual = with_criteria >= max(_FEWEST, _HABIT * len(tasks))
    for reading in tasks:
        if reading.explained or vague(reading):
            continue
        if found := unmeasured(reading):
            yield found
        elif usual and not reading.explanation:
            why = f"{with_criteria} of {len(tasks)} open tasks here have acceptance criteria"
            yield about(reading.task, f"{why}, this one has none; {_ASK}")


def unmeasured(reading: TaskReading) -> LintFinding | None:
    """Find a goal like "faster" or "gracefully" without a number, a case or a way."""
    found = QUALITY.search(reading.own)
    if found is None or reading.explanation or MEASURE.search(reading.own):
        return None
    word = found[0].strip(" *_")
    return about(reading.task, f'nothing says when "{short(word)}" is reached; {_ASK}', word)


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
        yield LintFinding(1, roadmap.asks.rstrip("."))
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
}
"""What the parser reports while reading, by code."""


def lint(roadmap: Roadmap) -> tuple[Warning, ...]:
    """Return what a person should look at, in file order, what the parser found included."""
    lines = read(roadmap.content).lines
    found = [_placed(f, rule.code, lines) for rule in RULES for f in rule.find(roadmap)]
    return tuple(sorted((*roadmap.warnings, *found), key=lambda w: (w.line, w.column, w.code)))


def lint_text(text: str) -> tuple[str, ...]:
    """Return what is wrong with a single task, with or without its checkbox; () for nothing.

    For proposed tasks: what needs the rest of the file (ids, dependencies) is not looked at.
    """
    item = text if _BOX.match(text) else f"- [ ] {_indented(text)}"
    roadmap = parse_roadmap("task", item.encode("utf-8", "replace"))
    return tuple(finding.message for rule in RULES if rule.alone for finding in rule.find(roadmap))


def rules_table() -> str:
    """Every rule as a Markdown table, for the documentation."""
    rows = [(rule.code, rule.reports) for rule in RULES] + list(PARSED.items())
    return "\n".join(
        ["| code | reports |", "|---|---|", *(f"| `{code}` | {what} |" for code, what in rows)]
    )


def _indented(text: str) -> str:
    return text.strip().replace("\r\n", "\n").replace("\n", "\n  ")


def _placed(finding: LintFinding, code: str, lines: list[str]) -> Warning:
    """Point to the piece of text a finding is about, else to where its line's text begins."""
    for number in range(finding.line, max(finding.last, finding.line) + 1):
        line = lines[number - 1] if number <= len(lines) else ""
        if finding.at and (column := line.find(finding.at)) >= 0:
            return Warning(number, column + 1, code, finding.message)
    first = lines[finding.line - 1] if finding.line <= len(lines) else ""
    column = len(first) - len(first.lstrip()) + 1
    return Warning(finding.line, column, code, finding.message)
