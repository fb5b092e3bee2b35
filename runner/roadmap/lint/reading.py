"""A task as a reader sees it: its own words, what explains it, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from runner.roadmap.lint.words import GENERIC, STOP
from runner.roadmap.task import Roadmap, Task

_READ = 2000
"""Characters of a text that the rules about words read; no task needs more to be understood."""
_EXPLAINING = 400
"""Characters of a section's text that explain a terse task below it."""

_CODE = re.compile(r"`[^`\n]+`")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_KEY = (
    r"effort|estimate|duration|time|priority|status|owner|assignee|due|labels?|"
    r"depends on|dependencies|dependency|prerequisites?|files?|complexity"
)
_FIELD_LINE = re.compile(rf"^[\s>*+_-]*(?:{_KEY})\b[\s*_]*:", re.IGNORECASE)
_FIELD = re.compile(
    r"[(\[]\s*(?:(?:~\s*)?\d[\w .\u2013-]*\b(?:h|hours?|hrs?|d|days?|weeks?|w|months?|sp|points?)|"
    r"P[0-4]|(?:high|medium|low)(?: priority)?|S|M|L|XL)\s*[)\]]",
    re.IGNORECASE,
)
# a file, a call, a name as programs write it, an option, an issue, a number, a quotation
_SPECIFIC = re.compile(
    r"`[^`\n]+`|\w\(|\w\.\w|\b\w+_\w|\b[a-z]+[A-Z]\w|\s--\w|#\d|\d|"
    r"\"[^\"\n]{2,}\"|“[^”\n]{2,}”|://"
)


@dataclass(frozen=True)
class Reading:
    """One task to be judged; ``around`` is what stands above it: parents, label, headings."""

    task: Task
    around: str = ""

    @cached_property
    def own(self) -> str:
        """The title and what follows it in the task's own text, without effort and priority."""
        rest = self.task.text[:_READ].partition("\n")[2]
        return _FIELD.sub(" ", f"{self.task.title[:_READ]}\n{rest}").strip()

    @cached_property
    def prose(self) -> str:
        """The task's own text without code spans: what is in them is never a remark about it."""
        return _CODE.sub("`…`", self.task.text[:_READ])

    @cached_property
    def explanation(self) -> str:
        """What is nested below the task, without the lines that only carry fields."""
        lines = self.task.details[:_READ].split("\n")
        return "\n".join(line for line in lines if line.strip() and not _FIELD_LINE.match(line))

    @property
    def explained(self) -> bool:
        """Whether something below the task or in its section says more than its title."""
        if self.task.acceptance or is_specific(self.explanation):
            return True
        return "`" in self.task.section or len(self.task.section) >= _EXPLAINING

    @property
    def placed(self) -> bool:
        """Whether headings or parents say what a terse task is about."""
        return is_specific(self.around)

    @property
    def specific(self) -> bool:
        """Whether the task's own words name something."""
        code = "`" in self.task.text[:_READ]
        return code or is_specific(self.own)


def is_specific(text: str) -> bool:
    """Whether a text has a name, a number, or a word that is not said of any project."""
    if _SPECIFIC.search(text):
        return True
    return any(word.lower() not in GENERIC | STOP for word in _WORD.findall(text))


def readings(roadmap: Roadmap) -> Iterator[Reading]:
    """The tasks somebody is still to work on, each with what stands above it."""
    by_key = {task.key: task for task in roadmap.tasks}
    for task in roadmap.tasks:
        if task.kind == "work" and not (task.checked or task.struck or task.template):
            yield Reading(task, _around(task, by_key.get(task.parent or "")))


def _around(task: Task, parent: Task | None) -> str:
    headings = [heading.text[:_READ] for heading in task.headings if heading.level > 1][-2:]
    names = [*map(_without_number, headings), task.label[:_READ]]
    return "\n".join([*names, parent.title[:_READ]] if parent else names)


def _without_number(heading: str) -> str:
    """A heading's words: a number in it says where it stands, not what it is about."""
    return re.sub(r"\d+(?:\.\d+)*", " ", heading)
