"""A task as the lint rules read it: its words, its place; and what a rule returns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from runner.roadmap.task import Roadmap, Task
from runner.roadmap.words import WORDS
from runner.text.patterns import lazy_pattern


@dataclass(frozen=True, slots=True)
class LintFinding:
    """What is wrong on ``line`` (from 1) and what to do.

    ``at`` is the piece of text it is about ('' for the whole line), looked for from ``line`` to
    ``last`` (0: on that line only).
    """

    line: int
    message: str
    at: str = ""
    last: int = 0


_LONGEST = 80
"""Characters a message repeats of a file's text at most."""


def short(text: str) -> str:
    """A piece of the file as a message repeats it: one line, not too long."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def about(task: Task, message: str, at: str = "") -> LintFinding:
    """A finding about a task's own text."""
    return LintFinding(task.place.line, message, at, task.place.text_end_line)


FILLER = lazy_pattern(
    r"\b(?:some|various|several|misc|miscellaneous|etc|stuff|things?|whatever|better|nicer|"
    r"cleaner|improve\w*|enhance\w*|clean[ -]?up|tidy(?: up)?|polish\w*|optimi[sz]\w*|refactor\w*|"
    r"as needed|if needed|where (?:needed|necessary|appropriate)|as (?:appropriate|necessary)|"
    r"more features|other (?:fixes|improvements|bugs|issues|changes|tasks))\b",
    re.IGNORECASE,
)
"""Words that promise work without saying which."""

OPEN_SET = lazy_pattern(
    r"\b(?:some|various|several|misc(?:ellaneous)?|multiple|random|a (?:few|couple of|bunch of)|"
    r"(?:the )?(?:remaining|other))\s+(?:\w+\s+){0,2}?"
    r"(?:bugs?|bugfixes|issues?|problems|improvements?|fixes|things?|stuff|changes|tweaks|"
    r"features|enhancements?|optimi[sz]ations?|edge cases?|corner cases?|clean-?ups?|"
    r"refactorings?|code|tests|updates|tasks|details)\b(?!\s*[:(])"
    r"|\beverything (?:needed|required|else)\b",
    re.IGNORECASE,
)
"""A number of things nobody can count, of a kind nobody can look up."""

OPEN_END = lazy_pattern(
    r"(?:\betc\.?|\band (?:so on|more|others)|\.\.\.|…|"
    r"\b(?:as|where) (?:needed|necessary|appropriate))\s*\.?$",
    re.IGNORECASE,
)
"""Nobody can say where it ends."""

_IMPROVING = (
    r"improve|optimi[sz]e|enhance|speed up|harden|secure|polish|moderni[sz]e|stabili[sz]e|"
    r"tune|streamline|clean up|tidy up|tidy|simplify|refactor|rework|better"
)
QUALITY = lazy_pattern(
    rf"^(?:\W*(?:{_IMPROVING})\b|"
    r"\W*make\b[^.;\n]{1,80}?\b(?:faster|more \w+|better|robust|responsive|reliable|scalable|"
    r"secure|nicer|simpler|cleaner|efficient|intuitive|user-friendly|accessible|modern|stable)\b|"
    r"\W*ensure\b[^.;\n]{1,80}?\b(?:robust|responsive|reliable|scalable|secure|efficient|"
    r"user-friendly|stable|performant|fast)\b)"
    r"|\b(?:gracefully|properly|correctly|efficiently|securely|nicely|user-friendly|intuitive)\b",
    re.IGNORECASE,
)
"""A goal that is a matter of degree or taste."""

MEASURE = lazy_pattern(
    r"\d|->|=>|→|\+|:\s*\w|\s[\u2013\u2014-]\s\w"
    r"|\b(?:so that|such that|must|returns?|when|whenever|unless|without|instead of|rather than|"
    r"until|no longer|with|using|via|by|through|to \w{2,}|based on|into|at (?:least|most)|below|"
    r"under|like|if|as)\b",
    re.IGNORECASE,
)
"""What says how a goal is reached, or when it is."""

_BUILD = r"build|create|implement|develop|design|write|rewrite|redesign|re-?implement|port|migrate"
_WHOLE = r"entire|whole|complete|full|full(?:y)?[- ]featured|full-?stack|production-?ready"
_APPLICATION = (
    r"systems?|platform|applications?|apps?|codebase|code base|project|frontend|front-end|backend|"
    r"back-end|website|site|suite|framework|engine|infrastructure|stack|marketplace|service|"
    r"software|api|ui|ide|compiler|database|dashboard|game"
)
WHOLE_THING = lazy_pattern(
    rf"^\W*(?:{_BUILD}|refactor|convert)\b[^.;\n]{{0,40}}?\b(?:{_WHOLE})\s+(?:[\w-]+\s+){{0,3}}?"
    rf"(?:{_APPLICATION})\b",
    re.IGNORECASE,
)
SWEEP = lazy_pattern(
    r"^\W*(?:rewrite|redesign|re-?implement|port|migrate|convert|refactor)\s+(?:all|every)\b"
    r"[^.;,\n]{0,40}?\b(?:services?|modules?|components?|pages?|screens?|endpoints?|code|"
    r"packages?|classes|handlers|controllers)\b",
    re.IGNORECASE,
)
SCOPE = lazy_pattern(
    rf"^\W*(?:{_BUILD})\b[^.;\n]{{0,60}}?\b(?:from scratch\b|clone\b)"
    r"|^\W*(?:build|create|develop|implement)\s+(?:an?|the|our)\s+"
    r"(?:(?!(?:for|of|to|in|on|with|from|and|demo|sample|example|test|simple|minimal|small|dummy)\b)"
    r"[\w-]+\s+){0,3}(?:platform|applications?|app|marketplace|website|web ?site|saas|shop|game)"
    r"\s*[.!]?$",
    re.IGNORECASE,
)
"""An entire application; everything of a kind rebuilt; a known product built again."""

PROJECT_VERBS = lazy_pattern(
    r"(?:^[^\w\n]*|[,;:.]\s+(?:and\s+|then\s+)?|\b(?:and|then|plus|also)\s+)"
    r"(build|create|implement|develop|design|add|integrate|deploy|migrate|refactor|rewrite|"
    r"set up|launch|configure|port|redesign|replace|introduce|optimi[sz]e|containeri[sz]e|publish|"
    r"automate|restructure|rework)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Verbs of construction where a clause begins; tests and documentation belong to the work."""

FEATURES = lazy_pattern(
    r"\b(?:auth\w*|login|log-?in|sign-?up|registration|oauth\d?|sso|2fa|two-factor|sessions?|"
    r"passwords?|billing|payments?|checkout|subscriptions?|invoic(?:es|ing)|notifications?|"
    r"messaging|chat|e-?mails?|reporting|reports|analytics|dashboards?|admin|management|search|"
    r"profiles?|onboarding|roles|permissions|rbac|inventory|shopping cart|orders?|reviews|"
    r"recommendations?|comments|uploads?|frontend|front-end|backend|back-end|"
    r"mobile app|apps?|rest api|apis?|graphql|database|deployment|monitoring|logging|metrics|"
    r"caching|rate limiting|ci/cd|i18n|internationali[sz]ation|locali[sz]ation|scheduling|"
    r"sync|offline|plugins?|webhooks?|integrations?|export|import|audit log\w*|multi-?tenan\w+)\b",
    re.IGNORECASE,
)
"""Parts of an application that are each a piece of work."""


_READ = 2000
"""Characters of a text that the rules about words read; no task needs more to be understood."""
_EXPLAINING = 400
"""Characters of a section's text that explain a terse task below it."""

_CODE = lazy_pattern(r"`[^`\n]+`")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_KEY = (
    r"effort|estimate|duration|time|priority|status|owner|assignee|due|labels?|"
    r"depends on|dependencies|dependency|prerequisites?|files?|complexity"
)
_FIELD_LINE = lazy_pattern(rf"^[\s>*+_-]*(?:{_KEY})\b[\s*_]*:", re.IGNORECASE)
_FIELD = lazy_pattern(
    r"[(\[]\s*(?:(?:~\s*)?\d[\w .\u2013-]*\b(?:h|hours?|hrs?|d|days?|weeks?|w|months?|sp|points?)|"
    r"P[0-4]|(?:high|medium|low)(?: priority)?|S|M|L|XL)\s*[)\]]",
    re.IGNORECASE,
)
# a file, a call, a name as programs write it, an option, an issue, a number, a quotation
_SPECIFIC = lazy_pattern(
    r"`[^`\n]+`|\w\(|\w\.\w|\b\w+_\w|\b[a-z]+[A-Z]\w|\s--\w|#\d|\d|"
    r"\"[^\"\n]{2,}\"|“[^”\n]{2,}”|://"
)


@dataclass(frozen=True)
class TaskReading:
    """One task to judge; ``around`` is what is above it: parents, label, headings."""

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
        return "`" in self.task.place.section or len(self.task.place.section) >= _EXPLAINING

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
    """Whether a text has a name, a number, or a word that does not fit every project."""
    if _SPECIFIC.search(text):
        return True
    return any(word.lower() not in WORDS["generic"] | WORDS["stop"] for word in _WORD.findall(text))


def readings(roadmap: Roadmap) -> Iterator[TaskReading]:
    """The tasks that are still to be done, each with what is above it."""
    by_key = {task.key: task for task in roadmap.tasks}
    for task in roadmap.tasks:
        if task.kind == "work" and not (task.checked or task.marks.struck or task.marks.template):
            yield TaskReading(task, _around(task, by_key.get(task.place.parent or "")))


def _around(task: Task, parent: Task | None) -> str:
    headings = [heading.text[:_READ] for heading in task.place.headings if heading.level > 1][-2:]
    names = [*map(_without_number, headings), task.place.label[:_READ]]
    return "\n".join([*names, parent.title[:_READ]] if parent else names)


def _without_number(heading: str) -> str:
    """A heading's words: a number in it says where it is, not what it is about."""
    return re.sub(r"\d+(?:\.\d+)*", " ", heading)
