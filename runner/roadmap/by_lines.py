"""Which checkboxes are checks by what the lines of their list say, below any heading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runner.roadmap.headings import Path, is_work, names_a_phase
from runner.roadmap.outcomes import About, about_checks, reading, that_hold

if TYPE_CHECKING:
    from runner.roadmap.boxes import Checkbox

LISTS = ("list", "launch")
Listed = tuple[About, list["Checkbox"], list["Checkbox"]]
"""What the heading of a list is about, its lines, and the checkboxes around them."""


def check_by_lines(boxes: Sequence[Checkbox]) -> None:
    """Make checks of lists that state what holds; what has an id is a task of its own.

    A file that has nothing else keeps them as its work, except checklists: then the roadmap says
    that it has no work.
    """
    work = [box for box in boxes if box.kind == "work"]
    lists = _lists(work)
    found = _found(lists)
    if len(found) == len(work) == len(boxes):
        found = _found([listed for listed in lists if listed[0] in LISTS])
    for box in found.values():
        box.kind, box.item.check = "check", True


def _found(lists: Sequence[Listed]) -> dict[int, Checkbox]:
    return {id(box): box for listed in lists for box in _held(*listed)}


def _lists(work: Sequence[Checkbox]) -> list[Listed]:
    parents = {id(box.parent) for box in work if box.parent is not None}
    lists: dict[tuple[Path, str, str], Listed] = {}
    for box in work:
        about, called = _about(box)
        if about == "work":
            continue
        _, lines, around = lists.setdefault((box.item.headings, about, called), (about, [], []))
        (around if id(box) in parents else lines).append(box)
    return list(lists.values())


def _about(box: Checkbox) -> tuple[About, str]:
    """What the nearest of label, task around it and heading says is about checks; and that text.

    The goals of a phase ("Phase 4: Polish & QA") are often said as what holds, and are work.
    """
    path, label = box.item.headings, box.item.label
    if is_work(label):
        return "work", label
    outer = _outer(path)
    for name in (label, box.parent.title if box.parent else "", path[-1].text if path else ""):
        if about := about_checks(name):
            about = outer if about == "tests" and outer in LISTS else about
            return "work" if names_a_phase(name) else about, name
    if outer and not (is_work(path[-1].text) or names_a_phase(path[-1].text)):
        return outer, path[-2].text
    return "work", label


def _outer(path: Path) -> About:
    """What the heading around the nearest one says of checks; that of a phase or a file nothing."""
    if len(path) < 2 or path[-2].level == 1:
        return ""
    about = about_checks(path[-2].text)
    return "" if about == "tests" and names_a_phase(path[-2].text) else about


def _held(about: About, lines: list[Checkbox], around: list[Checkbox]) -> list[Checkbox]:
    plain = [box for box in lines if not box.id]
    held = that_hold(about, [box.title for box in plain])
    found = [box for box, holds in zip(plain, held, strict=True) if holds]
    if len(found) == len(lines):
        found += [box for box in around if not box.id and reading(box.title) != "makes"]
    return found
