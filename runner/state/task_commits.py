"""What Cairn's commits on a checkout say about tasks: their trailers, the only record of a review.

https://git-scm.com/docs/git-interpret-trailers
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from runner.state.findings import Verdict, VerdictKind

IN_REVIEW = ("Cairn-Status", "in review")
"""The trailer of a commit that leaves the box of its tasks to a person."""

ACCEPTS, UNDOES = "Cairn-Accept", "Cairn-Undo"
"""Trailers of the commits with which people answer: each names the commit it is about."""

VERIFIED = "Cairn-Verified"
"""The trailer that says whether tests show that the tasks are done: ``yes``, or ``no`` and why."""

_REVERTS = re.compile(r"^This reverts commit ([0-9a-f]{40})", re.MULTILINE)
_TITLE = re.compile(r'(Revert|Reapply) "(.*)"')
"""What ``git revert`` writes; https://git-scm.com/docs/git-revert"""


@dataclass(frozen=True, slots=True)
class TaskCommit:
    """A commit with a message of Cairn's or of ``git revert``, and its first parent."""

    id: str
    parent: str
    message: str

    @property
    def tasks(self) -> tuple[str, ...]:
        """The keys of the tasks it is about."""
        return tuple(value for name, value in self.trailers if name == "Cairn-Task")

    @property
    def trailers(self) -> tuple[tuple[str, str], ...]:
        """The lines that end the message."""
        last = self.message.rstrip().rpartition("\n\n")[2]
        lines = (line.partition(": ") for line in last.split("\n"))
        return tuple((name, value) for name, colon, value in lines if colon)

    def about(self, name: str) -> str:
        """The commit that a trailer names; '' where it has none."""
        return dict(self.trailers).get(name, "")

    @property
    def verdict(self) -> Verdict | None:
        """What tests said to the run that made it, as another run tells it; None if nothing."""
        why = self.about(VERIFIED).removeprefix("yes").removeprefix("no")
        reason = f"by run {self.about('Cairn-Run')}, which did the task{why}"
        said = (kind for kind in get_args(VerdictKind) if kind == self.about("Cairn-Verdict"))
        return next((Verdict(kind, reason) for kind in said), None)


def standing(made: Iterable[TaskCommit]) -> dict[str, TaskCommit]:
    """The newest commit about each task, as far as nobody has reverted it; ``made`` begins with it.

    It says how a task stands whose box is open: in review, or to be done. A revert of a commit that
    is not there, because of a rebase, is of the next one with the title that it names.
    """
    made = list(made)
    ids = {commit.id for commit in made}
    newest: dict[str, TaskCommit] = {}
    reverted: set[str] = set()
    for commit in made:
        title = commit.message.partition("\n")[0]
        if not reverted.isdisjoint((commit.id, title)):
            reverted.discard(title)  # it means one commit
            continue
        for id in _REVERTS.findall(commit.message):
            named = _TITLE.fullmatch(title)
            if id not in ids and named:  # a rebase has given it another id
                again = named[1] == "Reapply"
                reverted.add(f'Revert "{named[2]}"' if again else named[2])
            reverted.add(id)
        for task in commit.tasks:
            newest.setdefault(task, commit)
    return newest


def unshown(made: Iterable[TaskCommit]) -> frozenset[str]:
    """The tasks that no test shows to be done, by what their newest commits say."""
    return frozenset(
        task for task, each in standing(made).items() if each.about(VERIFIED).startswith("no")
    )


def in_review(made: Iterable[TaskCommit]) -> dict[str, TaskCommit]:
    """The tasks whose box waits for a person, each with the commit that did it."""
    return {task: each for task, each in standing(made).items() if IN_REVIEW in each.trailers}
