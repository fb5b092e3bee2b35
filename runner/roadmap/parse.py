"""Parse a roadmap: the task items GitHub shows, with their lines, and small groups of them.

Task lists: https://github.github.com/gfm/#task-list-items-extension-
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from runner.roadmap import fences, suspects
from runner.roadmap.annotate import annotate
from runner.roadmap.around import Acceptance, Background, sections
from runner.roadmap.headings import Keys, gone, phase, split
from runner.roadmap.kinds import Checkbox, decide, family, overviews
from runner.roadmap.markdown import Blocks, parse
from runner.roadmap.plans import form_of
from runner.roadmap.source import (
    WIDE,
    Inline,
    first_sentence,
    is_wide,
    read,
    too_deep,
    too_large,
    too_many,
)
from runner.roadmap.suspects import candidates, templates
from runner.roadmap.task import Roadmap, Task, TaskMarks, TaskPlace, Warning, files

_TEMPLATE = (
    "the tasks of this file are placeholders (`[Task 1]`, `{{X}}`, `<name>`): it is a template. "
    "Replace them with what is to be done, or ask for one task by its name."
)
_ALL_CHECKS = (
    "every checkbox of this file is below acceptance criteria or verification, in a list of files, "
    "or in a checklist of what must be true, so all of them are checks and none is work. Add the "
    "tasks themselves (`- [ ] what to do`), or give the list another heading if it is the work."
)


@lru_cache(maxsize=2)
def parse_roadmap(path: str, content: bytes) -> Roadmap:
    """Read ``content`` as GitHub does; lines count from 1 and are lines of the file.

    Where the path is that of another tool's plan, its form says how a box reads and what is a task.
    The last two are kept: a run reads the same bytes at its start, for each edit and after it.
    Never raises. A file that is too large to read has no tasks, and ``asks`` says so.
    """
    form = form_of(path)
    if form.read is not None:
        return form.read(path, content)
    source = written = read(b"" if too_large(len(content)) else content)
    if is_wide(content):
        return Roadmap(path=path, content=content, tasks=(), warnings=source.warnings, asks=WIDE)
    if refused := too_large(len(content)) or too_many(source):
        large = Warning(1, 1, "file-too-large", refused)
        return Roadmap(path=path, content=content, tasks=(), warnings=(large,), asks=refused)
    shown = form.shown(source.text)
    source = replace(source, text=shown, lines=shown.split("\n"))
    blocks, env = parse(source.text)
    show = Inline(env)
    boxes, struck = _boxes(blocks, show, form.scope(path))
    family(boxes)
    decide(boxes)
    placeholders, template = templates(boxes)
    overviews(boxes, [headed.path for headed in blocks.headings], placeholders)
    work = [box.item for box in boxes if box.kind != "check"]
    found = sections(blocks, work, source.lines)
    background, acceptance = Background(blocks, found), Acceptance(blocks, boxes)
    made: list[Task] = []
    for number, box in enumerate(boxes):
        item, end = box.item, box.item.end
        while end > item.start + 1 and not source.lines[end - 1].strip():
            end -= 1
        details = "\n".join(source.lines[item.text_end : end]).strip("\n")
        place = TaskPlace(
            line=item.start + 1,
            text_end_line=item.text_end,
            end_line=end,
            depth=item.depth,
            headings=item.headings,
            home=box.home,
            turn=box.turn,
            section=background(box.around),
            label=item.label,
            phase=phase(box.around),
            parent=box.parent.key if box.parent else None,
        )
        task = Task(
            key=box.key,
            id=box.id,
            title=box.title,
            text=item.text,
            place=place,
            checked=item.box != " ",
            kind=box.kind,
            details=details,
            acceptance=acceptance(box) if box.kind == "work" else (),
            files=files(f"{item.text}\n{details}"),
            marks=TaskMarks(struck=number in struck, template=number in placeholders),
        )
        made.append(task)
    tasks, stated = annotate(made, found)
    broken, hidden = fences.broken(blocks.code, source.lines)
    warnings = [*source.warnings, *broken, *stated]
    warnings += suspects.warnings(blocks, source.lines, hidden)
    if blocks.too_deep:
        warnings.append(Warning(blocks.too_deep, 1, "too-deep", too_deep(blocks.too_deep)))
    roadmap = Roadmap(
        path=path,
        content=content,
        tasks=tasks,
        warnings=suspects.bounded(warnings),
        candidates=candidates(blocks, boxes, show, len(source.lines)),
        sections=found,
        eol=source.eol,
        bom=source.bom,
        asks=_asks(blocks, boxes, template),
    )
    return form.refined(roadmap, written.lines)


def _boxes(blocks: Blocks, show: Inline, scope: str) -> tuple[list[Checkbox], set[int]]:
    """Return the tasks of a file, and the numbers of those that are struck through."""
    keys = Keys(blocks.headings[0].path[-1].line if blocks.headings else 0, scope)
    boxes: list[Checkbox] = []
    struck: set[int] = set()
    for item in (item for item in blocks.items if item.is_task):
        shown = show(item.text)
        if shown.struck and gone(shown.kept):
            struck.add(len(boxes))
        sentence = first_sentence(item.text)
        whole = show(sentence).text if "\n" in item.text else shown.text
        written, title = split(whole or sentence, item.text)
        boxes.append(Checkbox(item, written, title, keys.give(written, item.text, item.headings)))
    return boxes, struck


def _asks(blocks: Blocks, boxes: Sequence[Checkbox], template: bool) -> str:
    """Say why nothing is run without a person's word, or nothing."""
    if blocks.too_deep:
        return too_deep(blocks.too_deep)
    if template:
        return _TEMPLATE
    kinds = {box.kind for box in boxes}
    return _ALL_CHECKS if "check" in kinds and "work" not in kinds else ""


@dataclass(frozen=True, slots=True)
class Grouping:
    """How large a piece may be: ``tasks`` in it, and characters of all their texts (``size``).

    One task per piece means no grouping, which is the default.
    """

    tasks: int = 1
    size: int = 600


@dataclass(frozen=True)
class TaskGroup:
    """Tasks that are worked on together; the first one represents all of them.

    ``task`` is the one an attempt is made of, ``keys`` what its checkpoint ticks. When it fails its
    tasks are worked on one by one: ``group`` is asked again with them ``apart``.
    """

    tasks: tuple[Task, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(task.key for task in self.tasks)

    @property
    def task(self) -> Task:
        """All tasks as one: the key, id and place of the first, the texts and files of all."""
        first, *others = self.tasks
        if not others:
            return first
        return replace(
            first,
            title=f"{first.title} (and {len(others)} more)",
            text="\n".join("- " + task.text.replace("\n", "\n  ") for task in self.tasks),
            details="\n".join(filter(None, (task.details for task in self.tasks))),
            files=tuple(dict.fromkeys(path for task in self.tasks for path in task.files)),
            depends_on=tuple(
                key
                for key in dict.fromkeys(key for task in self.tasks for key in task.depends_on)
                if key not in self.keys
            ),
        )


def group(
    tasks: Sequence[Task], *, by: Grouping | None = None, apart: frozenset[str] = frozenset()
) -> tuple[TaskGroup, ...]:
    """Divide open tasks, in the order they are taken, into pieces; most are single.

    Neighbours of one list that name a common file are grouped while they are small. Tasks with
    their own acceptance criteria, and those in ``apart`` (keys), are always judged alone.
    """
    by = by or Grouping()
    pieces: list[list[Task]] = []
    for task in tasks:
        alone = task.key in apart or task.acceptance
        if pieces and not alone and _fits(pieces[-1], task, by, apart):
            pieces[-1].append(task)
        else:
            pieces.append([task])
    return tuple(TaskGroup(tuple(piece)) for piece in pieces)


def _fits(piece: Sequence[Task], task: Task, by: Grouping, apart: frozenset[str]) -> bool:
    """Say whether a task is small, in the list of a piece, and names a file that all of it does.

    It may wait for nothing but what the piece waits for, or the piece itself.
    """
    first, last = piece[0], piece[-1]
    size = sum(len(each.text) + len(each.details) for each in (*piece, task))
    if len(piece) >= by.tasks or size > by.size or last.acceptance or last.key in apart:
        return False
    mine, its = (
        (t.place.parent, t.place.depth, t.place.label, t.place.headings, t.kind, t.runnable)
        for t in (task, last)
    )
    common = set(task.files).intersection(*(each.files for each in piece))
    if mine != its or not common:
        return False
    known = {*first.depends_on, *(each.key for each in piece)}
    return task.depends_on is first.depends_on or known.issuperset(task.depends_on)
