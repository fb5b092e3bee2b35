"""The stack of a repository and roadmap, and what its pull requests say about it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from app.github.freshen import Fresh
from app.github.pulls import PREFIX, Pull
from runner.state.publishing import Member


@dataclass(frozen=True)
class StackPosition:
    """``top`` is the topmost open member (None: nothing is open); the sets hold task keys.

    ``members`` are all open ones above the base branch, by number.
    """

    top: Pull | None = None
    in_review: frozenset[str] = field(default_factory=frozenset)
    declined: frozenset[str] = field(default_factory=frozenset)
    proposed: frozenset[str] = field(default_factory=frozenset)
    members: tuple[Member, ...] = ()


class Ties:
    """Which of our pull requests build on which; ``base`` is the base branch."""

    def __init__(self, pulls: Iterable[Pull], base: str) -> None:
        self.pulls = sorted(pulls, key=lambda pull: pull.number)
        self._base = base
        self._newest = {p.head: p for p in self.pulls if p.member or p.merged}
        self._newest |= {p.head: p for p in self.pulls if p.member and p.open}

    def of(self, branch: str) -> Pull | None:
        """Return the member whose branch this is: the open one, else the newest."""
        return self._newest.get(branch)

    def built_on(self, pull: Pull) -> str:
        """Return the branch that the commits of a pull request build on.

        That is its base. Where it was made against the base branch since, it is still the branch
        it was made on, unless that one's pull request was merged.
        """
        below = self.of(pull.on) if pull.base == self._base else None
        return pull.on if below and not below.merged else pull.base

    def below(self, pull: Pull) -> str:
        """Return the branch it builds on: a merged one passes on what builds on it."""
        return self._followed(self.built_on(pull), closed=False)

    def alive(self, branch: str) -> str:
        """Return the branch where that still is to be merged; else what it was made against."""
        return self._followed(branch, closed=True)

    def lower(self, pull: Pull) -> Pull | None:
        """Return the open member to merge before a pull request."""
        below = self.of(self.below(pull))
        return below if below and below.open else None

    def closed(self, pull: Pull) -> Pull | None:
        """Return the member that a pull request was built on, if it was closed without a merge."""
        below = self.of(self.below(pull))
        return below if below and not below.open and not below.merged else None

    def merged(self, pull: Pull) -> Pull | None:
        """Return the member under a pull request that was merged into the base branch last."""
        seen: set[str] = set()
        below = self.of(pull.on)
        while below is not None and below.merged and below.head not in seen:
            if below.base == self._base:
                return below
            seen.add(below.head)
            below = self.of(below.on or below.base)
        return None

    def uppers(self, pull: Pull) -> list[Pull]:
        """Return the open members that build on one, by number."""
        return [p for p in self.pulls if p.open and p.member and self.below(p) == pull.head]

    def taken_in(self, pull: Pull) -> list[Pull]:
        """Return the members that were merged into the branch of one, by number."""
        return [p for p in self.pulls if p.merged and p.member and p.base == pull.head]

    def down(self, pull: Pull) -> Iterator[Pull]:
        """Yield a pull request and the open members under it."""
        seen: set[str] = set()
        here: Pull | None = pull
        while here is not None and here.head not in seen:  # people can retarget into a circle
            seen.add(here.head)
            yield here
            here = self.lower(here)

    def _followed(self, branch: str, *, closed: bool) -> str:
        seen: set[str] = set()
        while branch not in seen:
            seen.add(branch)
            pull = self.of(branch)
            if pull is None or pull.open or not (pull.merged or closed):
                break
            branch = pull.base
        return branch


def standing(pulls: Iterable[Pull], *, base: str, roadmap: str) -> StackPosition:
    """Find where the stack ends and the status of each task.

    A member that was merged hands its children down to its own base. Of several chains the longest
    counts, of equally long ones the one whose top is newest. Open members whose chain is broken
    (one below them was closed without a merge, or is gone) are in review but carry nothing; members
    that end on another base branch belong to another stack. An applied recovery is a member;
    another one carries nothing, and asks only while it is open.
    """
    ties = Ties((p for p in pulls if p.roadmap == roadmap), base)
    mine = ties.pulls
    chains = {p.number: list(ties.down(p)) for p in mine}
    grounds = {p.number: ties.below(chains[p.number][-1]) for p in mine}
    grounded = [p for p in mine if p.open and p.member and grounds[p.number] == base]
    top = max(grounded, key=lambda p: (len(chains[p.number]), p.number), default=None)
    # a branch of ours that is gone could have stood on any base
    here = [p for p in mine if grounds[p.number] == base or grounds[p.number].startswith(PREFIX)]
    members = tuple(_member(p, ties.below(p)) for p in grounded)
    return StackPosition(top, *_tasks(here), members)


def _member(pull: Pull, below: str) -> Member:
    rewrites = pull.kind == "recovery"
    return Member(pull.tasks, pull.sha, pull.head, below, pull.url, rewrites)


def _tasks(here: list[Pull]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The tasks in review, declined, proposed; of several members of a task the newest decides.

    The task of an applied recovery is not in review: others have taken its place in the roadmap.
    """
    in_review = frozenset(key for p in here if p.open and p.kind == "checkpoint" for key in p.tasks)
    newest = {key: p for p in here if p.member for key in p.tasks}
    closed = frozenset(key for key, p in newest.items() if not p.open and not p.merged)
    return in_review, closed - in_review, frozenset(p.task for p in here if p.asks)


@dataclass(frozen=True, slots=True)
class Height:
    """How far up one is in its stack of ``size`` open members, counted from 1 at the bottom."""

    height: int
    size: int
    lower: Pull | None
    first: Pull
    uppers: tuple[Pull, ...]


def height_of(pull: Pull, pulls: Iterable[Pull], base: str) -> Height:
    """Find an open member's place; ``base`` is the base branch."""
    ties = Ties((p for p in pulls if p.roadmap == pull.roadmap), base)
    down = list(ties.down(pull))
    size, top, seen = len(down), [pull], {p.number for p in down}
    while top := [p for each in top for p in ties.uppers(each) if p.number not in seen]:
        seen |= {p.number for p in top}
        size += 1
    return Height(len(down), size, ties.lower(pull), down[-1], tuple(ties.uppers(pull)))


_MOST = 10


def place(lower: Pull | None, uppers: Sequence[Pull]) -> str:
    """Say what a pull request builds on and which to merge first; '' if it is alone."""
    above = _numbers(uppers)
    verb = "builds" if len(uppers) == 1 else "build"
    if lower is None:
        return f"**Merge this one first.** {above} {verb} on it." if uppers else ""
    first = f"**Stacked on #{lower.number}.** Merge #{lower.number} first."
    return f"{first} {above} {verb} on this one." if uppers else first


def news(pull: Pull, *, closed: Pull | None, taken_in: Sequence[Pull]) -> list[str]:
    """What the description says besides: what else a merge brings."""
    said = []
    if taken_in:
        verb, whose = ("was", "its change") if len(taken_in) == 1 else ("were", "their changes")
        said.append(
            f"{_numbers(taken_in)} {verb} merged into this branch: merging this pull request "
            f"also merges {whose}."
        )
    if closed:
        said.append(left_by_closed(pull, closed))
    return said


def left_by_closed(pull: Pull, closed: Pull) -> str:
    """What to do with a pull request when the one below it was closed without a merge."""
    return (
        f"**#{closed.number}, which this builds on, was closed without a merge.** This pull "
        f"request also contains the change of #{closed.number}, so merging it into `{pull.base}` "
        f"merges both. To have only this task, close this pull request and comment "
        f"`/execute retry {pull.task}`. To have both, reopen #{closed.number} and merge it first."
    )


def joined(pull: Pull, merged: Pull) -> str:
    """The comment when Cairn merged the base branch in after a squash or rebase merge."""
    return (
        f"#{merged.number} was merged by squash or rebase, so git does not see that this branch "
        f"already has that change. Cairn changed the base of this pull request to `{pull.base}` "
        f"and merged `{pull.base}` into its branch. The diff shows only the change of this pull "
        "request. The tests were not run again after that merge commit.\n\n"
        "Merge or squash it. If this repository allows only rebase merges and GitHub refuses this "
        "one, turn it into a single commit first:\n\n"
        f"```sh\ngit fetch origin\ngit switch {pull.head}\n"
        f"git reset --soft origin/{pull.base} && git commit\ngit push --force-with-lease\n```"
    )


def joined_shortly(pull: Pull, merged: Pull) -> str:
    """The same in the description."""
    return (
        f"#{merged.number}, which this builds on, was merged into `{pull.base}` by squash or "
        f"rebase, so Cairn merged `{pull.base}` into this branch. The tests were not run again "
        "after that."
    )


def stuck(pull: Pull, merged: Pull, fresh: Fresh) -> str:
    """What to type if Cairn cannot merge the base branch in."""
    paths = ", ".join(f"`{path.replace('`', chr(39))}`" for path in fresh.paths[:_MOST])
    more = f" and {len(fresh.paths) - _MOST} more" if len(fresh.paths) > _MOST else ""
    return (
        f"**This pull request needs you before it can be merged.** #{merged.number} was merged by "
        f"squash or rebase, so git does not see that this branch already has that change, and "
        f"`{pull.base}` and this branch both changed {paths}{more}. Type:\n\n"
        f"```sh\ngit fetch origin\ngit switch {pull.head}\ngit merge origin/{pull.base}\n"
        "# resolve the conflicts, then\ngit commit && git push\n```\n\n"
        f"Or close this pull request and comment `/execute retry {pull.task}`: Cairn then works "
        f"on the task again, on `{pull.base}`."
    )


def lost(pull: Pull, base: str, below: Pull | None) -> str:
    """The comment when a pull request was merged into a branch that nobody merges."""
    of = f", the branch of #{below.number}" if below else ""
    ended = "had already been merged" if below and below.merged else "is closed"
    why = f" #{below.number} {ended}." if below else ""
    return (
        f"**This change is not on `{base}`.** It was merged into `{pull.base}`{of}.{why} Nothing "
        f"merges that branch into `{base}`, so the task counts as open. To work on it again, "
        f"comment `/execute`, or `/execute retry {pull.task}` for this task only. To have this "
        f"change as it is, open a pull request from `{pull.head}` to `{base}`."
    )


def reopened(pull: Pull, gone: str) -> str:
    """The comment when GitHub closed a pull request because its base branch was deleted."""
    return (
        f"GitHub closed this pull request because somebody deleted `{gone}`, its base branch. "
        f"Nobody declined the change, so Cairn reopened it against `{pull.base}`."
    )


def _numbers(pulls: Sequence[Pull]) -> str:
    names = [f"#{pull.number}" for pull in pulls[:_MOST]]
    if len(pulls) > _MOST:
        names.append(f"{len(pulls) - _MOST} more")
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""
