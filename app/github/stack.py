"""The stack of one repository, roadmap and base branch, read off its pull requests. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from app.github.pull import PREFIX, Pull
from runner.publishing import Member


@dataclass(frozen=True)
class Standing:
    """``top`` is the topmost open member (None: nothing is open); the sets hold task keys.

    ``members`` are all open ones that stand on the base branch, by number.
    """

    top: Pull | None = None
    in_review: frozenset[str] = field(default_factory=frozenset)
    declined: frozenset[str] = field(default_factory=frozenset)
    proposed: frozenset[str] = field(default_factory=frozenset)
    members: tuple[Member, ...] = ()


def standing(pulls: Iterable[Pull], *, base: str, roadmap: str) -> Standing:
    """Find where the stack ends and how each task stands.

    A member that was merged hands its children down to its own base. Of several chains the longest
    counts, of equally long ones the one whose top is newest. Open members whose chain is broken
    (below them a branch of ours that is gone) are in review but carry nothing; members that end on
    another base branch belong to another stack. An applied recovery is a member; one that is not
    carries nothing, and asks only while it is open.
    """
    mine = sorted((p for p in pulls if p.roadmap == roadmap), key=lambda p: p.number)
    heads = {p.head: p for p in mine if p.open and p.member}
    merged_to = {p.head: p.base for p in mine if p.merged and p.head not in heads}
    chains = {p.number: list(_down(p, heads, merged_to)) for p in mine}
    grounds = {p.number: _through(chains[p.number][-1].base, merged_to) for p in mine}
    grounded = [p for p in heads.values() if grounds[p.number] == base]
    top = max(grounded, key=lambda p: (len(chains[p.number]), p.number), default=None)
    # a branch of ours that is gone could have stood on any base
    here = [p for p in mine if grounds[p.number] == base or grounds[p.number].startswith(PREFIX)]
    members = tuple(_member(p, _through(p.base, merged_to)) for p in mine if p in grounded)
    return Standing(top, *_tasks(here), members)


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


def _down(pull: Pull, heads: Mapping[str, Pull], merged_to: Mapping[str, str]) -> Iterator[Pull]:
    seen: set[str] = set()
    here: Pull | None = pull
    while here is not None and here.head not in seen:  # people can retarget into a circle
        seen.add(here.head)
        yield here
        here = heads.get(_through(here.base, merged_to))


def _through(branch: str, merged_to: Mapping[str, str]) -> str:
    """Follow merged members down to the branch they were merged into."""
    seen: set[str] = set()
    while branch in merged_to and branch not in seen:
        seen.add(branch)
        branch = merged_to[branch]
    return branch
