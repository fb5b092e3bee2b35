"""What people read about a stack of pull requests: the same words in every place.

They are in the description of each pull request, and in the answer to ``/execute status`` there
and on the issue where the run was asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handlers.grammar import TRIGGER
from handlers.ports import InReview, StackPlace
from runner.roadmap.reviewed import Reviewed, ReviewedPull
from runner.text.sanitize import sanitize

_MOST = 10
_MOST_ROWS = 30
OTHER_WORDS = "In review, but changed in the roadmap or removed from it since"
HELD = "Its description says what keeps it from being merged."
DONE = "Its task is already done without it; its description says what to do."
ALONE = "It does not build on another pull request of Cairn, and none builds on it."


def place(here: StackPlace) -> str:
    """Say what a pull request builds on, what to merge first and its position; '' if alone."""
    if here.size == 1:
        return ""
    above = _above(here)
    position = f"This pull request is number {here.height} of {here.size} in its stack."
    if not here.below:
        first = "**Merge this one first**, or one above it, which merges this one as well."
        first = first if here.native and here.uppers else "**Merge this one first.**"
        return " ".join(filter(None, ["" if here.done else first, position, above]))
    stacked = f"**Stacked on #{here.below[-1]}.**"
    return " ".join(filter(None, [stacked, _before(here), position, above]))


def _before(here: StackPlace) -> str:
    """Say what to do with those under it first, and which of them GitHub merges with it."""
    close = merge = along = ""
    if here.to_close:
        tasks = "its task is" if len(here.to_close) == 1 else "their tasks are"
        it = "it" if len(here.to_close) == 1 else "them"
        close = f"Close {numbers(here.to_close)} first: {tasks} done without {it}."
    if here.to_merge:
        merge = f"Merge {_in_order(here.to_merge)} first."
    if here.along:
        along = f"Merging this one also merges {numbers(here.along)} below it."
    return " ".join(filter(None, [close, merge, along]))


def in_review(pulls: Sequence[InReview]) -> str:
    """List the open pull requests of a roadmap, those to merge first above; '' for none."""
    if not pulls:
        return ""
    rows = [_row(each) for each in pulls[:_MOST_ROWS]]
    if len(pulls) > _MOST_ROWS:
        rows.append(f"| … | {len(pulls) - _MOST_ROWS} more | |")
    count = "1 pull request is" if len(pulls) == 1 else f"{len(pulls)} pull requests are"
    roadmap = sanitize(pulls[0].roadmap.replace("`", "'"), plain=True)
    head = f"**In review:** {count} open for `{roadmap}`."
    table = ["| pull request | task | merge |", "| --- | --- | --- |", *rows]
    return "\n".join([f"{head}{_advice(pulls)}", "", *table])


def _advice(pulls: Sequence[InReview]) -> str:
    if not any(each.place.waits_for for each in pulls):
        return ""
    return (
        f" Merge from the top of this list down. Comment `{TRIGGER} status` on one of them to see "
        "its place."
    )


def _row(pull: InReview) -> str:
    title = f"{_plain(pull.title)}{since(pull)}"
    when = _after(pull.place) or ("first" if pull.place.size > 1 else "any time")
    if pull.place.held:
        when = "not yet: see its description"
    if pull.place.done:
        when = "not needed: see its description"
    return f"| #{pull.number} | {title} | {when} |"


def _after(here: StackPlace) -> str:
    closed = f"once {numbers(here.to_close)} {_is(here.to_close)} closed" if here.to_close else ""
    merged = f"after {_in_order(here.to_merge)}" if here.to_merge else ""
    along = f"also merges {numbers(here.along)}" if here.along else ""
    return ", ".join(filter(None, [merged, closed, along]))


def _is(pulls: Sequence[int]) -> str:
    return "is" if len(pulls) == 1 else "are"


def since(pull: InReview | ReviewedPull) -> str:
    """What became of the task in the roadmap since, as an addition to its title; '' for nothing."""
    said = became_of(replace(pull.task, now=f"*{_plain(pull.task.now)}*"))
    return f" ({said})" if said else ""


def became_of(task: Reviewed) -> str:
    """What became of a task in the roadmap since, for a text or a page; '' for nothing."""
    if task.fate == "changed":
        return f"changed in the roadmap since; now {task.now}"
    return "removed from the roadmap" if task.fate == "gone" else ""


def left_behind(pulls: Sequence[InReview | ReviewedPull]) -> str:
    """List those whose task the newest roadmap does not have in these words; '' for none."""
    found = [each for each in pulls if each.task.fate != "in review"]
    lines = [f"- #{each.number} {_plain(each.title)}{since(each)}" for each in found[:_MOST_ROWS]]
    if len(found) > _MOST_ROWS:
        lines.append(f"- … {len(found) - _MOST_ROWS:,} more")
    return "\n".join([f"#### {OTHER_WORDS}", "", *lines]) if lines else ""


def _plain(title: str) -> str:
    return sanitize(" ".join(title.split()), plain=True).replace("|", "\\|")


def _above(here: StackPlace) -> str:
    if not here.uppers:
        return ""
    verb = "builds" if len(here.uppers) == 1 else "build"
    return f"{numbers(here.uppers)} {verb} on {'this one' if here.below else 'it'}."


def _in_order(below: Sequence[int]) -> str:
    """The numbers in the order of merging: the bottom first."""
    if len(below) > _MOST:
        return f"#{below[0]} and the {len(below) - 1} above it"
    names = [f"#{number}" for number in below]
    return f"{', '.join(names[:-1])}, then {names[-1]}" if len(names) > 1 else names[0]


def numbers(pulls: Sequence[int]) -> str:
    """Name pull requests in a sentence."""
    names = [f"#{number}" for number in pulls[:_MOST]]
    if len(pulls) > _MOST:
        names.append(f"{len(pulls) - _MOST} more")
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""
