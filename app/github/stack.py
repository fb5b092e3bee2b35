"""The stack of a repository and roadmap, as its pull requests show it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile

from app.github.comments import section
from app.github.pulls import PREFIX, Pull
from handlers.ports import InReview, StackPlace
from runner.roadmap.plans import form_of
from runner.roadmap.reviewed import reviewed
from runner.roadmap.task import Roadmap
from runner.state.publishing import Member, ShownPull


@dataclass(frozen=True)
class StackPosition:
    """``top`` is the topmost open member (None: nothing is open); the sets hold task keys.

    ``members`` are all open ones above the base branch, by number; ``open`` is how many of a
    roadmap are open on any branch.
    """

    top: Pull | None = None
    in_review: frozenset[str] = field(default_factory=frozenset)
    declined: frozenset[str] = field(default_factory=frozenset)
    proposed: frozenset[str] = field(default_factory=frozenset)
    members: tuple[Member, ...] = ()
    open: int = 0


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

    def carrier(self, pull: Pull) -> str:
        """Return the branch it should be made against, of ours or the base branch.

        The one whose commits it has, while that is open; people may move it to the base branch.
        """
        alive, below = self.alive(pull.base), self.of(pull.on)
        if below is None or not below.open or pull.head in {p.head for p in self.down(below)}:
            return alive
        moved = pull.base.startswith(PREFIX) and pull.base == below.base
        return pull.on if moved or alive != pull.base else alive

    def lower(self, pull: Pull) -> Pull | None:
        """Return the open member to merge before a pull request."""
        below = self.of(self.below(pull))
        return below if below and below.open else None

    def closed(self, pull: Pull) -> Pull | None:
        """Return the member that a pull request was built on, if it was closed without a merge.

        What was merged into the branch of a closed one was built on that one.
        """
        below = self.of(self.below(pull))
        if below is None and pull.base == self._base:
            below = self.of(self._followed(pull.on, closed=False))
        return below if below and not below.open and not below.merged else None

    def dropped(self, pull: Pull) -> Pull | None:
        """Return the closed member that one was made on, if it builds on an open one since."""
        on, lower = self.of(self._followed(pull.on, closed=False)), self.of(pull.base)
        is_closed = on and not on.open and not on.merged and on.head != pull.base
        return on if is_closed and lower and lower.open else None

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

    def folded(self, pull: Pull) -> Pull | None:
        """Return the member that brought what one was built on into the open one below it.

        That is what it was built on, or a member that took that in and was merged itself.
        """
        below, lower = self.of(pull.on), self.of(pull.base)
        if not (below and below.merged and lower and lower.open):
            return None
        last = self._way(below)[-1]
        return last if last.base == pull.base else None

    def carries(self, pull: Pull) -> list[Pull]:
        """Return the members that were merged below one, and are in no other branch that lives."""
        found, seen = list[Pull](), {pull.head}
        below = self.of(pull.on)
        while below is not None and below.merged and below.head not in seen:
            if self._way(below)[-1].base in (self._base, pull.base):
                break
            seen.add(below.head)
            found.append(below)
            below = self.of(below.on or below.base)
        return found

    def _way(self, pull: Pull) -> list[Pull]:
        """A merged one, and the members with which its change was merged further, in that order.

        What is merged into a branch after the branch itself was merged goes no further.
        """
        way = [pull]
        while (into := self.of(way[-1].base)) and into.merged and into not in way:
            if into.merged_at <= way[-1].merged_at:
                break
            way.append(into)
        return way

    def carried(self, pull: Pull) -> frozenset[str]:
        """Return the tasks of its change: its own, and those merged below it but nowhere else."""
        return frozenset(key for each in (pull, *self.carries(pull)) for key in each.tasks)

    def uppers(self, pull: Pull) -> list[Pull]:
        """Return the open members that build on one, by number."""
        return [p for p in self.pulls if p.open and p.member and self.below(p) == pull.head]

    def taken_in(self, pull: Pull) -> list[Pull]:
        """Return the members that were merged into the branch of one, by number.

        What came into it after it was merged itself does not go with it.
        """
        into = [p for p in self.pulls if p.merged and p.member and p.base == pull.head]
        return [p for p in into if not pull.merged or p.merged_at <= pull.merged_at]

    def inside(self, pull: Pull) -> Iterator[Pull]:
        """Yield a pull request and the members whose change a merge of it brings as well."""
        new, seen = [pull], set[int]()
        while new:
            each = new.pop(0)
            if each.number not in seen:
                seen.add(each.number)
                yield each
                new += (*self.carries(each), *self.taken_in(each))

    def down(self, pull: Pull) -> Iterator[Pull]:
        """Yield a pull request and the open members under it."""
        seen: set[str] = set()
        here: Pull | None = pull
        while here is not None and here.head not in seen:  # people can retarget into a circle
            seen.add(here.head)
            yield here
            here = self.lower(here)

    def stack(self, pull: Pull) -> list[Pull]:
        """Return the open members of its stack: those that one can reach from its bottom."""
        found = {each.number: each for each in self.down(pull)}
        new = list(found.values())
        while new:
            new = [p for each in new for p in self.uppers(each) if p.number not in found]
            found |= {each.number: each for each in new}
        return list(found.values())

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
    (one below them was closed without a merge, or is gone) are in review but carry nothing, also
    while they still show the change of the closed one; members that end on another base branch
    belong to another stack. An applied recovery is a member;
    another one carries nothing, and asks only while it is open.
    """
    ties = Ties((p for p in pulls if p.roadmap == roadmap), base)
    mine = ties.pulls
    chains = {p.number: list(ties.down(p)) for p in mine}
    grounds = {p.number: ties.below(chains[p.number][-1]) for p in mine}
    mixed = {p.number for p in mine if any(ties.dropped(each) for each in chains[p.number])}
    there = [p for p in mine if p.open and p.member and grounds[p.number] == base]
    grounded = [p for p in there if p.number not in mixed]
    top = max(grounded, key=lambda p: (len(chains[p.number]), p.number), default=None)
    # a branch of ours that is gone could have stood on any base
    here = [p for p in mine if grounds[p.number] == base or grounds[p.number].startswith(PREFIX)]
    members = tuple(
        Member(p.tasks, p.sha, p.head, ties.below(p), p.url, p.kind == "recovery") for p in grounded
    )
    waiting = sum(1 for p in mine if p.open and p.member)
    return StackPosition(top, *_tasks(here, ties), members, waiting)


def _tasks(here: list[Pull], ties: Ties) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The tasks in review, declined, proposed; of several members of a task the newest decides.

    What was merged into the branch of an open one is in review with it. The task of an applied
    recovery is not in review: others have taken its place in the roadmap.
    """
    members = (each for p in here if p.open and p.member for each in ties.inside(p))
    in_review = frozenset(key for p in members if p.kind == "checkpoint" for key in p.tasks)
    newest = {key: p for p in here if p.member for key in p.tasks}
    closed = frozenset(key for key, p in newest.items() if not p.open and not p.merged)
    return in_review, closed - in_review, frozenset(p.task for p in here if p.asks)


def place_of(pull: Pull, ties: Ties) -> StackPlace:
    """Find an open member's place among the open ones."""
    down = list(ties.down(pull))
    size, top, seen = len(down), [pull], {p.number for p in down}
    while top := [p for each in top for p in ties.uppers(each) if p.number not in seen]:
        seen |= {p.number for p in top}
        size += 1
    below = tuple(p.number for p in reversed(down[1:]))
    needless = tuple(p.number for p in reversed(down[1:]) if section(p.body, "done"))
    uppers = tuple(p.number for p in ties.uppers(pull))
    held, done = (bool(section(pull.body, part)) for part in ("held", "done"))
    along = tuple(p.number for p in takewhile(pull.is_stacked_with, down[1:]))[::-1]
    place = StackPlace(size, below, uppers, needless, held=held, done=done)
    return replace(place, along=along, native=pull.native is not None)


def shown_of(pulls: Iterable[Pull], roadmap: str) -> tuple[ShownPull, ...]:
    """List the open checkpoints of a roadmap by number."""
    mine = (p for p in pulls if p.open and p.kind == "checkpoint" and p.roadmap == roadmap)
    ordered = sorted(mine, key=lambda pull: pull.number)
    return tuple(ShownPull(p.number, p.title, p.tasks) for p in ordered)


def issues_of(pulls: Iterable[Pull]) -> frozenset[int]:
    """Return the issues that are tasks themselves and have an open checkpoint."""
    mine = (p.roadmap for p in pulls if p.open and p.member and form_of(p.roadmap).apart)
    return frozenset(int(path.removeprefix("#")) for path in mine)


def in_review(pulls: Iterable[Pull], *, base: str, newest: Roadmap) -> tuple[InReview, ...]:
    """List the open checkpoints of a roadmap, stack by stack and each from the bottom up.

    ``newest`` is the roadmap as the base branch has it now.
    """
    roadmap = newest.path
    ties = Ties((p for p in pulls if p.roadmap == roadmap), base)
    mine = [p for p in ties.pulls if p.open and p.kind == "checkpoint"]
    places = {p.number: place_of(p, ties) for p in mine}
    order = sorted(mine, key=lambda p: (*places[p.number].below, p.number))
    return tuple(
        InReview(p.number, p.title, roadmap, places[p.number], reviewed(newest, p.tasks, p.title))
        for p in order
    )
