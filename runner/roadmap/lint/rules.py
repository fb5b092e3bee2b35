"""The rules of ``cairn roadmap lint``: one literal table, one function a rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from runner.roadmap.lint.acceptance import no_acceptance
from runner.roadmap.lint.contradiction import contradiction
from runner.roadmap.lint.duplicates import duplicate_id, duplicate_title
from runner.roadmap.lint.finding import Finding
from runner.roadmap.lint.reading import Reading, readings
from runner.roadmap.lint.size import large
from runner.roadmap.lint.vague import vague
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import read
from runner.roadmap.task import Roadmap, Warning

_BOX = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\[[ xX]\]\s")


@dataclass(frozen=True, slots=True)
class Rule:
    """A code, what it reports, and the function that finds it in a roadmap.

    ``alone`` rules judge a task by itself, also one that is only proposed.
    """

    code: str
    reports: str
    find: Callable[[Roadmap], Iterator[Finding]]
    alone: bool = False


def _each(judge: Callable[[Reading], Finding | None]) -> Callable[[Roadmap], Iterator[Finding]]:
    """Apply a rule about one task to every task that is still to be worked on."""

    def find(roadmap: Roadmap) -> Iterator[Finding]:
        return (found for reading in readings(roadmap) if (found := judge(reading)))

    return find


def _no_task(roadmap: Roadmap) -> Iterator[Finding]:
    """Find that a run has nothing to take from the file, and say what makes tasks of it."""
    if roadmap.asks:
        yield Finding(1, roadmap.asks.rstrip("."))
    elif not roadmap.tasks:
        yield Finding(
            1,
            "the file has no task, so a run refuses it; write each task as `- [ ] what to do`, or "
            "let `cairn roadmap normalize` propose checkboxes",
        )


RULES = (
    Rule(
        "no-task",
        "a file that a run refuses: it is empty, has no checkbox, or only checks or placeholders",
        _no_task,
    ),
    Rule(
        "vague",
        'an open task that names no file, no thing and no behaviour ("Various fixes"), and '
        "nothing around it does",
        _each(vague),
        alone=True,
    ),
    Rule(
        "too-large",
        "an open task that is several: it touches many files, asks for several kinds of work, "
        "lists many features or points, is estimated at days, or is about a whole application",
        _each(large),
        alone=True,
    ),
    Rule(
        "no-acceptance",
        'an open task whose goal is a matter of degree ("faster", "gracefully") with no number, '
        "case or way; or one of few without criteria where most tasks have some",
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
    Rule("duplicate-id", "a written id that an earlier task has", duplicate_id),
    Rule(
        "duplicate-title",
        "a title that stands twice under the same headings and parent, once open",
        duplicate_title,
    ),
)
"""Checked in this order; ``PARSED`` come from reading the file itself."""

PARSED: dict[str, str] = {
    "unresolved-dependency": "a dependency that names no single phase, section or task of the file",
    "dependency-cycle": "tasks that wait for each other, with the way round",
    "quoted-task": "a task inside a block quote: it is shown, and not executed",
    "broken-fence": "a code fence that ends too early or never, and the tasks it hides",
    "custom-state": "a box with another state than open and done (`[~]`, `[-]`): it is not run",
    "malformed-box": "a box that GitHub does not show (`-[ ]`, `[]`, `[x]text`)",
    "heading-box": "a box in a heading, which GitHub does not show",
    "table-box": "a box in a table, which GitHub does not show",
    "task-in-code": "lines that read like tasks in code",
    "task-in-html": "lines that read like tasks in an HTML block or comment",
    "task-in-front-matter": "lines that read like tasks in the front matter",
    "not-utf8": "bytes that are no UTF-8",
    "too-deep": "lists or quotes nested so deep that the rest is not read",
    "file-too-large": "a file too large to be read",
}
"""What the parser reports while reading, by code."""


def lint(roadmap: Roadmap) -> tuple[Warning, ...]:
    """Return what a person should look at, in file order, what the parser found included."""
    lines = read(roadmap.content).lines
    found = [_placed(f, rule.code, lines) for rule in RULES for f in rule.find(roadmap)]
    return tuple(sorted((*roadmap.warnings, *found), key=lambda w: (w.line, w.column, w.code)))


def lint_text(text: str) -> tuple[str, ...]:
    """Return what is wrong with one task by itself, with or without its box; () for nothing.

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


def _placed(finding: Finding, code: str, lines: list[str]) -> Warning:
    """Point to the piece of text a finding is about, else to where its line's text begins."""
    for number in range(finding.line, max(finding.last, finding.line) + 1):
        line = lines[number - 1] if number <= len(lines) else ""
        if finding.at and (column := line.find(finding.at)) >= 0:
            return Warning(number, column + 1, code, finding.message)
    first = lines[finding.line - 1] if finding.line <= len(lines) else ""
    column = len(first) - len(first.lstrip()) + 1
    return Warning(finding.line, column, code, finding.message)
