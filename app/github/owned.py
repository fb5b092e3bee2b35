"""Which commits of a branch are its own, and where they begin. Pure.

The branch of a pull request begins with the commits of those below it. The first commit that names
its own task in a trailer is where its own change begins; a merge that Cairn made later moves that
beginning up to what was merged in. So it is recorded in the commits themselves, and no crash can
part the two.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

from app.github.commits import Commit, read_commit
from runner.state.publishing import Checkpoint

TICKED = "Tick the roadmap of {base} again\n\nIt has changed there since."
JOINED = (
    "Merge {base}, which has what this builds on\n\n"
    "It was merged there as other commits (squash or rebase)."
)
Why = Literal["merged", "closed", "rewritten", "below", "moved"]
REBUILT: dict[Why, str] = {
    "merged": "What it was built on was merged as other commits.",
    "closed": "What it was built on was closed without a merge.",
    "rewritten": "The history of the branch it was built on was rewritten.",
    "below": "The branch it is built on was rebuilt.",
    "moved": "The branch it is built on has changed since.",
}
"""Why a branch was rebuilt, as the message of its commit says."""
_JOINED, _TICKED = JOINED.split("{")[0], TICKED.split("{")[0]
_JOINED_END = JOINED.partition("}")[2].partition("\n")[0]


def in_form(checkpoint: Checkpoint, title: str) -> Checkpoint:
    """Let the message of a new attempt on a newer base say why its branch was rebuilt, if it is."""
    if not checkpoint.rebuild:
        return checkpoint
    why = next(sentence for why, sentence in REBUILT.items() if why == checkpoint.rebuild)
    rest = checkpoint.text.message.partition("\n\n")[2]
    message = f"{title}\n\n{why}\n\n{rest}"
    return replace(checkpoint, text=replace(checkpoint.text, message=message))


Form = Literal["nothing", "joined", "rebuilt"]


@dataclass(frozen=True, slots=True)
class Line:
    """What a branch has that its base has not.

    ``fork`` is where they part, ``behind`` how many commits of the base it lacks. ``start`` is
    where its own change begins: ``fork``, unless that is on a commit that the base has not. ``own``
    are its own commits, the newest first. ``form`` says how it was brought up to date last, if that
    is its newest commit, and ``same`` that this changed no file. ``why`` says why it was rebuilt.
    """

    fork: str
    start: str
    behind: int
    own: tuple[Commit, ...]
    form: Form = "nothing"
    same: bool = False
    why: Why | None = None

    @property
    def made_on(self) -> str:
        """The commit that its first own commit is on."""
        return self.own[-1].parents[0] if self.own and self.own[-1].parents else ""

    def made_by_us(self, commit: Commit) -> bool:
        """Say whether a commit is of a form that Cairn makes; a person may have merged into it."""
        return len(commit.parents) < 2 or commit.title.startswith((_JOINED, _TICKED))


def line_of(compared: Any, head: str, tasks: Collection[str], merged: str = "") -> Line:
    """Read what GitHub answers about a base and the head of a branch of some tasks.

    ``merged`` is the last commit of what was merged into the base: what is above it is its own.
    GitHub shows at most 250 commits
    (https://docs.github.com/en/rest/commits/commits#compare-two-commits).
    """
    fork, behind = str(compared["merge_base_commit"]["sha"]), int(compared["behind_by"])
    listed = ({**each, **each["commit"], "sha": each["sha"]} for each in compared["commits"])
    known = {commit.sha: commit for commit in map(read_commit, listed)}
    own = _own(known, head, frozenset(tasks), merged)
    start = _start(own, frozenset(tasks))
    why = _why(own)
    same = _joined_same(own, known) if why is None else False
    form: Form = "rebuilt" if why else "nothing" if same is None else "joined"
    return Line(fork, start if start in known else fork, behind, own, form, bool(same), why)


def apart(newest: Any, head: str, tasks: Collection[str], merged: str = "") -> Line:
    """Read the newest commits of a branch that has nothing in common with its base any more.

    ``fork`` is '' then. https://docs.github.com/en/rest/commits/commits#list-commits
    """
    nothing = {"merge_base_commit": {"sha": ""}, "behind_by": 1, "commits": newest}
    return line_of(nothing, head, tasks, merged)


def _own(
    known: dict[str, Commit], head: str, tasks: frozenset[str], merged: str
) -> tuple[Commit, ...]:
    """The commits from the head down to what was merged, or to the first one about a task."""
    line: list[Commit] = []
    at = known.get(head)
    while at is not None:
        if at.sha == merged and line:
            return tuple(line)
        line.append(at)
        at = known.get(at.parents[0]) if at.parents else None
    first = max((n for n, each in enumerate(line) if tasks & {*each.tasks}), default=-1)
    return tuple(line[: first + 1])


def _start(own: tuple[Commit, ...], tasks: frozenset[str]) -> str:
    """The commit that the newest merge of ours brought in, else what the first one is built on."""
    for commit in own:
        if len(commit.parents) > 1 and tasks & {*commit.tasks}:
            return commit.parents[1]
    return own[-1].parents[0] if own and own[-1].parents else ""


def _why(own: tuple[Commit, ...]) -> Why | None:
    message = own[-1].message if own else ""
    return next((why for why, sentence in REBUILT.items() if f"\n\n{sentence}\n" in message), None)


def _joined_same(own: tuple[Commit, ...], known: dict[str, Commit]) -> bool | None:
    """Say whether the newest commit, which joined the base, changed no file; None if it did not."""
    head = own[0] if own else None
    if head is None or len(head.parents) < 2:
        return None
    if not (head.title.startswith(_JOINED) and _JOINED_END in head.title):
        return None
    before = known.get(head.parents[0])
    return bool(before and before.tree == head.tree)
