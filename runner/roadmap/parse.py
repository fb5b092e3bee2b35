"""Parse a roadmap: the task items GitHub shows, with the lines of the file they stand on.

Task lists: https://github.github.com/gfm/#task-list-items-extension-
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from runner.roadmap import fences, suspects
from runner.roadmap.acceptance import Acceptance
from runner.roadmap.annotate import annotate
from runner.roadmap.blocks import Blocks, parse
from runner.roadmap.candidates import candidates
from runner.roadmap.files import files
from runner.roadmap.headings import phase
from runner.roadmap.ids import gone, split
from runner.roadmap.keys import Keys
from runner.roadmap.kinds import Box, decide, family
from runner.roadmap.limits import too_deep, too_large, too_many
from runner.roadmap.sections import Told, sections
from runner.roadmap.shown import Inline
from runner.roadmap.source import Source, read
from runner.roadmap.task import Roadmap, Task, Warning
from runner.roadmap.templates import templates

_TEMPLATE = (
    "the tasks of this file are placeholders (`[Task 1]`, `{{X}}`, `<name>`): it is a template. "
    "Write what is to be done in their place, or ask for one task by its name."
)
_ALL_CHECKS = (
    "every checkbox of this file stands under acceptance criteria, verification or a list of "
    "files, so all of them are checks and none is work. Add the tasks themselves (`- [ ] what to "
    "do`), or give the list another heading if it is the work."
)


def parse_roadmap(path: str, content: bytes) -> Roadmap:
    """Read ``content`` as GitHub does; lines count from 1 and are lines of the file.

    Never raises. A file that is too large to read has no tasks, and ``asks`` says so.
    """
    if refused := too_large(len(content)):
        return _refused(path, content, refused)
    source = read(content)
    if refused := too_many(source):
        return _refused(path, content, refused)
    return _parsed(path, content, source)


def _refused(path: str, content: bytes, why: str) -> Roadmap:
    warning = Warning(1, 1, "file-too-large", why)
    return Roadmap(path=path, content=content, tasks=(), warnings=(warning,), asks=why)


def _parsed(path: str, content: bytes, source: Source) -> Roadmap:
    blocks, env = parse(source.text)
    show = Inline(env)
    boxes, struck = _boxes(blocks, show)
    family(boxes)
    decide(boxes, (headed.path for headed in blocks.headings))
    placeholders, template = templates(boxes)
    work = [box.item for box in boxes if box.kind != "check"]
    found = sections(blocks, work, source.lines)
    make = _maker(source.lines, Told(blocks, found), Acceptance(blocks, boxes))
    made = tuple(make(box, n in struck, n in placeholders) for n, box in enumerate(boxes))
    tasks, stated = annotate(made, found)
    return Roadmap(
        path=path,
        content=content,
        tasks=tasks,
        warnings=suspects.bounded([*_warnings(source, blocks), *stated]),
        candidates=candidates(blocks, boxes, show, len(source.lines)),
        sections=found,
        eol=source.eol,
        bom=source.bom,
        asks=_asks(blocks, boxes, template),
    )


def _boxes(blocks: Blocks, show: Inline) -> tuple[list[Box], set[int]]:
    """Return the tasks of a file, and the numbers of those that are struck through."""
    keys = Keys(blocks.headings[0].path[-1].line if blocks.headings else 0)
    boxes: list[Box] = []
    struck: set[int] = set()
    for item in blocks.items:
        if not item.is_task:
            continue
        shown = show(item.text)
        if shown.struck and gone(shown.kept):
            struck.add(len(boxes))
        written, title = split(shown.text or item.text.split("\n", 1)[0], item.text)
        boxes.append(Box(item, written, title, keys.give(written, item.text, item.headings)))
    return boxes, struck


def _maker(
    lines: Sequence[str], told: Told, acceptance: Acceptance
) -> Callable[[Box, bool, bool], Task]:
    """Return what makes the value of a box (box, struck, template)."""

    def make(box: Box, struck: bool, template: bool) -> Task:
        item = box.item
        end = _trim(lines, item.start, item.end)
        details = "\n".join(lines[item.text_end : end]).strip("\n")
        return Task(
            key=box.key,
            id=box.id,
            title=box.title,
            text=item.text,
            line=item.start + 1,
            text_end_line=item.text_end,
            end_line=end,
            checked=item.box != " ",
            depth=item.depth,
            kind=box.kind,
            headings=item.headings,
            details=details,
            section=told(item.headings),
            label=item.label,
            phase=phase(item.headings),
            acceptance=acceptance(item) if box.kind == "work" else (),
            files=files(f"{item.text}\n{details}"),
            parent=box.parent.key if box.parent else None,
            struck=struck,
            template=template,
        )

    return make


def _trim(lines: Sequence[str], start: int, end: int) -> int:
    """Leave out blank lines at the end of an item."""
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _warnings(source: Source, blocks: Blocks) -> Iterator[Warning]:
    yield from source.warnings
    broken = fences.broken(blocks.code, source.lines)
    yield from fences.warnings(broken)
    yield from suspects.warnings(blocks, source.lines, {n for f in broken for n in f.hidden})
    if blocks.too_deep:
        yield Warning(blocks.too_deep, 1, "too-deep", too_deep(blocks.too_deep))


def _asks(blocks: Blocks, boxes: Sequence[Box], template: bool) -> str:
    """Say why nothing is run without a person's word, or nothing."""
    if blocks.too_deep:
        return too_deep(blocks.too_deep)
    if template:
        return _TEMPLATE
    kinds = {box.kind for box in boxes}
    return _ALL_CHECKS if "check" in kinds and "work" not in kinds else ""
