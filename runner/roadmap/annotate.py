"""What a roadmap says about its tasks besides their text: optional, parallel, priority, effort.

The nearest place that says something counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from runner.roadmap.dependencies import Mention, Resolver, Stated
from runner.roadmap.fields import (
    Field,
    Name,
    fields,
    halfwidth,
    inline,
    key_of,
    name_of,
    own_fields,
)
from runner.roadmap.named_work import TaskNames, section_name
from runner.roadmap.order import without_cycles
from runner.roadmap.source import without_marks
from runner.roadmap.task import Heading, Section, Task, Warning
from runner.roadmap.words import WORDS, any_of
from runner.text.patterns import lazy_pattern

_UNIT = (
    r"(?:h|hrs?|hours?|d|days?|w|wks?|weeks?|min|mins|minutes?|m|months?|sp|pts?|points?"
    r"|stunden?|std|tage?|wochen?|heures?|jours?|semaines?|horas?|d[ií]as?|dias?|semanas?"
    r"|ore|giorni|uur|dagen|godzin\w*|dni|ч|час\w*|дн\w*|недел\w*"
    r"|小时|天|周|時間|日|週間?|시간|일|주)"
)
_EFFORT = lazy_pattern(
    rf"[(\[]\s*(?:est\.?|estimated:?)?\s*(?P<value>[~≈<]?\s*\d+(?:[.,]\d+)?(?:\s*-\s*\d+(?:[.,]\d+)?)?\s*{_UNIT})"
    r"\s*[)\]]",
    re.IGNORECASE,
)
_LEVEL = r"(?:critical|highest|high|medium|normal|low|lowest|urgent)"
_PRIORITY = lazy_pattern(
    rf"[(\[]\s*(?P<value>P[0-5]|{_LEVEL}(?=\s+priority)|{_LEVEL}(?=\s*[)\]]))(?:\s+priority)?\s*[)\]](?!\()"
    r"|\A\*\*(?P<bold>P[0-4])\*\*",
    re.IGNORECASE,
)
_HEADED = lazy_pattern(
    rf"(?P<value>P[0-5]|{_LEVEL})(?:\s+priority|\s+prio)?(?=\s*(?:\Z|[-:(]))", re.IGNORECASE
)
_PARALLEL = lazy_pattern(
    r"\W*(?:[\w.#-]{1,20}[.):*]{0,3}\s+)?(?:\[[^\[\]\n]{1,20}\]\s+)*?\[P\](?=\s)"
)
_CODE = lazy_pattern(r"`[^`\n]*`")
_WORD = any_of("optional")
_UNTIL = (
    r"(?:\s*[,:;-][^()\[\]]{0,60}"
    r"|\s+(?:to|until|till|in|auf|bis|à|a|al|para|per|naar|do|до|на|v?\d)(?!\w)[^()\[\]]{0,60}|\s*)"
)
_FIRST = r"\A[\s*_]*(?:(?=[\w.#-]*\d)[\w.#-]{1,12}[.):]?[*_]*\s+)?"
"""The beginning of a title, behind an id."""
_LAST = r"(?=\W*\Z|[*_]*\s*:|[*_]*\s+[-\u2013\u2014]\s|[*_]{2})"
"""The end of a title: of the line, or of the words before a colon, a dash or the end of bold."""
_OPTIONAL = lazy_pattern(
    rf"[(\[]\s*{_WORD}\s*[)\]](?!\(){_LAST}|{_FIRST}[(\[]\s*{_WORD}\s*[)\]](?!\()"
    rf"|\A[\s*_]*(?:\d[\d.]*[.):]?\s+)?{_WORD}[*_]*\s*(?:\([^()]{{0,60}}\)\s*)?(?::|-\s)"
    rf"|[(\[]\s*{_WORD},?\s+{any_of('but')}\b[^()\[\]]{{0,200}}[)\]]{_LAST}"
    rf"|[(\[]\s*(?:only\s+)?{any_of('if_needed')}(?:\s+for\s[^()\[\]]{{1,40}})?\s*[)\]]\W*\Z"
    rf"|[(\[]\s*{any_of('put_off')}{_UNTIL}?[)\]](?:\W*\Z|[*_]*:)"
    rf"|\s[-\u2013\u2014]\s*[*_]*(?:{_WORD}|{any_of('put_off')})[\s.!*_]*\Z"
    rf"|{_FIRST}[(\[]\s*{_WORD}\s*[,;:]"
    r"|[(\[]\s*(?:stretch goals?|nice[ -]to[ -]have)\s*[-,;:\u2013\u2014][^()\[\]]{0,100}[)\]]"
    rf"{_LAST}",
    re.IGNORECASE,
)
_OPTIONAL_REMARK = lazy_pattern(
    rf"[(\[]\s*{_WORD}\s*(?:[-,;:\u2013\u2014]|(?:for|für|pour|para)\s+(?:v\d|the\s+mvp|mvp\b))"
    rf"|[(\[]\s*{_WORD}\s+{any_of('optional_kinds')}\s*[)\]]"
    rf"|[(\[]\s*{any_of('out_of_scope')}(?:\s[^()\[\]]{{1,30}})?[)\]]\W*\Z"
    rf"|\A{_WORD}\s*[(\[]\s*(?:defer|{any_of('put_off')})[^()]{{0,40}}[)\]]",
    re.IGNORECASE,
)
"""In a heading; in a task it may be about a parameter: "a limit (optional, 10)"."""
_OPTIONAL_KIND = lazy_pattern(
    rf"(?:\d[\d.]*[.):]?\s+)?(?:{_WORD}\s+{any_of('optional_kinds')}"
    rf"|{any_of('optional_kinds')}\s+{_WORD})\Z"
)
_AFTER_THE_FIRST = lazy_pattern(
    r"(?:backlog|(?:future\s+)?ideas|future\s+(?:enhancements|improvements|features)|ideen|idées"
    r"|ideias)\s*[(\[:,-]\s*(?:post|pós|after|nach|après|após|depois|dopo|después)"
    r"[-\s]?(?:(?:the|do|del|le|dem|el|il|o)\s+)?(?:mvp|launch|release|lançamento|lanzamiento|lancement|v?\d(?:\.\d)*)\b"
)
"""A backlog that is for after the first version: "Backlog (post-MVP)"."""
_STAR = lazy_pattern(r"\\?\*(?=\s)|(?=[\w.]*\d)[\w.]{1,20}\\?\*(?=\s)")
"""Straight after the box, or after the id: "2.3* Text"."""
_PICTURES = lazy_pattern(r"[^\w)\]*]+\Z")
"""What ends a heading and is no word: "Nice to have 🎯"."""


def is_parallel(text: str) -> bool:
    """Say whether a task has spec-kit's ``[P]`` among the marks before its words."""
    return "[P]" in text and _PARALLEL.match(text) is not None


def is_optional(text: str) -> bool:
    """Say whether a task's own text marks it as optional: "(optional)", "2.3* Text"."""
    text = halfwidth(text.split("\n", 1)[0][:500].strip())
    if "*" in text and _STAR.match(text):
        return True
    if not any(mark in text for mark in "([:-\u2013\u2014"):  # one is in each of its forms
        return False
    return _OPTIONAL.search(_CODE.sub(" ", text)) is not None


def is_optional_place(text: str) -> bool:
    """Say whether a heading or label makes what is below it optional."""
    plain = _PICTURES.sub("", without_marks(halfwidth(text[:200]).strip(" :"))).casefold()
    mark = _OPTIONAL.search(plain) or _OPTIONAL_REMARK.search(plain)
    mark = mark or _OPTIONAL_KIND.match(plain) or _AFTER_THE_FIRST.match(plain)
    return plain in WORDS["optional"] | WORDS["not_now"] or mark is not None


def priority_in(text: str) -> str:
    """Return the priority in brackets of a text ("(P1)", "[high priority]"), '' without."""
    if "(" not in text and "[" not in text and "**" not in text:
        return ""
    found = _PRIORITY.search(_CODE.sub(" ", text[:500]))
    return (found["value"] or found["bold"] or "") if found else ""


def priority_of(heading: str) -> str:
    """Return the priority a heading is ("High Priority", "🔴 Critical", "P0: Must"), '' else."""
    found = _HEADED.match(without_marks(heading[:200]))
    return found["value"] if found else ""


def effort_in(text: str) -> str:
    """Return the effort in brackets of a text ("(~1.5 hours)", "(2-3 days)"), '' without."""
    if "(" not in text and "[" not in text and text.isascii():
        return ""
    found = _EFFORT.search(_CODE.sub(" ", halfwidth(text[:500]).replace("–", "-")))  # noqa: RUF001
    return found["value"].strip() if found else ""


@dataclass
class _Said:
    """What a place says about itself, and what it inherits from the places around it."""

    at: Mention
    priority: str = ""
    effort: str = ""
    optional: bool = False
    depends: list[Field] = field(default_factory=list)
    stated: Stated | None = None

    def take(self, found: Iterable[Field]) -> None:
        """Read fields; of two that say the same the first counts."""
        for each in found:
            value = without_marks(each.values[0]) or each.values[0]
            if each.key == "depends":
                self.depends.append(each)
            elif each.key == "priority":
                self.priority = self.priority or value
            else:
                self.effort = self.effort or value
        wish = without_marks(self.priority).strip(" .").casefold()  # "Priority: nice to have"
        self.optional |= wish in WORDS["optional"]


def annotate(
    tasks: Sequence[Task], sections: Sequence[Section]
) -> tuple[tuple[Task, ...], tuple[Warning, ...]]:
    """Fill what is stated of each task: priority, effort, optional, parallel, dependencies.

    Places are the task's own text and bullets, the tasks it is nested in, then its section and
    those around it. Nothing is guessed: what resolves to no single known phase, section or id stays
    in ``depends_text`` with a warning (``unresolved-dependency``), and tasks that wait for each
    other in a circle are reported and do not wait (``dependency-cycle``).
    """
    places = _places(sections)
    own = {task.key: _of_task(task) for task in tasks}

    def nearest(path: Sequence[Heading]) -> _Said | None:
        return next((places[h.line] for h in reversed(path) if h.line in places), None)

    inner = [(places[section.line], nearest(section.path[:-1])) for section in sections]
    inner += [(own[t.key], own.get(t.place.parent or "") or nearest(t.around)) for t in tasks]
    for place, around in inner:
        if around is not None:
            place.priority = place.priority or around.priority
            place.effort = place.effort or around.effort
            place.optional |= around.optional
    marked = [_marked(task, own[task.key]) for task in tasks]
    if not any(place.depends for place, _ in inner):
        return tuple(marked), ()
    resolver = Resolver(TaskNames(marked, sections))
    for place, _ in inner:
        place.stated = resolver.stated(place.depends, place.at) if place.depends else None
    named = {task.key for task in tasks if own[task.key].stated is not None}
    for place, around in inner:
        # the nearest place that names something, or nothing in so many words, wins; texts add up
        rest = place.stated.rest if place.stated else ()
        if around is not None and (place.stated is None or (rest and not place.stated.targets)):
            stated = around.stated or (Stated() if rest else None)
            place.stated = (
                replace(stated, rest=(*rest, *stated.rest)) if stated and rest else stated
            )
            place.at = around.at
    stated_of: dict[str, Stated] = {}
    for number, task in enumerate(marked):
        place = own[task.key]
        # what is stated around a task holds for work; a summary waits for what it names itself
        waits = task.kind == "work" or (task.kind == "summary" and task.key in named)
        if waits and place.stated is not None:
            stated_of[task.key] = place.stated
            marked[number] = resolver.waiting(task, place.stated, place.at)
    done, circles = without_cycles(marked, stated_of)
    return done, tuple(sorted((*resolver.warnings, *circles), key=lambda w: (w.line, w.column)))


def _places(sections: Sequence[Section]) -> dict[int, _Said]:
    """By line of a heading: what its text says, and the text of its section."""
    places: dict[int, _Said] = {}
    by_name: dict[Name, list[int]] = {}
    for section in sections:
        text = section.path[-1].text
        place = _Said(Mention(section.line, f'the section "{text[:60]}"'))
        place.take(inline(text))
        place.optional |= is_optional_place(text)
        place.priority = place.priority or priority_in(text) or priority_of(text)
        place.effort = place.effort or effort_in(text)
        places[section.line] = place
        if name := section_name(section):
            by_name.setdefault(name, []).append(section.line)
    known = {line for lines in by_name.values() for line in lines}
    for section in sections:
        headed = key_of(section.path[-1].text) == "depends"
        found = fields(f"Depends on:\n{section.text}" if headed else section.text)
        found += fields(section.below) if section.below else []
        above = {heading.line for heading in section.path}
        for each in (replace(f, line=0) for f in found):
            parent = section.path[-2].line if len(section.path) > 1 else 0
            if each.of is not None:
                lines = by_name.get(each.of, [])
                if len(lines) == 1 and (headed or lines[0] in above):
                    places[lines[0]].take([each])
            elif not headed:
                places[section.line].take([each])
            elif parent in known:
                places[parent].take([each])
    return places


def _of_task(task: Task) -> _Said:
    """What a task says in its own text, and in its own bullets below it."""
    called = f"task {task.id}" if task.id else f'the task "{task.title[:60]}"'
    place = _Said(Mention(task.place.line, called))
    own = name_of(task.id) if task.id else None
    place.take(f for f in own_fields(task.text) if f.of in (None, own))
    if task.details:
        first = task.place.end_line - task.details.count("\n") - task.place.line
        found = fields(task.details, first=max(first, 0))
        place.take(f for f in found if f.of in (None, own))
    place.priority = place.priority or priority_in(task.text)
    place.effort = place.effort or effort_in(task.text)
    label = task.place.label
    place.optional |= is_optional(task.text) or (bool(label) and is_optional_place(label))
    return place


def _marked(task: Task, place: _Said) -> Task:
    """The task with its simple fields; it stays the same object if it has none."""
    parallel = is_parallel(task.text)
    if not (place.priority or place.effort or place.optional or parallel):
        return task
    marks = replace(
        task.marks,
        priority=place.priority or None,
        effort=place.effort or None,
        optional=place.optional,
        parallel=parallel,
    )
    return replace(task, marks=marks)
